# SPDX-License-Identifier: BSD-3-Clause
"""The pattern of the matrices of small systems, known once for all combinations.

Bodies have blocks of pairs of nodes. Where they add up, entries of all bodies have places in one
list of values; SciPy would renumber and add the matrices of the bodies one by one, which for a few
hundred unknowns takes longer than to solve with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.unknown_map import UnknownMap

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, eq=False)
class SummedPattern:
    """Where the entries of bodies are in the matrix of a system.

    Attributes
    ----------
    starts : ndarray of int, (bodies + 1,)
        Beginnings of the entries of every body among all.
    slots : ndarray of int, (entries,)
        Place of every entry among the values; the one beyond them of those that are left out.
    indices, pointers : ndarray of int
        Columns and beginnings of rows of the matrix.
    """

    starts: Ints
    slots: Ints
    indices: Ints
    pointers: Ints

    @classmethod
    def of(cls, bodies: Sequence[Body], places: UnknownMap) -> SummedPattern:
        """Return the pattern of bodies.

        Parameters
        ----------
        bodies : sequence of Body
            The bodies.
        places : UnknownMap
            The map of the unknowns: of a selection of places the matrix is that of the selected
            ones, of others that of all places.
        """
        d = places.shape[1]
        count = places.shape[0] * d
        number = np.arange(count)
        if places.matrix is None:
            number = np.full(count, -1)
            number[places.places] = np.arange(len(places.places))
        size = int(number.max(initial=-1)) + 1
        keys, starts = [], [0]
        for body in bodies:
            of_rows = np.repeat(body.nodes, np.diff(body.graph.pointers))
            both = of_rows, body.nodes[body.graph.columns]
            rows, columns = (number[one[:, None] * d + np.arange(d)] for one in both)
            pairs = rows[:, :, None] * size + columns[:, None, :]
            kept = (rows[:, :, None] >= 0) & (columns[:, None, :] >= 0)
            keys.append(np.where(kept, pairs, size * size).ravel())
            starts.append(starts[-1] + pairs.size)
        known, slots = np.unique(np.concatenate(keys), return_inverse=True)
        known = known[known < size * size]
        pointers = np.searchsorted(known, size * np.arange(size + 1))
        return cls(np.array(starts), slots.ravel(), known % size if size else known, pointers)

    def matrix(self, bodies: Sequence[Body], combinations: Sequence[Combination]) -> csr_matrix:
        """Return a combination of the matrices of bodies, without entries that are zero."""
        from scipy.sparse import csr_matrix

        values: Floats = np.zeros(self.starts[-1])
        for number, (body, one) in enumerate(zip(bodies, combinations, strict=True)):
            if one.acts:
                some = slice(self.starts[number], self.starts[number + 1])
                values[some] = body.blocks(one).data.ravel()
        size = len(self.pointers) - 1
        summed = np.bincount(self.slots, values, len(self.indices))[: len(self.indices)]
        parts = summed, self.indices.copy(), self.pointers.copy()
        found = csr_matrix(parts, shape=(size, size))
        found.eliminate_zeros()
        return found
