# SPDX-License-Identifier: BSD-3-Clause
"""Rotation of a body about its axis of symmetry, in axes that stand still.

The equations know the rotation by its angular velocity w and acceleration e alone; what turns loads
and places from the frame to space is the identity. It is a function of time, or that of a machine,
whose angle is an unknown of the motion.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.motion.frame import FrameMotion, FrameState, FrameTrajectory


@dataclass(frozen=True, slots=True)
class Turn:
    """Angles of machines at one time, (m,) each.

    Attributes
    ----------
    angle, speed, acceleration : ndarray, (m,)
        rad, rad/s and rad/s^2.
    """

    angle: Floats
    speed: Floats
    acceleration: Floats


@dataclass(frozen=True, slots=True)
class SpinMotion(FrameMotion):
    """A rotation of which the axes of coordinates have no part; its attributes are a frame's."""

    #: Whether its axes stand still while the body turns.
    stands: ClassVar[bool] = True

    @classmethod
    def of(cls, motion: FrameMotion) -> SpinMotion:
        """Return the rotation of a frame as one of a body in axes that stand still."""
        return cls(motion.rotation, motion.origin, motion.arm)

    def at(self, t: float) -> FrameState:
        """Return the state at a time (s): w and e of the body, and axes that stand still."""
        # Not super(): a dataclass with slots is another class than the one that it names.
        found = FrameMotion.at(self, t)
        return replace(found, R=np.eye(3), r_O=np.zeros(3))

    def over(self, times: Floats) -> FrameTrajectory:
        """Return the motion at all times (T,), s."""
        found = FrameMotion.over(self, times)
        return replace(found, R=np.broadcast_to(np.eye(3), found.R.shape).copy())

    def poses(self, times: Floats) -> tuple[Floats, Floats]:
        """Return origin (T, 3), m, and rotation (T, 3, 3) of the axes at all times (T,), s."""
        return np.zeros((len(times), 3)), np.tile(np.eye(3), (len(times), 1, 1))

    def keeps(self, vectors: Floats) -> bool:
        """Whether vectors that are fixed in space are fixed in the axes: all are."""
        del vectors
        return True


@dataclass(frozen=True, slots=True)
class MachineSpin(SpinMotion):
    """A rotation that a torque decides: as a function of time it goes on as it begins.

    Attributes
    ----------
    machine : int
        Number of its machine.
    ratio : float
        Its angle over that of the machine.
    """

    machine: int = 0
    ratio: float = 1.0

    @classmethod
    def with_machine(cls, motion: FrameMotion, machine: int, ratio: float) -> MachineSpin:
        """Return the rotation of a frame as one that a machine has."""
        return cls(motion.rotation, motion.origin, motion.arm, machine, ratio)

    @property
    def rotates(self) -> bool:
        """Whether it ever rotates: it does."""
        return True

    @property
    def is_steady(self) -> bool:
        """Whether its speed is constant: nobody knows."""
        return False

    def turned(self, turn: Turn) -> FrameState:
        """Return the state of the body where its machine has turned so."""
        axis = self.rotation.axis
        assert axis is not None
        w = self.ratio * float(turn.speed[self.machine]) * axis
        e = self.ratio * float(turn.acceleration[self.machine]) * axis
        nothing = np.zeros(3)
        if not self.is_beside:
            return FrameState(w, e, nothing, nothing, np.eye(3), nothing)
        moved = np.cross(w, self.arm)
        pull = -np.cross(e, self.arm) - np.cross(w, moved)
        return FrameState(w, e, -moved, pull, np.eye(3), nothing)
