# SPDX-License-Identifier: BSD-3-Clause
"""Rotors that turn as a torque makes them: ``[[machines]]``."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from flexforge.runtime.model.angles import OR_DEGREES, OR_RPM, Angle, AngularVelocity
from flexforge.runtime.model.base import Name, NonNegative, Number, Table, formula_of, toml_type
from pydantic import Discriminator, Field, Tag

#: What a torque may depend on: time (s), angle (rad) and speed (rad/s).
VARIABLES = ("t", "angle", "speed")


def _kind_of_torque(value: object) -> str:
    return "<formula>" if toml_type(value) == "text" else "<number>"


Torque: TypeAlias = Annotated[
    Annotated[Number, Tag("<number>")] | Annotated[str, formula_of(VARIABLES), Tag("<formula>")],
    Discriminator(_kind_of_torque),
]


class MachineSpec(Table):
    """``[[machines]]``: what turns together, with the torque on it."""

    name: Name = Field(description="a name of letters, digits, spaces and _ . + -")
    torque: Torque = Field(
        default=0.0,
        description="the torque (N m), a number or a formula of t, angle and speed such as "
        '"40 - 0.2*speed"',
    )
    inertia: NonNegative = Field(
        default=0.0,
        description="the moment of inertia of what turns with it and is no body, a number >= 0 "
        "(kg m^2)",
    )
    angle0: Angle = Field(
        default=0.0, description=f"the angle at t = 0, a number (rad), {OR_DEGREES}"
    )
    velocity0: AngularVelocity = Field(
        default=0.0, description=f"the angular velocity at t = 0, a number (rad/s), {OR_RPM}"
    )
