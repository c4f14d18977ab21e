# SPDX-License-Identifier: BSD-3-Clause
"""Loads that turn with what they act on: pressures with a surface, forces with a node.

The force of a pressure, which stays normal to a surface that turns and stretches, is that of its
kernel at the deformed positions of the nodes. It is a polynomial of the second order in them, so
that differences between two places are its derivative but for round-off, however far these are
apart:

    f(x + s e) - f(x - s e) = 2 s df/dx e

A force or moment at a node that turns is R f, with the derivative ``- (R f)~`` by spins; in the
plane its derivative by the angle is R f turned by a right angle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.assembly.assemble import Scalars, assemble_vector, evaluate
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.motion.profiles import Profile
from flexforge.runtime.system.rotation_vectors import matrices, skews

if TYPE_CHECKING:
    from scipy.sparse import coo_matrix


@dataclass(frozen=True, slots=True)
class FollowingPressure:
    """A pressure on facets of a body, for displacements of any size.

    Attributes
    ----------
    body : int
        Number of the body.
    facets : sequence of (CompiledKernel, ndarray)
        Kernels of the pressure, with the nodes of their facets (F, n) among those of the body.
    values : mapping
        Arguments of the kernels, of a pressure of 1 Pa.
    amplitude : Profile
        The pressure in time, Pa.
    key : str
        Its key in the model file.
    """

    body: int
    facets: Sequence[tuple[CompiledKernel, Ints]]
    values: Scalars
    amplitude: Profile
    key: str

    def forces(self, points: Floats, displacement: Floats) -> Floats:
        """Return the forces (P, d), N, of 1 Pa on points that are displaced, (P, d) each."""
        positions = points + displacement
        total = np.zeros_like(positions)
        for kernel, nodes in self.facets:
            total += assemble_vector(kernel, nodes, positions, self.values)
        return total

    def slope(self, points: Floats, displacement: Floats) -> coo_matrix:
        """Return the derivative of the forces by displacements, (P d, P d), N/m."""
        from scipy.sparse import coo_matrix

        positions = points + displacement
        d, rows, columns, entries = positions.shape[1], [], [], []
        for kernel, nodes in self.facets:
            x, n = positions[nodes], nodes.shape[1]
            size = float(np.ptp(x, axis=1).max(initial=0.0)) or 1.0
            alone = np.arange(nodes.size).reshape(nodes.shape)  # every facet with nodes of its own
            places = (d * nodes[:, :, None] + np.arange(d)).reshape(len(nodes), n * d)
            for column in range(n * d):
                moved = [x.copy(), x.copy()]
                for one, step in zip(moved, (size, -size), strict=True):
                    one[:, column // d, column % d] += step
                up, down = (
                    evaluate(kernel, alone, one.reshape(-1, d), self.values) for one in moved
                )
                rows.append(places)
                columns.append(np.broadcast_to(places[:, column, None], places.shape))
                entries.append((up - down).reshape(places.shape) / (2.0 * size))
        shape = (positions.size, positions.size)
        joined = [np.concatenate([one.ravel() for one in each]) for each in (rows, columns)]
        return coo_matrix((np.concatenate([e.ravel() for e in entries]), joined), shape=shape)


@dataclass(frozen=True, slots=True)
class FollowingForce:
    """Forces or moments that turn with the nodes at which they act.

    Attributes
    ----------
    body : int
        Number of the body.
    places, rotations : ndarray of int, (n,)
        Vectors of the body on which they act, and those of the rotations of the same nodes.
    vectors : ndarray, (n, d)
        At rest, for an amplitude of one, N or N m.
    amplitude : Profile
        Factor in time.
    key : str
        Its key in the model file.
    """

    body: int
    places: Ints
    rotations: Ints
    vectors: Floats
    amplitude: Profile
    key: str

    def forces(self, points: Floats, displacement: Floats) -> Floats:
        """Return the forces and moments (V, d) at displacements and rotations (V, d)."""
        total = np.zeros_like(points)
        total[self.places] = self._turned(displacement)
        return total

    def slope(self, points: Floats, displacement: Floats) -> coo_matrix:
        """Return the derivative by displacements and spins, or angles, (V d, V d)."""
        from scipy.sparse import coo_matrix

        d, turned = points.shape[1], self._turned(displacement)
        blocks = np.zeros((len(turned), d, d))
        if d == 3:
            blocks = -skews(turned)
        else:
            blocks[:, :, 0] = np.column_stack([-turned[:, 1], turned[:, 0]])
        rows = np.repeat(d * self.places[:, None] + np.arange(d), d, axis=1)
        columns = np.tile(d * self.rotations[:, None] + np.arange(d), (1, d))
        shape = (points.size, points.size)
        return coo_matrix((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=shape)

    def _turned(self, displacement: Floats) -> Floats:
        turns = displacement[self.rotations]
        if turns.shape[1] == 3:
            return np.asarray(np.einsum("nij,nj->ni", matrices(turns), self.vectors))
        cosine, sine = np.cos(turns[:, 0]), np.sin(turns[:, 0])
        x, y = self.vectors.T
        return np.column_stack([cosine * x - sine * y, sine * x + cosine * y])


Follower: TypeAlias = FollowingPressure | FollowingForce
