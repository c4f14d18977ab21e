# SPDX-License-Identifier: BSD-3-Clause
"""SciPy's SuperLU: always available, but slow for large solids; the fallback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.interface import (
    Backend,
    Direct,
    Kind,
    checked_matrix,
    checked_rhs,
    precision,
    singular,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class SuperLU(Direct):
    """LU factors by SciPy.

    Parameters
    ----------
    matrix : csr_matrix
        Checked.
    kind : Kind
        For a symmetric matrix, diagonal pivots are kept unless they are tiny.
    threads : int, optional
        Ignored: SuperLU is serial.
    """

    name = "scipy"

    def __init__(self, matrix: csr_matrix, kind: Kind, threads: int | None = None) -> None:
        self._kind = kind
        self._size = matrix.shape[0]
        self._scalar = precision(matrix.dtype)
        self._factors: Any = None
        self.bytes: int | None = None
        self.update(matrix)

    @property
    def negative(self) -> int | None:
        """Number of negative eigenvalues of a symmetric matrix, if all pivots are diagonal."""
        if not self._kind.symmetric or self._factors is None:
            return None
        if (self._factors.perm_c != self._factors.perm_r).any():
            return None
        return int((self._factors.U.diagonal().real < 0.0).sum())

    def solve(self, rhs: Floats) -> Floats:
        """Solve for one right-hand side or several."""
        if self._factors is None:
            raise AnalysisError("found a closed factorization; expected an open one")
        solution: Floats = self._factors.solve(checked_rhs(rhs, self._size, self._scalar))
        return solution

    def update(self, matrix: csr_matrix) -> None:
        """Factor again; SuperLU does not reuse an ordering."""
        from scipy.sparse.linalg import splu

        # The pattern of a stiffness matrix is symmetric even if its values are not.
        options: dict[str, Any] = {"permc_spec": "MMD_AT_PLUS_A"}
        if self._kind.symmetric:
            # Diagonal pivots preserve the fill of the symmetric ordering; an indefinite matrix
            # needs some freedom to avoid a tiny one.
            options["options"] = {"SymmetricMode": True}
            options["diag_pivot_thresh"] = 0.0 if self._kind.positive_definite else 1e-3
        try:
            self._factors = splu(checked_matrix(matrix).tocsc(), **options)
        except RuntimeError as error:  # "Factor is exactly singular"
            raise singular(None, str(error)) from None
        except MemoryError:
            raise AnalysisError(
                f"SuperLU ran out of memory for the factors of {self._size} equations"
            ) from None
        # L and U take a value and an index per entry; SciPy keeps copies that have been accessed.
        self.bytes = int(self._factors.nnz) * (24 if self._kind.positive_definite else 12)
        if self._kind.positive_definite:
            self._refuse_negative_pivots()

    def _refuse_negative_pivots(self) -> None:
        """Raise an error unless all pivots are on the diagonal and positive."""
        pivots = self._factors.U.diagonal().real.copy()  # of a Hermitian matrix they are real
        # SuperLU leaves the diagonal only where its entry is zero.
        pivots[self._factors.perm_c[self._factors.perm_r != self._factors.perm_c]] = 0.0
        worst = int(pivots.argmin())
        if pivots[worst] <= 0.0:
            equation = int((self._factors.perm_c == worst).argmax())
            raise singular(equation, "a pivot that is not positive")

    def close(self) -> None:
        """Release the factors."""
        self._factors = None


def probe() -> Backend:
    """Return whether it can be used, with the reason if not."""
    import scipy

    return Backend("scipy", scipy.__version__)
