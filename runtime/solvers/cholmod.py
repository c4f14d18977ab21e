# SPDX-License-Identifier: BSD-3-Clause
"""CHOLMOD of SuiteSparse through scikit-sparse, if it is installed: supernodal ``L L^T``.

scikit-sparse changed its interface with version 0.5; both are supported.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.interface import (
    Backend,
    Direct,
    Kind,
    checked_matrix,
    checked_rhs,
    singular,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Cholmod(Direct):
    """Cholesky factors by CHOLMOD.

    Parameters
    ----------
    matrix : csr_matrix
        Checked, symmetric positive definite.
    kind : Kind
        Must be positive definite.
    threads : int, optional
        Ignored: the number of threads is that of the BLAS that CHOLMOD was built with.
    """

    name = "cholmod"

    def __init__(self, matrix: csr_matrix, kind: Kind, threads: int | None = None) -> None:
        if not kind.positive_definite:
            raise AnalysisError(
                "found a matrix that is not known to be positive definite; expected one for "
                "solver cholmod (pardiso and scipy solve any)"
            )
        self._module: Any = importlib.import_module("sksparse.cholmod")
        self._new = hasattr(self._module, "CholeskyFactor")
        self._size = matrix.shape[0]
        self.bytes: int | None = None
        self._factor: Any = self._analyse(matrix)
        self.update(matrix)

    def solve(self, rhs: Floats) -> Floats:
        """Solve for one right-hand side or several."""
        if self._factor is None:
            raise AnalysisError("found a closed factorization; expected an open one")
        rhs = checked_rhs(rhs, self._size)
        solution = self._factor.solve(rhs) if self._new else self._factor(rhs)
        return np.ascontiguousarray(solution, dtype=np.float64)

    def update(self, matrix: csr_matrix) -> None:
        """Factor new values in the same pattern; the ordering is kept."""
        columns = self._columns(checked_matrix(matrix))
        try:
            if self._new:
                self._factor.factorize(columns)
                self.bytes = int(self._factor.nnz) * 8
            else:
                self._factor.cholesky_inplace(columns)
        except self._module.CholmodNotPositiveDefiniteError as error:
            raise singular(self._equation(error), "a pivot that is not positive") from None
        except self._module.CholmodError as error:
            raise AnalysisError(f"CHOLMOD failed on {self._size} equations: {error}") from None

    def close(self) -> None:
        """Release the factors."""
        self._factor = None

    def _analyse(self, matrix: csr_matrix) -> Any:
        """Order by METIS if CHOLMOD was built with it, otherwise by AMD."""
        columns = self._columns(matrix)
        for ordering in ("metis", "amd"):
            try:
                if self._new:
                    return self._module.CholeskyFactor(
                        columns, supernodal_mode="supernodal", order=ordering
                    )
                return self._module.analyze(columns, mode="supernodal", ordering_method=ordering)
            except self._module.CholmodError as error:
                failure = error
        raise AnalysisError(f"CHOLMOD could not order {self._size} equations: {failure}")

    def _columns(self, matrix: csr_matrix) -> Any:
        """Return compressed columns; for a symmetric matrix the rows are the columns."""
        from scipy import sparse

        kind = sparse.csc_array if self._new else sparse.csc_matrix
        return kind((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)

    def _equation(self, error: Exception) -> int | None:
        """Return the equation of the failed pivot, which CHOLMOD gives in its own order."""
        column = getattr(error, "column", None)
        if column is None:
            return None
        order = self._factor.perm if self._new else self._factor.P()
        return int(order[int(column)]) if 0 <= int(column) < len(order) else None


def probe() -> Backend:
    """Return whether it can be used, with the reason if not."""
    try:
        importlib.import_module("sksparse.cholmod")
        return Backend("cholmod", f"scikit-sparse {importlib.metadata.version('scikit-sparse')}")
    except ImportError:
        return Backend("cholmod", None, "scikit-sparse is not installed")
    except Exception as error:  # a broken build can raise anything on import
        return Backend("cholmod", None, f"scikit-sparse cannot be loaded: {error}")
