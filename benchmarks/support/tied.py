# SPDX-License-Identifier: BSD-3-Clause
"""What ways through the equations of tied bodies cost: unknowns, factors, steps, residuals."""

from __future__ import annotations

import resource
import statistics
import sys
import time
from typing import Any

from flexforge.runtime.solvers import factorize
from flexforge.runtime.transient.coordinates.multipliers import BorderedMatrix
from flexforge.runtime.transient.coordinates.null_space import Reduced
from flexforge.runtime.transient.steppers.linear import LinearSteps
from flexforge.runtime.transient.tied_motion import TiedMotion

from support.mechanisms import beams, motion_of, solid_arm, solid_bar

WAYS = {"lagrange": "multipliers", "maggi": "Maggi", "kane": "independent"}
#: Formalisms of steps in C; Gibbs and Appell take those of Kane.
FORMALISMS = ("maggi", "kane", "lagrange", "hamilton")
SIZES = (10, 100, 1_000, 10_000, 100_000)


def _tell(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def whole_matrix(motion: TiedMotion) -> Any:
    """Return the symmetric part of the matrix of the next step, constraints and all."""
    moment, state = motion.end, motion.state
    equations = moment.equations
    step = equations.combine(*moment.factors)
    assert isinstance(motion.stepper, LinearSteps)
    way = motion.stepper.coordinates
    if isinstance(way, Reduced):
        path = way._path(moment, state.q, state.z)
        return way._whole(step, moment, path).symmetric_part.assemble()
    scale = moment.factors[0] * float(equations.system.mass_diagonal().max())
    return BorderedMatrix(step, moment.rows, scale, moment).symmetric_part.assemble()


def prepared(motion: TiedMotion) -> dict[str, Any]:
    """Return what the equations of a step are, and what factoring them at once takes."""
    matrix, seconds, size = whole_matrix(motion), [], 0
    for _ in range(3):
        clock = time.perf_counter()
        factors = factorize(matrix, "auto", motion.system.threads, symmetric=True, check=False)
        seconds.append(time.perf_counter() - clock)
        size = factors.bytes or 0
        factors.close()
    return {
        "unknowns": motion.stepper.unknowns,
        "non-zeros": int(matrix.nnz),
        "factor s": statistics.median(seconds),
        "factors MB": size / 1e6,
    }


def formulations(kind: str, elements: int, steps: int) -> list[dict[str, Any]]:
    """Return what a chain or a loop of beams costs by every way, their steps in turns."""
    motions, found, times = {}, {}, {}
    for formalism, way in WAYS.items():
        # The ways alike: one step after the other.
        motion = motion_of(beams(kind, elements, formalism), native=False)
        assert isinstance(motion, TiedMotion)
        found[way] = {"kind": kind, "elements": elements, "way": way, **prepared(motion)}
        motion.advance()  # factors
        motions[way], times[way] = motion, []
    for _ in range(steps):
        for way, motion in motions.items():
            clock = time.perf_counter()
            motion.advance()
            times[way].append(time.perf_counter() - clock)
    for way, motion in motions.items():
        counts = motion.counts
        found[way] |= {
            "step s": statistics.median(times[way]),
            "least step s": min(times[way]),
            "factorizations": counts.factorizations,
            "solves a step": counts.solves / counts.steps,
            **residuals(motion),
        }
        motion.close()
    _tell(
        f"{kind} of {elements} elements: "
        + ", ".join(f"{way} {one['step s']:.3g} s a step" for way, one in found.items())
    )
    return list(found.values())


def small(model: dict[str, Any], steps: int, rounds: int) -> list[dict[str, Any]]:
    """Return what steps in C of a small mechanism cost by every formalism, in turns."""
    times: dict[str, list[float]] = {name: [] for name in FORMALISMS}
    unknowns = {}
    for _ in range(rounds):
        for name, seconds in times.items():
            motion = motion_of(model | {"analysis": model["analysis"] | {"formalism": name}})
            assert isinstance(motion, TiedMotion)
            clock = time.perf_counter()
            for _ in range(steps):
                motion.advance()
            seconds.append((time.perf_counter() - clock) / steps)
            unknowns[name] = motion.stepper.unknowns
    base = statistics.median(times["maggi"])
    return [
        {
            "formalism": name,
            "unknowns": unknowns[name],
            "us a step": 1e6 * statistics.median(seconds),
            "least": 1e6 * min(seconds),
            "times maggi": statistics.median(seconds) / base,
        }
        for name, seconds in times.items()
    ]


def residuals(motion: TiedMotion) -> dict[str, float]:
    """Return what is left of the constraints at the end: positions, velocities, accelerations."""
    state = motion.state
    left = motion.end.rows.residuals(state.q, state.z, motion.point.rate)
    names = ("positions", "velocities", "accelerations")
    return {name: float(abs(one).max()) for name, one in zip(names, left, strict=True)}


def solids(cells: tuple[int, int], steps: int) -> list[dict[str, Any]]:
    """Return the steps of an arm of solids by two ways and of one body of its size, in turns."""
    models = {
        "one body": solid_bar(cells),
        "arm, Maggi": solid_arm("maggi", cells),
        "arm, multipliers": solid_arm("lagrange", cells),
    }
    motions, found, times = {}, [], {}
    for name, model in models.items():
        clock = time.perf_counter()
        motions[name] = motion_of(model)
        motions[name].advance()
        _tell(
            f"{name}: {motions[name].system.unknowns} unknowns, prepared and factored in "
            f"{time.perf_counter() - clock:.1f} s"
        )
        times[name] = []
    for number in range(steps):
        for name, motion in motions.items():
            clock = time.perf_counter()
            motion.advance()
            times[name].append(time.perf_counter() - clock)
        _tell(f"step {number + 1}: " + ", ".join(f"{t[-1]:.3f} s" for t in times.values()))
    base = statistics.median(times["one body"])
    for name, motion in motions.items():
        counts = motion.counts
        found.append({
            "model": name,
            "unknowns": motion.system.unknowns,
            "step s": statistics.median(times[name]),
            "least step s": min(times[name]),
            "times one body": statistics.median(times[name]) / base,
            "factorizations": counts.factorizations,
            "solves a step": counts.solves / counts.steps,
            "products a step": counts.products / counts.steps,
            "factors MB": counts.factor_bytes / 1e6,
            **(residuals(motion) if isinstance(motion, TiedMotion) else {}),
        })  # fmt: skip
        motion.close()
    found[0]["peak of all three, MiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found
