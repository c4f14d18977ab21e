# SPDX-License-Identifier: BSD-3-Clause
"""Where entries of rows of joints and of dense blocks are in sparse matrices of all speeds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.multibody.tables import row_columns, rows_of_coordinates
from flexforge.runtime.tables.structs import Multibody

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Patterns:
    """Places in the matrices of a model.

    Parameters
    ----------
    parts : Parts
        Links, joints, gears and drivers.
    table : Multibody
        Their equations.
    numbers : ndarray of int, (n,)
        Of the speeds of the model among all speeds of native code.
    size : int
        Number of speeds and states of first order.
    """

    def __init__(self, parts: Parts, table: Multibody, numbers: Ints, size: int) -> None:
        assert table.linkage is not None
        self.parts, self.table, self._linkage = parts, table, table.linkage
        self._numbers, self._rates = numbers, size
        self._rigid, self._elastic = 6 * len(parts.links), table.elastic
        self.row_of = rows_of_coordinates(self._linkage)

    @cached_property
    def counts(self) -> Ints:
        """Number of elastic coordinates of every link."""
        return np.diff(np.asarray(self.table.first))

    @cached_property
    def ties(self) -> csr_matrix:
        """Equations from rows of joints, (E, rows)."""
        from scipy.sparse import csr_matrix

        linkage, parts = self._linkage, self.parts
        entries = [
            (equation, row, 1.0)
            for row, equation in enumerate(np.asarray(linkage.equation_of).tolist())
            if equation >= 0
        ]
        held = len(parts.names) - len(parts.gears) - len(parts.drivers)
        for k, gear in enumerate(parts.gears):
            a, b = self.row_of[list(gear.coordinates)]
            entries += [(held + k, a, 1.0), (held + k, b, -gear.ratio)]
        for k, driver in enumerate(parts.drivers):
            row = self.row_of[driver.coordinate]
            entries.append((held + len(parts.gears) + k, row, 1.0))
        shape = (len(parts.names), linkage.starts[-1])
        if not entries:
            return csr_matrix(shape)
        rows, columns, values = (np.array(one) for one in zip(*entries, strict=True))
        return csr_matrix((values, (rows, columns)), shape=shape)

    @cached_property
    def of_speed(self) -> Ints:
        """Number of every speed among those of the model, -1 of none; the last is -1."""
        found = np.full(self._rigid + self._elastic + 1, -1)
        found[self._numbers] = np.arange(len(self._numbers))
        return found

    def _pattern(self, ties: csr_matrix) -> tuple[csr_matrix, Ints, Ints]:
        """Return where combinations of rows have entries: (values from entries, pointers, columns).

        Values of a matrix (rows of ties, n) are a matrix times all entries of rows.
        """
        from scipy.sparse import csr_matrix

        columns = row_columns(self._linkage, self.counts)
        starts = np.asarray(self.table.entries)
        rows, places, sources, factors = [], [], [], []
        coo = ties.tocoo()
        for equation, row, factor in zip(coo.row, coo.col, coo.data, strict=True):
            own = self.of_speed[columns[row]]
            kept = np.flatnonzero(own >= 0)
            rows.append(np.full(len(kept), equation))
            places.append(own[kept])
            sources.append(starts[row] + kept)
            factors.append(np.full(len(kept), factor))
        none = np.zeros(0, dtype=int)
        row, place, source = (np.concatenate([none, *one]) for one in (rows, places, sources))
        factor = np.concatenate([np.zeros(0), *factors])
        keys, which = np.unique(row * self._rates + place, return_inverse=True)
        shape = (len(keys), starts[-1])
        values = csr_matrix((factor, (which, source)), shape=shape)
        pointers = np.searchsorted(keys, np.arange(ties.shape[0] + 1) * self._rates)
        return values, pointers, keys % self._rates

    @cached_property
    def _tied(self) -> tuple[csr_matrix, Ints, Ints]:
        return self._pattern(self.ties)

    @cached_property
    def _coordinates(self) -> tuple[csr_matrix, Ints, Ints]:
        from scipy.sparse import csr_matrix

        count = len(self.row_of)
        shape = (count, self._linkage.starts[-1])
        return self._pattern(csr_matrix((np.ones(count), (np.arange(count), self.row_of)), shape))

    def coordinate_matrix(self, entries: Floats) -> csr_matrix:
        """Return the derivatives of coordinates by speeds, (C, n), from entries of rows."""
        from scipy.sparse import csr_matrix

        values, pointers, columns = self._coordinates
        shape = (len(self.row_of), len(self._numbers))
        return csr_matrix((values @ entries, columns, pointers), shape=shape)

    def matrix(self, entries: Floats) -> csr_matrix:
        """Return G, (E, n), from entries of rows."""
        from scipy.sparse import csr_matrix

        values, pointers, columns = self._tied
        shape = (len(self.parts.names), self._rates)
        return csr_matrix((values @ entries, columns, pointers), shape=shape)

    @cached_property
    def link_places(self) -> tuple[Ints, Ints]:
        """Row and column of every entry of the blocks of links, -1 of none."""
        first = self._rigid + np.cumsum([0, *self.counts])
        own = [
            np.concatenate([6 * k + np.arange(6), first[k] + np.arange(count)])
            for k, count in enumerate(self.counts.tolist())
        ]
        return self._block_places(own)

    @cached_property
    def joint_places(self) -> tuple[Ints, Ints]:
        """The same of the blocks of joints."""
        first = self._rigid + np.cumsum([0, *self.counts])
        own = []
        for joint in self.parts.joints:
            each = [
                np.concatenate([6 * k + np.arange(6), first[k] + np.arange(self.counts[k])])
                for k in joint.links
                if k >= 0
            ]
            own.append(np.concatenate(each))
        return self._block_places(own)

    def _block_places(self, own: Sequence[Ints]) -> tuple[Ints, Ints]:
        none = np.zeros(0, dtype=int)
        numbers = [self.of_speed[one] for one in own]
        rows = np.concatenate([none, *(np.repeat(one, len(one)) for one in numbers)])
        columns = np.concatenate([none, *(np.tile(one, len(one)) for one in numbers)])
        return rows, columns

    @staticmethod
    def scattered(values: Floats, places: tuple[Ints, Ints], size: int) -> csr_matrix:
        """Return a matrix, (size, size), from values of blocks at their places."""
        from scipy.sparse import csr_matrix

        rows, columns = places
        kept = (rows >= 0) & (columns >= 0)
        return csr_matrix((values[kept], (rows[kept], columns[kept])), shape=(size, size))
