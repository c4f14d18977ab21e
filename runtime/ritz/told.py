# SPDX-License-Identifier: BSD-3-Clause
"""Loads that inputs may make: how large they get is not known, only their shapes."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.compact.forces import Forces, Vector
from flexforge.runtime.compact.motion import block_factors
from flexforge.runtime.inertia import skew
from flexforge.runtime.loads import Loads
from flexforge.runtime.mechanism.motion import LinkMotion
from flexforge.runtime.model import FrameMotion, Profile
from flexforge.runtime.model.motion import AxisRotation
from flexforge.runtime.model.profiles import InputProfile
from flexforge.runtime.system import System
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def told_loads(system: System, loads: Loads, forces: Forces) -> Floats:
    """Return the loads that inputs may make, (k, n).

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    forces : Forces
        Their constant vectors.
    """
    found = [
        vector
        for vector, meaning in zip(forces.vectors, forces.meaning, strict=True)
        if _is_told(meaning, system, loads)
    ]
    for number, body in enumerate(system.bodies):
        motion = body.motion
        if not _is_driven(motion) and not (
            isinstance(motion, FrameMotion) and _told(motion.rotation.profiles)
        ):
            continue
        own = [
            vector
            for vector, meaning in zip(forces.vectors, forces.meaning, strict=True)
            if meaning.kind == "inertia" and meaning.owner == number
        ]
        found += list(_turns(motion, system.dimension, len(own)) @ np.array(own))
    return np.array(found).reshape(len(found), -1 if found else forces.vectors.shape[1])


def _is_driven(motion: FrameMotion | LinkMotion) -> bool:
    """Whether inputs drive the mechanism of a link."""
    if not isinstance(motion, LinkMotion):
        return False
    return _told(tuple(one.motion.profile for one in motion.mechanism.parts.drivers))


def _turns(motion: FrameMotion | LinkMotion, dimension: int, units: int) -> Floats:
    """Return the factors of unit blocks in those that a rotation makes, one a row."""
    if not isinstance(motion, FrameMotion) or not isinstance(motion.rotation, AxisRotation):
        return np.eye(units)
    turn = skew(motion.rotation.axis)
    blocks = np.array([turn, turn @ turn])[:, :dimension, :dimension]
    return block_factors(blocks)


def _is_told(meaning: Vector, system: System, loads: Loads) -> bool:
    """Whether an input makes a load, rotations of frames aside."""
    if meaning.kind == "load":
        load = loads.nodal[meaning.owner]
        motion = system.bodies[load.body].motion
        if load.turning and isinstance(motion, FrameMotion) and _told(motion.rotation.profiles):
            return True
        if load.turning and _is_driven(motion):
            return True
        return _told((load.amplitude,))
    if meaning.kind == "inertia":
        return False
    motion = system.bodies[meaning.owner].motion
    if _is_driven(motion):
        return True
    amplitudes = [load.amplitude for load in loads.mass if load.body == meaning.owner]
    moved = list(motion.profiles) if isinstance(motion, FrameMotion) else []
    return _told((*amplitudes, *moved))


def _told(profiles: tuple[Profile, ...]) -> bool:
    return any(isinstance(one, InputProfile) for one in profiles)
