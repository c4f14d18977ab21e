# SPDX-License-Identifier: BSD-3-Clause
"""Kept coordinates of a reduced model: unknowns of nodes, or displacements of joint markers.

A marker on a surface moves by combinations C of many unknowns. Of these some, as many as there are
combinations, make room for them: ``u = T v``, where v holds the values of the combinations in the
places of the unknowns that went, and all other unknowns as they were. In v everything is as if
single unknowns were kept; of markers on single nodes T is one.
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


#: Share of a combination that has to be new, for it to be one of its own.
_NEW = 1e-9
#: Of entries of T: round-off of another machine is not another joint.
_SAME = 1e-9
_PARTS = ("displacement x", "displacement y", "displacement z", "turn x", "turn y", "turn z")


@dataclass(frozen=True, slots=True)
class Interface:
    """What is kept of a system.

    Attributes
    ----------
    transform : csr_matrix, (n, n)
        T: unknowns from values kept and the other unknowns.
    kept : ndarray of int, (k,)
        Places of what is kept.
    names : tuple of str, (k,)
        What that is.
    held : ndarray of int
        Places of what stays zero: how a rigid connection would lose its form.
    values : csr_matrix, (k, n)
        What is kept, of the unknowns.
    """

    transform: csr_matrix
    kept: Ints
    names: tuple[str, ...]
    held: Ints
    values: csr_matrix

    @property
    def inside(self) -> Ints:
        """Places of all the rest."""
        everything = np.arange(self.transform.shape[0])
        return np.setdiff1d(everything, np.union1d(self.kept, self.held))

    def is_that_of(self, other: Interface) -> bool:
        """Whether another one keeps the same, but for round-off."""
        same = np.array_equal(self.kept, other.kept) and np.array_equal(self.held, other.held)
        if not same or self.transform.shape != other.transform.shape:
            return False
        apart = abs(self.transform - other.transform)
        return bool(apart.max() <= _SAME * abs(self.transform).max())


@dataclass(frozen=True, slots=True)
class _Row:
    """A combination of unknowns: what it is, or that it stays zero."""

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
        Of the system.
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
    """Return all combinations: what stays zero first, as it must not depend on the others."""
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
    """Return the rows independent of those before them."""
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
    """Return which columns make room for rows (k, c), and what these columns are then, (k, c)."""
    from scipy.linalg import qr

    count = len(matrix)
    order = qr(matrix, mode="r", pivoting=True)[1]
    places = np.sort(order[:count]).astype(np.int64)
    block = np.asarray(-np.linalg.solve(matrix[:, places], matrix), dtype=np.float64)
    block[:, places] = np.linalg.inv(matrix[:, places])
    return places, block
