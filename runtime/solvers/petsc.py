# SPDX-License-Identifier: BSD-3-Clause
"""Solvers of matrices that ranks share, by PETSc: multigrid (GAMG), and factors (MUMPS)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.amg import INSTEAD
from flexforge.runtime.solvers.interface import checked_rhs, singular
from flexforge.runtime.solvers.layout import Blocked

_LARGE = 100_000  # unknowns; factors of fewer take seconds
_TOLERANCE = 1e-12
_ROUND_OFF = 1e-15  # of products, relative to the largest entry and the solution
_MOST = 500  # iterations
_TRIAL, _REACHED = 25, 1e-6  # iterations in which inverted diagonal blocks must reach a residual
_JACOBI = {"ksp_type": "cg", "pc_type": "pbjacobi"}
_MULTIGRID = {
    "ksp_type": "cg", "pc_type": "gamg", "pc_gamg_threshold": "0.01",
    "mg_levels_ksp_type": "chebyshev", "mg_levels_pc_type": "jacobi",
}  # fmt: skip
_FACTORS = {
    "ksp_type": "preonly", "pc_type": "cholesky", "pc_factor_mat_solver_type": "mumps",
    "mat_mumps_icntl_24": "1",  # finds pivots that are zero
}  # fmt: skip
_NEGATIVE_PIVOTS, _ZERO_PIVOTS = 12, 28  # of MUMPS' INFOG


def distributed(blocked: Blocked) -> Any:
    """Return a matrix that ranks share, as PETSc has it, from the rows of every rank.

    Parameters
    ----------
    blocked : Blocked
        The rows of this rank.
    """
    from petsc4py import PETSc

    assert blocked.numbers is not None
    d = blocked.matrix.blocksize[0]
    rows = blocked.matrix.tocsr()
    columns = d * blocked.numbers[rows.indices // d] + rows.indices % d
    own = rows.shape[0]
    return PETSc.Mat().createAIJ(
        ((own, None), (own, None)),
        d,
        csr=(rows.indptr.astype(np.int32), columns.astype(np.int32), rows.data),
        comm=blocked.ranks.communicator,  # type: ignore[attr-defined]
    )


class Petsc:
    """Conjugate gradients with multigrid, or factors, of a symmetric matrix that ranks share.

    Parameters
    ----------
    blocked : Blocked
        The rows of this rank.
    solver : str
        ``auto`` or ``amg``; ``auto`` factors small matrices.
    positive_definite : bool
        Refuse a matrix that turns out not to be.

    Raises
    ------
    InputError
        For another solver.
    AnalysisError
        If the matrix is singular, or not positive definite as required.
    """

    def __init__(self, blocked: Blocked, solver: str, *, positive_definite: bool) -> None:
        if solver not in ("auto", "amg"):
            raise InputError(
                f"analysis.solver: found '{solver}' with {blocked.ranks.count} processes; expected "
                "auto or amg"
            )
        self._blocked, self._positive = blocked, positive_definite
        self._slots, self._ranks = blocked.slots, blocked.ranks
        self._matrix = distributed(blocked)
        self._scale = self._ranks.largest(float(np.abs(blocked.matrix.data).max(initial=0.0)))
        self._right, self._left = self._matrix.createVecs()
        self.iterations = 0
        unknowns = self._ranks.total(float(len(self._slots)))
        self.iterative = solver == "amg" or unknowns > _LARGE
        if self.iterative:
            self.name = "petsc (block Jacobi)"
            self._solver = self._with(_JACOBI)
            if not self._suffices():
                self.name = "petsc (gamg)"
                self._solver.destroy()
                self._matrix.setNearNullSpace(_near_null_space(self._matrix, blocked))
                self._solver = self._with(_MULTIGRID)
        else:
            self._factor("mumps")

    @property
    def ksp(self) -> Any:
        """What solves, for SLEPc."""
        return self._solver

    @property
    def bytes(self) -> int | None:
        """Unknown: PETSc does not report it."""
        return None

    def solve(self, rhs: Floats) -> Floats:
        """Solve for one right-hand side (n,) or several (n, k).

        Raises
        ------
        AnalysisError
            If a value is not finite, or the matrix not positive definite as required.
        """
        rhs = checked_rhs(rhs, len(self._slots))
        if rhs.ndim == 2:
            return np.column_stack([self.solve(column) for column in rhs.T])
        self._put(rhs)
        self._solver.solve(self._left, self._right)
        if not self.iterative:
            return self._taken()
        self.iterations = self._solver.getIterationNumber()
        reason = self._solver.getConvergedReason()
        if reason > 0 or self._is_exact(rhs):
            return self._taken()
        if self._positive and reason in _indefinite():
            raise singular(None, "met a direction without energy")
        self._factor(f"mumps{INSTEAD}, which stagnates after {self.iterations} iterations")
        return self.solve(rhs)

    def precondition(self, rhs: Floats) -> Floats:
        """Return what one V-cycle, or the factors, make of a right-hand side."""
        self._put(rhs)
        self._solver.getPC().apply(self._left, self._right)
        return self._taken()

    def update(self, matrix: Any) -> None:
        """Refuse: matrices that ranks share are set up anew."""
        raise AnalysisError("found new values of a shared matrix; expected a new solver")

    def close(self) -> None:
        """Release the memory."""
        for one in (self._solver, self._matrix, self._left, self._right):
            one.destroy()

    def _with(self, options: Mapping[str, str]) -> Any:
        """Return a solver, set up."""
        from petsc4py import PETSc

        found = PETSc.KSP().create(self._ranks.communicator)  # type: ignore[attr-defined]
        found.setOperators(self._matrix)
        found.setOptionsPrefix(f"flexforge_{id(self)}_")
        given = PETSc.Options(found.getOptionsPrefix())
        for name, value in options.items():
            given[name] = value
        found.setFromOptions()
        found.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)
        found.setTolerances(rtol=_TOLERANCE, max_it=_MOST)
        if options is _FACTORS:
            found.setNormType(PETSc.KSP.NormType.NONE)
        try:
            found.setUp()
        except PETSc.Error as error:
            raise singular(None, f"PETSc: {error}".splitlines()[0]) from None
        finally:
            for name in options:
                del given[name]
        return found

    def _suffices(self) -> bool:
        """Whether inverted diagonal blocks make conjugate gradients converge fast."""
        own = np.random.default_rng(self._ranks.number)
        self._put(1.0 + own.standard_normal(len(self._slots)))
        self._solver.setTolerances(rtol=_REACHED, max_it=_TRIAL)
        self._solver.solve(self._left, self._right)
        self._solver.setTolerances(rtol=_TOLERANCE, max_it=_MOST)
        return bool(self._solver.getConvergedReason() > 0)

    def _factor(self, name: str) -> None:
        """Factor the matrix.

        Raises
        ------
        AnalysisError
            When it is singular, or not positive definite as required.
        """
        if self.iterative:
            self._solver.destroy()
        self.iterative, self.name = False, name
        self._solver = self._with(_FACTORS)
        factors = self._solver.getPC().getFactorMatrix()
        if factors.getMumpsInfog(_ZERO_PIVOTS):
            raise singular(None, "a pivot is zero")
        if self._positive and factors.getMumpsInfog(_NEGATIVE_PIVOTS):
            raise singular(None, "a pivot is negative")

    def _is_exact(self, rhs: Floats) -> bool:
        """Whether the residual of the last solution is the round-off of its product."""
        size = self._scale * self._right.norm()
        return bool(self._solver.getResidualNorm() <= _ROUND_OFF * size)

    def _put(self, rhs: Floats) -> None:
        whole = np.zeros(self._left.getLocalSize())
        whole[self._slots] = rhs
        self._left.setArray(whole)

    def _taken(self) -> Floats:
        found: Floats = self._right.getArray()[self._slots]
        return found


def _near_null_space(matrix: Any, blocked: Blocked) -> Any:
    """Return the rigid motions, orthonormal over all ranks."""
    from petsc4py import PETSc

    vectors: list[Any] = []
    for motion in blocked.null_space().T:
        vector = matrix.createVecLeft()
        vector.setArray(motion)
        for other in vectors:
            vector.axpy(-vector.dot(other), other)
        vector.normalize()
        vectors.append(vector)
    return PETSc.NullSpace().create(vectors=vectors, comm=matrix.getComm())


def _indefinite() -> tuple[int, int]:
    from petsc4py import PETSc

    reasons = PETSc.KSP.ConvergedReason
    return reasons.DIVERGED_INDEFINITE_MAT, reasons.DIVERGED_INDEFINITE_PC
