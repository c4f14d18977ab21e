# SPDX-License-Identifier: BSD-3-Clause
"""Actuators and velocity constraints: ``[[actuators]]`` and ``[[constraints]]``."""

from __future__ import annotations

from typing import Annotated, Literal

from flexforge.codegen.errors import InputError
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.formula.functions import CONSTANTS, FUNCTIONS
from flexforge.runtime.model.angles import OR_DEGREES, Angle
from flexforge.runtime.model.base import (
    GroupName,
    Name,
    NonNegative,
    Number,
    Table,
    Text,
    problem,
)
from flexforge.runtime.model.schema_lumped import NAME
from flexforge.runtime.model.schema_mechanism import OfCoordinate
from flexforge.runtime.model.schema_profile import PROFILE, ProfileSpec
from pydantic import AfterValidator, Field, model_validator

#: Variables of the law of an actuator.
LAW = ("t", "x", "x_dot")


def _variable(name: str) -> str:
    """Return a name that formulas may have for a variable."""
    if not name.isidentifier() or name in LAW or name in FUNCTIONS or name in CONSTANTS:
        raise problem(
            f"found '{name}'; expected a name of letters, digits and _ that is neither one of "
            f"{', '.join(LAW)} nor a function or constant"
        )
    return name


FormulaName = Annotated[str, AfterValidator(_variable)]


class ActuatorSpec(OfCoordinate):
    """``[[actuators]]``: a spring, a damper or a given force on a free coordinate of a joint."""

    orders = {"rest": 0}

    name: Name = Field(description=NAME)
    stiffness: NonNegative = Field(
        default=0.0, description="the stiffness, a number >= 0 (N/m or N m)"
    )
    damping: NonNegative = Field(
        default=0.0, description="the damping, a number >= 0 (N s/m or N m s)"
    )
    rest: Angle = Field(
        default=0.0,
        description="the coordinate at which the spring is relaxed, a number (rad or m), "
        f"{OR_DEGREES}",
    )
    force: ProfileSpec = Field(
        default=0.0, description=f"the force (N) or torque (N m) along the coordinate, {PROFILE}"
    )

    law: Text | None = Field(
        default=None,
        description="a further force or torque, a formula of t, the coordinate x (m or rad) and "
        "its rate x_dot",
    )
    inputs: dict[FormulaName, Number] = Field(
        default_factory=dict,
        description="names that the law knows besides, with their values at the start: inputs of "
        "an exported solver",
    )

    @model_validator(mode="after")
    def _something(self) -> ActuatorSpec:
        if not self.stiffness and not self.damping and self.force == 0.0 and self.law is None:
            raise problem("found neither stiffness, damping, force nor law; expected one of them")
        if self.inputs and self.law is None:
            raise problem("found inputs without a law; expected a law that names them", "inputs")
        if self.law is not None:
            try:
                parse_expression(self.law, (*LAW, *self.inputs))
            except InputError as error:
                raise problem(str(error), "law") from None
        return self


class PlaceSpec(Table):
    """``NAME = {...}``: a displacement or rotation of a node in the equation of a constraint."""

    group: GroupName = Field(description="the name of a group of one node")
    component: Literal["x", "y", "z", "rx", "ry", "rz"] = Field(
        description='"x", "y" or "z" of its displacement, "rx", "ry" or "rz" of its rotation'
    )
    body: Name | None = Field(default=None, description="the name of a body of this file")


class ConstraintSpec(Table):
    """``[[constraints]]``: an equation, linear in velocities, that holds during the motion."""

    name: Name = Field(description=NAME)
    equation: Text = Field(
        description="a formula that is zero, of t, the coordinates and their velocities NAME_dot"
    )
    coordinates: dict[Name, PlaceSpec] = Field(
        description="a table of tables NAME = {group, component}"
    )

    @property
    def variables(self) -> tuple[str, ...]:
        """Names that may occur in the equation."""
        names = tuple(self.coordinates)
        return ("t", *names, *(f"{name}_dot" for name in names))

    @model_validator(mode="after")
    def _readable(self) -> ConstraintSpec:
        if not self.coordinates:
            raise problem("found an empty table; expected coordinates", "coordinates")
        for name in self.coordinates:
            if name in ("t", *CONSTANTS, *FUNCTIONS) or name.endswith("_dot"):
                raise problem("found a reserved name; expected another", "coordinates", name)
            if not name.isidentifier():
                raise problem(
                    "expected a name of letters, digits and _ for a formula", "coordinates", name
                )
        try:
            parse_expression(self.equation, self.variables)
        except InputError as error:
            raise problem(str(error), "equation") from None
        return self
