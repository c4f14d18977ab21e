# SPDX-License-Identifier: BSD-3-Clause
"""The order of coordinates in which a small matrix is factored: as a band, or sparse."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.tables import structs
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


#: Unknowns up to which a matrix is factored at every step, and the work of that at most: of a band
#: of 1500 with a half width of 60.
MOST_UNKNOWNS, MOST_WORK = 1500, 1500 * 60**2
#: Updates of a band that take as long as one of sparse factors, where entries are found by number.
_BY_NUMBER = 4.0
_NARROW = 8  # half width of a band that nothing else beats


@dataclass(frozen=True, eq=False)
class Order:
    """An order of elimination.

    Attributes
    ----------
    place : ndarray of int32, (n,)
        Place of every coordinate.
    band : int
        Half width of the band.
    fill : structs.Fill or None
        Pattern of sparse factors, where they take less work than those of the band.
    """

    place: NDArray[np.int32]
    band: int
    fill: structs.Fill | None = None

    @property
    def work(self) -> float:
        """Work to factor a matrix, counted in updates of entries of a band."""
        if self.fill is None:
            return float(len(self.place) * self.band**2)
        return _BY_NUMBER * float((np.diff(self.fill.pointers).astype(float) ** 2).sum())

    @cached_property
    def factor_bytes(self) -> int:
        """Memory of the factors."""
        if self.fill is None:
            return 8 * len(self.place) * (3 * self.band + 1)
        return 8 * (len(self.place) + 2 * len(self.fill.rows))

    @property
    def name(self) -> str:
        """What the factors are."""
        return "banded" if self.fill is None else "sparse"


def banded(pattern: csr_matrix) -> Order:
    """Return the order that makes the band of a pattern narrow.

    Cuthill and McKee's order, reversed, as SciPy finds it of the pattern and its transpose.
    """
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    if not pattern.shape[0]:  # joints and drivers leave no speeds
        return Order(np.zeros(0, dtype=np.int32), 0)
    both_ways = _symmetric(pattern)
    order = reverse_cuthill_mckee(both_ways, symmetric_mode=True).astype(np.int64)
    entries = pattern[order][:, order].tocoo()
    return Order(_places(order), int(np.abs(entries.row - entries.col).max(initial=0)))


def cheapest(pattern: csr_matrix) -> Order:
    """Return the order of a pattern, banded or sparse, whose factors take less work."""
    band = banded(pattern)
    if band.band <= _NARROW:
        return band
    found = sparse(pattern)
    return found if found.work < band.work else band


def sparse(pattern: csr_matrix) -> Order:
    """Return an order of little fill of a pattern, and the fill.

    The order of minimum degree and its fill are those of SuperLU, for a matrix that needs no row
    exchanges and has entries where the pattern or its transpose has them: one that is driven and
    does not push back, as within a chain of transfer functions, has entries on one side alone.
    """
    from scipy.sparse import diags
    from scipy.sparse.linalg import splu

    ones = _symmetric(pattern)
    sums = np.asarray(ones.sum(axis=1)).ravel()
    dominant = (diags(2.0 * sums) - ones).tocsc()
    found = splu(
        dominant,
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        relax=1,
        options={"SymmetricMode": True},
    )
    order = np.argsort(found.perm_c)
    place = _places(order)
    return Order(place, 0, _fill(pattern, found.L.tocsc(), place))


def _symmetric(pattern: csr_matrix) -> csr_matrix:
    """Return ones where a pattern or its transpose has entries."""
    from scipy.sparse import csr_matrix

    shape = pattern.shape
    found = csr_matrix((np.ones(len(pattern.indices)), pattern.indices, pattern.indptr), shape)
    found = (found + found.T).tocsr()
    found.data[:] = 1.0
    found.sort_indices()
    return found


def _fill(pattern: csr_matrix, lower: csr_matrix, place: NDArray[np.int32]) -> structs.Fill:
    """Return the pattern of factors with L, and where they have the entries of a matrix."""
    from scipy.sparse import coo_matrix, tril

    n = len(place)
    below = tril(lower, k=-1).tocsc()
    below.sort_indices()
    count = len(below.indices)
    columns = np.repeat(np.arange(n), np.diff(below.indptr))
    numbered = coo_matrix((np.arange(count), (below.indices, columns)), shape=(n, n)).tocsr()
    numbered.sort_indices()
    row = place[np.repeat(np.arange(n), np.diff(pattern.indptr))].astype(np.int64)
    column = place[pattern.indices].astype(np.int64)
    keys = columns * n + below.indices
    entries = np.where(
        row == column,
        row,
        n
        + np.where(row > column, 0, count)
        + np.searchsorted(keys, np.minimum(row, column) * n + np.maximum(row, column)),
    )
    return structs.Fill(
        n, entries, below.indptr, below.indices, numbered.indptr, numbered.indices, numbered.data
    )


def _places(order: Ints) -> NDArray[np.int32]:
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order))
    return place
