# SPDX-License-Identifier: BSD-3-Clause
"""Statics of a cube and steps of a beam over their size: multigrid, factors, pyamg as it comes.

Every job is a process of its own, and jobs take turns. "all" is the time of the process from the
start of Python: mesh, matrices, set-up and solution, without results. Residuals are 1e-12 for
flexforge, and 1e-8 for pyamg, whose default levels solve the same matrix in one thread. Factors are
left out where they are estimated to need more memory than there is, or more than a few minutes.

"explicit" are steps of the cube by central differences with lumped masses, in one thread. "steps"
are the first fifty of the spin-up of ``flexforge bench transient``, a beam of hex8 with about as
many unknowns as the cube; "a step" is their mean after the first.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from typing import Any

import numpy as np
from support.machine import limits
from support.report import leave, table

JOBS = ("multigrid", "factors", "pyamg", "steps", "steps, factors", "explicit")
_LONGEST = 200.0  # s of factors
_STEPS = 50
_SOUND = 6000.0  # m/s, the fastest wave in steel
_ALONG = 2.52  # elements along the beam for one along an edge of the cube


def cube(size: int, cell: str) -> dict[str, Any]:
    """Return the model of a cube under a force, with ``size`` elements along each edge."""
    corners = [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    return {
        "mesh": {"block": {"cell": cell, "corners": corners, "divisions": [size] * 3}},
        "materials": {"steel": {"young": 2.1e11, "poisson": 0.3, "density": 7850}},
        "bodies": [{"name": "cube", "element": cell, "material": "steel"}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "total": [0, 1e3, 0]}],
        "analysis": {"kind": "static"},
    }


def job(name: str, size: int, cell: str, threads: int, begun: float) -> dict[str, Any]:
    """Solve a cube once, and return seconds and memory by name."""
    from flexforge.runtime.loading.load import model_from_dict
    from flexforge.runtime.solvers.estimate import cost_of_factors
    from flexforge.runtime.statics.pencil import Pencil
    from flexforge.runtime.statics.rigid import layout_of
    from flexforge.runtime.statics.static import solve_static
    from flexforge.runtime.system.construct import build_mesh, build_system
    from flexforge.runtime.system.loads import Loads

    if name.startswith("steps"):
        return steps(name, size, threads, begun)
    if name == "explicit":
        return explicit(size, cell, begun)
    tables = cube(size, cell)
    tables["analysis"]["threads"] = threads
    spec = model_from_dict(tables)
    places = build_system(spec, build_mesh(spec))
    system, loads = places.system, Loads(spec, places)
    (body,) = system.bodies
    found: dict[str, Any] = {"unknowns": system.unknowns}
    cost = cost_of_factors(body.graph.pointers, body.graph.columns, body.points, 3, threads)
    found["estimate of factors"] = {"seconds": cost.seconds, "GB": cost.bytes / 1e9}
    if name == "factors" and cost.seconds > _LONGEST:
        return found | {"left out": str(cost)}
    clock = time.perf_counter()
    body.assemble()
    found["assemble"] = time.perf_counter() - clock
    clock = time.perf_counter()
    if name == "pyamg":
        from pyamg import smoothed_aggregation_solver

        stiffness = Pencil.at_rest(system).stiffness
        rhs = system.restrict(loads.at(0.0, system.spins(0.0)))
        levels = smoothed_aggregation_solver(stiffness.tobsr((3, 3)), B=layout_of(system).motions())
        residuals: list[float] = []
        levels.solve(rhs, tol=1e-8, accel="cg", residuals=residuals)
        found["iterations"] = len(residuals) - 1
    else:
        solver = {"multigrid": "amg", "factors": "pardiso"}[name]
        found["residual"] = solve_static(system, loads, 0.0, solver).residual
    found["solve"] = time.perf_counter() - clock
    found["all"] = time.time() - begun
    found["GB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    return found


def steps(name: str, size: int, threads: int, begun: float) -> dict[str, Any]:
    """Take steps of the spin-up of a beam."""
    from flexforge.runtime.loading.load import model_from_dict
    from flexforge.runtime.solvers.estimate import cost_of_factors
    from flexforge.runtime.system.construct import build_mesh, build_system
    from transient import measure as spin_up
    from transient import model

    along, solver = round(_ALONG * size), {"steps": "amg", "steps, factors": "pardiso"}[name]
    spec = model_from_dict(model(along, _STEPS, solver, threads))
    system = build_system(spec, build_mesh(spec)).system
    (body,) = system.bodies
    graph = body.graph
    cost = cost_of_factors(graph.pointers, graph.columns, body.points, 3, threads)
    if solver == "pardiso" and cost.seconds > _LONGEST:
        return {"unknowns": system.unknowns, "left out": str(cost)}
    found = spin_up(along, _STEPS, solver, threads, 0)
    seconds = found["seconds"]
    return {
        "unknowns": found["unknowns"],
        "assemble": seconds["read, number, assemble"],
        "solve": seconds["prestress"] + seconds["first factorization and initial acceleration"],
        "a step": seconds["a step after the first, mean"],
        "solves": found["solves"]["all"],
        "all": time.time() - begun,
        "GB": found["MiB"]["peak of the process"] * 2**20 / 1e9,
    }


def explicit(size: int, cell: str, begun: float) -> dict[str, Any]:
    """Take explicit steps of a cube, half as long as a wave takes through an element."""
    from flexforge.runtime.loading.load import model_from_dict
    from flexforge.runtime.start import start
    from flexforge.runtime.system.construct import build_mesh, build_system
    from flexforge.runtime.system.loads import Loads

    tables, step = cube(size, cell), 0.5 / size / _SOUND
    if cell in ("tet10", "hex20", "hex27"):
        step *= 0.25
    tables["analysis"] = {
        "kind": "transient", "duration": _STEPS * step, "steps": _STEPS,
        "method": "central_difference", "mass": "lumped", "threads": 1,
    }  # fmt: skip
    spec = model_from_dict(tables)
    places = build_system(spec, build_mesh(spec))
    system = places.system
    clock = time.perf_counter()
    for body in system.bodies:
        body.assemble()
    assembled = time.perf_counter() - clock
    still = np.zeros((system.size, system.dimension))
    clock = time.perf_counter()
    run = start(spec.analysis, system, Loads(spec, places), still, still, None, None)
    begin, seconds = time.perf_counter() - clock, []
    for _ in range(_STEPS):
        clock = time.perf_counter()
        run.advance()
        seconds.append(time.perf_counter() - clock)
    return {
        "unknowns": system.unknowns,
        "assemble": assembled,
        "solve": begin,
        "a step": statistics.median(seconds),
        "million unknowns a second": system.unknowns / statistics.median(seconds) / 1e6,
        "all": time.time() - begun,
        "GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
    }


def measure(
    sizes: list[int], cell: str, threads: int, rounds: int, jobs: list[str]
) -> list[dict[str, Any]]:
    """Return what every job gave, size by size, the jobs in turns."""
    found = []
    for size in sizes:
        for number in range(rounds):
            for name in jobs:
                command = [sys.executable, __file__, "--job", name, "--cells", cell]
                command += ["--sizes", str(size), "--threads", str(threads)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                result = json.loads(done.stdout)
                found.append({"job": name, "size": size, "round": number, **result})
                print(f"{name}, {size}^3 {cell}, round {number + 1}", file=sys.stderr, flush=True)
    return found


def rows_of(found: list[dict[str, Any]]) -> list[list[Any]]:
    """Return a row per size and job: medians of the rounds."""
    rows = []
    for size, name in dict.fromkeys((one["size"], one["job"]) for one in found):
        mine = [one for one in found if (one["size"], one["job"]) == (size, name)]
        values = [
            statistics.median(one[key] for one in mine) if key in mine[0] else "-"
            for key in ("assemble", "solve", "a step", "all", "GB")
        ]
        rows.append([f"{mine[0]['unknowns']:,} {name}", *values])
    return rows


def main() -> None:
    """Run the benchmark, or one of its jobs."""
    begun = time.time()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="15,32,48,69", help="elements along an edge")
    parser.add_argument("--cells", default="hex8")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", default=";".join(JOBS), help="with semicolons")
    parser.add_argument("--job", choices=JOBS, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    sizes = [int(text) for text in arguments.sizes.split(",")]
    if arguments.job:
        from flexforge.runtime.machine.threads import cores_for_our_loops

        with cores_for_our_loops():  # as in every run
            result = job(arguments.job, sizes[0], arguments.cells, arguments.threads, begun)
        print(json.dumps(result))
        return
    jobs = arguments.jobs.split(";")
    found = measure(sizes, arguments.cells, arguments.threads, arguments.rounds, jobs)
    text = table(
        ("unknowns, job", "assemble s", "solve s", "a step s", "all s", "GB"), rows_of(found)
    )
    leave("scale", {"machine": limits(), "runs": found}, text, arguments.json)


if __name__ == "__main__":
    main()
