# SPDX-License-Identifier: BSD-3-Clause
"""Where unknowns are among the coordinates of nodes: what multigrid knows beside the matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.solvers.blocks import chosen_columns, hold, some_rows
from flexforge.runtime.solvers.rows import KeptRows, Rows
from numpy.typing import NDArray

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
    linear : callable
        Returns what some nodes make of all of them where quadratic elements move as linear ones,
        in blocks, with unit blocks for the former on the diagonal; or None.
    """

    block: int
    places: Ints
    motions: Callable[[], Floats]
    linear: Callable[[], bsr_matrix | None] = lambda: None

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
        free = np.zeros(size, dtype=bool)
        free[slots] = True
        hold(blocks, free.reshape(-1, d))
        return Blocked(KeptRows(blocks), slots, self.motions, self._linear_of_some)

    def _linear_of_some(self) -> bsr_matrix | None:
        """Return what some nodes make of all, for nodes with unknowns alone."""
        linear = self.linear()
        if linear is None:
            return None
        nodes = np.unique(self.places // self.block)
        number = np.full(linear.shape[1] // self.block, -1)
        number[nodes] = np.arange(len(nodes))
        return chosen_columns(some_rows(linear, nodes), number)


@dataclass(frozen=True, slots=True, eq=False)
class Blocked:
    """A symmetric matrix in blocks of nodes.

    Attributes
    ----------
    rows : Rows
        In blocks d x d; components that are held have a diagonal entry alone.
    slots : ndarray of int, (n,)
        Rows of the unknowns.
    motions : callable
        Returns the rigid motions of the unknowns (n, k).
    linear : callable
        As of `Layout`, of the rows here; columns are those of the matrix.
    """

    rows: Rows
    slots: Ints
    motions: Callable[[], Floats]
    linear: Callable[[], bsr_matrix | None] = lambda: None

    def null_space(self) -> Floats:
        """Return the rigid motions of all rows (m, k), zero where a component is held."""
        found = self.motions()
        whole = np.zeros((self.rows.size, found.shape[1]))
        whole[self.slots] = found
        return whole

    @property
    def free(self) -> NDArray[np.bool_]:
        """Which components of the nodes are unknowns, (count, d)."""
        found = np.zeros(self.rows.size, dtype=bool)
        found[self.slots] = True
        return found.reshape(-1, self.rows.block)
