# SPDX-License-Identifier: BSD-3-Clause
"""The interface of a factorization, and the checks of every matrix and right-hand side."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


# Relative error of a known solution above which no digit is reliable.
LARGEST_ERROR = 1e-2


@dataclass(frozen=True, slots=True)
class Kind:
    """Properties of a matrix: positive definite implies symmetric; if complex, Hermitian."""

    symmetric: bool
    positive_definite: bool


class Factorization(Protocol):
    """Factors of a matrix, kept until `close`; several may exist at the same time."""

    #: Whether solutions are iterated until their residual is small, instead of computed by factors.
    iterative: bool

    @property
    def name(self) -> str:
        """Name of the backend."""

    @property
    def bytes(self) -> int | None:
        """Memory of the factors, if the backend reports it."""

    def solve(self, rhs: Floats) -> Floats:
        """Solve for one right-hand side (n,) or several (n, k).

        Raises
        ------
        AnalysisError
            If a value is not finite.
        """

    def precondition(self, rhs: Floats) -> Floats:
        """Return an approximate solution (n,), for one iteration of another method."""

    def update(self, matrix: csr_matrix) -> None:
        """Factor new values in the same pattern, if possible with the previous ordering."""

    def close(self) -> None:
        """Release the memory; no solves are possible afterwards."""


class Direct(ABC):
    """What factors have in common: they leave nothing to iterate."""

    iterative = False

    @property
    def negative(self) -> int | None:
        """Number of negative eigenvalues of a symmetric matrix; not known by default."""
        return None

    @abstractmethod
    def solve(self, rhs: Floats) -> Floats:
        """Solve for one right-hand side (n,) or several (n, k)."""

    def precondition(self, rhs: Floats) -> Floats:
        """Return the solution."""
        return self.solve(rhs)


@dataclass(frozen=True, slots=True)
class Backend:
    """A solver in the report of ``flexforge doctor``.

    Attributes
    ----------
    name : str
        Its name in ``solver = ...``.
    version : str or None
        Version of the library, None if it cannot be used.
    why_not : str
        Reason why it cannot be used, empty if it can.
    """

    name: str
    version: str | None
    why_not: str = ""


def checked_matrix(matrix: csr_matrix) -> csr_matrix:
    """Return the matrix as CSR with sorted, summed entries in double precision, or refuse it.

    Parameters
    ----------
    matrix : scipy.sparse matrix
        Square; left unchanged.

    Returns
    -------
    csr_matrix
        The same matrix, or a corrected copy.

    Raises
    ------
    AnalysisError
        If it is not square, has no unknowns, a non-finite value, or an empty row.
    """
    from scipy import sparse

    rows, columns = matrix.shape
    if rows != columns or rows == 0:
        raise AnalysisError(
            f"found a matrix of {rows} x {columns}; expected a square one with unknowns"
        )
    found = sparse.csr_matrix(matrix, dtype=precision(matrix.dtype))
    if not found.has_canonical_format:
        found = found.copy()  # it may share its arrays with the caller's
        found.sum_duplicates()
    if not np.isfinite(found.data).all():
        entry = int(np.argmin(np.isfinite(found.data)))
        row = int(np.searchsorted(found.indptr, entry, side="right")) - 1
        raise AnalysisError(
            f"found {found.data[entry]} in equation {row} of the matrix; expected finite values"
        )
    empty = np.flatnonzero(np.diff(found.indptr) == 0)
    if len(empty):
        raise singular(int(empty[0]), "the row is empty")
    return found


def precision(given: np.dtype[Any]) -> type[np.float64] | type[np.complex128]:
    """Return the type of double precision for values of a type: real or complex."""
    return np.complex128 if np.issubdtype(given, np.complexfloating) else np.float64


def checked_rhs(rhs: Floats, size: int, kind: type[Any] = np.float64) -> Floats:
    """Return the right-hand side in the type of the matrix, or refuse it.

    Parameters
    ----------
    rhs : (n,) or (n, k) array
        Right-hand sides.
    size : int
        Number of equations.
    kind : type
        float64, or complex128 of a complex matrix.

    Returns
    -------
    array
        The same values.

    Raises
    ------
    AnalysisError
        If the shape does not fit or a value is not finite.
    """
    rhs = np.asarray(rhs, dtype=kind)
    if rhs.ndim not in (1, 2) or rhs.shape[0] != size:
        raise AnalysisError(
            f"found a right-hand side of shape {rhs.shape}; expected ({size},) or ({size}, k)"
        )
    if not np.isfinite(rhs).all():
        row = int(np.argwhere(~np.isfinite(rhs))[0][0])
        raise AnalysisError(
            f"found a value that is not finite in equation {row} of the right-hand side"
        )
    return rhs


def known_error(factorization: Factorization, matrix: csr_matrix) -> tuple[float, int]:
    """Return the error of a known solution, and the equation where it is largest.

    Round-off often hides a zero pivot. Therefore a known vector of -1 and 1 is multiplied by the
    matrix and solved for. This costs one solve.

    Parameters
    ----------
    factorization : Factorization
        The factors.
    matrix : csr_matrix
        The factored matrix.
    """
    known = np.where(np.random.default_rng(0).random(matrix.shape[0]) < 0.5, -1.0, 1.0)
    error = np.abs(factorization.solve(matrix @ known) - known)
    error = np.where(np.isfinite(error), error, np.inf)
    worst = int(np.argmax(error))
    return float(error[worst]), worst


def check_regular(factorization: Factorization, matrix: csr_matrix) -> None:
    """Refuse factors that do not solve, as those of a singular matrix.

    If a known solution is not reproduced, no digit of any solution is reliable.

    Parameters
    ----------
    factorization : Factorization
        The factors.
    matrix : csr_matrix
        The factored matrix.

    Raises
    ------
    AnalysisError
        Naming the equation with the largest error.
    """
    error, worst = known_error(factorization, matrix)
    if error > LARGEST_ERROR:
        raise singular(worst, f"a test solution is reproduced with error {error:.1e}")


class SingularMatrixError(AnalysisError):
    """A matrix is singular, or not positive definite where it must be.

    Attributes
    ----------
    equation : int or None
        The equation, if known.
    """

    equation: int | None = None


def singular(equation: int | None, detail: str) -> SingularMatrixError:
    """Return the error for a matrix that is singular, or not positive definite as required."""
    where = "" if equation is None else f" at equation {equation}"
    error = SingularMatrixError(
        f"found a singular or indefinite matrix{where} ({detail}); expected supports that hold "
        "every body"
    )
    error.equation = equation
    return error
