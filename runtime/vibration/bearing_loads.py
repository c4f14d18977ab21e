# SPDX-License-Identifier: BSD-3-Clause
"""Forces of bearings in steady vibrations over the speed of their shaft.

A law has them of the displacements u across the shaft, those of internal vectors among them:
``(k + i w c - w^2 m) u`` with the coefficients at the speed and at the frequency w. In axes that
turn, vibrations are two circles, of which one turns faster at rest and the other slower by the
speed; those of order 0 are constant there, and one circle in the sense of the shaft.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.system import System


@dataclass(frozen=True, slots=True)
class LoadedBearing:
    """A bearing whose forces are known over the speed.

    Attributes
    ----------
    body : BearingBody
        The bearing, with its law over speed and frequency.
    ratio : float
        Speed of its shaft about its axis, relative to the speeds of the sweep.
    """

    body: BearingBody
    ratio: float

    def multiples(self, order: int) -> tuple[int, ...]:
        """Return the frequencies of its forces at rest, relative to the speed of the sweep."""
        if not self.body.in_turning_frame:
            return (order,)
        return tuple(round(order + sense * self.ratio) for sense in self._senses(order))

    def forces(self, speeds: Floats, order: int, displacement: Complex) -> Complex:
        """Return the amplitudes of its force along its axes x and y at rest, (S, F, 2), N.

        Parameters
        ----------
        speeds : ndarray, (S,)
            rad/s.
        order : int
            The frequency is this times the speed.
        displacement : ndarray of complex, (S, N, 3)
            Amplitudes of all nodes, m.
        """
        u = self.body.across_of(displacement[:, self.body.nodes])
        if not self.body.in_turning_frame:
            return self._force(speeds, order * speeds, u)[:, None]
        if not order:  # constant: the real part alone, of which each circle has a half
            u = (2.0 * u.real).astype(complex)
        each = [
            self._force(speeds, (order + sense * self.ratio) * speeds, _circle(u, sense))
            for sense in self._senses(order)
        ]
        return np.stack(each, axis=1)

    def _senses(self, order: int) -> tuple[float, ...]:
        """Return the senses about its axis of the circles in axes that turn."""
        return (1.0, -1.0) if order else (float(np.sign(self.ratio)),)

    def _force(self, speeds: Floats, frequency: Floats, u: Complex) -> Complex:
        """Return the force of displacements of its law at rest, (S, 2 + 3 h): (S, 2)."""
        law = self.body.bearing.vibrating(self.ratio * speeds, np.abs(frequency))
        k, c, m = np.moveaxis(law, 1, 0)
        w = frequency[:, None, None]
        return np.asarray(((k + 1j * w * c - w * w * m) @ u[..., None])[:, :2, 0])


def _circle(u: Complex, sense: float) -> Complex:
    """Return the part of vectors in axes that turn that circles in a sense, (S, 2 + 3 h).

    ``(x, y) = a (1, -i) + b (1, i)``, of which a circles from x to y: ``a = (x + i y) / 2``.
    """
    found = u.astype(complex)
    for x in (0, *range(2, u.shape[1], 3)):
        part = 0.5 * (u[:, x] + 1j * sense * u[:, x + 1])
        found[:, x], found[:, x + 1] = part, -1j * sense * part
    return found


def loaded_bearings(system: System, axes: Sequence[Floats | None]) -> list[LoadedBearing]:
    """Return the bearings whose forces are known over the speed.

    Those in axes that turn have to be the same in all directions; sectors of wheels and systems of
    several processes have none.

    Parameters
    ----------
    system : System
        The bodies.
    axes : sequence of ndarray (3,) or None
        Axes of their rotations, as long as the speed is relative to that of the sweep.
    """
    if system.map.is_complex or system.ranks.count > 1:
        return []
    found = []
    for number, body in enumerate(system.bodies):
        axis = axes[number]
        if not isinstance(body, BearingBody) or body.swings:
            continue
        ratio = 0.0 if axis is None else float(np.cross(*body.across) @ axis)
        found.append(LoadedBearing(body, ratio))
    return found
