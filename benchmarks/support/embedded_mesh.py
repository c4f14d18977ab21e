# SPDX-License-Identifier: BSD-3-Clause
"""An exported mesh that forms no matrix, its steps beside those of flexforge's own runtime."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
from flexforge.codegen.jit.compilers import find_compiler
from flexforge.runtime.export.library import sources
from flexforge.runtime.export.solver import Solver
from flexforge.runtime.transient.coordinates.explicit import ExplicitCoordinates
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.steppers.linear import LinearSteps
from flexforge.runtime.transient.system_model import FreeModel

from support.embedded import Embedded

STEP, STEPS = 4e-6, 20
RUBBER = {"young": 4e6, "poisson": 0.3, "density": 1000.0}


def model(divisions: tuple[int, int, int] = (100, 32, 9)) -> dict[str, Any]:
    """Return a blade of hex8, 99,000 unknowns by default, that is spun up; one thread."""
    corners = [
        [x, y, z]
        for z in (0.0, 0.02)
        for x, y in ((0.1, -0.03), (0.5, -0.02), (0.5, 0.02), (0.1, 0.03))
    ]
    return {
        "mesh": {"block": {"cell": "hex8", "corners": corners, "divisions": list(divisions)}},
        "materials": {"rubber": RUBBER},
        "bodies": [{"name": "blade", "element": "hex8", "material": "rubber",
                    "frame": {"velocity": {"ramp": {"to": 30.0, "duration": 1e-4}}}}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "gravity", "acceleration": [0.0, -9.81, 0.0]}],
        "probes": [{"name": "tip", "point": [0.5, 0.0, 0.0], "component": "y"}],
        "analysis": {"kind": "transient", "duration": STEPS * STEP, "steps": STEPS,
                     "method": "central_difference", "mass": "lumped", "threads": 1},
    }  # fmt: skip


def _python(solver: Solver) -> tuple[float, float]:
    """Return the seconds of the steps in flexforge's runtime, and the tip at their end."""
    assert solver.mesh is not None
    system = solver.mesh.system
    rest, loads = np.zeros((system.size, system.dimension)), solver.mesh.loads
    counts = Counts()
    explicit = ExplicitCoordinates(system, "auto", counts)
    steps = LinearSteps(FreeModel(system, loads), explicit, solver.scheme, solver.step, counts)
    motion = Motion(system, loads, steps, solver.step, rest, rest)
    clock = time.perf_counter()
    for _ in range(STEPS):
        motion.advance()
    seconds = time.perf_counter() - clock
    tip = solver.model.output[0]
    return seconds, float(tip.rows @ system.restrict(motion.displacement)[tip.columns])


def measure_mesh(solver: Solver, repeats: int) -> dict[str, Any]:
    """Return what a step of a mesh costs, taken in turns by runtime and library.

    Parameters
    ----------
    solver : Solver
        Of a mesh.
    repeats : int
        Rounds.
    """
    assert solver.mesh is not None
    built = {}
    for name, flags in (("library", ()), ("for this processor", find_compiler().native)):
        clock = time.perf_counter()
        built[name] = Embedded(solver, flags), time.perf_counter() - clock
    times: dict[str, list[float]] = {"python": [], **{name: [] for name in built}}
    for _ in range(repeats):
        seconds, tip = _python(solver)
        times["python"].append(seconds / STEPS)
        for name, (one, _) in built.items():
            seconds, end = one.steps("library", STEPS)
            assert abs(end - tip) < 1e-11 * abs(tip), f"{name}: tip at {end}, not {tip}"
            times[name].append(seconds / STEPS)
    elements = sum(len(one.cells) for one in solver.mesh.cells)
    medians = {name: statistics.median(found) for name, found in times.items()}
    library, seconds = built["library"]
    return {
        "mesh": solver.name,
        "unknowns": solver.size,
        "elements": elements,
        **{f"{name}, ms a step": 1e3 * value for name, value in medians.items()},
        **{f"{name}, us an element": 1e6 * value / elements for name, value in medians.items()},
        "creation, ms": 1e3 * library.creation(5),
        "memory, MB": library.memory / 1e6,
        "sources, MB": sum(map(len, sources(solver).values())) / 1e6,
        "to compile, s": seconds,
    }
