# SPDX-License-Identifier: BSD-3-Clause
"""Motions of frames and prescribed coordinates as tables of ``ff_model.h``."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.motion.coordinate import LEVELS, Coordinate
from flexforge.runtime.motion.frame import FrameMotion
from flexforge.runtime.motion.profiles import PolynomialProfile, Profile
from flexforge.runtime.native.inputs import Functions
from flexforge.runtime.tables import structs

#: Units of a coordinate that is a length or an angle, and of its rates.
LINEAR, ANGULAR = ("m", "m/s", "m/s^2"), ("rad", "rad/s", "rad/s^2")
_NONE = structs.Coordinate()


class Motions:
    """The motions of frames of a model, each of them once.

    Parameters
    ----------
    functions : Functions
        Where functions of time are collected.
    velocities : bool
        Whether velocities of origins are asked for, as momenta do, and not their accelerations
        alone.

    Attributes
    ----------
    knots : int
        Numbers of threes that integrals take in the state.
    """

    def __init__(self, functions: Functions, *, velocities: bool = False) -> None:
        self.functions, self.knots, self._velocities = functions, 0, velocities
        self._known: dict[tuple[int, bool], int] = {}
        self._motions: list[structs.Motion] = []
        self._kept: list[FrameMotion] = []  # those that are known by their identity

    @property
    def tables(self) -> tuple[structs.Motion, ...]:
        """The motions."""
        return tuple(self._motions)

    def add(self, motion: FrameMotion, *, turned: bool) -> int:
        """Return the number of a motion.

        Parameters
        ----------
        motion : FrameMotion
            The motion.
        turned : bool
            Whether something is turned from global axes to those of the frame.
        """
        key = (id(motion), turned)
        if key not in self._known:
            self._known[key] = len(self._motions)
            self._motions.append(self._table(motion, turned=turned))
            self._kept.append(motion)
        return self._known[key]

    def _table(self, motion: FrameMotion, *, turned: bool) -> structs.Motion:
        moves = [
            not one.velocity_is_constant or (self._velocities and one.at(0.0)[1] != 0.0)
            for one in motion.origin
        ]
        asked = 1 if self._velocities else 2
        turned = turned or any(moves)
        rotation = motion.rotation
        about_axis = rotation.axis is not None
        x, y, z = (0.0, 0.0, 0.0) if rotation.axis is None else rotation.axis.tolist()
        if rotation.angle is not None:
            turns = (self.coordinate(rotation.angle, 0 if turned else 1, ANGULAR), _NONE, _NONE)
        else:
            first, second, third = rotation.profiles
            breaks = sorted({point for one in rotation.profiles for point in one.breaks})
            turns = (
                self._velocity(first, breaks, integrated=turned),
                self._velocity(second),
                self._velocity(third),
            )
        still = Coordinate(PolynomialProfile([0.0]))
        one, two, three = (
            self.coordinate(each if moving else still, asked, LINEAR) if any(moves) else _NONE
            for each, moving in zip(motion.origin, moves, strict=True)
        )
        arm = (float(motion.arm[0]), float(motion.arm[1]), float(motion.arm[2]))
        return structs.Motion(
            about_axis, (x, y, z), turns, (one, two, three), any(moves), motion.is_beside, arm
        )

    def _velocity(
        self, profile: Profile, breaks: list[float] | None = None, *, integrated: bool = False
    ) -> structs.Coordinate:
        """Return an angular velocity; the first one has the quaternion: five numbers."""
        return structs.Coordinate(
            self.functions.add(profile, ANGULAR[1], 1),
            knot=self._knots(2) if integrated else -1,
            chunk=profile.chunk,
            kink=np.array(breaks or []),
        )

    def coordinate(
        self, one: Coordinate, wanted: int, units: tuple[str, str, str]
    ) -> structs.Coordinate:
        """Return the table of a coordinate of which a level and its derivatives are asked.

        Parameters
        ----------
        one : Coordinate
            The coordinate.
        wanted : int
            The level: 0 the position, 1 the velocity, 2 the acceleration.
        units : tuple of str
            Of these.

        Raises
        ------
        InputError
            When an input of it is known otherwise.
        """
        given, profile = LEVELS[one.given], one.profile
        function = self.functions.add(profile, units[given], 2 - given, one.motion)
        if one.motion is not None:
            return structs.Coordinate(function)
        return structs.Coordinate(
            function,
            given,
            self._knots(1) if given > wanted else -1,
            one.position0,
            one.velocity0,
            profile.chunk,
            np.array(profile.breaks),
        )

    def _knots(self, count: int) -> int:
        self.knots += count
        return self.knots - count
