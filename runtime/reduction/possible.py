# SPDX-License-Identifier: BSD-3-Clause
"""Loads that may occur: only their shapes matter, not their times and sizes.

No load is therefore missed because it is short, or zero at the sampled times. The loads by
prescribed frames follow from their functions of time; those by links are sampled at times of the
run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.motion import LinkMotion
from flexforge.runtime.model.schema_loads import IncludeSpec
from flexforge.runtime.motion.frame import FrameMotion, FrameTrajectory, Rotation
from flexforge.runtime.motion.profiles import Profile
from flexforge.runtime.native.forces import INERTIA, NODAL, TRANSLATION, Forces
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.frames import Blocks, block_factors
from flexforge.runtime.system.inertia import prestress_patterns, skew
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.prescribed import Prescribed
from flexforge.runtime.system.system import System
from flexforge.runtime.tables.layout import Code

#: Fraction of the largest load of a kind below which a load is round-off.
_NONE = 1e-10


def possible_loads(
    system: System,
    loads: Loads,
    forces: Forces,
    frames: Sequence[FrameTrajectory],
    blocks: Sequence[Blocks],
) -> Floats:
    """Return the loads that may act on a system, each normalized to 1, (k, n).

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    forces : Forces
        Their constant vectors.
    frames : sequence of FrameTrajectory
        Motion of the frame of every body at sampled times of the run.
    blocks : sequence of Blocks
        The inertia blocks of this motion.
    """
    found = [np.zeros((0, forces.vectors.shape[1]))]
    d = system.dimension
    for number, body in enumerate(system.bodies):
        turns = _turns(body.motion, frames[number])
        along = _vectors(forces, TRANSLATION, number)
        if body.motion.link is None:
            turned = _frame_blocks(body.motion.rotation, system.include)[:, :d, :d]
            vectors = _vectors(forces, INERTIA, number)
            found.append(_sized(block_factors(turned)[:, : len(vectors)] @ vectors))
            pulls = _pulls(body.motion, system.include)
        else:
            course = frames[number]
            found.append(
                _of_link(body.motion, forces, number, course, blocks[number], system.include)
            )
            pulls = []
        acting = [one for one in loads.mass if one.body == number]
        pulls += [(one.acceleration, one.turning) for one in acting if not _is_never(one.amplitude)]
        for acceleration, turning in pulls:
            pull = np.zeros(3)
            pull[: len(acceleration)] = acceleration
            found.append(_sized((pull @ turns if turning else pull[None])[:, :d] @ along))
        for owner, load in enumerate(loads.nodal):
            if load.body == number and not _is_never(load.amplitude):
                components = turns[:, :d, :d].reshape(-1, d * d) if load.turning else np.eye(1)
                found.append(_sized(components @ _vectors(forces, NODAL, owner)))
    if loads.given is not None:
        found.extend(map(_sized, _pulls_of_supports(system, loads.given)))
    return np.vstack(found)


def _pulls_of_supports(system: System, given: Prescribed) -> Iterator[Floats]:
    """Yield the forces of moving supports, by stiffness and by mass, (g, n) each."""
    zero, none = np.zeros((system.dimension,) * 2), np.zeros(0)
    for stiffness, inertia in ((1.0, zero), (0.0, np.eye(system.dimension))):
        combined = [Combination(stiffness, inertia, none)] * len(system.bodies)
        yield np.array([system.restrict(system.apply(combined, one)) for one in given.units])


def _pulls(motion: FrameMotion, include: IncludeSpec) -> list[tuple[Floats, bool]]:
    """Return the accelerations of the origin of a prescribed frame, in the form of gravity."""
    moved = [not one.velocity_is_constant for one in motion.origin]
    found = [(axis, True) for axis in np.eye(3)[moved]]
    if motion.is_beside:  # towards the axis, and around it
        assert motion.rotation.axis is not None
        found += [(motion.arm, False), (np.cross(motion.rotation.axis, motion.arm), False)]
    return found if include.origin_load else []


def _of_link(
    motion: LinkMotion,
    forces: Forces,
    number: int,
    frame: FrameTrajectory,
    blocks: Blocks,
    include: IncludeSpec,
) -> Floats:
    """Return the loads by the motion of a link; where inputs drive it, all possible ones."""
    along = _vectors(forces, TRANSLATION, number)
    vectors = np.vstack([_vectors(forces, INERTIA, number), along])
    if _is_driven(motion):
        return _sized(vectors)
    accelerations = include.origin_load * frame.a_O[:, : len(along)]
    # For a link at rest, accelerations below this fraction of 1 m/s^2 are round-off.
    least = _NONE * float(np.linalg.norm(along, axis=1).max(initial=0.0))
    factors = block_factors(blocks.load)[:, : len(vectors) - len(along)]
    return _sized(np.hstack([factors, accelerations]) @ vectors, least)


def _turns(motion: FrameMotion | LinkMotion, course: FrameTrajectory) -> Floats:
    """Return matrices that span the rotations of a frame, (m, 3, 3)."""
    if motion.link is None:
        rotation = motion.rotation
        if not rotation.rotates:
            return rotation.at(0.0)[0][None]
        if rotation.axis is not None:
            turn = skew(rotation.axis)
            return np.array([np.eye(3), turn, turn @ turn])
    elif not _is_driven(motion):
        _, sizes, directions = np.linalg.svd(course.R.reshape(-1, 9), full_matrices=False)
        return np.asarray(directions[sizes > _NONE * sizes[0]].reshape(-1, 3, 3))
    return np.eye(9).reshape(9, 3, 3)


def _frame_blocks(rotation: Rotation, include: IncludeSpec) -> Floats:
    """Return the blocks that load a body in a prescribed frame, (m, 3, 3)."""
    if rotation.axis is not None:
        axes = rotation.axis[None]
        changing = [not rotation.is_steady]
        patterns = prestress_patterns(rotation.axis)
    else:
        axes = np.eye(3)
        changing = [not one.is_constant for one in rotation.profiles]
        active = [not _is_never(one) for one in rotation.profiles]
        pairs = [active[i] and active[j] for i in range(3) for j in range(i, 3)]
        patterns = prestress_patterns(None)[pairs]
    euler = [skew(axis) for axis, one in zip(axes, changing, strict=True) if one]
    found = [include.euler_load * one for one in euler if rotation.rotates]
    found += [include.centrifugal_load * one for one in patterns if rotation.rotates]
    return np.array(found).reshape(-1, 3, 3)


def _is_driven(motion: LinkMotion) -> bool:
    """Whether inputs drive the mechanism of a link, or its motion is still to be found."""
    if motion.mechanism.is_found:
        return True
    drivers = motion.mechanism.parts.drivers
    return any(one.motion.profile.inputs for one in drivers)


def _is_never(amplitude: Profile) -> bool:
    """Whether a function of time is zero."""
    return amplitude.is_constant and float(amplitude.derivative(0.0, 0)) == 0.0


def _vectors(forces: Forces, kind: Code, owner: int) -> Floats:
    """Return the constant vectors of a body, or of a nodal load."""
    chosen = [(one.kind, one.owner) == (kind, owner) for one in forces.meaning]
    return forces.vectors[chosen]


def _sized(loads: Floats, least: float = 0.0) -> Floats:
    """Return loads of one kind (k, n), scaled to a largest of 1, without zero loads."""
    sizes = np.linalg.norm(loads, axis=1)
    largest = float(sizes.max(initial=0.0))
    return np.asarray(loads[sizes > max(_NONE * largest, least)] / (largest or 1.0))
