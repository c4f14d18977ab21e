# SPDX-License-Identifier: BSD-3-Clause
"""A point that moves as the mean of nodes, and turns as their pattern does in the mean.

With the arms r_i of the nodes from their centre, c that of the centre from the point, and the
places ``y_i = r_i + u_i``, the point has the displacement u and the rotation R with

    u + (R - 1) c = mean(u_i),        sum y_i x R r_i = 0

which is the rotation of least squares, ``min sum |y_i - mean(y) - R r_i|^2``. Of small rotations t
it is ``sum (r_i . r_i - r_i r_i^T) t = sum r_i x u_i``: forces at the point act on the nodes as on
a bolt group. Without levers c is left out: forces at the point act on all nodes alike.
Source: Abaqus Theory Guide, "Coupling constraints"; Horn, J. Opt. Soc. Am. A 4 (1987) 629.
"""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.system.curved.family import (
    Entries,
    about,
    in_space,
    joined,
    rotation_matrices,
    rotation_places,
    spread,
    turns_in_space,
)
from flexforge.runtime.system.rotation_vectors import skews

#: Smallest moment of the pattern about an axis, relative to the largest, that holds a rotation.
_SLENDER = 1e-9


class Mean:
    """The displacement of a point: d equations.

    Parameters
    ----------
    key : str
        Where the model file has it.
    nodes : ndarray of int64, (n,)
        Vectors of the nodes.
    arms : ndarray, (n, d)
        From the point to the nodes, m.
    point, rotation : int
        Vectors of the point.
    levers : bool
        Whether the centre of the nodes turns about the point.
    """

    def __init__(
        self, key: str, nodes: Ints, arms: Floats, point: int, rotation: int, *, levers: bool
    ) -> None:
        count, d = arms.shape
        self.key, self.d, self.points = key, d, np.array([rotation])
        self._nodes, self._point = nodes, point
        self._centre = in_space(arms.mean(axis=0, keepdims=True)) * levers
        self.extent = float(np.linalg.norm(arms, axis=1).max()) or 1.0
        self._turns = rotation_places(self.points, d)
        turns = np.broadcast_to(self._turns, (d, self._turns.shape[1]))
        own = np.arange(d)[:, None]
        self.places = np.concatenate([point * d + own, turns, nodes * d + own], axis=1)
        self._shares = np.full((d, count), -1.0 / count)

    def values(self, u: Floats) -> Floats:
        """Return h, (d,)."""
        moved = u[self._point] - u[self._nodes].mean(axis=0)
        return np.asarray(moved + (self._lever(u) - self._centre)[0, : self.d])

    def slopes(self, u: Floats) -> Floats:
        """Return the derivatives of h, (d, c)."""
        turned = -skews(self._lever(u))[0][: self.d][:, about(self.d)]
        return np.concatenate([np.ones((self.d, 1)), turned, self._shares], axis=1)

    def second(self, u: Floats, forces: Floats) -> Entries:
        """Return the derivative of the moment on the point by its spin."""
        axes = about(self.d)
        block = skews(in_space(forces[None])) @ skews(self._lever(u))
        return spread(self._turns, self._turns, block[:, axes][:, :, axes])

    def bent(self, u: Floats, v: Floats) -> Floats:
        """Return h'' at constant rates, (d,)."""
        spin = turns_in_space(v[self.points])
        return np.asarray(np.cross(spin, np.cross(spin, self._lever(u)))[0, : self.d])

    def _lever(self, u: Floats) -> Floats:
        return np.asarray(self._centre @ rotation_matrices(u[self.points])[0].T)


class BestTurn:
    """The rotation of a point: one equation in the plane, three in space, over a length.

    Parameters are those of :class:`Mean`.

    Raises
    ------
    InputError
        When the nodes hold no rotation about some axis.
    """

    def __init__(self, key: str, nodes: Ints, arms: Floats, rotation: int) -> None:
        d = arms.shape[1]
        self.key, self.d, self.points = key, d, np.array([rotation])
        self._nodes = nodes
        self._arms = in_space(arms - arms.mean(axis=0))
        axes = about(d)
        across = skews(self._arms)[:, axes]
        sizes = np.linalg.eigvalsh(np.einsum("nai,nbi->ab", across, across))
        if not sizes[0] > _SLENDER * max(float(sizes[-1]), 1e-300):
            raise InputError(
                f"{key}.group: found nodes in a line, which hold no rotation about it; expected "
                "others beside it, or a rigid coupling"
            )
        self.extent = float(np.linalg.norm(self._arms, axis=1).max())
        self._scale = self.extent / float(sizes[-1])
        turns = rotation_places(self.points, d)
        moved = (nodes[:, None] * d + np.arange(d)).ravel()
        row = np.concatenate([turns[0], moved])
        self.places = np.broadcast_to(row, (len(axes), len(row)))
        self._turns, self._moved = turns, nodes[:, None] * d + np.arange(d)

    def values(self, u: Floats) -> Floats:
        """Return h."""
        places, turned = self._both(u)
        return np.asarray(self._scale * np.cross(places, turned).sum(axis=0)[about(self.d)])

    def slopes(self, u: Floats) -> Floats:
        """Return the derivatives of h."""
        places, turned = self._both(u)
        axes = about(self.d)
        spun = -(skews(places) @ skews(turned)).sum(axis=0)[axes][:, axes]
        moved = -skews(turned)[:, axes, : self.d].swapaxes(0, 1).reshape(len(axes), -1)
        return np.asarray(self._scale * np.concatenate([spun, moved], axis=1))

    def second(self, u: Floats, forces: Floats) -> Entries:
        """Return the derivative of ``slopes^T forces``."""
        places, turned = self._both(u)
        axes, d, moment = about(self.d), self.d, np.zeros((1, 3))
        moment[0, about(self.d)] = self._scale * forces
        pulled, spun = skews(moment)[0], skews(turned)
        beside = pulled @ spun  # of displacements by the spin
        across = (skews(np.cross(moment, places)) @ spun).sum(axis=0, keepdims=True)
        turns = np.broadcast_to(self._turns, (len(self._nodes), self._turns.shape[1]))
        return joined(
            [
                spread(self._moved, turns, beside[:, :d][:, :, axes]),
                spread(turns, self._moved, beside[:, :d][:, :, axes].swapaxes(1, 2)),
                spread(self._turns, self._turns, across[:, axes][:, :, axes]),
            ]
        )

    def bent(self, u: Floats, v: Floats) -> Floats:
        """Return h'' at constant rates."""
        places, turned = self._both(u)
        spin, rates = turns_in_space(v[self.points]), in_space(v[self._nodes])
        once = np.cross(spin, turned)
        found = 2.0 * np.cross(rates, once) + np.cross(places, np.cross(spin, once))
        return np.asarray(self._scale * found.sum(axis=0)[about(self.d)])

    def _both(self, u: Floats) -> tuple[Floats, Floats]:
        """Return the places of the nodes and their arms as the point turns them, (n, 3)."""
        turn = rotation_matrices(u[self.points])[0]
        return self._arms + in_space(u[self._nodes]), self._arms @ turn.T
