# SPDX-License-Identifier: BSD-3-Clause
"""Solvers of others on the matrix that we assemble: pyamg, and GAMG of PETSc, in one thread."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import bsr_matrix

from support.clock import Clock, peak

_RESIDUAL = 1e-8
#: As in the demo of elasticity of DOLFINx.
_GAMG = {
    "ksp_type": "cg", "ksp_rtol": str(_RESIDUAL), "pc_type": "gamg",
    "mg_levels_ksp_type": "chebyshev", "mg_levels_pc_type": "jacobi",
    "mg_levels_ksp_chebyshev_esteig_steps": "20",
}  # fmt: skip


@dataclass
class _Problem:
    """A static model: its matrix, load and rigid motions, and when they were there."""

    matrix: bsr_matrix
    rhs: np.ndarray
    motions: np.ndarray
    begun: float
    clock: Clock = field(default_factory=Clock)

    def figures(self, iterations: int) -> dict[str, Any]:
        """Return seconds and memory by name, after the solution."""
        return {
            "unknowns": len(self.rhs), **self.clock.laps, "iterations": iterations,
            "all": time.time() - self.begun, "GB": peak(),
        }  # fmt: skip


def _assembled(tables: dict[str, Any], begun: float) -> _Problem:
    from flexforge.runtime.loading.load import model_from_dict
    from flexforge.runtime.statics.pencil import Pencil
    from flexforge.runtime.statics.rigid import layout_of
    from flexforge.runtime.system.construct import build_mesh, build_system
    from flexforge.runtime.system.loads import Loads

    clock = Clock()
    spec = model_from_dict(tables)
    places = build_system(spec, build_mesh(spec))
    system, loads = places.system, Loads(spec, places)
    clock.lap("mesh")
    system.bodies[0].assemble()
    clock.lap("assemble")
    matrix = Pencil.at_rest(system).stiffness.tobsr((3, 3))
    rhs = system.restrict(loads.at(0.0, system.spins(0.0)))
    return _Problem(matrix, rhs, layout_of(system).motions(), begun, clock)


def pyamg(tables: dict[str, Any], begun: float) -> dict[str, Any]:
    """Solve a model by pyamg as it comes."""
    from pyamg import smoothed_aggregation_solver

    problem = _assembled(tables, begun)
    levels = smoothed_aggregation_solver(problem.matrix, B=problem.motions)
    problem.clock.lap("set up")
    residuals: list[float] = []
    levels.solve(problem.rhs, tol=_RESIDUAL, accel="cg", residuals=residuals)
    problem.clock.lap("solve")
    return problem.figures(len(residuals) - 1)


def gamg(tables: dict[str, Any], begun: float) -> dict[str, Any]:
    """Solve a model by GAMG of PETSc, with the options that DOLFINx shows for elasticity."""
    from petsc4py import PETSc

    problem = _assembled(tables, begun)
    rows = problem.matrix.tocsr()
    csr = (rows.indptr.astype(np.int32), rows.indices.astype(np.int32), rows.data)
    matrix = PETSc.Mat().createAIJ(rows.shape, bsize=3, csr=csr, comm=PETSc.COMM_SELF)
    del rows, csr
    motions, _ = np.linalg.qr(problem.motions)
    vectors = [PETSc.Vec().createWithArray(np.ascontiguousarray(one), bsize=3,
                                           comm=PETSc.COMM_SELF) for one in motions.T]  # fmt: skip
    matrix.setNearNullSpace(PETSc.NullSpace().create(vectors=vectors, comm=PETSc.COMM_SELF))
    options = PETSc.Options()
    for name, value in _GAMG.items():
        options[name] = value
    solver = PETSc.KSP().create(comm=PETSc.COMM_SELF)
    solver.setOperators(matrix)
    solver.setFromOptions()
    solver.setUp()
    problem.clock.lap("set up")
    x, b = matrix.createVecs()
    b.setArray(problem.rhs)
    solver.solve(b, x)
    problem.clock.lap("solve")
    if solver.getConvergedReason() < 0:
        raise SystemExit(f"GAMG: not converged (PETSc reason {solver.getConvergedReason()})")
    return problem.figures(solver.getIterationNumber())


#: Solvers by the name of their job.
OTHERS: dict[str, Callable[[dict[str, Any], float], dict[str, Any]]] = {
    "pyamg": pyamg,
    "GAMG": gamg,
}
