# SPDX-License-Identifier: BSD-3-Clause
"""Kept coordinates of a reduced model: unknowns of nodes, or displacements of joint markers.

A marker on a surface moves by combinations C of many unknowns. As many of these unknowns as there
are combinations are replaced: ``u = T v``, where v contains the values of the combinations at the
positions of the replaced unknowns, and all other unknowns unchanged. In v everything is as with
single kept unknowns; for markers at single nodes T is the identity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.markers import Attachment

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


#: Fraction of a combination that must be new for it to count as independent.
_NEW = 1e-9
#: Tolerance for entries of T: round-off of another machine does not make another joint.
_SAME = 1e-9
_PARTS = ("displacement x", "displacement y", "displacement z", "turn x", "turn y", "turn z")


@dataclass(frozen=True, slots=True)
class Interface:
    """The kept quantities of a system.

    Attributes
    ----------
    transform : csr_matrix, (n, n)
        T: unknowns from kept values and the other unknowns.
    kept : ndarray of int, (k,)
        Positions of the kept values.
    names : tuple of str, (k,)
        Their names.
    held : ndarray of int
        Positions of values that remain zero: deformations of a rigid connection.
    values : csr_matrix, (k, n)
        The kept values as linear forms of the unknowns.
    """

    transform: csr_matrix
    kept: Ints
    names: tuple[str, ...]
    held: Ints
    values: csr_matrix

    @property
    def inside(self) -> Ints:
        """Positions of all other unknowns."""
        everything = np.arange(self.transform.shape[0])
        return np.setdiff1d(everything, np.union1d(self.kept, self.held))

    def is_that_of(self, other: Interface) -> bool:
        """Whether another interface keeps the same, up to round-off."""
        same = np.array_equal(self.kept, other.kept) and np.array_equal(self.held, other.held)
        if not same or self.transform.shape != other.transform.shape:
            return False
        apart = abs(self.transform - other.transform)
        return bool(apart.max() <= _SAME * abs(self.transform).max())


@dataclass(frozen=True, slots=True)
class _Row:
    """A combination of unknowns: its name, or None if it remains zero."""

    name: str | None
    columns: Ints
    factors: Floats


def interface_of(
    unknowns: int, ends: Sequence[tuple[str, Attachment]], nodes: Sequence[tuple[str, int]]
) -> Interface:
    """Return the kept coordinates of a system.

    Parameters
    ----------
    unknowns : int
        Number of unknowns of the system.
    ends : sequence of (name, Attachment)
        Markers of joints.
    nodes : sequence of (name, number)
        Single unknowns.
    """
    from scipy.sparse import csr_matrix, identity, lil_matrix

    rows = list(_rows(ends, nodes))
    transform = identity(unknowns, format="lil")
    values = lil_matrix((unknowns, unknowns))
    kept, names, held = [], [], []
    for cluster in _clusters(rows, unknowns):
        columns = np.unique(np.concatenate([rows[k].columns for k in cluster]))
        matrix = np.zeros((len(cluster), len(columns)))
        for i, k in enumerate(cluster):
            matrix[i, np.searchsorted(columns, rows[k].columns)] = rows[k].factors
        new = _independent(matrix)
        places, block = _make_room(matrix[new])
        transform[np.ix_(columns[places], columns)] = block
        values[np.ix_(columns[places], columns)] = matrix[new]
        for i, place in zip(new, places, strict=True):
            name = rows[cluster[i]].name
            if name is None:
                held.append(columns[place])
            else:
                kept.append(columns[place])
                names.append(name)
    order = np.argsort(kept)
    places = np.array(kept, dtype=np.int64)[order]
    return Interface(
        csr_matrix(transform),
        places,
        tuple(names[i] for i in order),
        np.array(sorted(held), dtype=np.int64),
        csr_matrix(values)[places],
    )


def _rows(ends: Sequence[tuple[str, Attachment]], nodes: Sequence[tuple[str, int]]) -> list[_Row]:
    """Return all combinations, those that remain zero first: they must not depend on the others."""
    found = [_Row(None, end.columns, factors) for _, end in ends for factors in end.shape]
    for name, end in ends:
        size = np.abs(end.matrix).max(initial=0.0)
        found += [
            _Row(f"{name}: {part}", end.columns, factors)
            for part, factors in zip(_PARTS, end.matrix, strict=True)
            if np.abs(factors).max(initial=0.0) > _NEW * size
        ]
    one = np.ones(1)
    return found + [_Row(name, np.array([number]), one) for name, number in nodes]


def _clusters(rows: Sequence[_Row], unknowns: int) -> list[list[int]]:
    """Return the combinations that share unknowns, in order."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    count = len(rows)
    at = np.repeat(np.arange(count), [len(row.columns) for row in rows])
    to = np.concatenate([*(row.columns for row in rows), np.zeros(0, dtype=np.int64)])
    shape = (count + unknowns,) * 2
    graph = coo_matrix((np.ones(len(at)), (at, count + to)), shape=shape)
    label = connected_components(graph, directed=False)[1][:count]
    return [np.flatnonzero(label == one).tolist() for one in np.unique(label)]


def _independent(matrix: Floats) -> list[int]:
    """Return the rows that are independent of the rows before them."""
    found: list[int] = []
    basis = np.zeros((0, matrix.shape[1]))
    for i, row in enumerate(matrix):
        rest = row / np.linalg.norm(row)
        for _ in range(2):  # twice is enough
            rest = rest - basis.T @ (basis @ rest)
        size = np.linalg.norm(rest)
        if size > _NEW:
            found.append(i)
            basis = np.vstack([basis, rest / size])
    return found


def _make_room(matrix: Floats) -> tuple[Ints, Floats]:
    """Return the columns that rows (k, c) replace, and the values of these columns, (k, c)."""
    from scipy.linalg import qr

    count = len(matrix)
    order = qr(matrix, mode="r", pivoting=True)[1]
    places = np.sort(order[:count]).astype(np.int64)
    block = np.asarray(-np.linalg.solve(matrix[:, places], matrix), dtype=np.float64)
    block[:, places] = np.linalg.inv(matrix[:, places])
    return places, block
