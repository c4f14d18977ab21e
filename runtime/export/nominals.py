# SPDX-License-Identifier: BSD-3-Clause
"""Nominal values of the states of a solver, to which integrators relate errors."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.multibody.model import MultibodyModel
from flexforge.runtime.native.constants import Constants

#: Expected strain of an elastic body, and expected rotation, rad.
STRAIN = 1e-4


def nominals(constants: Constants, step: float) -> Floats:
    """Return nominal values of coordinates and of velocities, (2, r).

    The nominal displacement is the expected strain times the largest extent of a body, and the
    nominal rotation is the strain itself; the nominal value of a shape follows from the largest
    displacement or rotation that one unit of it causes. A velocity is expected to change by its
    nominal value in one step of the model.

    Parameters
    ----------
    constants : Constants
        The system, in its unknowns or in shapes.
    step : float
        Step of the analysis, s.
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


def found_nominals(model: MultibodyModel, step: float) -> Floats:
    """Return nominal values of coordinates, then of speeds, of links whose motion is found.

    Of a pose they are the size of the mechanism and the length of a quaternion; of elastic
    coordinates the expected strain times that size. Speeds are expected to change by the nominal
    values in a second, rates of elastic coordinates in a step of the model. States of controllers
    are one, or what they begin with where that is more.

    Parameters
    ----------
    model : MultibodyModel
        The links.
    step : float
        Step of the analysis, s.
    """
    size, links = model.parts.size, len(model.parts.links)
    lengths = 2 if model.parts.planar else 3
    turns = model.poses.dimension // links - lengths
    elastic = np.full(model.table.elastic, STRAIN * size)
    poses = np.tile([size] * 3 + [1.0] * 4, links)
    speeds = np.tile([size] * lengths + [1.0] * turns, links)
    states = np.maximum(np.abs(model.formulas.starts), 1.0)
    return np.concatenate([poses, elastic, speeds, elastic / step, states])
