# SPDX-License-Identifier: BSD-3-Clause
"""All curved equations of a system: values, derivatives along increments, and which depend."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.system.curved.family import Family, joined, rotation_places, spread
from flexforge.runtime.system.rotation_vectors import slope_rates, slopes, spun_moment_slopes
from flexforge.runtime.system.rows import Rows

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class CurvedRows:
    """Equations ``h(u) = 0`` of nodal displacements u (N, d), in metres.

    Parameters
    ----------
    families : sequence of Family
        Equations of one kind each.
    shape : tuple of int
        Nodes and coordinates per node, (N, d).
    added : ndarray of int64, optional
        Vectors of rotations whose components are added up, as those of a node part of whose
        rotation is held; increments of the others are spins.
    """

    def __init__(
        self, families: Sequence[Family], shape: tuple[int, int], added: Ints | None = None
    ) -> None:
        self.families, self.shape = tuple(families), shape
        self._added = np.zeros(0, dtype=np.int64) if added is None else added
        counts = [len(family.places) for family in families]
        self._ends = np.cumsum([0, *counts])
        self.names = tuple(
            family.key for family, n in zip(families, counts, strict=True) for _ in range(n)
        )
        #: Size of a large h, (m,), m.
        self.scales = np.repeat([family.extent for family in families], counts)

    @property
    def count(self) -> int:
        """Number of equations, m."""
        return int(self._ends[-1])

    @property
    def linearized(self) -> list[Rows]:
        """The equations of small displacements."""
        none, undeformed = np.zeros(0, dtype=np.int64), np.zeros(self.shape)
        return [
            Rows(one.key, one.places, one.slopes(undeformed), none, np.zeros((len(one.places), 0)))
            for one in self.families
        ]

    @cached_property
    def rotations(self) -> Ints:
        """Vectors of the rotations in them that may be about any axis."""
        none = np.zeros(0, dtype=np.int64)
        return np.unique(np.concatenate([none, *(family.points for family in self.families)]))

    def adding(self, added: Ints) -> CurvedRows:
        """Return the equations with some rotations whose components are added up."""
        return CurvedRows(self.families, self.shape, added)

    def values(self, u: Floats) -> Floats:
        """Return h, (m,)."""
        return np.concatenate([np.zeros(0), *(family.values(u) for family in self.families)])

    def slopes(self, u: Floats) -> csr_matrix:
        """Return G, the derivatives of h along increments of all places, (m, N d)."""
        found = self._by_spins(u)
        return found if not len(self._added) else (found @ self._spins(u)).tocsr()

    def second(self, u: Floats, forces: Floats) -> csr_matrix:
        """Return the derivative of ``G^T forces`` along increments, (N d, N d)."""
        from scipy.sparse import coo_matrix

        parts = [
            family.second(u, forces[first : first + len(family.places)])
            for family, first in zip(self.families, self._ends, strict=False)
        ]
        rows, columns, values = joined(parts)
        size = self.shape[0] * self.shape[1]
        found = coo_matrix((values, (rows, columns)), shape=(size, size)).tocsr()
        if not len(self._added):
            return found
        spins, places = self._spins(u), rotation_places(self._added, 3)
        moments = (self._by_spins(u).T @ forces)[places]
        own = spread(places, places, spun_moment_slopes(u[self._added], moments))
        beside = coo_matrix((own[2], own[:2]), shape=(size, size))
        return (spins.T @ found @ spins + beside).tocsr()

    def bent(self, u: Floats, v: Floats) -> Floats:
        """Return h'' at rates v (N, d) that are constant, (m,)."""
        parts = [np.zeros(0)]
        if not len(self._added):
            return np.concatenate([*parts, *(family.bent(u, v) for family in self.families)])
        spinning, faster = v.copy(), np.zeros_like(v)
        turns, rates = u[self._added], v[self._added]
        spinning[self._added] = np.einsum("nij,nj->ni", slopes(turns), rates)
        faster[self._added] = slope_rates(turns, rates)
        parts += [family.bent(u, spinning) for family in self.families]
        return np.asarray(np.concatenate(parts) + self._by_spins(u) @ faster.ravel())

    def _spins(self, u: Floats) -> csr_matrix:
        """Return the spins of rates, (N d, N d): one but for rotations that are added up."""
        from scipy.sparse import coo_matrix

        size = self.shape[0] * self.shape[1]
        places = rotation_places(self._added, 3)
        others = np.setdiff1d(np.arange(size), places)
        ones = (others, others, np.ones(len(others)))
        rows, columns, values = joined([ones, spread(places, places, slopes(u[self._added]))])
        return coo_matrix((values, (rows, columns)), shape=(size, size)).tocsr()

    def _by_spins(self, u: Floats) -> csr_matrix:
        from scipy.sparse import coo_matrix

        parts = []
        for family, first in zip(self.families, self._ends, strict=False):
            rows = np.broadcast_to(
                first + np.arange(len(family.places))[:, None], family.places.shape
            )
            parts.append((rows.ravel(), family.places.ravel(), family.slopes(u).ravel()))
        rows, columns, values = joined(parts)
        shape = self.count, self.shape[0] * self.shape[1]
        return coo_matrix((values, (rows, columns)), shape=shape).tocsr()
