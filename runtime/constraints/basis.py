# SPDX-License-Identifier: BSD-3-Clause
"""The constant part of the null space: ``q = Y^T y + H^T h`` of all coordinates together.

Most coordinates are tied by nothing, and their speeds are their own rates. So are most of a large
cluster's. All of it is put together once for a choice of speeds, without the zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.clusters import Batch
from flexforge.runtime.constraints.generalized_speeds import Speeds

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix, csr_matrix


#: Entries of H that directions may leave.
_SPANNED = 1e-10


@dataclass(frozen=True, slots=True)
class Place:
    """Where a batch of clusters is in the whole.

    Attributes
    ----------
    rows : ndarray, (k, m)
        Constraints of every cluster.
    unknowns : slice
        Its speeds, cluster after cluster.
    """

    rows: Ints
    unknowns: slice


@dataclass(frozen=True, slots=True)
class Basis:
    """Y and H of all coordinates.

    Attributes
    ----------
    speeds, spread : csr_matrix, (r, n) and (n, r)
        Y and its transpose; what nothing ties comes first among the speeds.
    tied : ndarray, (t,)
        Coordinates that are tied.
    held, across : csr_matrix, (m, t) and (t, m)
        H of those and its transpose.
    places : tuple of Place
        Where every batch of clusters is.
    """

    speeds: csr_matrix
    spread: csr_matrix
    tied: Ints
    held: csr_matrix
    across: csr_matrix
    places: tuple[Place, ...]

    def spanned_by(self, span: csc_matrix) -> Floats | None:
        """Return ``E^T H^T`` (p, m) of orthonormal directions E (n, p), None where H has more."""
        own = span.tocsr()[self.tied]
        found = (own.T @ self.across).toarray()
        beside = abs(self.across - own @ found).max() if self.across.nnz else 0.0
        return found if beside < _SPANNED else None

    def dependent(self, size: int) -> csc_matrix | None:
        """Return ``H^T`` of all coordinates (n, m) where it is single ones, else None."""
        from scipy.sparse import csc_matrix

        single = self.held.tocsr()
        if (np.diff(single.indptr) != 1).any():
            return None
        pointers = np.arange(single.shape[0] + 1)
        shape = (size, single.shape[0])
        return csc_matrix((single.data, self.tied[single.indices], pointers), shape=shape)


def basis_of(
    batches: Sequence[Batch], alone: Ints, chosen: Sequence[Speeds], shape: tuple[int, int]
) -> Basis:
    """Return the basis of a choice.

    Parameters
    ----------
    batches : sequence of Batch
        The clusters.
    alone : ndarray of int
        Coordinates that nothing ties.
    chosen : sequence of Speeds
        Those of every batch.
    shape : tuple of int
        Number of constraints m and of coordinates n.
    """
    from scipy.sparse import coo_matrix

    m, n = shape
    tied = np.setdiff1d(np.arange(n), alone)
    places, first = [], len(alone)
    free = [(np.ones(len(alone)), np.arange(len(alone)), alone)]
    held = [(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
    for batch, speeds in zip(batches, chosen, strict=True):
        matrix = speeds.matrix()
        numbers = first + np.arange(matrix.shape[0] * matrix.shape[1]).reshape(matrix.shape[:2])
        places.append(Place(batch.rows, slice(first, first + numbers.size)))
        first += numbers.size
        free.append(_entries(matrix, numbers, batch.columns))
        columns = np.searchsorted(tied, batch.columns)
        held.append(_entries(speeds.across(), batch.rows, columns))
    data, rows, columns = (np.concatenate(part) for part in zip(*free, strict=True))
    y = coo_matrix((data, (rows, columns)), shape=(n - m, n)).tocsr()
    data, rows, columns = (np.concatenate(part) for part in zip(*held, strict=True))
    h = coo_matrix((data, (rows, columns)), shape=(m, len(tied))).tocsr()
    return Basis(y, y.T.tocsr(), tied, h, h.T.tocsr(), tuple(places))


def _entries(blocks: Floats, rows: Ints, columns: Ints) -> tuple[Floats, Ints, Ints]:
    """Return values, rows and columns of what is not zero in blocks (k, a, b)."""
    k, a, b = np.nonzero(blocks)
    return blocks[k, a, b], rows[k, a], columns[k, b]
