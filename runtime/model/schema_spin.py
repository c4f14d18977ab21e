# SPDX-License-Identifier: BSD-3-Clause
"""Rotation of a body of revolution about its own axis: ``[bodies.spin]``.

It is known, or that of a machine, which turns as a torque makes it.
"""

from __future__ import annotations

from typing import Annotated, Self

from flexforge.runtime.model.angles import OR_RPM, VelocityProfile
from flexforge.runtime.model.base import Name, Number, Vector, problem
from flexforge.runtime.model.schema_frame import ANGULAR, FrameSpec, OfRotation, check_given, unit
from flexforge.runtime.model.schema_profile import PROFILE
from pydantic import AfterValidator, Field, model_validator

#: What has a torque in place of a known motion.
_OF_MACHINES = ("machine", "ratio")


class TurnSpec(OfRotation):
    """A rotation about a known axis: its angle, velocity or acceleration, or its machine."""

    velocity: VelocityProfile | None = Field(
        default=None, description=f"the angular velocity (rad/s), {PROFILE}, {OR_RPM}"
    )

    machine: Name | None = Field(
        default=None,
        description="the name of a machine of this file, whose torque decides how it turns",
    )
    ratio: Number = Field(
        default=1.0,
        description="its angle over that of the machine, a number other than 0, negative where it "
        "turns the other way",
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.machine is None:
            if "ratio" in self.model_fields_set:
                raise problem("found without a machine; expected it with one", "ratio")
            check_given(self, ANGULAR, ("angle0", "velocity0"))
            return self
        for key in (*ANGULAR, "angle0", "velocity0"):
            if getattr(self, key) is not None:
                raise problem("found beside machine, which has it; expected one of them", key)
        if self.ratio == 0.0:
            raise problem("found 0; expected another number", "ratio")
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
        """The frame that turns with the body; with its machine at rest."""
        names = [name for name in type(self).model_fields if name not in _OF_MACHINES]
        found = {name: getattr(self, name) for name in names}
        given = self.model_fields_set.difference(_OF_MACHINES)
        if self.machine is not None:
            found["velocity"], given = 0.0, given | {"velocity"}
        return FrameSpec.model_construct(given, **found)
