# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of the benchmark of sizes: statics of a cube, its explicit steps, steps of a beam."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

from support.clock import Clock, peak
from support.scale_peers import OTHERS

_LONGEST = 200.0  # s of factors
_STEPS = 50
_SOUND = 6000.0  # m/s, the fastest wave in steel
_ALONG = 2.52  # elements along the beam for one along an edge of the cube
#: Solver of every static job.
SOLVERS = {
    "multigrid": "amg", "one thread": "amg", "two processes": "amg", "matrix free": "matrix_free",
    "matrix free, two processes": "matrix_free", "factors": "pardiso",
}  # fmt: skip
_STEPPING = {"steps": "amg", "steps, matrix free": "matrix_free", "steps, factors": "pardiso"}
#: Memory of the jobs per unknown of hex8, bytes, measured at a million; those that would not fit
#: are left out. Factors have an estimate of their own.
MEMORY = {
    "multigrid": 2800, "one thread": 2800, "two processes": 4200, "matrix free": 1100,
    "matrix free, two processes": 2600, "pyamg": 4400, "GAMG": 4200, "steps": 5000,
    "steps, matrix free": 2500, "explicit": 700,
}  # fmt: skip


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


def run(name: str, size: int, cell: str, threads: int, begun: float) -> dict[str, Any] | None:
    """Do a job once, and return seconds and memory by name; None on ranks other than the first."""
    if name.startswith("steps"):
        return _steps(name, size, threads, begun)
    if name == "explicit":
        return _explicit(size, cell, begun)
    if name in OTHERS:
        return OTHERS[name](cube(size, cell), begun)
    return _static(name, size, cell, threads, begun)


def _static(name: str, size: int, cell: str, threads: int, begun: float) -> dict[str, Any] | None:
    """Solve a cube in one process, or in the ranks that MPI has started."""
    from flexforge.runtime.distributed.divide import Divided, divide
    from flexforge.runtime.loading.load import model_from_dict
    from flexforge.runtime.ranks.mpi import MpiRanks, ranks_here
    from flexforge.runtime.solvers.estimate import cost_of_factors
    from flexforge.runtime.statics.held import factor_held
    from flexforge.runtime.statics.pencil import Pencil
    from flexforge.runtime.system.construct import build_mesh, build_system
    from flexforge.runtime.system.loads import Loads

    ranks, tables = ranks_here(), cube(size, cell)
    tables["analysis"] |= {"threads": threads, "solver": SOLVERS[name]}
    spec = model_from_dict(tables)
    clock = Clock()
    whole = None
    if ranks.is_first:
        places = build_system(spec, build_mesh(spec))
        system, loads = places.system, Loads(spec, places)
        zero = np.zeros((system.size, system.dimension))
        whole = Divided(system, loads, (zero, zero), [])
    clock.lap("mesh")
    if isinstance(ranks, MpiRanks):
        own, _ = divide(ranks, whole, threads)
        system, loads = own.system, own.loads
        ranks.total(0.0)  # all have their part: waiting for it is no assembly
        clock.lap("divide")
    (body,) = system.bodies
    found: dict[str, Any] = {"unknowns": int(ranks.total(float(system.unknowns)))}
    if name == "factors":
        graph = body.graph
        cost = cost_of_factors(graph.pointers, graph.columns, body.points, 3, threads)
        if cost.seconds > _LONGEST:
            return found | {"left out": str(cost)}
    body.assemble()
    ranks.total(0.0)  # all have
    clock.lap("assemble")
    pencil = Pencil.at_rest(system)
    factors = factor_held(pencil, SOLVERS[name], "benchmark")
    ranks.total(0.0)
    clock.lap("set up")
    rhs = system.restrict(loads.at(0.0, system.spins(0.0)))
    solution = factors.solve(rhs)
    clock.lap("solve")
    product = system.apply(pencil.combinations, system.expand(solution))
    left = ranks.norm(rhs - system.restrict(product)) / ranks.norm(rhs)
    found |= clock.laps | {"residual": left, "iterations": getattr(factors, "iterations", None)}
    found |= {"all": time.time() - begun, "GB": ranks.total(peak())}
    return found if ranks.is_first else None


def _steps(name: str, size: int, threads: int, begun: float) -> dict[str, Any]:
    """Take steps of the spin-up of a beam."""
    from flexforge.runtime.loading.load import model_from_dict
    from flexforge.runtime.solvers.estimate import cost_of_factors
    from flexforge.runtime.system.construct import build_mesh, build_system
    from transient import measure as spin_up
    from transient import model

    along, solver = round(_ALONG * size), _STEPPING[name]
    spec = model_from_dict(model(along, _STEPS, solver, threads))
    system = build_system(spec, build_mesh(spec)).system
    (body,) = system.bodies
    graph = body.graph
    cost = cost_of_factors(graph.pointers, graph.columns, body.points, 3, threads)
    if solver == "pardiso" and 2.0 * cost.seconds > _LONGEST:  # prestress, and the steps
        return {"unknowns": system.unknowns, "left out": str(cost)}
    found = spin_up(along, _STEPS, solver, threads, 0)
    seconds = found["seconds"]
    return {
        "unknowns": found["unknowns"],
        "assemble": seconds["read, number, assemble"],
        "set up": seconds["prestress"] + seconds["first factorization and initial acceleration"],
        "a step": seconds["a step after the first, mean"],
        "solves": found["solves"]["all"],
        "all": time.time() - begun,
        "GB": found["MiB"]["peak of the process"] * 2**20 / 1e9,
    }


def _explicit(size: int, cell: str, begun: float) -> dict[str, Any]:
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
    clock = Clock()
    places = build_system(spec, build_mesh(spec))
    system = places.system
    clock.lap("mesh")
    for body in system.bodies:
        body.assemble()
    clock.lap("assemble")
    still = np.zeros((system.size, system.dimension))
    motion = start(spec.analysis, system, Loads(spec, places), still, still, None, None)
    clock.lap("set up")
    seconds = []
    for _ in range(_STEPS):
        begin = time.perf_counter()
        motion.advance()
        seconds.append(time.perf_counter() - begin)
    step = statistics.median(seconds)
    return {
        "unknowns": system.unknowns,
        **clock.laps,
        "a step": step,
        "million unknowns a second": system.unknowns / step / 1e6,
        "all": time.time() - begun,
        "GB": peak(),
    }
