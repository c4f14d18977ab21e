# SPDX-License-Identifier: BSD-3-Clause
"""From the specifications of the model file to evaluable profiles, fields and motions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.formula.expressions import Expression, parse_expression
from flexforge.runtime.model.base import LARGEST
from flexforge.runtime.model.schema_frame import FrameSpec, OriginSpec
from flexforge.runtime.model.schema_loads import FieldSpec
from flexforge.runtime.model.schema_mechanism import DriverSpec
from flexforge.runtime.model.schema_profile import (
    InputProfileSpec,
    PointsProfileSpec,
    PolynomialProfileSpec,
    ProfileSpec,
    RampProfileSpec,
    TableProfileSpec,
)
from flexforge.runtime.motion.coordinate import Coordinate
from flexforge.runtime.motion.frame import AxisRotation, FrameMotion, Rotation, VectorRotation
from flexforge.runtime.motion.profiles import (
    ExpressionProfile,
    InputProfile,
    PolynomialProfile,
    Profile,
    RampProfile,
    TableProfile,
)
from flexforge.runtime.motion.tables import read_table


def build_profile(spec: ProfileSpec, span: float = 1.0) -> Profile:
    """Return the function of time for a profile of the model file.

    Parameters
    ----------
    spec : number, str or table
        A validated profile.
    span : float
        The time covered by the analysis, s; it only determines the pieces of integrals of formulas.

    Returns
    -------
    Profile
        The function.

    Raises
    ------
    InputError
        If the file of a table is wrong.
    """
    match spec:
        case RampProfileSpec(ramp=ramp):
            return RampProfile(ramp.to, ramp.duration, ramp.begin, ramp.start)
        case PolynomialProfileSpec(polynomial=coefficients):
            return PolynomialProfile(coefficients)
        case PointsProfileSpec(points=points):
            times, values = np.array(points).T
            return TableProfile(times, spec.scale * values, "points", hold=True, smooth=False)
        case TableProfileSpec():
            times, values = read_table(spec.table, spec.column)
            profile = TableProfile(
                times,
                spec.scale * values,
                str(spec.table),
                spec.outside == "hold",
                smooth=spec.between == "spline",
            )
            # A spline overshoots where rows of very different distances meet.
            between = profile.derivative(0.5 * (times[1:] + times[:-1]), 0)
            if not max(np.abs(between).max(), np.abs(spec.scale * values).max()) <= LARGEST:
                raise InputError(
                    f"{spec.table}: found values that scale = {spec.scale:g} and the curve through "
                    f"them make too large; expected at most {LARGEST:g}"
                )
            return profile
        case InputProfileSpec(input=name, start=start):
            return InputProfile(name, start)
        case str():
            return ExpressionProfile(parse_expression(spec), span)
        case _:
            return PolynomialProfile([spec])


def build_field(spec: FieldSpec) -> Expression:
    """Return the function of position ``f(x=, y=, z=)`` for a number or formula."""
    return parse_expression(str(spec), ("x", "y", "z"))


def build_motion(spec: FrameSpec, span: float = 1.0) -> FrameMotion:
    """Return the motion of a frame.

    Parameters
    ----------
    spec : FrameSpec
        A validated frame.
    span : float
        The time covered by the analysis, s; it only determines the pieces of integrals.

    Returns
    -------
    FrameMotion
        The motion.

    Raises
    ------
    InputError
        If the file of a table is wrong.
    """
    rotation = _rotation(spec, span)
    arm = np.array(spec.point)
    if rotation.axis is not None:
        arm -= (rotation.axis @ arm) * rotation.axis
    return FrameMotion(rotation, _origin(spec.origin, span), arm)


def from_standstill(frames: Sequence[FrameSpec | str], span: float) -> list[FrameSpec | str]:
    """Return the frames of a Campbell diagram, in which one at least is to turn.

    Where none does, those with a velocity of zero turn at 1 rad/s, which each of the speeds
    replaces; bodies without a motion stay at rest.

    Parameters
    ----------
    frames : sequence of FrameSpec or str
        Prescribed motions, and names of links.
    span : float
        The time covered by the analysis, s.
    """
    prescribed = [one for one in frames if isinstance(one, FrameSpec)]
    if any(build_motion(one, span).rotates for one in prescribed):
        return list(frames)
    return [
        one.model_copy(update={"velocity": 1.0})
        if isinstance(one, FrameSpec) and one.stands
        else one
        for one in frames
    ]


def build_driver(spec: DriverSpec, span: float = 1.0) -> Coordinate:
    """Return the coordinate that a driver prescribes.

    Parameters
    ----------
    spec : DriverSpec
        A validated driver.
    span : float
        The time covered by the analysis, s.

    Raises
    ------
    InputError
        If the file of a table is wrong.
    """
    profile = build_profile(getattr(spec, spec.given), span or 1.0)
    given = "position" if spec.given == "value" else spec.given
    return Coordinate(profile, given, spec.value0 or 0.0, spec.velocity0 or 0.0)


def _rotation(spec: FrameSpec, span: float) -> Rotation:
    if isinstance(spec.velocity, tuple):
        x, y, z = (build_profile(component, span) for component in spec.velocity)
        if all(profile.is_constant for profile in (x, y, z)):
            return _constant_rotation([float(profile.derivative(0.0, 0)) for profile in (x, y, z)])
        return VectorRotation((x, y, z), span)
    axis = np.array(spec.axis if spec.axis is not None else (0.0, 0.0, 1.0))
    if spec.given is None:
        return AxisRotation(axis, Coordinate(PolynomialProfile([0.0])))
    profile = build_profile(getattr(spec, spec.given), span)
    given = "position" if spec.given == "angle" else spec.given
    return AxisRotation(axis, Coordinate(profile, given, spec.angle0 or 0.0, spec.velocity0 or 0.0))


def _constant_rotation(velocity: list[float]) -> Rotation:
    """Return the closed form for a constant angular velocity, whose axis is fixed in space too."""
    speed = float(np.linalg.norm(velocity))
    axis = np.array(velocity) / speed if speed else np.array([0.0, 0.0, 1.0])
    return AxisRotation(axis, Coordinate(PolynomialProfile([speed]), "velocity"))


def _origin(spec: OriginSpec | None, span: float) -> tuple[Coordinate, Coordinate, Coordinate]:
    if spec is None:
        return FrameMotion().origin
    zero = (0.0, 0.0, 0.0)
    x, y, z = (
        Coordinate(build_profile(component, span), spec.given, position0, velocity0)
        for component, position0, velocity0 in zip(
            getattr(spec, spec.given),
            spec.position0 or zero,
            spec.velocity0 or zero,
            strict=True,
        )
    )
    return x, y, z
