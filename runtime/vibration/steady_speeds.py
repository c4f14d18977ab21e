# SPDX-License-Identifier: BSD-3-Clause
"""Frames in steady rotation, and the same frames at another speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.motion import LinkMotion
from flexforge.runtime.motion.coordinate import Coordinate
from flexforge.runtime.motion.frame import AxisRotation, FrameMotion
from flexforge.runtime.motion.profiles import PolynomialProfile
from flexforge.runtime.system.system import System


def at_speed(
    motion: FrameMotion | LinkMotion, axis: Floats | None, speed: float
) -> FrameMotion | LinkMotion:
    """Return a motion with rotation about an axis at a speed, rad/s; unchanged without an axis.

    The speed is multiplied by the length of the axis.
    """
    if axis is None or motion.link is not None:
        return motion
    angle = Coordinate(PolynomialProfile([speed * float(np.linalg.norm(axis))]), "velocity")
    return replace(motion, rotation=AxisRotation(axis, angle))


def turned(system: System, axes: Sequence[Floats | None], speed: float) -> System:
    """Return the bodies with frames that rotate about their axes at a speed, rad/s."""
    each = enumerate(zip(system.bodies, axes, strict=True))
    return system.with_bodies(
        {n: body.moving(at_speed(body.motion, axis, speed)) for n, (body, axis) in each}
    )


def is_plain(system: System) -> bool:
    """Whether its unknowns are real displacements of one process."""
    linked = any(body.motion.link is not None for body in system.bodies)
    return system.ranks.count == 1 and not system.map.is_complex and not linked


def turning_axes(system: System) -> list[Floats | None]:
    """Return the axis of every body whose frame rotates steadily, None for those at rest.

    Its length is the speed relative to that of the first one: bodies that spin in axes that stand
    still may have different speeds, of which the ratios stay.

    Raises
    ------
    InputError
        When none rotates, one does not rotate steadily, or frames that turn have different speeds.
    """
    expected = "expected a steady rotation, such as frame = { velocity = 1.0 }"
    axes: list[Floats | None] = []
    speeds: dict[str, float] = {}
    turning = [body for body in system.bodies if body.motion.rotates]
    standing = [body.name for body in turning if body.motion.stands]
    others = [body.name for body in turning if not body.motion.stands]
    if standing and others:
        raise InputError(
            f"speeds: found the frame of body '{others[0]}' that turns beside the spin of body "
            f"'{standing[0]}', of which frequencies are seen from elsewhere; expected one of them"
        )
    for body in system.bodies:
        motion = body.motion
        if not motion.rotates:
            axes.append(None)
            continue
        axis = motion.rotation.axis
        if axis is None or not motion.is_steady:
            raise InputError(
                f"speeds: the frame of body '{body.name}' rotates at a varying speed; {expected}"
            )
        speed = float(axis @ motion.at(0.0).w)
        speeds[body.name] = abs(speed)
        axes.append(axis * np.sign(speed))
    if not speeds:
        raise InputError(f"speeds: no body frame rotates; {expected}")
    if standing:
        first = next(iter(speeds.values()))
        lengths = [speeds.get(body.name, 0.0) / first for body in system.bodies]
        return [
            axis if axis is None or abs(length - 1.0) <= 1e-12 else length * axis
            for axis, length in zip(axes, lengths, strict=True)
        ]
    if max(speeds.values()) > min(speeds.values()) * (1.0 + 1e-12):
        found = ", ".join(f"'{name}' at {speed:g}" for name, speed in speeds.items())
        raise InputError(f"speeds: found the frame speeds {found} rad/s; expected one speed")
    return axes


def own_speed(system: System) -> float:
    """Return the speed of the first body that turns, rad/s."""
    turning = (body.motion for body in system.bodies if body.motion.rotates)
    return next(float(np.linalg.norm(motion.at(0.0).w)) for motion in turning)
