# SPDX-License-Identifier: BSD-3-Clause
"""Clusters of coupled constraints, which share coordinates, in batches of one size.

A joint ties the coordinates of two places and no others, so the null space of all constraints falls
into small ones. They are computed together, and nothing is ever dense that is not small.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.rows import Pattern

if TYPE_CHECKING:
    from scipy.sparse import coo_matrix


@dataclass(frozen=True, slots=True)
class Batch:
    """Clusters of the same size: each ties some coordinates by some rows.

    Attributes
    ----------
    rows : ndarray, (k, m)
        Rows of each.
    columns : ndarray, (k, n)
        Coordinates of each.
    entries : ndarray
        Which entries of J are theirs.
    places : ndarray
        Where those are in a dense array (k, m, n), flat.
    """

    rows: Ints
    columns: Ints
    entries: Ints
    places: Ints

    def dense(self, data: Floats) -> Floats:
        """Return J, or a rate of it, of every cluster, (..., k, m, n), from its entries."""
        (k, m), n = self.rows.shape, self.columns.shape[1]
        found = np.zeros((*data.shape[:-1], k * m * n))
        found[..., self.places] = data[..., self.entries]
        return found.reshape(*data.shape[:-1], k, m, n)


def batches_of(pattern: Pattern) -> list[Batch]:
    """Return the clusters of constraints, those of one size together."""
    from scipy.sparse.csgraph import connected_components

    m, _ = pattern.shape
    _, label = connected_components(_neighbours(pattern), directed=False)
    by_size: dict[tuple[int, int], list[tuple[Ints, Ints]]] = {}
    order = np.argsort(label[pattern.rows], kind="stable")
    ends = np.flatnonzero(np.diff(label[pattern.rows][order])) + 1
    for entries in np.split(order, ends) if m else []:
        rows, columns = np.unique(pattern.rows[entries]), np.unique(pattern.columns[entries])
        by_size.setdefault((len(rows), len(columns)), []).append((rows, columns))
    return [_batch(pattern, found) for found in by_size.values()]


def _neighbours(pattern: Pattern) -> coo_matrix:
    """Return the graph of rows and coordinates, (m + n, m + n)."""
    from scipy.sparse import coo_matrix

    m, n = pattern.shape
    ones = np.ones(len(pattern.rows))
    return coo_matrix((ones, (pattern.rows, m + pattern.columns)), shape=(m + n, m + n))


def _batch(pattern: Pattern, found: list[tuple[Ints, Ints]]) -> Batch:
    rows = np.array([rows for rows, _ in found])
    columns = np.array([columns for _, columns in found])
    k, m, n = *rows.shape, columns.shape[1]
    cluster_of = np.full(pattern.shape[0], -1)
    row_in = np.zeros(pattern.shape[0], dtype=np.int64)
    column_in = np.zeros(pattern.shape[1], dtype=np.int64)
    cluster_of[rows] = np.arange(k)[:, None]
    row_in[rows] = np.arange(m)
    column_in[columns] = np.arange(n)
    entries = np.flatnonzero(cluster_of[pattern.rows] >= 0)
    at, to = pattern.rows[entries], pattern.columns[entries]
    places = (cluster_of[at] * m + row_in[at]) * n + column_in[to]
    return Batch(rows, columns, entries, places)
