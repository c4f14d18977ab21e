# SPDX-License-Identifier: BSD-3-Clause
"""Rows of joints in the unknowns of a system: positions and values of their entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.markers import Attachment
from flexforge.runtime.constraints.rows import Pattern

_ZERO = 1e-12


@dataclass(frozen=True, slots=True)
class TiedRow:
    """A combination of rows of joints that is kept: (joint, row, factor) each, and its name."""

    name: str
    parts: tuple[tuple[int, int, float], ...]
    is_joint: bool = False


@dataclass(frozen=True, slots=True)
class Share:
    """What one end of a joint gives to the entries of a row: its side of the joint's row, turned.

    ``matrix`` takes displacement and turn of the marker from the unknowns, (6, c).
    """

    joint: int
    row: int
    side: slice
    matrix: Floats
    entries: Ints


class RowSet:
    """Combinations of rows of joints.

    Parameters
    ----------
    tied : sequence of TiedRow
        The combinations.
    ends : sequence of tuples of Attachment
        How the two markers of every joint move with the unknowns.
    unknowns : int
        Of the system.
    kept : sequence of (name, ndarray (c,), ndarray (r, c))
        Rows that never change, after those: their name, coordinates and entries.

    Attributes
    ----------
    tied : tuple of TiedRow
        The combinations.
    pattern : Pattern
        Where their entries are.
    shares : list of Share
        What ends of joints give to them.
    kept : ndarray
        The last of their entries, which never change.
    """

    def __init__(
        self,
        tied: Sequence[TiedRow],
        ends: Sequence[tuple[Attachment, ...]],
        unknowns: int,
        kept: Sequence[tuple[str, Ints, Floats]] = (),
    ) -> None:
        self._ends = ends
        self.tied = tuple(tied)
        self._columns = [self._columns_of(row) for row in tied]
        each = [*self._columns, *(columns for _, columns, matrix in kept for _ in matrix)]
        rows = np.repeat(np.arange(len(each)), [len(one) for one in each])
        everything = np.concatenate([*each, np.zeros(0, dtype=np.int64)])
        names = [row.name for row in self.tied] + [name for name, _, m in kept for _ in m]
        markers = [(end.columns, end.matrix) for pair in ends for end in pair if len(end.columns)]
        markers += [(columns, matrix) for _, columns, matrix in kept if len(matrix)]
        shape = len(each), unknowns
        self.pattern = Pattern(rows, everything, shape, tuple(names), tuple(markers))
        self.kept = np.concatenate([*(matrix.ravel() for *_, matrix in kept), np.zeros(0)])
        self.shares = self._shares_of()

    def over(self, jacobians: Sequence[Floats]) -> Floats:
        """Return the entries of J, J' and J'' at many times, (T, 3, nnz).

        Parameters
        ----------
        jacobians : sequence of ndarray, (T, 3, rows, 12)
            Of every joint.
        """
        data = np.zeros((len(jacobians[0]), 3, len(self.pattern.rows)))
        for one in self.shares:
            turned = jacobians[one.joint][:, :, one.row, one.side] @ one.matrix
            data[:, :, one.entries] += turned
        data[:, 0, len(self.pattern.rows) - len(self.kept) :] = self.kept
        return data

    def _columns_of(self, row: TiedRow) -> Ints:
        ends = [end.columns for joint, _, _ in row.parts for end in self._ends[joint]]
        return np.unique(np.concatenate(ends))

    def _shares_of(self) -> list[Share]:
        """Return the contribution of every end of every joint to the rows."""
        found, place = [], 0
        for row, columns in zip(self.tied, self._columns, strict=True):
            for joint, number, factor in row.parts:
                for i, end in enumerate(self._ends[joint]):
                    entries = place + np.searchsorted(columns, end.columns)
                    side = slice(6 * i, 6 * i + 6)
                    found.append(Share(joint, number, side, factor * end.matrix, entries))
            place += len(columns)
        return [one for one in found if len(one.entries)]


def rows_that_count(
    tied: Sequence[TiedRow],
    ends: Sequence[tuple[Attachment, ...]],
    columns: int,
    start: Sequence[Floats],
) -> tuple[list[TiedRow], list[TiedRow]]:
    """Return the rows that have entries, and the others.

    Parameters
    ----------
    tied, ends, columns
        Of :class:`RowSet`.
    start : sequence of ndarray, (1, 3, rows, 12)
        Jacobians of every joint at t = 0.
    """
    every = RowSet(tied, ends, columns)
    left = np.zeros(len(tied))
    np.maximum.at(left, every.pattern.rows, np.abs(every.over(start)[0]).max(axis=0))
    counting = [row for row, size in zip(tied, left, strict=True) if size > _ZERO]
    return counting, [row for row, size in zip(tied, left, strict=True) if size <= _ZERO]
