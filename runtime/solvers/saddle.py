# SPDX-License-Identifier: BSD-3-Clause
"""Symmetric matrices with multipliers, ``[[K, B^T], [B, 0]]``, factored without zero pivots.

Where K is singular alone, pivoting within blocks loses all digits. What is factored is

    [[K + B^T B / s, B^T], [B, -d s]]

with a small d: positive above and negative below where K is positive on what B leaves free, so that
any order of pivots serves, and as many eigenvalues are negative as there are multipliers. Solutions
are those of d = 0, by iteration.
Source: Vanderbei, "Symmetric quasidefinite matrices", SIAM J. Optim. 5 (1995) 100; Golub and Greif,
"On solving block-structured indefinite linear systems", SIAM J. Sci. Comput. 24 (2003) 2076.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.gmres import gmres
from flexforge.runtime.solvers.interface import Direct, Factorization
from flexforge.runtime.solvers.select import factorize

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: What the multipliers get on their diagonal, relative to the scale; it is iterated away.
_SHIFT = 1e-6
_TOLERANCE = 1e-13


class Saddle(Direct):
    """Factors of a matrix with multipliers.

    Parameters
    ----------
    matrix : csr_matrix, (n + m, n + m)
        The whole matrix, symmetric.
    unknowns : int
        n.
    scale : float
        s: size of the entries of K, as those of B are.
    solver : str
        Backend.
    threads : int
        Number of threads.
    """

    def __init__(
        self, matrix: csr_matrix, unknowns: int, scale: float, solver: str, threads: int
    ) -> None:
        self._unknowns, self._scale, self._backend = unknowns, scale, (solver, threads)
        self._split(matrix)
        self._factored = self._shifted()
        self._factors = self._made()

    @property
    def name(self) -> str:
        """Backend that factors."""
        return self._factors.name

    @property
    def bytes(self) -> int | None:
        """Memory of the factors, if the backend reports it."""
        return self._factors.bytes

    @property
    def negative(self) -> int | None:
        """Number of negative eigenvalues, of which each multiplier is one."""
        return self._factors.negative if isinstance(self._factors, Direct) else None

    def update(self, matrix: csr_matrix) -> None:
        """Factor new values."""
        self._split(matrix)
        before, self._factored = self._factored, self._shifted()
        pairs = ((one.indptr, one.indices) for one in (before, self._factored))
        if all(map(np.array_equal, *pairs)):
            self._factors.update(self._factored)
        else:  # sums of matrices leave out entries that cancel
            self._factors.close()
            self._factors = self._made()

    def solve(self, rhs: Floats) -> Floats:
        """Solve for one right-hand side (n + m,)."""
        n = self._unknowns
        right = rhs.copy()
        right[:n] += self._rows.T @ rhs[n:] / self._scale

        def product(x: Floats) -> Floats:
            held = self._rows @ x[:n]
            pulled = self._rows.T @ (x[n:] + held / self._scale)
            return np.concatenate([self._stiffness @ x[:n] + pulled, held])

        return gmres(product, right, self._factors.solve, tolerance=_TOLERANCE).solution

    def close(self) -> None:
        """Release the factors."""
        self._factors.close()

    def _made(self) -> Factorization:
        solver, threads = self._backend
        return factorize(self._factored, solver, threads, symmetric=True, check=False)

    def _split(self, matrix: csr_matrix) -> None:
        n = self._unknowns
        self._stiffness, self._rows = matrix[:n, :n], matrix[n:, :n]

    def _shifted(self) -> csr_matrix:
        from scipy.sparse import block_array, eye

        count = self._rows.shape[0]
        shift = -_SHIFT * self._scale * eye(count, format="csr")
        stiffened = self._stiffness + self._rows.T @ self._rows / self._scale
        found = block_array([[stiffened, self._rows.T], [self._rows, shift]], format="csr")
        found.sort_indices()
        return found
