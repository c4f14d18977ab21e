# SPDX-License-Identifier: BSD-3-Clause
"""Linear relations between displacements and rotations of the nodes of a mesh."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from flexforge.runtime.arrays import Floats, Ints

#: Components of a node: its displacement, then its rotation.
DISPLACEMENT, ROTATION = 0, 3


@dataclass(frozen=True, eq=False)
class Relations:
    """Sums of factors times components of nodes that are zero.

    Attributes
    ----------
    equation, node, component : ndarray of int64, (n,)
        Of every term the number of its equation, its node, and which component: 0 to 2 of the
        displacement, 3 to 5 of the rotation.
    factor : ndarray, (n,)
        Its factor.
    """

    equation: Ints
    node: Ints
    component: Ints
    factor: Floats

    @classmethod
    def of(cls, nodes: Ints, components: Ints, factors: Floats) -> Relations:
        """Return equations with as many terms each, (m, c)."""
        number = np.broadcast_to(np.arange(len(factors))[:, None], factors.shape)
        shape = factors.shape
        return cls(
            number.ravel(),
            np.broadcast_to(nodes, shape).ravel(),
            np.broadcast_to(components, shape).ravel(),
            factors.ravel(),
        )

    @classmethod
    def together(cls, several: Sequence[Relations]) -> Relations:
        """Return the equations of several."""
        first = np.cumsum([0, *(one.count for one in several)])
        empty = np.zeros(0, dtype=np.int64)
        return cls(
            np.concatenate(
                [empty, *(one.equation + k for one, k in zip(several, first, strict=False))]
            ),
            np.concatenate([empty, *(one.node for one in several)]),
            np.concatenate([empty, *(one.component for one in several)]),
            np.concatenate([np.zeros(0), *(one.factor for one in several)]),
        )

    @property
    def count(self) -> int:
        """Number of equations."""
        return int(self.equation.max(initial=-1)) + 1


@dataclass(frozen=True, eq=False)
class Knot:
    """A node that points around it follow, by its displacement and rotation, and stretched.

    Attributes
    ----------
    node, strain : int
        The node, and that whose displacement has the stretches.
    own : ndarray of int64, (n,)
        The points.
    arms : ndarray, (n, 3)
        From the node to them, m.
    stretched : ndarray, (n, s, 3)
        What each stretch moves them by, m.
    """

    node: int
    strain: int
    own: Ints
    arms: Floats
    stretched: Floats


@dataclass(frozen=True, eq=False)
class MeanTurns:
    """Rotations of nodes that are means of the angles by which points around them turn.

    Attributes
    ----------
    node, component : ndarray of int64, (m,)
        The node, and which component of its rotation.
    axis : ndarray, (m, 3)
        What the points turn about: unit vectors.
    share : ndarray, (m,)
        Of the component in that angle.
    own : ndarray of int64, (m, n)
        The points.
    """

    node: Ints
    component: Ints
    axis: Floats
    share: Floats
    own: Ints


@dataclass(frozen=True, eq=False)
class Followers:
    """Nodes of no cell, and what relates them and others.

    Attributes
    ----------
    nodes : ndarray of int64, (n,)
        Rows of the points of the mesh, ascending.
    turning : ndarray of bool, (n,)
        Which of them have rotations.
    bodies : ndarray of int64, (n,)
        Number of a body of the model in whose frame each is.
    labels : ndarray of int64, (n,)
        What they are called in tables: several nodes may stand for one of the file.
    relations : Relations
        Between them and nodes of bodies.
    owner, section : ndarray of int64, (m,)
        Pairs of one of them and a node whose forces count as forces on it.
    knots : tuple of Knot
        Nodes that others follow by any rotation.
    turns : tuple of MeanTurns
        Nodes that turn as others do in the mean.
    """

    nodes: Ints
    turning: np.ndarray[tuple[int], np.dtype[np.bool_]]
    bodies: Ints
    labels: Ints
    relations: Relations
    owner: Ints
    section: Ints
    knots: tuple[Knot, ...] = ()
    turns: tuple[MeanTurns, ...] = ()

    def joined(self, nodes: Ints, labels: Ints, relations: Relations) -> Followers:
        """Return them with further nodes that have displacements, and relations.

        Parameters
        ----------
        nodes, labels : ndarray of int64, (n,)
            Rows of the points of the mesh, and what they are called in tables.
        relations : Relations
            Of them and others.
        """
        order = np.argsort(np.concatenate([self.nodes, nodes]), kind="stable")
        still = np.zeros(len(nodes), dtype=bool)
        first = np.zeros(len(nodes), dtype=np.int64)
        return replace(
            self,
            nodes=np.concatenate([self.nodes, nodes])[order],
            turning=np.concatenate([self.turning, still])[order],
            bodies=np.concatenate([self.bodies, first])[order],
            labels=np.concatenate([self.labels, labels])[order],
            relations=Relations.together([self.relations, relations]),
        )
