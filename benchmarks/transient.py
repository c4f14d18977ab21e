# SPDX-License-Identifier: BSD-3-Clause
"""A spin-up of 200,000 unknowns: seconds a step whose matrix changes with w(t), and factorizations.

The run of 200 steps from rest to nominal speed is flexforge's own. Beside it stands what a step
takes that factors the matrix anew, with the same solver, ordering found before.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from typing import Any

import numpy as np
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.machine.threads import cores_for_our_loops
from flexforge.runtime.start import implicit_steps
from flexforge.runtime.statics.prestress import prestressed
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.scheme import Scheme
from support.machine import limits
from support.report import leave, table

SPEED, DURATION = 100.0, 1.0  # rad/s, s: the beam's first natural frequency is about 500 rad/s


def model(divisions: int, steps: int, solver: str, threads: int) -> dict[str, Any]:
    """Return a steel beam, 1 m x 0.2 m x 0.1 m on a hub of 0.1 m, spun up smoothly."""
    corners = [[x, y, z] for z in (0, 0.1) for x, y in ((0.1, 0), (1.1, 0), (1.1, 0.2), (0.1, 0.2))]
    across = max(1, divisions // 4)
    return {
        "mesh": {
            "block": {
                "cell": "hex8", "corners": corners, "divisions": [divisions, across, across],
            }
        },
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
        "bodies": [
            {
                "name": "beam", "element": "hex8", "material": "steel",
                "frame": {"velocity": {"ramp": {"to": SPEED, "duration": DURATION}}},
            }
        ],
        "supports": [{"group": "xmin"}],
        "analysis": {
            "kind": "transient", "duration": DURATION, "steps": steps, "solver": solver,
            "threads": threads,
        },
    }  # fmt: skip


def measure(divisions: int, steps: int, solver: str, threads: int, anew: int) -> dict[str, Any]:
    """Run the spin-up, then a few steps' equations with a factorization each."""
    spec = model_from_dict(model(divisions, steps, solver, threads))
    clock = time.perf_counter()
    places = build_system(spec, build_mesh(spec))
    system = places.system
    loads = Loads(spec, places)
    assembled = time.perf_counter() - clock
    clock = time.perf_counter()
    system = prestressed(system, solver).system
    stressed = time.perf_counter() - clock
    zero = np.zeros((system.size, system.dimension))
    analysis = spec.analysis
    clock = time.perf_counter()
    scheme, step = Scheme.of(analysis), analysis.step_size
    steps_of = implicit_steps(system, loads, scheme, step, analysis.tolerance, solver)
    run = Motion(system, loads, steps_of, step, zero, zero)
    factored = time.perf_counter() - clock
    seconds, solves = [], []
    for number in range(steps):
        before, clock = run.counts.solves, time.perf_counter()
        run.advance()
        seconds.append(time.perf_counter() - clock)
        solves.append(run.counts.solves - before)
        if sys.stderr.isatty():
            print(f"\r  step {number + 1} of {steps}", end="", file=sys.stderr, flush=True)
    kept = steps_of.coordinates._solver
    factors, peak = kept.factors, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    solve = timed(lambda: factors.solve(system.restrict(run.displacement)), 5)
    end = steps_of.model.end(0.5 * DURATION, step, scheme, run.state.q)
    matrix = end.equations.combine(*end.factors)
    ((combination,),) = matrix.blocks
    product = timed(lambda: system.apply(combination, run.displacement), 5)
    if factors.iterative:
        refactored = timed(lambda: kept._refactor(matrix), anew)
    else:
        refactored = timed(lambda: factors.update(system.matrix(combination)), anew)
    return {
        "unknowns": system.unknowns,
        "solver": run.solver_name,
        "threads": threads,
        "steps": steps,
        "factorizations": run.counts.factorizations,
        "solves": {"all": sum(solves), "most in a step": max(solves)},
        "seconds": {
            "read, number, assemble": assembled,
            "prestress": stressed,
            "first factorization and initial acceleration": factored,
            "a step, median": statistics.median(seconds),
            "a step, longest": max(seconds),
            "a step after the first, mean": statistics.mean(seconds[1:]),
            "all steps": sum(seconds),
            "a pair of triangular solves": solve,
            "a product with the moving matrix": product,
            "a step that factors anew": refactored + solve,
        },
        "MiB": {
            "peak of the process": peak,
            "factors": run.counts.factor_bytes / 2**20,
            "matrices": sum(
                (b.stiffness.nbytes + b.mass.nbytes + sum(g.nbytes for g in b.geometric)
                 + b.graph.bytes) / 2**20 for b in system.bodies
            ),
        },
    }  # fmt: skip


def timed(job: Any, times: int) -> float:
    """Return the median seconds of a job; none if it is not done."""
    if not times:
        return float("nan")
    taken = []
    for _ in range(times):
        clock = time.perf_counter()
        job()
        taken.append(time.perf_counter() - clock)
    return statistics.median(taken)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--divisions", type=int, default=100, help="elements along the beam")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--solver", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--anew", type=int, default=3, help="factorizations to time")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    machine = limits()
    with cores_for_our_loops():
        found = measure(
            arguments.divisions,
            arguments.steps,
            arguments.solver,
            arguments.threads,
            arguments.anew,
        )
    seconds = found["seconds"]
    found["ratio"] = seconds["a step that factors anew"] / seconds["a step, median"]
    text = [
        f"{found['unknowns']} unknowns, {found['steps']} steps from 0 to {SPEED:g} rad/s, "
        f"{found['solver']}, {found['threads']} threads",
        f"factorizations {found['factorizations']}, solves {found['solves']['all']}, most in a "
        f"step {found['solves']['most in a step']}",
        table(("seconds", ""), list(seconds.items())),
        f"a step that factors anew takes {found['ratio']:.3g} times as long",
        table(("MiB", ""), list(found["MiB"].items())),
    ]
    leave("transient", {"machine": machine, "figures": found}, "\n".join(text), arguments.json)


if __name__ == "__main__":
    main()
