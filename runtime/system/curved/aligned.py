# SPDX-License-Identifier: BSD-3-Clause
"""Nodes that stay in the plane through three of them, or on the line through two of them.

With the places x_i of the nodes and a = x_i - x_1, b = x_2 - x_1, c = x_3 - x_1,

    plane:  a . (b x c) = 0,       line:  e . (a x b) = 0

for one direction e across the line in the plane, and two in space, over an area or a length.
"""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.system.curved.family import Entries, in_space, joined, spread
from flexforge.runtime.system.rotation_vectors import skews

#: Area of a triangle relative to the square of its longest side, below which it is a line.
_FLAT = 1e-6


class Plane:
    """Nodes that stay in a plane: one equation for each but three, in space.

    Parameters
    ----------
    key : str
        Where the model file has them.
    nodes : ndarray of int64, (n,)
        Vectors of the nodes; three of them that span a triangle become the first.
    points : ndarray, (n, 3)
        Their places, m.

    Raises
    ------
    InputError
        When they span no plane, or are not in one.
    """

    def __init__(self, key: str, nodes: Ints, points: Floats) -> None:
        order = _spanning(key, points)
        nodes, points = nodes[order], points[order]
        self.key, self.points = key, np.zeros(0, dtype=np.int64)
        self._nodes, self._places = nodes, points
        self.extent = float(np.ptp(points, axis=0).max())
        _, b, c = self._spans(np.zeros_like(points))
        self._scale = 1.0 / float(np.linalg.norm(np.cross(b, c)))
        first = np.broadcast_to(nodes[:3], (len(nodes) - 3, 3))
        vectors = np.column_stack([nodes[3:], first])
        self.places = (vectors[:, :, None] * 3 + np.arange(3)).reshape(len(vectors), -1)
        off = np.abs(self.values(np.zeros((int(nodes.max()) + 1, 3))))
        _require_there(key, off, self.extent, "plane")

    def values(self, u: Floats) -> Floats:
        """Return h, (n - 3,)."""
        a, b, c = self._spans(u[self._nodes])
        return self._scale * (a @ np.cross(b, c))

    def slopes(self, u: Floats) -> Floats:
        """Return the derivatives of h, (n - 3, 12)."""
        a, b, c = self._spans(u[self._nodes])
        by_a = np.broadcast_to(np.cross(b, c), a.shape)
        by_b, by_c = np.cross(c, a), np.cross(a, b)
        return self._scale * np.concatenate([by_a, -by_a - by_b - by_c, by_b, by_c], axis=1)

    def second(self, u: Floats, forces: Floats) -> Entries:
        """Return the derivative of ``slopes^T forces``."""
        a, b, c = self._spans(u[self._nodes])
        between = np.zeros((len(a), 3, 3, 3, 3))  # a, b, c by a, b, c
        between[:, 0, :, 1] = -skews(c[None])
        between[:, 0, :, 2] = skews(b[None])
        between[:, 1, :, 2] = -skews(a)
        between += between.transpose(0, 3, 4, 1, 2)
        return _of_differences(self.places, between, self._scale * forces)

    def bent(self, u: Floats, v: Floats) -> Floats:
        """Return h'' at constant rates, (n - 3,)."""
        a, b, c = self._spans(u[self._nodes])
        p, q, r = self._differences(v[self._nodes])
        found = p @ (np.cross(q, c) + np.cross(b, r)) + a @ np.cross(q, r)
        return np.asarray(2.0 * self._scale * found)

    def _spans(self, moved: Floats) -> tuple[Floats, Floats, Floats]:
        return self._differences(self._places + moved)

    def _differences(self, places: Floats) -> tuple[Floats, Floats, Floats]:
        return places[3:] - places[0], places[1] - places[0], places[2] - places[0]


class Straight:
    """Nodes that stay on a line: d - 1 equations for each but two.

    Parameters
    ----------
    key : str
        Where the model file has them.
    nodes : ndarray of int64, (n,)
        Vectors of the nodes; two that are far apart become the first.
    points : ndarray, (n, d)
        Their places, m.

    Raises
    ------
    InputError
        When they are at one place, or not on a line.
    """

    def __init__(self, key: str, nodes: Ints, points: Floats) -> None:
        far = int(np.linalg.norm(points - points[0], axis=1).argmax())
        order = np.array([0, far, *(i for i in range(1, len(nodes)) if i != far)])
        nodes, points = nodes[order], points[order]
        self.key, self.points, self.d = key, np.zeros(0, dtype=np.int64), points.shape[1]
        self._nodes, self._places = nodes, in_space(points)
        _, b = self._spans(np.zeros_like(points))
        self.extent = float(np.linalg.norm(b))
        if not self.extent > 0.0:
            raise InputError(f"{key}.group: found nodes at one place; expected them on a line")
        self._scale = 1.0 / self.extent
        if self.d == 2:
            self._across = np.array([[0.0, 0.0, 1.0]])
        else:
            one = np.cross(b, np.eye(3)[np.abs(b).argmin()])
            one /= np.linalg.norm(one)
            self._across = np.stack([one, np.cross(b, one) * self._scale])
        first = np.broadcast_to(nodes[:2], (len(nodes) - 2, 2))
        vectors = np.column_stack([nodes[2:], first])
        places = (vectors[:, :, None] * self.d + np.arange(self.d)).reshape(len(vectors), -1)
        self.places = np.repeat(places, len(self._across), axis=0)
        off = np.abs(self.values(np.zeros((int(nodes.max()) + 1, self.d))))
        _require_there(key, off, self.extent, "line")

    def values(self, u: Floats) -> Floats:
        """Return h, ((n - 2)(d - 1),)."""
        a, b = self._spans(u[self._nodes])
        return np.asarray(self._scale * (np.cross(a, b) @ self._across.T).ravel())

    def slopes(self, u: Floats) -> Floats:
        """Return the derivatives of h."""
        a, b = self._spans(u[self._nodes])
        by_a = np.broadcast_to(np.cross(b, self._across), (len(a), *self._across.shape))
        by_b = np.cross(self._across, a[:, None])
        found = np.stack([by_a, -by_a - by_b, by_b], axis=2)[..., : self.d]
        return self._scale * found.reshape(len(self.places), -1)

    def second(self, u: Floats, forces: Floats) -> Entries:
        """Return the derivative of ``slopes^T forces``."""
        del u
        along = -skews(self._across)[:, : self.d, : self.d]
        count = len(self.places) // len(along)
        between = np.zeros((count, len(along), 2, self.d, 2, self.d))
        between[:, :, 0, :, 1] = along
        between[:, :, 1, :, 0] = along.swapaxes(1, 2)
        between = between.reshape(len(self.places), *between.shape[2:])
        return _of_differences(self.places, between, self._scale * forces)

    def bent(self, u: Floats, v: Floats) -> Floats:
        """Return h'' at constant rates."""
        del u
        a, b = self._differences(in_space(v[self._nodes]))
        return np.asarray(2.0 * self._scale * (np.cross(a, b) @ self._across.T).ravel())

    def _spans(self, moved: Floats) -> tuple[Floats, Floats]:
        return self._differences(self._places + in_space(moved))

    def _differences(self, places: Floats) -> tuple[Floats, Floats]:
        return places[2:] - places[0], places[1] - places[0]


def _of_differences(places: Ints, between: Floats, forces: Floats) -> Entries:
    """Return entries of second derivatives by differences of places from the first of them.

    Parameters
    ----------
    places : ndarray of int64, (m, (k + 1) d)
        Those of the node, of the first, and of the other ones.
    between : ndarray, (m, k, d, k, d)
        Second derivatives by the differences.
    forces : ndarray, (m,)
        Their factors.
    """
    m, k, d = between.shape[:3]
    whole = np.zeros((m, k + 1, d, k + 1, d))
    others = [0, *range(2, k + 1)]
    whole[np.ix_(range(m), others, range(d), others, range(d))] = between
    whole[:, 1, :, others] = np.moveaxis(-between.sum(axis=1), 2, 0)
    whole[:, others, :, 1] = -between.sum(axis=3).swapaxes(0, 1)
    whole[:, 1, :, 1] = between.sum(axis=(1, 3))
    size = (k + 1) * d
    return joined([spread(places, places, forces[:, None, None] * whole.reshape(m, size, size))])


def _spanning(key: str, points: Floats) -> Ints:
    """Return an order of points whose first three span a triangle, as large as can be."""
    count = len(points)
    if count < 4:
        raise InputError(f"{key}.group: found {count} nodes; expected four or more in a plane")
    away = points - points[0]
    second = int(np.linalg.norm(away, axis=1).argmax())
    areas = np.linalg.norm(np.cross(away, away[second]), axis=1)
    third = int(areas.argmax())
    if not areas[third] > _FLAT * float(away[second] @ away[second]):
        raise InputError(f"{key}.group: found nodes on a line, which span no plane")
    first = [0, second, third]
    return np.array([*first, *(i for i in range(count) if i not in first)])


def _require_there(key: str, off: Floats, extent: float, what: str) -> None:
    """Refuse nodes that are not where they are to stay."""
    if off.max(initial=0.0) > _FLAT * extent:
        raise InputError(
            f"{key}.group: found a node {float(off.max()):.3g} m off the {what} of the others; "
            f"expected nodes in one {what}"
        )
