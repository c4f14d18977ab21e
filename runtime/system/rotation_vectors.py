# SPDX-License-Identifier: BSD-3-Clause
"""Rotations of nodes by vectors, and their increments by spins in the frame: ``R <- exp(w~) R``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

#: Angle below which its functions are their series.
_SMALL = 1e-4


def composed(turns: Floats, spins: Floats) -> Floats:
    """Return the vectors (n, 3) of rotations (n, 3), each followed by a spin (n, 3)."""
    return np.asarray((_of(spins) * _of(turns)).as_rotvec())


def between(turns: Floats, start: Floats) -> Floats:
    """Return the spins (n, 3), of at most half a turn, from rotations ``start`` to ``turns``."""
    return np.asarray((_of(turns) * _of(start).inv()).as_rotvec())


def matrices(turns: Floats) -> Floats:
    """Return the matrices of rotations, (n, 3, 3)."""
    return np.asarray(_of(turns).as_matrix())


def skews(vectors: Floats) -> Floats:
    """Return the matrices ``v~`` of vectors (n, 3), (n, 3, 3): ``v~ b = v x b``."""
    found = np.zeros((len(vectors), 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[:, i, j], found[:, j, i] = -vectors[:, k], vectors[:, k]
    return found


def slopes(spins: Floats) -> Floats:
    """Return T, (n, 3, 3), with ``exp(w + e) = exp(T e) exp(w)`` to first order.

    ``T = 1 + (1 - cos a)/a^2 w~ + (a - sin a)/a^3 w~ w~``, of spins w (n, 3) with the angle a.
    """
    angles = np.linalg.norm(spins, axis=1)
    large = np.where(angles < _SMALL, 1.0, angles)
    first = np.where(angles < _SMALL, 0.5, (1.0 - np.cos(large)) / large**2)
    second = np.where(angles < _SMALL, 1.0 / 6.0, (large - np.sin(large)) / large**3)
    across = skews(spins)
    return np.asarray(
        np.eye(3) + first[:, None, None] * across + second[:, None, None] * (across @ across)
    )


def _of(turns: Floats) -> Rotation:
    from scipy.spatial.transform import Rotation

    return Rotation.from_rotvec(turns)
