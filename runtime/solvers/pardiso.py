# SPDX-License-Identifier: BSD-3-Clause
"""PARDISO of the Intel Math Kernel Library: multifrontal, threaded; the fast backend.

Parameters are those of the MKL Developer Reference, "Intel oneMKL PARDISO - Parallel Direct Sparse
Solver Interface", table of ``iparm``; indices below count from 0 as in C.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime import _operators
from flexforge.runtime.arrays import Floats
from flexforge.runtime.machine.threads import default_threads
from flexforge.runtime.solvers import mkl
from flexforge.runtime.solvers.interface import (
    Backend,
    Direct,
    Kind,
    checked_matrix,
    checked_rhs,
    precision,
    singular,
)
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_Stored: TypeAlias = tuple[Floats, NDArray[np.int32], NDArray[np.int32]]

_ANALYSE, _FACTOR, _SOLVE, _RELEASE = 11, 22, 33, -1

_ERRORS = {
    -1: "inconsistent input",
    -2: "not enough memory",
    -3: "the reordering failed",
    -5: "unclassified internal error",
    -6: "the reordering failed (matching)",
    -8: "more entries than 32-bit integers count",
}


class Pardiso(Direct):
    """Factors in PARDISO's own memory, with a handle for each factorization.

    Parameters
    ----------
    matrix : csr_matrix
        Checked. For a symmetric matrix only the upper triangle is read.
    kind : Kind
        Positive definite: ``L L^T``; symmetric: ``L D L^T`` with 1x1 and 2x2 pivots; else ``L U``.
        A complex matrix is Hermitian where it would be symmetric.
    threads : int, optional
        Number of threads; by default the library's choice.
    """

    name = "pardiso"

    def __init__(self, matrix: csr_matrix, kind: Kind, threads: int | None = None) -> None:
        self._kind = kind
        self._scalar = precision(matrix.dtype)
        self._type = _type(kind, self._scalar)
        self._size = matrix.shape[0]
        self._threads = threads or 0
        self._handle: NDArray[np.int64] | None = np.zeros(64, dtype=np.int64)
        self._iparm = _parameters(kind)
        self.bytes: int | None = None
        self._matrix = self._stored(matrix)
        # Unlike __del__, this also works while modules are being torn down (it then does nothing).
        self._release = weakref.finalize(
            self, _release, self._handle, self._type, self._size, self._iparm
        )
        self._release.atexit = False
        try:
            self._run(_ANALYSE)
            self._factor()
        except BaseException:
            self.close()
            raise

    @property
    def negative(self) -> int | None:
        """Number of negative eigenvalues of a symmetric matrix."""
        return int(self._iparm[22]) if self._type in (-2, -4) else None

    def solve(self, rhs: Floats) -> Floats:
        """Solve for one right-hand side or several."""
        rhs = np.asfortranarray(checked_rhs(rhs, self._size, self._scalar))
        solution = np.empty_like(rhs, order="F")
        self._run(_SOLVE, rhs, solution)
        return np.ascontiguousarray(solution)

    def update(self, matrix: csr_matrix) -> None:
        """Factor new values in the same pattern; the ordering is kept."""
        stored = self._stored(checked_matrix(matrix))
        if not all(map(np.array_equal, stored[1:], self._matrix[1:])):
            raise AnalysisError(
                "found a matrix with another sparsity pattern; expected that of the factored one"
            )
        self._matrix = stored
        self._factor()

    def close(self) -> None:
        """Release the memory that PARDISO holds."""
        self._release()
        self._handle = None

    def _stored(self, matrix: csr_matrix) -> _Stored:
        """Return values, row pointers and columns in the form that PARDISO reads."""
        if matrix.nnz > np.iinfo(np.int32).max:
            raise AnalysisError(
                f"found {matrix.nnz} entries in the matrix; expected fewer than 2^31 for PARDISO"
            )
        part = matrix
        if self._kind.symmetric:
            part = upper_triangle(matrix, self._threads or default_threads())
        return (
            np.ascontiguousarray(part.data),
            part.indptr.astype(np.int32, copy=False),
            part.indices.astype(np.int32, copy=False),
        )

    def _factor(self) -> None:
        self._run(_FACTOR)
        # Kilobytes: permanent memory of the analysis, and the factors.
        self.bytes = 1024 * int(self._iparm[15] + self._iparm[16])

    def _run(self, phase: int, rhs: Floats | None = None, solution: Floats | None = None) -> None:
        if self._handle is None:
            raise AnalysisError("found a closed factorization; expected an open one")
        error = self._call(phase, rhs, solution)
        if error in (-4, -7):
            equation = int(self._iparm[29]) - 1  # counts from 1 regardless of the index base
            found = (
                "a pivot that is zero" if self._type in (11, 13) else "a pivot that is not positive"
            )
            raise singular(equation if equation >= 0 else None, found)
        if error:
            reason = _ERRORS.get(error, f"error {error}")
            raise AnalysisError(f"PARDISO failed on {self._size} equations: {reason}")

    def _call(self, phase: int, rhs: Floats | None, solution: Floats | None) -> int:
        assert self._handle is not None
        before = mkl.set_threads(self._threads)
        try:
            return mkl.pardiso(
                self._handle,
                self._type,
                phase,
                self._size,
                self._matrix,
                self._iparm,
                rhs,
                solution,
            )
        finally:
            mkl.set_threads(before)


def _type(kind: Kind, scalar: type[Any]) -> int:
    """Return PARDISO's number of a type of matrix."""
    if scalar is np.complex128:
        return 4 if kind.positive_definite else -4 if kind.symmetric else 13
    return 2 if kind.positive_definite else -2 if kind.symmetric else 11


def _release(
    handle: NDArray[np.int64], matrix_type: int, size: int, iparm: NDArray[np.int32]
) -> None:
    """Release the memory of a handle; other settings than at its creation crash PARDISO."""
    mkl.pardiso(handle, matrix_type, _RELEASE, size, (None, None, None), iparm)


def _parameters(kind: Kind) -> NDArray[np.int32]:
    """Return the settings of PARDISO for a kind of matrix."""
    iparm = np.zeros(64, dtype=np.int32)
    iparm[0] = 1  # these values, not the defaults
    iparm[1] = 2  # nested dissection (METIS)
    iparm[17] = -1  # report the entries of the factors
    iparm[34] = 1  # indices count from 0
    if kind.positive_definite:
        iparm[23] = 1  # two-level factorization: scales on many threads
        return iparm
    iparm[9] = 8 if kind.symmetric else 13  # replace pivots below 1e-8 or 1e-13 of the norm
    # Scaling and matching read the values in the analysis; `update` reuses them for similar values.
    iparm[10] = iparm[12] = 1
    iparm[20] = 1  # Bunch-Kaufman pivots
    return iparm


def upper_triangle(matrix: csr_matrix, threads: int = 1) -> csr_matrix:
    """Return the upper triangle with every diagonal entry stored, even zeros, as PARDISO requires.

    Parameters
    ----------
    matrix : csr_matrix
        Symmetric, with sorted entries; the lower triangle is not read.
    threads : int
        Threads that share the rows.

    Returns
    -------
    csr_matrix
        Sorted rows, each starting with its diagonal entry.
    """
    from scipy import sparse

    rows = np.zeros(matrix.shape[0] + 1, dtype=np.int32)
    pointers, columns = (
        one.astype(np.int32, copy=False) for one in (matrix.indptr, matrix.indices)
    )
    _operators.upper_counts(pointers, columns, rows[1:], threads)
    np.cumsum(rows, out=rows)
    found, values = np.empty(rows[-1], np.int32), np.empty(rows[-1], matrix.dtype)
    _operators.upper(pointers, columns, matrix.data, rows, found, values, threads)
    return sparse.csr_matrix((values, found, rows), shape=matrix.shape)


def probe() -> Backend:
    """Return whether it can be used, with the reason if not."""
    try:
        return Backend("pardiso", f"MKL {mkl.version()}")
    except (ImportError, OSError, AttributeError) as error:
        return Backend("pardiso", None, str(error))
