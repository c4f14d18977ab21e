# SPDX-License-Identifier: BSD-3-Clause
"""Rotation matrices about a fixed axis."""

from __future__ import annotations

import numpy as np
from flexforge.runtime import _integrals
from flexforge.runtime.arrays import Floats


def about_axis(axis: Floats, angle: float) -> Floats:
    """Return the rotation matrix about a unit axis (Rodrigues), local to global."""
    return np.asarray(_integrals.about_axis(axis, np.array([angle]))[0])


def across(axis: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return a direction that is not parallel to an axis."""
    x, y, z = np.eye(3)[int(np.argmin(np.abs(axis)))]
    return float(x), float(y), float(z)
