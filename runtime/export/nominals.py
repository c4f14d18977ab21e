# SPDX-License-Identifier: BSD-3-Clause
"""Sizes that the states of a solver are expected to have: what integrators relate errors to."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.native.constants import Constants

#: Strain that an elastic body is expected to have, and its rotations in radian.
STRAIN = 1e-4


def nominals(constants: Constants, step: float) -> Floats:
    """Return nominal values of coordinates and of velocities, (2, r).

    A displacement is expected to be the strain times the largest extent of a body, a rotation the
    strain itself; a shape counts by the largest that a unit of it makes. A velocity is expected to
    change that much in a step of the model.

    Parameters
    ----------
    constants : Constants
        The system, in its unknowns or in shapes.
    step : float
        Of the analysis, s.
    """
    system, shapes = constants.system, constants.shapes
    extents = [np.ptp(body.points, axis=0) for body in system.bodies]
    extent = max(float(np.linalg.norm(one)) for one in extents) or 1.0
    size = np.full((system.size, system.dimension), STRAIN * extent)
    for body in system.bodies:
        size[body.rotations] = STRAIN
    places = system.map.sample(size)
    if shapes is not None:
        largest = np.abs(shapes.matrix / places[:, None]).max(axis=0)
        places = 1.0 / np.where(largest > 0.0, largest, 1.0)
    return np.array([places, places / step])
