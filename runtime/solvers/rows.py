# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a symmetric matrix in blocks of nodes: kept, shared by ranks, or made when asked for.

Multigrid walks over the rows part by part and multiplies; it never asks for all of them at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.ranks import ONE, Ranks
from flexforge.runtime.solvers.blocks import diagonal_places, some_rows
from flexforge.runtime.solvers.matmul import stacked
from flexforge.runtime.solvers.threaded import ThreadedProduct
from numpy.typing import NDArray

if TYPE_CHECKING:
    from flexforge.runtime.ranks.halo import Halo
    from scipy.sparse import bsr_matrix

_PARTS = 8  # of kept rows: the product of a part with a matrix is as large as the part


class Product(Protocol):
    """A matrix that is multiplied with vectors of one precision."""

    @property
    def bytes(self) -> int:
        """Its memory."""

    def __matmul__(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the product with a vector (n,)."""


class Rows(ABC):
    """Rows of a symmetric matrix, those of one rank where several share it.

    Columns are those of the rows, on one rank; on several, nodes of other ranks are among them.

    Attributes
    ----------
    block : int
        Coordinates per node, b.
    count : int
        Number of rows of blocks.
    ranks : Ranks
        The processes that share the matrix.
    """

    block: int
    count: int
    ranks: Ranks = ONE

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.count * self.block

    def parts(self) -> Iterator[tuple[int, int]]:
        """Yield bounds of rows of blocks that are asked for at once."""
        yield from pairwise(
            np.linspace(0, self.count, max(1, min(_PARTS, self.count)) + 1).astype(int)
        )

    @abstractmethod
    def some(self, low: int, high: int) -> bsr_matrix:
        """Return the rows of blocks ``low .. high - 1``, with all columns."""

    @abstractmethod
    def diagonal(self) -> Floats:
        """Return the blocks on the diagonal, (count, b, b)."""

    @abstractmethod
    def times(self, dtype: type, threads: int) -> Product:
        """Return the product with vectors of a precision."""

    @property
    def is_finite(self) -> bool:
        """Whether all entries that are kept are."""
        return bool(np.isfinite(self.diagonal()).all())

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of the columns, for values of the rows of blocks (count, ...)."""
        return values

    def spread_rows(self, matrix: bsr_matrix) -> bsr_matrix:
        """Return a matrix with a row of blocks per column, for one with a row per own row."""
        return matrix

    def own(self, columns: Ints) -> Ints:
        """Return the rows that columns of blocks belong to, -1 for those of other ranks."""
        return columns


class KeptRows(Rows):
    """Rows that are in memory.

    Parameters
    ----------
    matrix : bsr_matrix, (m, m)
        In blocks b x b, with blocks on the diagonal.
    """

    def __init__(self, matrix: bsr_matrix) -> None:
        self.matrix, self.block = matrix, matrix.blocksize[0]
        self.count = matrix.shape[0] // self.block

    def some(self, low: int, high: int) -> bsr_matrix:
        """Return some rows of blocks; they share their entries with all."""
        from scipy.sparse import bsr_matrix

        whole = self.matrix
        begin, end = whole.indptr[[low, high]]
        parts = (
            whole.data[begin:end],
            whole.indices[begin:end],
            whole.indptr[low : high + 1] - begin,
        )
        return bsr_matrix(parts, shape=((high - low) * self.block, whole.shape[1]))

    def diagonal(self) -> Floats:
        """Return the blocks on the diagonal, (count, b, b)."""
        found: Floats = self.matrix.data[self._on_diagonal]
        return found

    def add_to_diagonal(self, blocks: Floats) -> None:
        """Add blocks (count, b, b) to those on the diagonal."""
        self.matrix.data[self._on_diagonal] += blocks

    @property
    def _on_diagonal(self) -> Ints:
        """Numbers of the blocks on the diagonal, (count,)."""
        return diagonal_places(self.matrix)

    def times(self, dtype: type, threads: int) -> Product:
        """Return the product with vectors of a precision."""
        return ThreadedProduct(self.matrix, threads, dtype)

    @property
    def is_finite(self) -> bool:
        """Whether all entries are."""
        return bool(np.isfinite(self.matrix.data).all())


class OfRank(Rows):
    """The rows of one of several ranks: those of its own nodes, ascending.

    Columns are those of all nodes here.

    Parameters
    ----------
    halo : Halo
        Own nodes, and the exchange of nodal values.
    numbers : ndarray of int, (n / b,)
        Of every node here its number among those of all ranks.
    """

    def __init__(self, halo: Halo, numbers: Ints) -> None:
        self._halo, self.numbers, self.ranks = halo, numbers, halo.ranks
        self._places = np.flatnonzero(halo.own)
        # Of every node its number among own ones; of another rank's node, that of any of them.
        self._number = np.maximum(np.cumsum(halo.own) - 1, 0)

    @property
    def is_finite(self) -> bool:
        """Whether all entries of all ranks are."""
        return not self.ranks.any(not super().is_finite)

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of the columns, those of other ranks by exchange."""
        here, *shape = len(self._number), *values.shape[1:]
        if len(values):
            whole = values.reshape(len(values), -1).take(self._number, axis=0)
        else:
            whole = np.empty((here, int(np.prod(shape))), dtype=values.dtype)
        return self._halo.fill(whole).reshape(here, *shape)

    def spread_rows(self, matrix: bsr_matrix) -> bsr_matrix:
        """Return a matrix with the rows of other ranks' nodes too."""
        halo = self._halo
        going = [
            some_rows(matrix, self.own(halo.sent[rank])) if rank in halo.sent else None
            for rank in range(self.ranks.count)
        ]
        coming = self.ranks.exchanged(going)
        places = np.concatenate([self._places, *(halo.received[rank] for rank in halo.received)])
        parts = [matrix, *(coming[rank] for rank in halo.received)]
        return some_rows(stacked(parts), np.argsort(places))

    def own(self, columns: Ints) -> Ints:
        """Return the rows that columns of blocks belong to, -1 for those of other ranks."""
        number = np.where(self._halo.own, np.cumsum(self._halo.own) - 1, -1)
        return number[columns]


class SharedRows(OfRank, KeptRows):
    """The rows of one of several ranks, in memory.

    Parameters
    ----------
    matrix : bsr_matrix, (m, n)
        Rows of own nodes, ascending; columns of all nodes here.
    halo, numbers
        As of `OfRank`.
    """

    def __init__(self, matrix: bsr_matrix, halo: Halo, numbers: Ints) -> None:
        KeptRows.__init__(self, matrix)
        OfRank.__init__(self, halo, numbers)

    @property
    def _on_diagonal(self) -> Ints:
        """Numbers of the blocks on the diagonal, (count,)."""
        return diagonal_places(self.matrix, self._places)

    def times(self, dtype: type, threads: int) -> Product:
        """Return the product with vectors of a precision, of which each rank has its own part."""
        return _SharedProduct(self, super().times(dtype, threads))


class _SharedProduct:
    """A product that begins with the exchange of the vector."""

    def __init__(self, rows: SharedRows, product: Product) -> None:
        self._rows, self._product = rows, product

    @property
    def bytes(self) -> int:
        return self._product.bytes

    def __matmul__(self, x: NDArray[Any]) -> NDArray[Any]:
        return self._product @ self._rows.spread(x.reshape(-1, self._rows.block)).ravel()
