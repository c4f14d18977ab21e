# SPDX-License-Identifier: BSD-3-Clause
"""Forces of bearings in steady vibrations over the speed of their shaft.

A law has them of the displacements u across the shaft, those of internal vectors among them:
``(k + i w c - w^2 m) u`` with the coefficients at the speed and at the frequency w. In axes that
turn, vibrations of order 0 are constant there: circles in the sense of the shaft, at its speed.
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

    def forces(self, speeds: Floats, order: int, displacement: Complex) -> Complex:
        """Return the amplitudes of its force along its axes x and y at rest, (S, 2), N.

        Parameters
        ----------
        speeds : ndarray, (S,)
            rad/s.
        order : int
            The frequency is this times the speed.
        displacement : ndarray of complex, (S, N, 3)
            Amplitudes of all nodes, m.
        """
        about, w = self.ratio * speeds, order * speeds
        u = self.body.across_of(displacement[:, self.body.nodes])
        if self.body.in_turning_frame:
            u, w = _circling(u.real, np.sign(self.ratio)), np.abs(about)
        k, c, m = np.moveaxis(self.body.bearing.vibrating(about, w), 1, 0)
        w = w[:, None, None]
        return np.asarray(((k + 1j * w * c - w * w * m) @ u[..., None])[:, :2, 0])


def _circling(constant: Floats, sense: float) -> Complex:
    """Return the amplitudes at rest of vectors that are constant in axes that turn, (S, 2 + 3 h).

    ``x cos - y sin`` and ``x sin + y cos`` are the real parts of ``(x + i y) (1, -i) exp(i w t)``.
    """
    found = constant.astype(complex)
    for x in (0, *range(2, constant.shape[1], 3)):
        turned = constant[:, x] + 1j * sense * constant[:, x + 1]
        found[:, x], found[:, x + 1] = turned, -1j * sense * turned
    return found


def loaded_bearings(
    system: System, axes: Sequence[Floats | None], order: int
) -> list[LoadedBearing]:
    """Return the bearings whose forces are known over the speed.

    Those in axes that turn have forces of one frequency at order 0 alone, and if they are the same
    in all directions; sectors of wheels and systems of several processes have none.

    Parameters
    ----------
    system : System
        The bodies.
    axes : sequence of ndarray (3,) or None
        Axes of their rotations, as long as the speed is relative to that of the sweep.
    order : int
        The frequency is this times the speed.
    """
    if system.map.is_complex or system.ranks.count > 1:
        return []
    found = []
    for number, body in enumerate(system.bodies):
        axis = axes[number]
        if not isinstance(body, BearingBody) or (body.in_turning_frame and order) or body.swings:
            continue
        ratio = 0.0 if axis is None else float(np.cross(*body.across) @ axis)
        found.append(LoadedBearing(body, ratio))
    return found
