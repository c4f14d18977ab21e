# SPDX-License-Identifier: BSD-3-Clause
"""Rotation matrices about a fixed axis."""

from __future__ import annotations

import numpy as np
from flexforge.runtime import _integrals
from flexforge.runtime.arrays import Floats


def skew(vector: Floats) -> Floats:
    """Return the matrix of the cross product, ``skew(w) @ b == cross(w, b)``."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def about_axis(axis: Floats, angle: float) -> Floats:
    """Return the rotation matrix about a unit axis (Rodrigues), local to global."""
    return np.asarray(_integrals.about_axis(axis, np.array([angle]))[0])
