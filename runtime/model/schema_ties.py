# SPDX-License-Identifier: BSD-3-Clause
"""What acts on joints: ``[[actuators]]``, ``[[controllers]]`` and ``[[constraints]]``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Literal

from flexforge.codegen.errors import InputError
from flexforge.codegen.forces.declaration import VARIABLES
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
from flexforge.runtime.model.schema_mechanism import COORDINATE, CoordinateName, OfCoordinate
from flexforge.runtime.model.schema_profile import PROFILE, ProfileSpec
from pydantic import AfterValidator, Field, model_validator

#: Variables of the law of an actuator, and the ending of the name of a rate.
LAW = ("t", "x", "x_dot")
DOT = "_dot"


def _variable(name: str) -> str:
    """Return a name that formulas may have for a variable."""
    reserved = name == "t" or name in FUNCTIONS or name in CONSTANTS or name.endswith(DOT)
    if reserved or not name.isidentifier():
        raise problem(
            f"found '{name}'; expected a name of letters, digits and _ that is neither t nor a "
            f"function or constant, and does not end with {DOT}"
        )
    return name


FormulaName = Annotated[str, AfterValidator(_variable)]


def with_rates(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of coordinates, each with that of its rate."""
    return tuple(both for name in names for both in (name, name + DOT))


class VariableSpec(Table):
    """``NAME = {...}``: a coordinate of a joint in a formula, or what a force knows of a motion."""

    joint: Name | None = Field(default=None, description="the name of a joint")
    coordinate: CoordinateName | None = Field(default=None, description=COORDINATE)
    force: Name | None = Field(
        default=None, description="the name of a force between two links, instead of a joint"
    )

    def names(self, name: str) -> tuple[str, ...]:
        """Return the names that a formula has for it, given its own."""
        if self.force is None:
            return with_rates([name])
        return tuple(f"{name}_{variable}" for variable in VARIABLES)

    @model_validator(mode="after")
    def _one(self) -> VariableSpec:
        if (self.joint is None) == (self.force is None):
            found = "neither joint nor force" if self.joint is None else "both joint and force"
            raise problem(f"found {found}; expected one of them")
        if self.force is not None and self.coordinate is not None:
            raise problem("found beside force; expected it of a joint", "coordinate")
        return self


Variables = Annotated[
    dict[FormulaName, VariableSpec],
    Field(description="coordinates of joints that the formula knows as NAME and NAME_dot, a table "
          "of tables NAME = {joint, coordinate}; or what forces know, as NAME_x, NAME_x_dot and so "
          "on: NAME = {force}"),
]  # fmt: skip


def _known(coordinates: Mapping[str, VariableSpec]) -> tuple[str, ...]:
    return tuple(one for name, spec in coordinates.items() for one in spec.names(name))


Inputs = Annotated[
    dict[FormulaName, Number],
    Field(description="further names that the formula knows, with their values at the start: "
          "inputs of an exported solver"),
]  # fmt: skip


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
    coordinates: Variables = {}
    inputs: Inputs = {}

    def variables(self, controllers: Sequence[str]) -> tuple[str, ...]:
        """Return the names that the law may have, given those of controllers."""
        return (*LAW, *_known(self.coordinates), *self.inputs, *controllers)

    @model_validator(mode="after")
    def _something(self) -> ActuatorSpec:
        if not self.stiffness and not self.damping and self.force == 0.0 and self.law is None:
            raise problem("found neither stiffness, damping, force nor law; expected one of them")
        for key in ("inputs", "coordinates"):
            if getattr(self, key) and self.law is None:
                raise problem(f"found {key} without a law; expected a law that names them", key)
        return self


class ControllerSpec(Table):
    """``[[controllers]]``: a state of first order, whose rate is a formula."""

    name: FormulaName = Field(description="a name that formulas may have for the state")
    rate: Text = Field(
        description="the rate of the state (1/s), a formula of t, coordinates, inputs and states"
    )
    start: Number = Field(default=0.0, description="the state at t = 0, a number")
    coordinates: Variables = {}
    inputs: Inputs = {}

    def variables(self, controllers: Sequence[str]) -> tuple[str, ...]:
        """Return the names that the rate may have, given those of controllers."""
        return ("t", *_known(self.coordinates), *self.inputs, *controllers)


class PlaceSpec(Table):
    """A displacement or rotation of a node."""

    group: GroupName = Field(description="the name of a group of one node")
    component: Literal["x", "y", "z", "rx", "ry", "rz"] = Field(
        description='"x", "y" or "z" of its displacement, "rx", "ry" or "rz" of its rotation'
    )
    body: Name | None = Field(default=None, description="the name of a body of this file")


class ConstrainedSpec(Table):
    """``NAME = {...}``: what moves in the equation of a constraint: a node, or a joint."""

    group: GroupName | None = Field(default=None, description="the name of a group of one node")
    component: Literal["x", "y", "z", "rx", "ry", "rz"] | None = Field(
        default=None,
        description='"x", "y" or "z" of its displacement, "rx", "ry" or "rz" of its rotation',
    )
    body: Name | None = Field(default=None, description="the name of a body of this file")
    joint: Name | None = Field(default=None, description="the name of a joint, instead of a group")
    coordinate: CoordinateName | None = Field(default=None, description=COORDINATE)

    @property
    def place(self) -> PlaceSpec:
        """The displacement or rotation of a node that it is."""
        assert self.group is not None
        assert self.component is not None
        return PlaceSpec(group=self.group, component=self.component, body=self.body)

    @model_validator(mode="after")
    def _one(self) -> ConstrainedSpec:
        if self.joint is not None:
            for key in ("group", "component", "body"):
                if getattr(self, key) is not None:
                    raise problem("found beside joint; expected either", key)
            return self
        for key in ("group", "component"):
            if getattr(self, key) is None:
                raise problem("missing; expected group and component, or joint", key)
        if self.coordinate is not None:
            raise problem("found without joint; expected it of a joint", "coordinate")
        return self


class ConstraintSpec(Table):
    """``[[constraints]]``: an equation, linear in velocities, that holds during the motion."""

    name: Name = Field(description=NAME)
    equation: Text = Field(
        description="a formula that is zero, of t, the coordinates and their velocities NAME_dot"
    )
    coordinates: dict[Name, ConstrainedSpec] = Field(
        description="a table of tables NAME = {group, component} or {joint, coordinate}"
    )

    @property
    def variables(self) -> tuple[str, ...]:
        """Names that may occur in the equation."""
        names = tuple(self.coordinates)
        return ("t", *names, *(name + DOT for name in names))

    @model_validator(mode="after")
    def _readable(self) -> ConstraintSpec:
        if not self.coordinates:
            raise problem("found an empty table; expected coordinates", "coordinates")
        for name in self.coordinates:
            if name in ("t", *CONSTANTS, *FUNCTIONS) or name.endswith(DOT):
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
