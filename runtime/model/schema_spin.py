# SPDX-License-Identifier: BSD-3-Clause
"""Rotation of a body of revolution about its own axis: ``[bodies.spin]``."""

from __future__ import annotations

from typing import Annotated, Self

from flexforge.runtime.model.angles import (
    OR_DEGREES,
    OR_RPM,
    AccelerationProfile,
    Angle,
    AngleProfile,
    AngularVelocity,
    VelocityProfile,
)
from flexforge.runtime.model.base import Table, Vector
from flexforge.runtime.model.schema_frame import ANGULAR, FrameSpec, check_given, unit
from flexforge.runtime.model.schema_profile import PROFILE
from pydantic import AfterValidator, Field, model_validator


class TurnSpec(Table):
    """A rotation about a known axis: its angle, velocity or acceleration."""

    angle: AngleProfile | None = Field(default=None, description=f"the angle (rad), {PROFILE}")
    velocity: VelocityProfile | None = Field(
        default=None, description=f"the angular velocity (rad/s), {PROFILE}, {OR_RPM}"
    )
    acceleration: AccelerationProfile | None = Field(
        default=None, description=f"the angular acceleration (rad/s^2), {PROFILE}"
    )
    angle0: Angle | None = Field(
        default=None, description=f"the angle at t = 0, a number (rad), {OR_DEGREES}"
    )
    velocity0: AngularVelocity | None = Field(
        default=None, description=f"the angular velocity at t = 0, a number (rad/s), {OR_RPM}"
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_given(self, ANGULAR, ("angle0", "velocity0"))
        return self


class SpinSpec(TurnSpec):
    """``[bodies.spin]``: how a body turns about its axis of symmetry, in axes that do not turn."""

    axis: Annotated[Vector, AfterValidator(unit)] = Field(
        default=(0.0, 0.0, 1.0), description="the axis of symmetry, a unit vector [x, y, z]"
    )
    point: Vector = Field(
        default=(0.0, 0.0, 0.0),
        description="a point on the axis, three numbers [x, y, z] in coordinates of the mesh (m)",
    )

    @property
    def as_frame(self) -> FrameSpec:
        """The frame that turns with the body."""
        return FrameSpec.model_construct(
            self.model_fields_set, **{name: getattr(self, name) for name in type(self).model_fields}
        )
