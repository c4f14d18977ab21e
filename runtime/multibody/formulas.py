# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of what moves: laws of actuators, rates of controllers, equations of speeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.forces.declaration import VARIABLES
from flexforge.runtime._functions import Function
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.equations import Equation
from flexforge.runtime.formula.expressions import Expression, parse_expression
from flexforge.runtime.mechanism.build import Parts, find_coordinate
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_ties import (
    DOT,
    ActuatorSpec,
    ConstraintSpec,
    ControllerSpec,
    VariableSpec,
)
from flexforge.runtime.multibody.forces import Component, Force, forces_of
from flexforge.runtime.tables import structs


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula of time, coordinates of joints and their rates, states of controllers and inputs.

    Attributes
    ----------
    expression : Expression
        Its first variable is the time.
    coordinates : dict of str to int
        Numbers of the coordinates, by the names that the formula has for them.
    inputs : dict of str to float
        Values at the start.
    states : tuple of str
        Names of the states of all controllers.
    rates : dict of str to int
        Numbers of coordinates whose rates have names of their own.
    """

    expression: Expression
    coordinates: Mapping[str, int]
    inputs: Mapping[str, float]
    states: tuple[str, ...]
    rates: Mapping[str, int] = field(default_factory=dict)

    @property
    def used(self) -> tuple[str, ...]:
        """Names of variables that occur, without time and inputs, each once."""
        numbers = sorted(
            {at for name, at, _ in self.expression.function.code if name == "variable"}
        )
        names = [self.expression.variables[at] for at in numbers if at]
        return tuple(name for name in names if name not in self.inputs)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times at which it is not smooth, s."""
        return self.expression.breaks

    def coordinate(self, name: str) -> int | None:
        """Return the number of the coordinate that a variable is, or is the rate of."""
        if name in self.states:
            return None
        return self.rates[name] if name in self.rates else self.coordinates[name.removesuffix(DOT)]

    def variable(self, name: str, actuator_of: Mapping[int, int]) -> int:
        """Return a variable as an ``ff_formula`` numbers it."""
        coordinate = self.coordinate(name)
        if coordinate is None:
            return -1 - self.states.index(name)
        return 2 * actuator_of[coordinate] + (name not in self.coordinates)

    def function(self, slots: Mapping[str, int]) -> Function:
        """Return it as a function of time whose variables are inputs, numbered by their names."""
        return _of_inputs(self.expression, slots)


AnyFormula = Formula | Component


@dataclass(frozen=True, slots=True)
class Controller:
    """A state of first order.

    Attributes
    ----------
    name : str
        As in the model file.
    start : float
        The state at t = 0.
    """

    name: str
    start: float


@dataclass(frozen=True, slots=True)
class Formulas:
    """All formulas of a model.

    Attributes
    ----------
    laws : dict of str to Formula or Component
        Of actuators, by their names, and of forces.
    controllers : tuple of Controller
        States.
    rates : tuple of Formula
        Of the states.
    conditions : dict of str to Formula
        Equations of speeds, by their names.
    forces : tuple of Force
        What acts between links, with components among the laws.
    """

    laws: Mapping[str, AnyFormula] = field(default_factory=dict)
    controllers: tuple[Controller, ...] = ()
    rates: tuple[Formula, ...] = ()
    conditions: Mapping[str, Formula] = field(default_factory=dict)
    forces: tuple[Force, ...] = ()

    def __iter__(self) -> Iterator[AnyFormula]:
        """Iterate over the formulas in the order of the table."""
        yield from (*self.laws.values(), *self.rates, *self.conditions.values())
        yield from self.held.values()

    @property
    def held(self) -> dict[str, Component]:
        """Speeds that forces hold now and then, by their names: the last equations of speeds."""
        return {name: one for force in self.forces for name, one in force.held.items()}

    @property
    def rest(self) -> Floats:
        """What forces keep where there is no motion; NaN: a gate that is open by the gap."""
        return np.array([one.rest for force in self.forces for one in force.law.kept], dtype=float)

    @property
    def events(self) -> list[tuple[str, str]]:
        """The force and the name of every event."""
        return [(force.name, one.name) for force in self.forces for one in force.law.events]

    @property
    def names(self) -> list[str]:
        """What every formula is, for messages."""
        return [
            *(
                f"force '{one.force.name}'"
                if isinstance(one, Component)
                else f"law of actuator '{name}'"
                for name, one in self.laws.items()
            ),
            *(f"rate of controller '{one.name}'" for one in self.controllers),
            *(f"constraint '{name}'" for name in self.conditions),
            *(f"force '{one.force.name}'" for one in self.held.values()),
        ]

    @property
    def inputs(self) -> list[tuple[str, float]]:
        """Names and initial values of all inputs, each once."""
        return list(dict.fromkeys(each for one in self for each in one.inputs.items()))

    @property
    def breaks(self) -> set[float]:
        """Times at which a formula is not smooth, as far as known, s."""
        return {time for one in self for time in one.breaks}

    @property
    def coordinates(self) -> set[int]:
        """Numbers of the coordinates that occur."""
        found = {one.coordinate(name) for one in self for name in one.used}
        return {number for number in found if number is not None}

    @property
    def starts(self) -> list[float]:
        """The states at t = 0."""
        return [one.start for one in self.controllers]

    def tables(self, actuator_of: Mapping[int, int]) -> tuple[structs.Formula, ...]:
        """Return the formulas as native code reads them.

        Parameters
        ----------
        actuator_of : dict of int to int
            An actuator on every coordinate that occurs.
        """
        most, at, found = self.most, 0, []
        told = self.inputs
        for one in self:
            variables = [one.variable(name, actuator_of) for name in one.used]
            slots = {name: k for k, name in enumerate(one.used)}
            slots |= {name: most + told.index((name, one.inputs[name])) for name in one.inputs}
            found.append(
                structs.Formula(one.function(slots), at=at, variable=np.array(variables, dtype=int))
            )
            at += 2 + len(variables)
        return tuple(found)

    @property
    def force_tables(self) -> tuple[structs.Force, ...]:
        """The forces as native code reads them."""
        before = len(self.laws) + len(self.rates) + len(self.conditions)
        numbers = {name: k for k, name in enumerate(self.laws)}
        numbers |= {name: before + k for k, name in enumerate(self.held)}
        found: list[structs.Force] = []
        kept = events = holds = 0
        for one in self.forces:
            own = [numbers[name] for name in (*one.formulas, *one.held)]
            found.append(one.table(own, kept, events, holds))
            kept, events = kept + found[-1].kept, events + found[-1].events
            holds += len(one.law.holds)
        return tuple(found)

    @property
    def most(self) -> int:
        """Largest number of variables of a formula."""
        return max((len(one.used) for one in self), default=0)


def _of_inputs(expression: Expression, slots: Mapping[str, int]) -> Function:
    """Return a formula as a function of time whose other variables are inputs."""
    code = [
        ("input", slots[expression.variables[at]], count) if name == "variable" and at
        else (name, at, count)
        for name, at, count in expression.function.code
    ]  # fmt: skip
    return Function(code, expression.function.constants)


def build_formulas(model: ModelSpec, parts: Parts) -> Formulas:
    """Return the formulas of a model whose links find their motion.

    Raises
    ------
    InputError
        For a coordinate that a joint does not have in the plane; for an equation that is not
        linear in the velocities.
    """
    states = tuple(one.name for one in model.controllers)

    def made(spec: ActuatorSpec | ControllerSpec, text: str, key: str) -> Formula:
        coordinates = _coordinates(model, parts, spec, key)
        if isinstance(spec, ActuatorSpec):
            own = find_coordinate(
                model.joints, parts.coordinates, spec.joint, spec.coordinate, f"{key}.joint"
            )
            coordinates = {"x": own} | coordinates
        expression = parse_expression(text, spec.variables(states))
        places, rates = _of_forces(parts, spec)
        found = Formula(expression, coordinates | places, spec.inputs, states, rates)
        for name in found.used:
            base = name.removesuffix(DOT)
            if base not in (*states, *found.coordinates, *rates):
                raise InputError(f"{key}: found '{name}', which does not move in a planar model")
        return found

    forces = forces_of(model, parts)
    return Formulas(
        {
            one.name: made(one, one.law, f"actuators[{k}]")
            for k, one in enumerate(model.actuators)
            if one.law is not None
        }
        | {name: one for force in forces for name, one in force.formulas.items()},
        tuple(Controller(one.name, one.start) for one in model.controllers),
        tuple(made(one, one.rate, f"controllers[{k}]") for k, one in enumerate(model.controllers)),
        {one.name: _condition(model, parts, k, one) for k, one in enumerate(model.constraints)},
        forces,
    )


def _coordinates(
    model: ModelSpec,
    parts: Parts,
    spec: ActuatorSpec | ControllerSpec | ConstraintSpec,
    key: str,
) -> dict[str, int]:
    found = {}
    for name, one in spec.coordinates.items():
        where = f"{key}.coordinates.{name}"
        if isinstance(one, VariableSpec) and one.force is not None:
            continue
        if one.joint is None:
            raise InputError(
                f"{where}: found a group where joints and drivers leave motions of links open; "
                "expected joint, and its coordinate"
            )
        found[name] = find_coordinate(
            model.joints, parts.coordinates, one.joint, one.coordinate, f"{where}.joint"
        )
    return found


def _of_forces(
    parts: Parts, spec: ActuatorSpec | ControllerSpec
) -> tuple[dict[str, int], dict[str, int]]:
    """Return numbers of coordinates by what formulas call them of forces, and by their rates."""
    places: dict[str, int] = {}
    rates: dict[str, int] = {}
    joints = {joint.name: k for k, joint in enumerate(parts.joints)}
    for name, one in spec.coordinates.items():
        if one.force is None:
            continue
        own = {
            each.name: k
            for k, each in enumerate(parts.coordinates)
            if each.joint == joints[one.force]
        }
        for variable, (coordinate, is_rate) in VARIABLES.items():
            if coordinate in own and is_rate:
                rates[f"{name}_{variable}"] = own[coordinate]
            elif coordinate in own:
                places[f"{name}_{variable}"] = own[coordinate]
    return places, rates


def _condition(model: ModelSpec, parts: Parts, number: int, spec: ConstraintSpec) -> Formula:
    coordinates = _coordinates(model, parts, spec, f"constraints[{number}]")
    expression = parse_expression(spec.equation, spec.variables)
    none = np.zeros(0)
    Equation(spec.name, expression, tuple(coordinates), none.astype(int), none, none).check()
    return Formula(expression, coordinates, {}, ())


def coupled(formulas: Formulas, acting: Mapping[str, int]) -> list[tuple[set[int], set[int]]]:
    """Return, of every formula, the coordinates and the states that its derivatives tie.

    Parameters
    ----------
    formulas : Formulas
        All formulas.
    acting : dict of str to int
        Coordinates that laws act along, by the names of their actuators.
    """
    found = []
    own: Sequence[tuple[set[int], set[int]]] = [
        *(({acting[name]}, set[int]()) for name in formulas.laws),
        *((set[int](), {k}) for k in range(len(formulas.rates))),
        *((set[int](), set[int]()) for _ in (*formulas.conditions, *formulas.held)),
    ]
    for (coordinates, states), one in zip(own, formulas, strict=True):
        numbers = {one.coordinate(name) for name in one.used}
        known = {number for number in numbers if number is not None}
        told = {one.states.index(name) for name in one.used if name in one.states}
        found.append((coordinates | known, states | told))
    return found
