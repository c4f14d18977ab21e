# SPDX-License-Identifier: BSD-3-Clause
"""Sums of the matrices of a body, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime import _operators
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.graph import Graph
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix


@dataclass(frozen=True, slots=True)
class BlockSum:
    """The blocks of ``ck K + M (x) B + cg G (x) I``, summed when they are asked for.

    Attributes
    ----------
    graph : Graph
        Nodes and their neighbours.
    stiffness : ndarray, (entries d d,) or (0,)
        Values of K, if it takes part.
    ck : float
        Its factor.
    mass : ndarray, (entries,)
        Values of the scalar matrix M.
    inertia : ndarray, (d, d)
        B.
    geometric : ndarray, (entries,) or (0,)
        Values of the scalar matrix G, if it takes part.
    cg : float
        Its factor.
    """

    graph: Graph
    stiffness: Floats
    ck: float
    mass: Floats
    inertia: Floats
    geometric: Floats
    cg: float

    @property
    def keep(self) -> NDArray[np.uint8]:
        """Which entries of a block may differ from zero, (d, d)."""
        d = len(self.inertia)
        if len(self.stiffness):
            return np.ones((d, d), np.uint8)
        stressed = np.eye(d, dtype=bool) & bool(len(self.geometric) and self.cg)
        return np.asarray((self.inertia != 0.0) | stressed).view(np.uint8)

    def whole(self) -> bsr_matrix:
        """Return the matrix of all nodes, with values of its own."""
        from scipy.sparse import bsr_matrix

        d, n = len(self.inertia), self.graph.nodes
        data = np.empty((self.graph.nnz, d, d))
        _operators.blocks(*self._terms, data, self.graph.threads)
        return bsr_matrix((data, self.graph.columns, self.graph.pointers), shape=(n * d, n * d))

    def select(
        self,
        numbers: NDArray[np.int64],
        keep: NDArray[np.uint8],
        rows: NDArray[np.int32],
        columns: NDArray[np.int32],
        values: Floats,
        threads: int,
    ) -> None:
        """Set the entries of the rows of unknowns.

        Parameters
        ----------
        numbers : ndarray, (nodes, d)
            Number of the unknown at every place, -1 where there is none.
        keep : ndarray, (d, d)
            Which entries of a block are set.
        rows, columns, values : ndarray
            Where every row begins, and what is set.
        threads : int
            Threads that share the rows.
        """
        pointers, neighbours = self.graph.pointers, self.graph.columns
        _operators.select(
            pointers, neighbours, *self._terms, numbers, keep, rows, columns, values, threads
        )

    @property
    def _terms(self) -> tuple[Floats, Floats, Floats, float, Floats, float]:
        inertia = np.ascontiguousarray(self.inertia)
        return self.stiffness, self.mass, self.geometric, self.ck, inertia, self.cg
