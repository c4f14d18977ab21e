# SPDX-License-Identifier: BSD-3-Clause
"""Constant combinations of coordinates that span the rows of all constraints at all times.

A joint rotates, but always constrains the displacement and rotation of the same two markers, six
combinations of coordinates each. Rows without such combinations use single coordinates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.rows import Pattern

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix


#: Singular value, relative to the largest, of a combination that follows from others.
_SMALL = 1e-10


def most_directions(pattern: Pattern) -> int:
    """Return a bound of how many directions span the rows: no more than this."""
    if not pattern.ends:
        return len(np.unique(pattern.columns))
    return sum(min(matrix.shape) for _, matrix in pattern.ends)


def span_of(pattern: Pattern) -> csc_matrix:
    """Return orthonormal directions E (n, p) that span the rows: ``J = (J E) E^T`` at any time."""
    from scipy.sparse import csc_matrix

    rows, data, pointers = [np.zeros(0, dtype=np.int64)], [np.zeros(0)], [0]
    for columns, directions in _pieces(pattern):
        for direction in directions:
            rows.append(columns)
            data.append(direction)
            pointers.append(pointers[-1] + len(columns))
    shape = (pattern.shape[1], len(pointers) - 1)
    return csc_matrix((np.concatenate(data), np.concatenate(rows), pointers), shape=shape)


def _pieces(pattern: Pattern) -> list[tuple[Ints, Floats]]:
    """Return coordinates that hang together and orthonormal directions of them, (p, c) each."""
    if not pattern.ends:
        return [(np.array([column]), np.ones((1, 1))) for column in np.unique(pattern.columns)]
    found = []
    for together in _overlapping([columns for columns, _ in pattern.ends], pattern.shape[1]):
        columns = np.unique(np.concatenate([pattern.ends[k][0] for k in together]))
        stacked = np.zeros((0, len(columns)))
        for k in together:
            own, matrix = pattern.ends[k]
            spread = np.zeros((len(matrix), len(columns)))
            spread[:, np.searchsorted(columns, own)] = matrix
            sizes = np.linalg.norm(spread, axis=1, keepdims=True)  # turns and displacements alike
            stacked = np.vstack([stacked, spread / np.where(sizes > 0, sizes, 1.0)])
        _, values, directions = np.linalg.svd(stacked, full_matrices=False)
        found.append((columns, directions[values > _SMALL * values.max(initial=0.0)]))
    return found


def _overlapping(sets: list[Ints], count: int) -> list[Ints]:
    """Return which sets of coordinates share any, directly or by others."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    if not sets:
        return []
    pointers = np.cumsum([0, *(len(one) for one in sets)])
    ones = np.ones(pointers[-1])
    member = csr_matrix((ones, np.concatenate(sets), pointers), shape=(len(sets), count))
    number, label = connected_components(member @ member.T, directed=False)
    return [np.flatnonzero(label == k) for k in range(number)]
