# SPDX-License-Identifier: BSD-3-Clause
"""Nodes that follow a point: ``x_i = x_p + R s_i`` with ``s_i = r_i + sum_k e_k p_ik``.

The arms r_i turn with the rotation R of the point, and are stretched along p_ik by e_k where the
point has an expansion, as a knot of expanded beams has.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.system.curved.family import (
    NONE,
    Entries,
    about,
    in_space,
    rotation_matrices,
    rotation_places,
    spread,
    turns_in_space,
)
from flexforge.runtime.system.rotation_vectors import between, logarithm_slopes, skews


class Follow:
    """Nodes that follow points; d equations per node.

    Parameters
    ----------
    key : str
        Where the model file has them.
    nodes, owners : ndarray of int64, (n,)
        Vectors of the nodes, and the number of the point of each.
    arms : ndarray, (n, d)
        From the point to the node, m.
    points, rotations : ndarray of int64, (k,)
        Vectors of the displacement and rotation of the points.
    stretched : ndarray, (n, s, d), optional
        The p_ik, m.
    strains : ndarray of int64, (k, s), optional
        Places of the e_k.
    """

    def __init__(
        self,
        key: str,
        nodes: Ints,
        owners: Ints,
        arms: Floats,
        points: Ints,
        rotations: Ints,
        stretched: Floats | None = None,
        strains: Ints | None = None,
    ) -> None:
        n, d = arms.shape
        self.key, self._nodes, self._owners, self.points = key, nodes, owners, rotations
        self._base, self.d = points, d
        self._arms = in_space(arms)
        self.extent = float(np.linalg.norm(arms, axis=1).max(initial=0.0)) or 1.0
        self._stretched = np.zeros((n, 0, 3)) if stretched is None else in_space(stretched)
        self._strains = np.zeros((len(points), 0), np.int64) if strains is None else strains
        turned = rotation_places(rotations, d)
        #: Places of rotation and expansion, per node.
        self._shape = np.concatenate([turned, self._strains], axis=1)[owners]
        own = np.stack([nodes, points[owners]], axis=1)[:, None] * d + np.arange(d)[:, None]
        shape = np.broadcast_to(self._shape[:, None], (n, d, self._shape.shape[1]))
        self.places = np.concatenate([own, shape], axis=2).reshape(n * d, -1)

    def values(self, u: Floats) -> Floats:
        """Return h, (n d,)."""
        turned, _ = self._turned(u)
        moved = u[self._nodes] - u[self._base[self._owners]]
        return np.asarray((moved - (turned - self._arms)[:, : self.d]).ravel())

    def slopes(self, u: Floats) -> Floats:
        """Return the derivatives of h, (n d, c)."""
        turned, lines = self._turned(u)
        spun = skews(turned)[:, : self.d][:, :, about(self.d)]
        along = -np.swapaxes(lines, 1, 2)[:, : self.d]
        ones = np.broadcast_to([1.0, -1.0], (*spun.shape[:2], 2))
        return np.concatenate([ones, spun, along], axis=2).reshape(len(self.places), -1)

    def second(self, u: Floats, forces: Floats) -> Entries:
        """Return the derivative of the forces on rotations and expansions by these."""
        turned, lines = self._turned(u)
        axes, count = about(self.d), lines.shape[1]
        pulled = skews(in_space(forces.reshape(-1, self.d)))
        turns = len(axes)
        blocks = np.zeros((len(turned), turns + count, turns + count))
        blocks[:, :turns, :turns] = -(pulled @ skews(turned))[:, axes][:, :, axes]
        beside = np.einsum("nij,nkj->nik", pulled, lines)[:, axes]  # force x line
        blocks[:, :turns, turns:], blocks[:, turns:, :turns] = beside, beside.swapaxes(1, 2)
        return spread(self._shape, self._shape, blocks)

    def bent(self, u: Floats, v: Floats) -> Floats:
        """Return h'' at constant rates, (n d,)."""
        turned, lines = self._turned(u)
        spin = turns_in_space(v[self.points])[self._owners]
        rates = v.ravel()[self._strains][self._owners]
        stretching = np.einsum("nk,nki->ni", rates, lines)
        found = np.cross(spin, np.cross(spin, turned) + 2.0 * stretching)
        return np.asarray(-found[:, : self.d].ravel())

    def _turned(self, u: Floats) -> tuple[Floats, Floats]:
        """Return the arms as they are now (n, 3), and what they are stretched along, (n, s, 3)."""
        turn = rotation_matrices(u[self.points])[self._owners]
        strain = u.ravel()[self._strains][self._owners]
        arms = self._arms + np.einsum("nk,nki->ni", strain, self._stretched)
        lines = np.einsum("nij,nkj->nki", turn, self._stretched)
        return np.einsum("nij,nj->ni", turn, arms), lines


class Turned:
    """Rotations of nodes that follow those of points: ``log(R_i R_p^T) = 0``, times a length.

    Parameters
    ----------
    key : str
        Where the model file has them.
    rotations, points : ndarray of int64, (n,)
        Vectors of the rotations of nodes, and of that of the point of each.
    d : int
        Dimensions.
    length : float
        m.
    """

    def __init__(self, key: str, rotations: Ints, points: Ints, d: int, length: float) -> None:
        self.key, self.d, self.extent = key, d, length
        self._rotations, self._points = rotations, points
        self.points = np.unique(np.concatenate([rotations, points]))
        own, other = (rotation_places(one, d) for one in (rotations, points))
        count = own.shape[1]
        first = np.broadcast_to(own[:, None], (len(own), count, count))
        last = np.broadcast_to(other[:, None], (len(own), count, count))
        self.places = np.concatenate([first, last], axis=2).reshape(len(own) * count, -1)
        self._both = np.concatenate([own, other], axis=1)

    def values(self, u: Floats) -> Floats:
        """Return h, (n,) in the plane and (3 n,) in space."""
        return self.extent * self._apart(u)[:, about(self.d)].ravel()

    def slopes(self, u: Floats) -> Floats:
        """Return the derivatives of h."""
        apart, axes = self._apart(u), about(self.d)
        own = logarithm_slopes(apart)
        other = -own @ rotation_matrices(apart)
        found = np.concatenate([own[:, axes][:, :, axes], other[:, axes][:, :, axes]], axis=2)
        return self.extent * found.reshape(len(self.places), -1)

    def second(self, u: Floats, forces: Floats) -> Entries:
        """Return the derivative of the moments by the spins, of rotations that are equal."""
        del u
        if self.d == 2:
            return NONE
        half = 0.5 * self.extent * skews(forces.reshape(-1, 3))
        blocks = np.block([[-half, half], [-half, half]])
        return spread(self._both, self._both, blocks)

    def bent(self, u: Floats, v: Floats) -> Floats:
        """Return no h'': rotations that are equal have equal spins."""
        del u, v
        return np.zeros(len(self.places))

    def _apart(self, u: Floats) -> Floats:
        """Return the rotations from points to nodes, (n, 3)."""
        one, other = (turns_in_space(u[which]) for which in (self._rotations, self._points))
        if self.d == 2:
            return one - other
        return between(one, other)
