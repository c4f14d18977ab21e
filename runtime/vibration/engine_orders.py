# SPDX-License-Identifier: BSD-3-Clause
"""Which waves of a wheel an excitation that rests in space excites, and at which frequencies.

A pattern of k lobes that rests in space, an engine order k, is seen by a wheel that turns at W as
``exp(i k (W t + theta))``. Sectors, at theta = j alpha with alpha = 2 pi / N, only tell k from
k + N: the wave has the nodal diameter n <= N / 2 with ``k = p N + n`` or ``k = p N - n``, for whole
p. In the first case it is ``exp(i (s t + n theta))`` with s = k W, which travels against the
rotation as the pattern does, in the second s = - k W: it travels forward. With 0 and N / 2 nodal
diameters both are one and stand.

Sources: Wildheim, Excitation of rotationally periodic structures, J. Appl. Mech. 46 (1979),
878-882; Singh, Vargo, Schiffer and Dello, SAFE diagram, 17th Turbomachinery Symposium (1988),
93-101.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Complex, Floats

STANDING, FORWARD, BACKWARD = "standing", "forward", "backward"


def excited_by(order: int, sectors: int) -> tuple[int, str]:
    """Return the nodal diameters of what an engine order excites, and how it travels in the wheel.

    Parameters
    ----------
    order : int
        k >= 0.
    sectors : int
        Number of sectors, N.

    Examples
    --------
    >>> [excited_by(order, 6) for order in (1, 5, 7, 3, 6)]
    [(1, 'backward'), (1, 'forward'), (1, 'backward'), (3, 'standing'), (0, 'standing')]
    """
    rest = order % sectors
    if rest in (0, sectors - rest):
        return rest, STANDING
    return (rest, BACKWARD) if rest < sectors - rest else (sectors - rest, FORWARD)


def signed_diameter(order: int, sectors: int, turn: int = 1) -> int:
    """Return by how many times the angle of a sector an engine order is ahead in the next one.

    Up to half the number of sectors: it is less than zero for waves against the axis.

    Parameters
    ----------
    order : int
        k >= 0.
    sectors : int
        Number of sectors, N.
    turn : int
        1 where the wheel turns about the axis by which sectors are counted, -1 against it.

    Examples
    --------
    >>> [signed_diameter(order, 6) for order in (1, 2, 3, 4, 5, 6, 7)]
    [1, 2, 3, -2, -1, 0, 1]
    """
    diameter, travels = excited_by(order, sectors)
    return turn * (-diameter if travels == FORWARD else diameter)


@dataclass(frozen=True, slots=True)
class DiameterWaves:
    """The waves of a wheel at one number of nodal diameters.

    Attributes
    ----------
    diameter : int
        n.
    sectors : int
        Number of sectors, N.
    turn : int
        1 where the wheel turns about the axis of the sector, -1 where it turns against it.
    """

    diameter: int
    sectors: int
    turn: int

    @property
    def travels(self) -> bool:
        """Whether there are two waves of each shape, one for each sense."""
        return self.diameter not in (0, self.sectors - self.diameter)

    def excited(self, orders: Sequence[int]) -> list[int]:
        """Return the orders that excite this number of nodal diameters."""
        return [one for one in orders if excited_by(one, self.sectors)[0] == self.diameter]

    def lines(self, orders: Sequence[int]) -> tuple[int, ...]:
        """Return the lines ``s = line W`` of orders on which waves are excited, W > 0.

        Parameters
        ----------
        orders : sequence of int
            Engine orders; others than those of this number of nodal diameters excite nothing.
        """
        found: list[int] = []
        for order in self.excited(orders):
            travels = excited_by(order, self.sectors)[1]
            if travels == STANDING:
                found += [order, -order][: 1 if order == 0 else 2]
            else:
                found.append(self.turn * (order if travels == BACKWARD else -order))
        return tuple(found)

    def whirl(self, values: Complex) -> Floats:
        """Return the number of waves, with sign, and the sense, of roots: (k, 2).

        As :class:`Whirl` does, positive where waves travel with the rotation; zero of those that
        stand.

        Parameters
        ----------
        values : ndarray of complex, (k,)
            Roots ``lambda = i s``, 1/s.
        """
        sense = -self.turn * np.sign(values.imag) * self.travels
        return np.column_stack([self.diameter * sense, sense]) + 0.0
