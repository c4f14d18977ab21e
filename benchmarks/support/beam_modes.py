# SPDX-License-Identifier: BSD-3-Clause
"""A straight beam in a plane by the textbook: matrices, points of mass, modes between two pins.

What peers that read no beams are given. Nothing here is ours but the numbers: Euler-Bernoulli
elements with cubic bending and linear stretch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Of a node: along, across, turn.
COORDINATES = 3
#: Points of Gauss an element: products of two cubics are integrated exactly.
POINTS = 4


@dataclass(frozen=True)
class Beam:
    """A beam of equal elements along x from the origin.

    Attributes
    ----------
    length : float
        m.
    elements : int
        How many.
    stretching : float
        Young's modulus times area, N.
    bending : float
        Young's modulus times second moment of area, N m^2.
    mass : float
        kg/m.
    """

    length: float
    elements: int
    stretching: float
    bending: float
    mass: float

    @property
    def size(self) -> int:
        """Number of coordinates, 3 a node."""
        return COORDINATES * (self.elements + 1)

    def stiffness(self) -> Floats:
        """Return the stiffness matrix, (n, n)."""
        h = self.length / self.elements
        along = self.stretching / h * np.array([[1.0, -1.0], [-1.0, 1.0]])
        across = self.bending / h**3 * np.array([
            [12.0, 6 * h, -12.0, 6 * h],
            [6 * h, 4 * h * h, -6 * h, 2 * h * h],
            [-12.0, -6 * h, 12.0, -6 * h],
            [6 * h, 2 * h * h, -6 * h, 4 * h * h],
        ])  # fmt: skip
        total = np.zeros((self.size, self.size))
        for e in range(self.elements):
            first = COORDINATES * e
            for block, places in ((along, [0, 3]), (across, [1, 2, 4, 5])):
                rows = first + np.array(places)
                total[np.ix_(rows, rows)] += block
        return total

    def masses(self) -> tuple[Floats, Floats, Floats]:
        """Return points of mass that move as the beam does, their masses and how they move.

        The nodes, which have none, come first.

        Returns
        -------
        places : ndarray, (p,)
            Along the beam, m.
        masses : ndarray, (p,)
            kg.
        motion : ndarray, (p, 2, n)
            Displacement along and across for every coordinate.
        """
        nodes, h = self.elements + 1, self.length / self.elements
        at, weights = np.polynomial.legendre.leggauss(POINTS)
        at, weights = 0.5 * (at + 1.0), 0.5 * weights
        places, masses = [h * np.arange(nodes)], [np.zeros(nodes)]
        motion = np.zeros((nodes + POINTS * self.elements, 2, self.size))
        motion[np.arange(nodes), 0, COORDINATES * np.arange(nodes)] = 1.0
        motion[np.arange(nodes), 1, COORDINATES * np.arange(nodes) + 1] = 1.0
        for e in range(self.elements):
            rows, first = slice(nodes + POINTS * e, nodes + POINTS * (e + 1)), COORDINATES * e
            motion[rows, 0, [first, first + 3]] = np.stack([1 - at, at], axis=1)
            motion[rows, 1, [first + 1, first + 2, first + 4, first + 5]] = np.stack([
                1 - 3 * at**2 + 2 * at**3, h * (at - 2 * at**2 + at**3),
                3 * at**2 - 2 * at**3, h * (at**3 - at**2),
            ], axis=1)  # fmt: skip
            places.append(h * (e + at))
            masses.append(self.mass * h * weights)
        return np.concatenate(places), np.concatenate(masses), motion

    def modes(self, count: int) -> Floats:
        """Return modes of Craig and Bampton between two pins, in columns of coordinates.

        The frame goes through both ends, its origin at the first one: the beam stretched by its
        end comes first, then the modes with both ends held, the lowest ones first.

        Parameters
        ----------
        count : int
            Modes, ``size - 3`` at most, which are all.

        Returns
        -------
        ndarray, (n, count)
        """
        _, masses, motion = self.masses()
        stiffness = self.stiffness()
        mass = np.einsum("p,pdi,pdj->ij", masses, motion, motion)
        pulled = self.size - 3
        held = [0, 1, pulled, pulled + 1]
        inner = np.setdiff1d(np.arange(self.size), held)
        root = np.linalg.cholesky(mass[np.ix_(inner, inner)])
        half = np.linalg.solve(root, stiffness[np.ix_(inner, inner)])
        _, vectors = np.linalg.eigh(np.linalg.solve(root, half.T))
        found = np.zeros((self.size, 1 + len(inner)))
        found[::COORDINATES, 0] = np.arange(self.elements + 1) / self.elements
        found[inner, 1:] = np.linalg.solve(root.T, vectors)
        return found[:, :count]

    def without_turns(self) -> tuple[Floats, Floats]:
        """Return stiffness and mass on the displacements of the nodes alone, (2 N, 2 N).

        Turns follow as in statics: bending is that of the spline through the nodes.
        """
        stiffness = self.stiffness()
        turns = np.arange(2, self.size, COORDINATES)
        kept = np.setdiff1d(np.arange(self.size), turns)
        follow = np.zeros((self.size, len(kept)))
        follow[kept, np.arange(len(kept))] = 1.0
        follow[turns] = -np.linalg.solve(
            stiffness[np.ix_(turns, turns)], stiffness[np.ix_(turns, kept)]
        )
        _, masses, motion = self.masses()
        moved = motion @ follow
        return follow.T @ stiffness @ follow, np.einsum("p,pdi,pdj->ij", masses, moved, moved)
