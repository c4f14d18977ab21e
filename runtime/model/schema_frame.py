# SPDX-License-Identifier: BSD-3-Clause
"""Prescribed motion of a body's frame: ``[bodies.frame]``."""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeAlias

from flexforge.runtime.model.angles import (
    OR_DEGREES,
    OR_RPM,
    AccelerationProfile,
    Angle,
    AngleProfile,
    AngularVelocity,
    VelocityProfile,
    VelocityVector,
)
from flexforge.runtime.model.base import Name, Table, Vector, is_list, problem, toml_type
from flexforge.runtime.model.schema_profile import PROFILE, ProfileVector
from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

_LINEAR = ("position", "velocity", "acceleration")
#: What a rotation may be given by, from the angle on.
ANGULAR = ("angle", "velocity", "acceleration")


class OriginSpec(Table):
    """``origin = {...}``: prescribed motion of the frame's origin, global components."""

    position: ProfileVector | None = Field(
        default=None, description=f"three profiles [x, y, z] (m), each {PROFILE}"
    )
    velocity: ProfileVector | None = Field(
        default=None, description=f"three profiles [x, y, z] (m/s), each {PROFILE}"
    )
    acceleration: ProfileVector | None = Field(
        default=None, description=f"three profiles [x, y, z] (m/s^2), each {PROFILE}"
    )
    position0: Vector | None = Field(
        default=None, description="the position at t = 0, three numbers [x, y, z] (m)"
    )
    velocity0: Vector | None = Field(
        default=None, description="the velocity at t = 0, three numbers [x, y, z] (m/s)"
    )

    @property
    def given(self) -> str:
        """The given one of position, velocity and acceleration."""
        return next(key for key in _LINEAR if getattr(self, key) is not None)

    @model_validator(mode="after")
    def _one_given(self) -> OriginSpec:
        check_given(self, _LINEAR, ("position0", "velocity0"))
        return self


_NEAR_UNIT = 0.01  # difference from length 1 of a unit vector given to two or three digits


def unit(axis: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return a unit vector of one given to a few digits; a longer one may be meant otherwise."""
    length = math.hypot(*axis)
    if length == 0.0:
        raise problem("found an axis of length 0; expected a unit vector such as [0, 0, 1]")
    x, y, z = (component / length for component in axis)
    if abs(length - 1.0) > _NEAR_UNIT:
        raise problem(
            f"found an axis of length {length:.6g}; expected a unit vector, here "
            f"[{x:.16g}, {y:.16g}, {z:.16g}]"
        )
    return x, y, z


def _kind_of_velocity(value: Any) -> str:
    return "<vector>" if is_list(value) else "<scalar>"


class FreeSpec(Table):
    """``[bodies.frame.free]``: a motion that is not prescribed; how it begins."""

    position: Vector = Field(
        default=(0.0, 0.0, 0.0),
        description="where the origin of the mesh is at t = 0, three numbers [x, y, z] (m)",
    )
    axis: Annotated[Vector, AfterValidator(unit)] = Field(
        default=(0.0, 0.0, 1.0),
        description="the axis about which the body is turned at t = 0, a unit vector [x, y, z]",
    )
    angle: Angle = Field(
        default=0.0, description=f"the angle by which it is turned (rad), {OR_DEGREES}"
    )
    velocity: Vector = Field(
        default=(0.0, 0.0, 0.0),
        description="the velocity of the origin of the mesh at t = 0, three numbers [x, y, z] "
        "along fixed axes (m/s)",
    )
    angular_velocity: Vector = Field(
        default=(0.0, 0.0, 0.0),
        description="the angular velocity at t = 0, three numbers [x, y, z] along fixed axes "
        "(rad/s)",
    )


class OfRotation(Table):
    """What a rotation about a known axis is given by, but for the velocity."""

    angle: AngleProfile | None = Field(default=None, description=f"the angle (rad), {PROFILE}")
    acceleration: AccelerationProfile | None = Field(
        default=None, description=f"the angular acceleration (rad/s^2), {PROFILE}"
    )
    angle0: Angle | None = Field(
        default=None, description=f"the angle at t = 0, a number (rad), {OR_DEGREES}"
    )
    velocity0: AngularVelocity | None = Field(
        default=None, description=f"the angular velocity at t = 0, a number (rad/s), {OR_RPM}"
    )


class FrameSpec(OfRotation):
    """``[bodies.frame]``: motion of the frame in which a body is described."""

    axis: Annotated[Vector, AfterValidator(unit)] | None = Field(
        default=None, description="the axis of rotation, a unit vector [x, y, z]"
    )
    point: Vector = Field(
        default=(0.0, 0.0, 0.0),
        description="a point on the axis, three numbers [x, y, z] in coordinates of the mesh (m)",
    )
    velocity: (
        Annotated[
            Annotated[VelocityProfile, Tag("<scalar>")]
            | Annotated[VelocityVector, Tag("<vector>")],
            Discriminator(_kind_of_velocity),
        ]
        | None
    ) = Field(
        default=None,
        description=f"the angular velocity (rad/s), {PROFILE}, {OR_RPM}; or a list of three such "
        "profiles, components in the body frame",
    )
    origin: OriginSpec | None = Field(
        default=None, description="a table with one of position, velocity, acceleration"
    )

    free: FreeSpec | None = Field(
        default=None,
        description='a table with what a free motion begins with, for which frame = "free" is '
        "short where the body begins at rest",
    )

    @property
    def given(self) -> str | None:
        """The given one of angle, velocity and acceleration, or None."""
        return next((key for key in ANGULAR if getattr(self, key) is not None), None)

    @property
    def stands(self) -> bool:
        """Whether it has an axis, and a velocity of zero about it."""
        return not self.is_vector and self.velocity == 0.0

    @property
    def is_vector(self) -> bool:
        """Whether the angular velocity is given by its three body components."""
        return is_list(self.velocity)

    @model_validator(mode="before")
    @classmethod
    def _named(cls, data: Any) -> Any:
        return {"free": {}} if data == "free" else data

    @model_validator(mode="after")
    def _consistent(self) -> FrameSpec:
        others = [key for key in self.model_fields_set if key != "free"]
        if self.free is not None and others:
            raise problem(
                f"found {', '.join(sorted(others))} beside a free motion; expected none", "free"
            )
        if self.given is not None or self.axis is not None:
            check_given(self, ANGULAR, ("angle0", "velocity0"))
        elif self.angle0 is not None or self.velocity0 is not None:
            raise problem("found only an initial value; expected velocity or acceleration with it")
        if self.is_vector and (self.axis, self.angle0) != (None, None):
            raise problem(
                "found axis or angle0 beside the three components of velocity; expected neither"
            )
        if any(self.point) and (self.is_vector or self.given is None):
            raise problem(
                "found a point without a rotation about a fixed axis through it; expected one",
                "point",
            )
        return self


def check_given(table: Table, keys: tuple[str, ...], initial: tuple[str, str]) -> None:
    """Check: one of position (angle), velocity, acceleration; initial values only for integrals."""
    found = [key for key in keys if getattr(table, key) is not None]
    if len(found) != 1:
        raise problem(f"found {' and '.join(found) or 'none'} of {', '.join(keys)}; expected one")
    for level, key in enumerate(initial):
        if getattr(table, key) is not None and keys.index(found[0]) <= level:
            raise problem(f"found beside {found[0]}, which already fixes it; expected one", key)


#: The frame whose motion is not prescribed.
FREE = "free"


def is_free(frame: FrameSpec | str) -> bool:
    """Whether the motion of a frame is not prescribed."""
    return isinstance(frame, FrameSpec) and frame.free is not None


def _kind_of_frame(value: Any) -> str:
    return "<link>" if toml_type(value) == "text" and value != FREE else "<table>"


Frame: TypeAlias = Annotated[
    Annotated[FrameSpec, Tag("<table>")] | Annotated[Name, Tag("<link>")],
    Discriminator(_kind_of_frame),
]
"""A prescribed motion, a free one, or the name of a link that moves the frame."""
FRAME = 'a table with the motion of the frame, "free", or the name of a link'
