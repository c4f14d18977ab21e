# SPDX-License-Identifier: BSD-3-Clause
"""How a slider-crank moves, in figures that programs with other coordinates share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Times of a turn that are compared, beside its start.
SAMPLES = 200


def middle(pin: Floats, half: Floats, end: Floats) -> list[float]:
    """Return how far the middle of a rod is from the line through its ends, to its left.

    Parameters
    ----------
    pin, half, end : ndarray, (n, 2)
        Places of its first, middle and last node in any frame, m.
    """
    along = end - pin
    bent = half - 0.5 * (pin + end)
    across = along[:, 0] * bent[:, 1] - along[:, 1] * bent[:, 0]
    found: list[float] = (across / np.linalg.norm(along, axis=1)).tolist()
    return found


def apart(path: dict[str, Any], other: dict[str, Any]) -> dict[str, float]:
    """Return the largest difference of two paths, of every figure, over its range in the other."""
    found = {}
    for name, given in other.items():
        one, two = np.array(path[name]), np.array(given)
        found[name.split(",")[0]] = float(np.abs(one - two).max() / np.ptp(two))
    return found
