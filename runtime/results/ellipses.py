# SPDX-License-Identifier: BSD-3-Clause
"""Ellipses that two harmonic components across an axis make together.

``x = Re(X exp(i w t))`` and ``y = Re(Y exp(i w t))`` are a forward and a backward circle,

    x + i y = F exp(i w t) + B exp(-i w t),   F = (X + i Y) / 2,   B = (X* + i Y*) / 2,

whose sum and difference are the semi-axes; the long one is where both are in line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Complex, Floats


@dataclass(frozen=True, slots=True)
class Ellipses:
    """Ellipses of any number.

    Attributes
    ----------
    major, minor : ndarray
        Semi-axes; the minor one is negative where the ellipse runs from y to x, backward.
    inclination : ndarray
        Angle of the major axis from x towards y, rad, from -pi/2 to pi/2.
    """

    major: Floats
    minor: Floats
    inclination: Floats


def ellipses(x: Complex, y: Complex) -> Ellipses:
    """Return the ellipses of complex amplitudes along x and y.

    Examples
    --------
    >>> found = ellipses(np.array([2.0]), np.array([-1.0j]))
    >>> found.major.tolist(), found.minor.tolist(), found.inclination.tolist()
    ([2.0], [1.0], [0.0])
    """
    forward, backward = 0.5 * (x + 1j * y), 0.5 * (np.conj(x) + 1j * np.conj(y))
    a, b = np.abs(forward), np.abs(backward)
    angle = 0.5 * (np.angle(forward) + np.angle(backward))
    return Ellipses(a + b, a - b, (angle + np.pi / 2) % np.pi - np.pi / 2)
