# SPDX-License-Identifier: BSD-3-Clause
"""Rotation of a body of revolution about its own axis: ``[bodies.spin]``."""

from __future__ import annotations

from typing import Annotated, Self

from flexforge.runtime.model.angles import OR_RPM, VelocityProfile
from flexforge.runtime.model.base import Vector
from flexforge.runtime.model.schema_frame import ANGULAR, FrameSpec, OfRotation, check_given, unit
from flexforge.runtime.model.schema_profile import PROFILE
from pydantic import AfterValidator, Field, model_validator


class TurnSpec(OfRotation):
    """A rotation about a known axis: its angle, velocity or acceleration."""

    velocity: VelocityProfile | None = Field(
        default=None, description=f"the angular velocity (rad/s), {PROFILE}, {OR_RPM}"
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
