# SPDX-License-Identifier: BSD-3-Clause
"""Where unknowns are among the coordinates of nodes: what multigrid knows beside the matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.ranks import ONE, Ranks

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix, csr_matrix


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The unknowns of a matrix, node by node.

    Attributes
    ----------
    block : int
        Coordinates per node, d.
    places : ndarray of int, (n,)
        Place ``node * d + component`` of every unknown, ascending.
    motions : callable
        Returns the rigid motions of the unknowns (n, k), which cost almost no energy.
    """

    block: int
    places: Ints
    motions: Callable[[], Floats]

    def slots(self) -> tuple[Ints, int]:
        """Return the place of every unknown among nodes with unknowns, and their coordinates."""
        nodes = self.places // self.block
        first = np.flatnonzero(np.diff(nodes, prepend=-1))
        number = np.repeat(np.arange(len(first)), np.diff(first, append=len(nodes)))
        return number * self.block + self.places % self.block, len(first) * self.block

    def blocked(self, matrix: csr_matrix) -> Blocked:
        """Return a matrix (n, n) of the unknowns in blocks of nodes.

        Components of these nodes that are held get a diagonal entry of their own.
        """
        from scipy.sparse import csr_matrix

        slots, size = self.slots()
        d = self.block
        padded = matrix
        if size != len(slots):
            pointers = np.zeros(size + 1, dtype=matrix.indptr.dtype)
            pointers[slots + 1] = np.diff(matrix.indptr)
            columns = slots.astype(matrix.indices.dtype)[matrix.indices]
            padded = csr_matrix((matrix.data, columns, np.cumsum(pointers)), shape=(size, size))
        blocks = padded.tobsr((d, d))
        held = np.setdiff1d(np.arange(size), slots, assume_unique=True)
        hold(blocks, held)
        return Blocked(blocks, slots, self.motions)


@dataclass(frozen=True, slots=True, eq=False)
class Blocked:
    """A symmetric matrix in blocks of nodes.

    Attributes
    ----------
    matrix : bsr_matrix, (m, m)
        In blocks d x d; components that are held have a diagonal entry alone. Where ranks share
        it, these are the rows of own nodes, and the columns of all nodes here.
    slots : ndarray of int, (n,)
        Rows of the unknowns.
    motions : callable
        Returns the rigid motions of the unknowns (n, k).
    ranks : Ranks
        The processes that share it.
    numbers : ndarray of int, optional
        Of every node here its number among those of all ranks.
    """

    matrix: bsr_matrix
    slots: Ints
    motions: Callable[[], Floats]
    ranks: Ranks = ONE
    numbers: Ints | None = None

    def null_space(self) -> Floats:
        """Return the rigid motions of all rows (m, k), zero where a component is held."""
        found = self.motions()
        whole = np.zeros((self.matrix.shape[0], found.shape[1]))
        whole[self.slots] = found
        return whole


def hold(blocks: bsr_matrix, held: Ints) -> None:
    """Hold rows and columns: all is zero but a diagonal entry, the largest of their block.

    Parameters
    ----------
    blocks : bsr_matrix, (m, m)
        With blocks on the diagonal; changed.
    held : ndarray of int
        Numbers of the rows.
    """
    if not len(held):
        return
    d = blocks.blocksize[0]
    free = np.ones((blocks.shape[0] // d, d), dtype=bool)
    free.ravel()[held] = False
    touched = np.any(~free, axis=1)
    rows = np.repeat(np.arange(len(free), dtype=np.int32), np.diff(blocks.indptr))
    near = np.flatnonzero(touched[rows] | touched[blocks.indices])
    own = diagonal_places(blocks)[held // d]
    largest = np.abs(blocks.data[own]).max(axis=(1, 2))
    blocks.data[near] *= free[rows[near]][:, :, None] & free[blocks.indices[near]][:, None, :]
    blocks.data[own, held % d, held % d] = largest


def diagonal_places(blocks: bsr_matrix) -> Ints:
    """Return the number of the block on the diagonal of every row of blocks."""
    counts = np.diff(blocks.indptr)
    rows = np.repeat(np.arange(len(counts)), counts)
    return np.flatnonzero(rows == blocks.indices)


def some_rows(blocks: bsr_matrix, which: Ints) -> bsr_matrix:
    """Return some rows of the blocks of a matrix, in the order given.

    Parameters
    ----------
    blocks : bsr_matrix, (m, k)
        The matrix.
    which : ndarray of int
        Numbers of the rows of blocks.
    """
    from scipy.sparse import bsr_matrix

    d = blocks.blocksize[0]
    lengths = np.diff(blocks.indptr)[which]
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(blocks.indptr[which] - pointers[:-1], lengths) + np.arange(pointers[-1])
    chosen = (blocks.data[places], blocks.indices[places], pointers)
    return bsr_matrix(chosen, shape=(len(which) * d, blocks.shape[1]))
