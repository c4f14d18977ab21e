# SPDX-License-Identifier: BSD-3-Clause
"""Matrices as PETSc has them, which ranks may share, and their factors by MUMPS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.ranks.mpi import petsc
from flexforge.runtime.solvers.interface import Direct, Factorization, checked_rhs, singular
from flexforge.runtime.solvers.layout import Blocked
from flexforge.runtime.solvers.rows import OfRank

if TYPE_CHECKING:
    from petsc4py.PETSc import KSP, PC, Mat, Vec

_FACTORS = {
    "ksp_type": "preonly", "pc_type": "cholesky", "pc_factor_mat_solver_type": "mumps",
    "mat_mumps_icntl_24": "1",  # finds pivots that are zero
}  # fmt: skip
_NEGATIVE_PIVOTS, _ZERO_PIVOTS = 12, 28  # of MUMPS' INFOG


def distributed(blocked: Blocked) -> Mat:
    """Return a matrix as PETSc has it, from the rows of every rank.

    Parameters
    ----------
    blocked : Blocked
        The rows of this rank.
    """
    library, rows = petsc(), blocked.rows
    d, entries = rows.block, rows.some(0, rows.count).tocsr()
    columns, communicator = entries.indices, library.COMM_SELF
    if isinstance(rows, OfRank):
        columns = d * rows.numbers[columns // d] + columns % d
        communicator = rows.ranks.communicator  # type: ignore[attr-defined]
    whole = library.IntType
    return library.Mat().createAIJ(
        ((rows.size, None), (rows.size, None)),
        d,
        csr=(entries.indptr.astype(whole), columns.astype(whole), entries.data),
        comm=communicator,
    )


@contextmanager
def options(prefix: str, given: Mapping[str, str]) -> Iterator[None]:
    """Set options of one object, which reads them within; those that a user has set stay.

    Parameters
    ----------
    prefix : str
        Of the object.
    given : mapping
        Options by name.
    """
    from petsc4py import PETSc

    all_of_them = PETSc.Options(prefix)
    missing = {name: value for name, value in given.items() if not all_of_them.hasName(name)}
    for name, value in missing.items():
        all_of_them[name] = value
    try:
        yield
    finally:
        for name in missing:
            del all_of_them[name]


class Mumps(Direct):
    """Factors of a symmetric matrix that ranks share.

    Parameters
    ----------
    blocked : Blocked
        The rows of this rank.
    positive_definite : bool
        Refuse a matrix that turns out not to be.

    Raises
    ------
    AnalysisError
        If the matrix is singular, or not positive definite as required.
    """

    name = "mumps"

    def __init__(self, blocked: Blocked, *, positive_definite: bool) -> None:
        from petsc4py import PETSc

        self._slots = blocked.slots
        self._matrix = distributed(blocked)
        self._right, self._left = self._matrix.createVecs()
        self._solver = PETSc.KSP().create(self._matrix.getComm())
        self._solver.setOperators(self._matrix)
        self._solver.setOptionsPrefix(f"flexforge_{id(self)}_")
        try:
            with options(self._solver.getOptionsPrefix(), _FACTORS):
                self._solver.setFromOptions()
                self._solver.setUp()
        except PETSc.Error as error:
            raise singular(None, f"PETSc: {error}".splitlines()[0]) from None
        factors = self._solver.getPC().getFactorMatrix()
        if factors.getMumpsInfog(_ZERO_PIVOTS):
            raise singular(None, "a pivot is zero")
        if positive_definite and factors.getMumpsInfog(_NEGATIVE_PIVOTS):
            raise singular(None, "a pivot is negative")

    @property
    def bytes(self) -> int | None:
        """Unknown: PETSc does not report it."""
        return None

    def solve(self, rhs: Floats) -> Floats:
        """Solve for one right-hand side (n,) or several (n, k).

        Raises
        ------
        AnalysisError
            If a value is not finite.
        """
        rhs = checked_rhs(rhs, len(self._slots))
        if rhs.ndim == 2:
            return np.column_stack([self.solve(column) for column in rhs.T])
        whole = np.zeros(self._left.getLocalSize())
        whole[self._slots] = rhs
        self._left.setArray(whole)
        self._solver.solve(self._left, self._right)
        found: Floats = self._right.getArray()[self._slots]
        return found

    def update(self, matrix: Any) -> None:
        """Refuse: matrices that ranks share are set up anew."""
        raise AnalysisError("found new values of a shared matrix; expected a new solver")

    def close(self) -> None:
        """Release the memory."""
        for one in (self._solver, self._matrix, self._left, self._right):
            one.destroy()


class Inverse:
    """The solutions of a solver, as a preconditioner of PETSc that is exact.

    Parameters
    ----------
    factors : Factorization
        Solves.
    slots : ndarray of int
        Rows of its unknowns; others are held.
    """

    def __init__(self, factors: Factorization, slots: Ints) -> None:
        self._factors, self._slots = factors, slots

    def apply(self, _: PC, given: Vec, found: Vec) -> None:
        """Solve for a right-hand side; PETSc calls it."""
        whole = np.zeros(given.getLocalSize())
        whole[self._slots] = self._factors.solve(given.getArray(readonly=True)[self._slots])
        found.setArray(whole)

    def solver(self, matrix: Mat) -> KSP:
        """Return a solver of PETSc that applies it.

        Parameters
        ----------
        matrix : Mat
            The matrix, whose layout it takes.
        """
        from petsc4py import PETSc

        found = PETSc.KSP().create(matrix.getComm())
        found.setOperators(matrix)
        found.setType("preonly")
        found.getPC().setType("python")
        found.getPC().setPythonContext(self)
        return found
