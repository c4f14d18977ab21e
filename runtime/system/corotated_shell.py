# SPDX-License-Identifier: BSD-3-Clause
"""A body of shells of small strains and any rotation: linear elements in frames of their own.

The stiffness of each element is that of the linear body, in a frame that turns with it
(:mod:`flexforge.runtime.system.corotation`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.assembly.assemble import evaluate
from flexforge.runtime.system.corotation import Corotation
from flexforge.runtime.system.turning_body import TurningBody

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, eq=False)
class CorotatedShell(TurningBody):
    """Shells of any rotation; its attributes are those of ``VectorBody``."""

    most_bent: ClassVar[float] = 1.5  # of a node against its element

    @cached_property
    def _vectors_of(self) -> Ints:
        """Vectors of the nodes of each element, (E, n, 2)."""
        nodes = self.part.connectivity
        return np.stack([nodes, nodes + len(self.part.points)], axis=2)

    @cached_property
    def _alone(self) -> tuple[Floats, Ints]:
        """Points of elements that share no nodes, (2 E n, 3), and their vectors (E, 2 n)."""
        vectors = self._vectors_of
        count, nodes, _ = vectors.shape
        own = np.arange(vectors.size, dtype=np.int64).reshape(count, 2 * nodes)
        return np.ascontiguousarray(self.points[vectors].reshape(-1, 3)), own

    @cached_property
    def _stiffnesses(self) -> Floats:
        """Stiffness of each element, (E, 6 n, 6 n)."""
        points, cells = self._alone
        found = evaluate(self.kernels["stiffness"], cells, points, self.values)
        return found.reshape(len(cells), 3 * cells.shape[1], -1)

    def _state(self, u: Floats) -> Corotation:
        """Return the elements at displacements and rotations (V, 3)."""
        cells, count = self.part.connectivity, len(self.part.points)
        rest = self.points[cells]
        return Corotation(rest, rest + u[cells], u[cells + count], self._stiffnesses)

    def internal_forces(self, u: Floats) -> Floats:
        """Return the derivative of the energy by displacements and spins (V, 3), N and N m."""
        found = np.zeros_like(u)
        np.add.at(found, self._vectors_of, self._state(u).forces)
        return found

    def strain_energy(self, u: Floats) -> float:
        """Return the energy at displacements and rotations (V, 3), J."""
        return float(self._state(u).energies.sum())

    def _tangent(self, u: Floats) -> Floats:
        return self._assembled(self._state(u).tangents)

    @cached_property
    def extent(self) -> float:
        """Distances of the nodes from the middles of their elements, all together, m.

        Displacements are differences of places, whose round-off they have.
        """
        places = self.part.points[self.part.connectivity]
        return float(np.linalg.norm(places - places.mean(axis=1, keepdims=True)))

    def _bends(self, u: Floats) -> Floats:
        return np.asarray(np.linalg.norm(self._state(u).local[:, :, 1], axis=2).max(axis=1))

    @cached_property
    def mass(self) -> Floats:
        """Values of the scalar mass matrix of the vectors, (nnz,), kg; rotations have none."""
        count, nodes = self.part.connectivity.shape
        full = np.zeros((count, nodes, 2, nodes, 2))
        full[:, :, 0, :, 0] = self._surface_masses
        entries = full.reshape(count, 2 * nodes, 2 * nodes, 1)
        return np.ascontiguousarray((self._gather @ entries.reshape(-1, 1)).ravel())

    @cached_property
    def _normals(self) -> Floats:
        """Unit normals of the elements, (E, 3)."""
        x = self.part.points[self.part.connectivity]
        last = x.shape[1] - 1
        found = np.cross(x[:, last - 1] - x[:, 0], x[:, last] - x[:, 1 if last == 3 else 0])
        return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True))

    @cached_property
    def _surface_masses(self) -> Floats:
        """Mass matrix of the motion along the surface of each element, (E, n, n), kg."""
        points, cells = self._alone
        count, nodes = self.part.connectivity.shape
        each = evaluate(self.kernels["mass"], cells, points, self.values)
        blocks = each.reshape(count, nodes, 2, 3, nodes, 2, 3)[:, :, 0, :, :, 0, :]
        across = np.einsum("ei,eaibj,ej->eab", self._normals, blocks, self._normals)
        return np.asarray(0.5 * (np.einsum("eaibi->eab", blocks) - across))

    @cached_property
    def second_moments(self) -> Floats:
        """Second moments of the mass through the thickness, of the nodes (P, 3, 3), kg m^2.

        The mass is spread evenly over the thickness, along the normals of the elements.
        """
        share = self._surface_masses.sum(axis=2) * self.values["thickness"] ** 2 / 12.0
        normal = self._normals
        each = share[:, :, None, None] * (normal[:, :, None] * normal[:, None, :])[:, None]
        found = np.zeros((len(self.part.points), 3, 3))
        np.add.at(found, self.part.connectivity, each)
        return found

    @cached_property
    def _gather(self) -> csr_matrix:
        """Sums of blocks of elements (E, 2 n, 2 n) for every pair of the graph, (nnz, ..)."""
        from scipy.sparse import csr_matrix

        pointers, columns = self.graph.pointers, self.graph.columns
        vectors = self._vectors_of.reshape(len(self._vectors_of), -1)
        rows, others = np.broadcast_arrays(vectors[:, :, None], vectors[:, None, :])
        of_row = np.repeat(np.arange(self.graph.nodes), np.diff(pointers))
        keys = of_row.astype(np.int64) * self.graph.nodes + columns
        order = np.argsort(keys)
        wanted = rows.ravel().astype(np.int64) * self.graph.nodes + others.ravel()
        place = order[np.searchsorted(keys, wanted, sorter=order)]
        entries = (np.ones(place.size), (place, np.arange(place.size)))
        return csr_matrix(entries, shape=(len(columns), place.size))

    def _assembled(self, matrices: Floats) -> Floats:
        """Return matrices of elements (E, 6 n, 6 n) as values of the graph, (nnz 9,)."""
        count, vectors = len(matrices), matrices.shape[1] // 3
        blocks = matrices.reshape(count, vectors, 3, vectors, 3).swapaxes(2, 3)
        return np.ascontiguousarray((self._gather @ blocks.reshape(-1, 9)).ravel())

    def station_values(self, displacement: Floats, temperature: Floats | None = None) -> Floats:
        """Return the forces of sections at the stations, (E, Q, k), in axes that turn with them.

        Parameters are those of ``Stressed.station_values``.
        """
        assert temperature is None  # refused
        points, cells = self._alone
        local = np.ascontiguousarray(self._state(displacement).local.reshape(-1, 3))
        return evaluate(self.further("point_stress"), cells, points, self.values, state=local)
