# SPDX-License-Identifier: BSD-3-Clause
"""Matrices as steppers use them: product, diagonal and key; assembled on request."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Matrix = Any  # SciPy has no type for sparse matrices


class Operator(Protocol):
    """A square matrix on the vectors of a space: the share of this rank's elements.

    Attributes
    ----------
    key : hashable or None
        Operators of one model with equal keys have equal matrices. None where that is not known.
    symmetric : bool
        Whether it is known to be symmetric.
    """

    @property
    def key(self) -> Hashable | None:
        """What tells the matrix from others of the model."""

    @property
    def symmetric(self) -> bool:
        """Whether it is known to be symmetric."""

    def apply(self, x: Floats) -> Floats:
        """Return the matrix times a vector."""

    def diagonal(self) -> Floats:
        """Return the diagonal."""

    def assemble(self) -> csr_matrix:
        """Return the matrix.

        Raises
        ------
        AnalysisError
            Where the operator has none to give.
        """


class Combined:
    """A sum of matrices with factors, put together when somebody needs all of it.

    Parameters
    ----------
    terms : sequence of (float, matrix)
        Factors and sparse matrices.
    key : hashable, optional
        As of an `Operator`.
    symmetric : bool
        Whether the sum is symmetric.
    """

    def __init__(
        self,
        terms: Sequence[tuple[float, Matrix]],
        key: Hashable | None = None,
        *,
        symmetric: bool = False,
    ) -> None:
        self._terms = [(factor, matrix) for factor, matrix in terms if factor != 0.0]
        self.key, self.symmetric = key, symmetric

    def apply(self, x: Floats) -> Floats:
        """Return the matrix times a vector."""
        total: Floats = np.zeros_like(x)
        for factor, matrix in self._terms:
            total += factor * (matrix @ x)
        return total

    def diagonal(self) -> Floats:
        """Return the diagonal."""
        return np.asarray(sum(factor * matrix.diagonal() for factor, matrix in self._terms))

    def assemble(self) -> csr_matrix:
        """Return the sum."""
        return self._sum

    @cached_property
    def _sum(self) -> csr_matrix:
        from scipy.sparse import csr_matrix

        return csr_matrix(sum(factor * matrix for factor, matrix in self._terms))


class Sandwiched:
    """``T^H S T``: an operator on fewer unknowns.

    Parameters
    ----------
    inner : Operator
        S.
    matrix, adjoint : matrix, (n, m) and (m, n)
        T and its conjugate transpose.
    """

    def __init__(self, inner: Operator, matrix: Matrix, adjoint: Matrix) -> None:
        self._inner, self._matrix, self._adjoint = inner, matrix, adjoint
        self.key, self.symmetric = inner.key, inner.symmetric

    def apply(self, x: Floats) -> Floats:
        """Return the matrix times a vector."""
        return np.asarray(self._adjoint @ self._inner.apply(self._matrix @ x))

    def diagonal(self) -> Floats:
        """Return the diagonal."""
        return np.asarray(self._assembled.diagonal())

    def assemble(self) -> csr_matrix:
        """Return the matrix."""
        return self._assembled

    @cached_property
    def _assembled(self) -> csr_matrix:
        from scipy.sparse import csr_matrix

        return csr_matrix(self._adjoint @ self._inner.assemble() @ self._matrix)


class Bordered:
    """An operator with rows: ``[S, s B; -s G, 0]``, on (increments, multipliers / s).

    The scale s makes the border as large as S, whatever the step: rows and multipliers are O(1).

    Parameters
    ----------
    inner : Operator
        S.
    columns : matrix, (n, m)
        B: forces of unit multipliers, ``-G^T`` where nothing else depends on them.
    rows : matrix, (m, n)
        G.
    scale : float
        s.
    """

    key = None
    symmetric = False

    def __init__(self, inner: Operator, columns: Matrix, rows: Matrix, scale: float) -> None:
        self._inner, self.scale = inner, scale
        self._columns, self._rows = columns, rows
        self._size = rows.shape[1]

    def apply(self, x: Floats) -> Floats:
        """Return the matrix times a vector."""
        n, s = self._size, self.scale
        upper = self._inner.apply(x[:n]) + s * (self._columns @ x[n:])
        return np.concatenate([upper, -s * (self._rows @ x[:n])])

    def diagonal(self) -> Floats:
        """Return the diagonal, zero of the rows."""
        return np.concatenate([self._inner.diagonal(), np.zeros(self._rows.shape[0])])

    def assemble(self) -> csr_matrix:
        """Return the matrix; zeros on the diagonal are entries, for pivots to be there."""
        from scipy.sparse import block_array, csr_matrix

        m, s = self._rows.shape[0], self.scale
        corner = csr_matrix((np.zeros(m), (np.arange(m), np.arange(m))), shape=(m, m))
        blocks = [[self._inner.assemble(), s * self._columns], [-s * self._rows, corner]]
        return csr_matrix(block_array(blocks, format="csr"))
