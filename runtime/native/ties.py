# SPDX-License-Identifier: BSD-3-Clause
"""Which constraints hang together, and where A has entries, as ``ff_ties.h`` reads them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.constraints.clusters import batches_of
from flexforge.runtime.constraints.generalized_speeds import twice
from flexforge.runtime.constraints.rows import Pattern
from numpy.typing import NDArray

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Constraints that share coordinates.

    Attributes
    ----------
    rows : ndarray, (m,)
        Their numbers.
    columns : ndarray, (n,)
        Their coordinates, ascending.
    entries : ndarray, (m, n)
        Which entry of J, -1 where it has none.
    first : int
        The first of their ``n - m`` speeds.
    choice : int
        Where what is chosen of them begins: ``n^2 + 1`` numbers.
    """

    rows: Ints
    columns: Ints
    entries: Ints
    first: int
    choice: int


class Ties:
    """The constraints of a small system.

    Parameters
    ----------
    pattern : Pattern
        Where J has entries.
    independent : bool
        Whether speeds are rates of coordinates (Kane), or along the null space (Maggi).

    Attributes
    ----------
    unknowns, speeds, entries, choices : int
        Coordinates; speeds that remain; entries of J; numbers that are chosen.
    clusters : tuple of Cluster
        What hangs together.
    lone : ndarray
        Coordinates that nothing ties; their rates are the first speeds.
    pointers, columns : ndarray
        Pattern of A, row by row.

    Raises
    ------
    InputError
        When there are more constraints than coordinates.
    """

    def __init__(self, pattern: Pattern, *, independent: bool) -> None:
        self.independent = independent
        m, self.unknowns = pattern.shape
        self.speeds, self.entries = self.unknowns - m, len(pattern.rows)
        tied = np.zeros(self.unknowns, dtype=bool)
        tied[pattern.columns] = True
        self.lone = np.flatnonzero(~tied).astype(np.int32)
        first, choice = len(self.lone), 0
        found = []
        width = np.ones(self.unknowns, dtype=np.int64)
        begin = np.zeros(self.unknowns, dtype=np.int64)
        begin[self.lone] = np.arange(first)
        for batch in batches_of(pattern):
            (count, rows), columns = batch.rows.shape, batch.columns.shape[1]
            if rows > columns:
                raise twice([pattern.names[r] for r in batch.rows[0]])
            entries = np.full(count * rows * columns, -1, dtype=np.int32)
            entries[batch.places] = batch.entries
            for k, dense in enumerate(entries.reshape(count, rows, columns)):
                own = batch.columns[k]
                found.append(Cluster(
                    batch.rows[k].astype(np.int32), own.astype(np.int32), dense, first, choice
                ))  # fmt: skip
                begin[own], width[own] = first, columns - rows
                first, choice = first + columns - rows, choice + columns**2 + 1
        self.clusters, self.choices = tuple(found), choice
        self.pointers = np.concatenate([[0], np.cumsum(width)]).astype(np.int32)
        each = np.arange(self.pointers[-1]) - np.repeat(self.pointers[:-1], width)
        self.columns = (np.repeat(begin, width) + each).astype(np.int32)
