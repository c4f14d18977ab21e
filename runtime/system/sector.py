# SPDX-License-Identifier: BSD-3-Clause
"""One sector of a wheel: how its boundaries move with each other at a nodal diameter.

A field on the wheel with n nodal diameters is ``u(R x) = exp(i n alpha) R u(x)``, with R the turn
by ``alpha = 2 pi / N`` to the next sector. What one boundary does in it the other repeats, turned
and with a phase: ``u_to = exp(i n alpha) R u_from``. Static loads that turn with the sector make
n = 0. A node on the axis belongs to both boundaries, and moves as that equation lets it.
Source: Thomas, Int. J. Numer. Methods Eng. 14 (1979), 81-102.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flexforge.runtime.arrays import Complex, Floats, Ints
from flexforge.runtime.motion.rotation import about_axis
from flexforge.runtime.system.rows import Rows

_ZERO = 1e-15  # round-off of direction cosines


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Vectors on one boundary, and those of the other that they repeat.

    Attributes
    ----------
    nodes : ndarray of int64, (m,)
        Numbers of vectors of the system, on the last boundary.
    others : ndarray of int64, (m, k)
        Those on the first boundary.
    weights : ndarray, (m, k)
        Their shape functions at the point that the turn takes to the node.
    """

    nodes: Ints
    others: Ints
    weights: Floats


@dataclass(frozen=True, eq=False)
class Sector:
    """A sector.

    Attributes
    ----------
    count : int
        Number of sectors, N.
    axis, point : ndarray, (3,)
        Unit vector of the axis, and a point of it.
    sense : int
        1 where the turn from the first boundary to the last is about the axis, -1 where it is
        against it.
    pairs : sequence of Pairs
        How the boundaries match.
    dimension : int
        Components of displacements, d.
    """

    count: int
    axis: Floats
    point: Floats
    sense: int
    pairs: Sequence[Pairs]
    dimension: int

    def __str__(self) -> str:
        axis = ", ".join(f"{part:.4g}" for part in self.axis)
        same = sum(len(one.nodes) for one in self.pairs if one.others.shape[1] == 1)
        between = sum(len(one.nodes) for one in self.pairs) - same
        more = f", {between} follow facets" if between else ""
        return f"one of {self.count} sectors about ({axis}): {same} nodes match{more}"

    @property
    def angle(self) -> float:
        """Angle from a sector to the next one about the axis, rad."""
        return 2.0 * np.pi / self.count

    @cached_property
    def turn(self) -> Floats:
        """The turn to the next sector about the axis, (3, 3)."""
        return turned_by(self.axis, self.angle)

    def phase(self, diameter: int) -> float | complex:
        """Return ``exp(i n alpha)``: a real number where the motion of sectors is real."""
        double = 2 * (diameter % self.count)
        if double in (0, self.count):
            return 1.0 if double == 0 else -1.0
        return complex(np.exp(1j * diameter * self.angle))

    def is_real(self, diameter: int) -> bool:
        """Whether sectors move alike or in opposite directions, so that amplitudes are real."""
        return not isinstance(self.phase(diameter), complex)

    def rows(self, diameter: int) -> Iterator[Rows]:
        """Yield the equations between the boundaries at a nodal diameter.

        Parameters
        ----------
        diameter : int
            n.
        """
        d = self.dimension
        phase = self.phase(diameter)
        turn = self.turn[:d, :d]
        if self.sense < 0:
            phase, turn = np.conj(phase), turn.T
        factor = phase * turn
        for one in self.pairs:
            m, k = one.others.shape
            components = np.arange(d)
            own = (one.nodes[:, None] * d + components)[:, :, None]
            others = (one.others[:, :, None] * d + components).reshape(m, 1, k * d)
            places = np.concatenate([own, np.broadcast_to(others, (m, d, k * d))], axis=2)
            weighted = -one.weights[:, None, :, None] * factor[None, :, None, :]
            ones = np.ones((m, d, 1))
            factors = np.concatenate([ones, weighted.reshape(m, d, k * d)], axis=2)
            yield Rows(
                "cyclic",
                places.reshape(m * d, -1),
                factors.reshape(m * d, -1),
                np.zeros(0, dtype=np.int64),
                np.zeros((m * d, 0)),
            )

    def over_wheel(self, shape: Floats | Complex, diameter: int) -> Floats | Complex:
        """Return a field of vectors of the sector in all sectors.

        Parameters
        ----------
        shape : ndarray, (..., d)
            Vectors in the sector.
        diameter : int
            n.

        Returns
        -------
        ndarray, (N, ..., d)
        """
        d, found = self.dimension, []
        for number in range(self.count):
            turn = turned_by(self.axis, number * self.angle)[:d, :d]
            found.append(self.phase(number * diameter) * (shape @ turn.T))
        return np.array(found)

    def points(self, points: Floats) -> Floats:
        """Return points (n, 3) of the sector in all sectors, (N, n, 3)."""
        turns = [turned_by(self.axis, number * self.angle) for number in range(self.count)]
        return np.array([self.point + (points - self.point) @ turn.T for turn in turns])


def turned_by(axis: Floats, angle: float) -> Floats:
    """Return the rotation matrix (3, 3) about a unit vector, without round-off of zeros."""
    found = about_axis(axis, angle)
    return np.where(np.abs(found) <= _ZERO, 0.0, found)
