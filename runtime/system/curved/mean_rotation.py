# SPDX-License-Identifier: BSD-3-Clause
"""The mean of the angles by which nodes turn about an axis around their centre.

With the arm p_i of a node from the centre of all, perpendicular to the axis, and q_i as it is now,

    h = mean(angle from p_i to q_i) - angle,

times a length. Forces that hold it are perpendicular to the arms, each by its inverse length.
Source: Dhondt, CalculiX CrunchiX user's manual, "Mean rotation MPC".
"""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.system.curved.family import NONE, Entries, joined, spread

#: Arm of a node relative to the size of its set, below which it is on the axis and has no angle.
_ON_AXIS = 1e-5


class MeanRotation:
    """Mean rotations of sets of nodes in space: one equation per set, over a length.

    Parameters
    ----------
    key : str
        Where the model file has them.
    nodes : ndarray of int64, (m, n)
        Vectors of the nodes of every set.
    points : ndarray, (m, n, 3)
        Their places, m.
    axes : ndarray, (m, 3)
        Unit vectors.
    angles : ndarray of int64, (m, c)
        Places of which the angle is made.
    shares : ndarray, (m, c)
        What part each has in it; of a rotation vector the components of the axis.

    Raises
    ------
    InputError
        When all nodes are on the axis.
    """

    def __init__(
        self, key: str, nodes: Ints, points: Floats, axes: Floats, angles: Ints, shares: Floats
    ) -> None:
        self.key, self.points = key, np.zeros(0, dtype=np.int64)
        self._nodes, self._angles, self._shares = nodes, angles, shares
        least = np.eye(3)[np.abs(axes).argmin(axis=1)]
        first = np.cross(axes, least)
        first /= np.linalg.norm(first, axis=1, keepdims=True)
        #: Directions across the axes, (m, 2, 3).
        self._across = np.stack([first, np.cross(axes, first)], axis=1)
        self._places = points
        arms = self._arms(np.zeros_like(points))
        sizes = np.linalg.norm(arms, axis=2)
        reach = np.linalg.norm(points - points.mean(axis=1, keepdims=True), axis=2)
        counted = sizes > _ON_AXIS * reach.max(axis=1, keepdims=True)
        if not counted.any(axis=1).all():
            raise InputError(f"{key}.group: found all nodes on one axis; expected some beside it")
        self.extent = float(sizes.max(initial=0.0)) or 1.0
        self._weights = self.extent * counted / counted.sum(axis=1, keepdims=True)
        self._start = np.arctan2(arms[..., 1], arms[..., 0])
        moved = nodes[:, :, None] * 3 + np.arange(3)
        self._moved = moved.reshape(len(nodes), -1)
        self.places = np.concatenate([angles, self._moved], axis=1)

    def values(self, u: Floats) -> Floats:
        """Return h, (m,)."""
        arms = self._arms(u[self._nodes])
        angle = (u.ravel()[self._angles] * self._shares).sum(axis=1)
        turned = np.arctan2(arms[..., 1], arms[..., 0]) - self._start - angle[:, None]
        turned -= 2.0 * np.pi * np.round(turned / (2.0 * np.pi))
        return np.asarray((self._weights * turned).sum(axis=1))

    def slopes(self, u: Floats) -> Floats:
        """Return the derivatives of h, (m, c)."""
        by = self._by_arms(self._arms(u[self._nodes]))
        moved = np.einsum("mna,mai->mni", by - by.mean(axis=1, keepdims=True), self._across)
        angles = -self.extent * self._shares
        return np.concatenate([angles, moved.reshape(len(self._nodes), -1)], axis=1)

    def second(self, u: Floats, forces: Floats) -> Entries:
        """Return the derivative of ``slopes^T forces``: between all nodes of a set."""
        if not len(forces):
            return NONE
        curved = forces[:, None, None, None] * self._curvatures(self._arms(u[self._nodes]))
        m, n = self._nodes.shape
        whole = np.zeros((m, n, n, 2, 2))
        whole[:, range(n), range(n)] = curved
        whole -= curved[:, :, None] / n + curved[:, None] / n
        whole += curved.sum(axis=1)[:, None, None] / n**2
        blocks = np.einsum("mijab,mak,mbl->mikjl", whole, self._across, self._across)
        return joined([spread(self._moved, self._moved, blocks.reshape(m, 3 * n, 3 * n))])

    def bent(self, u: Floats, v: Floats) -> Floats:
        """Return h'' at constant rates, (m,)."""
        rates = v[self._nodes]
        rates = np.einsum("mai,mni->mna", self._across, rates - rates.mean(axis=1, keepdims=True))
        curved = self._curvatures(self._arms(u[self._nodes]))
        return np.asarray(np.einsum("mnab,mna,mnb->m", curved, rates, rates))

    def _arms(self, moved: Floats) -> Floats:
        """Return the arms across the axes, (m, n, 2), of displacements (m, n, 3)."""
        places = self._places + moved
        return np.asarray(
            np.einsum("mai,mni->mna", self._across, places - places.mean(axis=1, keepdims=True))
        )

    def _by_arms(self, arms: Floats) -> Floats:
        """Return the derivatives of h by the arms, (m, n, 2)."""
        turned = np.stack([-arms[..., 1], arms[..., 0]], axis=-1)
        return np.asarray(self._weights[..., None] * turned / self._squares(arms)[..., None])

    def _curvatures(self, arms: Floats) -> Floats:
        """Return the second derivatives of h by the arms, (m, n, 2, 2)."""
        x, y = arms[..., 0], arms[..., 1]
        found = np.stack([2 * x * y, y * y - x * x, y * y - x * x, -2 * x * y], axis=-1)
        by = self._weights / self._squares(arms) ** 2
        return np.asarray((by[..., None] * found).reshape(*arms.shape[:2], 2, 2))

    def _squares(self, arms: Floats) -> Floats:
        squares = (arms**2).sum(axis=2)
        return np.where(self._weights > 0.0, squares, 1.0)
