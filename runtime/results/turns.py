# SPDX-License-Identifier: BSD-3-Clause
"""Largest sizes within a turn of forces across an axis, which have multiples of its frequency."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.results.ellipses import ellipses

#: Places within a turn per multiple, from each of which Newton's method looks for a maximum.
_PLACES = 64
_STEPS = 4


def largest_in_a_turn(multiples: Sequence[int], forces: Complex) -> Floats:
    """Return the largest sizes along x, along y and of the whole, (S, 3).

    Parameters
    ----------
    multiples : sequence of int, (F,)
        Frequencies relative to that of the turn.
    forces : ndarray of complex, (S, F, 2)
        Amplitudes along x and y.

    Examples
    --------
    A force that stands, 1 along x, and one that circles with the size 2:

    >>> found = largest_in_a_turn((0, 2), np.array([[[1.0, 0.0], [2.0, -2.0j]]]))
    >>> found.round(12).tolist()
    [[3.0, 2.0, 3.0]]
    """
    if len(multiples) == 1:
        x, y = forces[:, 0, 0], forces[:, 0, 1]
        return np.stack([np.abs(x), np.abs(y), ellipses(x, y).major], axis=1)
    found = np.zeros((len(forces), 3))
    for number, one in enumerate(forces):
        for column, along in enumerate(([0], [1], [0, 1])):
            found[number, column] = _largest(np.array(multiples), one[:, along])
    return found


def _largest(multiples: Floats, amplitudes: Complex) -> float:
    """Return the largest size of ``Re sum_f A_f exp(i f t)``, amplitudes (F, n)."""
    count = _PLACES * (int(np.abs(multiples).max()) + 1)
    within = 2.0 * np.pi / count
    t: Floats = within * np.arange(count, dtype=float)

    def derivative(order: int, at: Floats) -> Floats:
        turned = (1j * multiples) ** order * np.exp(1j * np.outer(at, multiples))
        return np.asarray((turned @ amplitudes).real)

    largest = 0.0
    for _ in range(_STEPS):
        value, rate, second = (derivative(order, t) for order in range(3))
        largest = max(largest, float((value**2).sum(axis=1).max()))
        slope = (value * rate).sum(axis=1)
        bend = (rate**2 + value * second).sum(axis=1)
        step = np.divide(-slope, bend, out=np.zeros_like(t), where=bend < 0.0)
        t += np.clip(step, -within, within)
    return float(np.sqrt(largest))
