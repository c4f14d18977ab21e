# SPDX-License-Identifier: BSD-3-Clause
"""Rotation matrices about a fixed axis."""

from __future__ import annotations

import numpy as np
from flexforge.runtime import _integrals
from numpy.typing import NDArray

Array = NDArray[np.float64]


def skew(vector: Array) -> Array:
    """Return the matrix of the cross product, ``skew(w) @ b == cross(w, b)``."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def about_axis(axis: Array, angle: float) -> Array:
    """Return the rotation matrix about a unit axis (Rodrigues), local to global."""
    return np.asarray(_integrals.about_axis(axis, np.array([angle]))[0])
