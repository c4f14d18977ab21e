# SPDX-License-Identifier: BSD-3-Clause
"""Motions of frames as constants of ``ff_model.h``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flexforge.codegen.errors import InputError
from flexforge.runtime._functions import CHUNKS
from flexforge.runtime.export.functions import Functions
from flexforge.runtime.export.identifiers import c_number
from flexforge.runtime.motion.coordinate import LEVELS, Coordinate
from flexforge.runtime.motion.frame import AxisRotation, FrameMotion, VectorRotation
from flexforge.runtime.motion.profiles import PolynomialProfile, Profile


@dataclass(slots=True)
class Motions:
    """The motions of the frames of a solver.

    Parameters
    ----------
    functions : Functions
        Where functions of time are written.
    span : float
        The time the analysis covers, s.

    Attributes
    ----------
    texts : list of str
        Initializers of ``ff_motion``.
    kinks : list of tuple of float
        Times at which coordinates are not smooth: the arrays ``kink_i``.
    knots : int
        Coordinates that are integrated for.
    """

    functions: Functions
    span: float
    texts: list[str]
    kinks: list[tuple[float, ...]]
    knots: int = 0

    def add(self, motion: FrameMotion, body: str, *, turned: bool) -> int:
        """Return the number of a motion.

        Parameters
        ----------
        motion : FrameMotion
            The motion.
        body : str
            Name of its body, for errors.
        turned : bool
            Whether something is turned from global axes to those of the frame.

        Raises
        ------
        InputError
            When it cannot be exported.
        """
        moves = [not one.velocity_is_constant for one in motion.origin]
        turned = turned or any(moves)
        rotation = motion.rotation
        if isinstance(rotation, AxisRotation):
            axis, fixed = tuple(rotation.axis), 1
            turns = [self.coordinate(rotation.angle, 0 if turned else 1, ANGULAR)]
            turns += [_NONE] * 2
        elif isinstance(rotation, VectorRotation):
            axis, fixed = (0.0, 0.0, 0.0), 0
            first, *others = rotation.velocity
            breaks = sorted({point for one in rotation.velocity for point in one.breaks})
            turns = [self._velocity(first, tuple(breaks), integrated=turned)]
            turns += [self._velocity(one) for one in others]
        else:
            raise InputError(f"body '{body}': found a frame whose motion is not exported")
        origin = [
            self.coordinate(one, 2, LINEAR) if moving else _NONE
            for one, moving in zip(motion.origin, moves, strict=True)
        ]
        if any(moves) and not all(moves):  # those at rest are asked as well
            rest = self.coordinate(Coordinate(PolynomialProfile([0.0])), 2, LINEAR)
            origin = [rest if one == _NONE else one for one in origin]
        text = (
            f"{{{fixed}, {{{', '.join(map(c_number, axis))}}},\n     {{{_list(turns)}}},\n"
            f"     {{{_list(origin)}}}, {int(any(moves))}}}"
        )
        if text not in self.texts:
            self.texts.append(text)
        return self.texts.index(text)

    def _velocity(
        self, profile: Profile, breaks: tuple[float, ...] = (), *, integrated: bool = False
    ) -> str:
        """Return the initializer of an angular velocity; the first one has the quaternion."""
        name = self.functions.add(profile, ANGULAR[1], 1)
        knot = -1
        if integrated:
            knot = self.knots
            self.knots += 2  # for five numbers
        return f"{{.function = {name}, .knot = {knot}, {self._pieces(breaks)}}}"

    def coordinate(self, one: Coordinate, wanted: int, units: tuple[str, str, str]) -> str:
        """Return the initializer of a coordinate of which a level and its derivatives are asked.

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
        name = self.functions.add(profile, units[given], 2 - given, one.motion)
        if one.motion is not None:
            return f"{{.function = {name}, .knot = -1}}"
        knot = -1
        if given > wanted:
            knot = self.knots
            self.knots += 1
        start = f".position = {c_number(one.position0)}, .velocity = {c_number(one.velocity0)}"
        return (
            f"{{.function = {name}, .given = {given}, .knot = {knot}, {start}, "
            f"{self._pieces(profile.breaks)}}}"
        )

    def _pieces(self, breaks: tuple[float, ...]) -> str:
        """Return what the pieces of an integral are: the longest, s, and where they end."""
        chunk = f".chunk = {c_number((self.span or 1.0) / CHUNKS)}"
        if not breaks:
            return chunk
        if breaks not in self.kinks:
            self.kinks.append(breaks)
        kink = f"ff_my_kink_{self.kinks.index(breaks)}"
        return f"{chunk}, .kinks = {len(breaks)}, .kink = {kink}"


#: Units of a coordinate that is a length or an angle, and of its rates.
LINEAR, ANGULAR = ("m", "m/s", "m/s^2"), ("rad", "rad/s", "rad/s^2")
_NONE = "{.knot = -1}"


def _list(items: Sequence[str]) -> str:
    return ",\n      ".join(items)
