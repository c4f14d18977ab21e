# SPDX-License-Identifier: BSD-3-Clause
"""The variables of an FMU: names, numbers and units, the same for every version of the standard."""

from __future__ import annotations

from dataclasses import dataclass

from flexforge.codegen.errors import InputError
from flexforge.runtime.export.solver import Solver

#: Exponents of kg, m, s, rad in the units that occur.
UNITS: dict[str, dict[str, int]] = {
    "m": {"m": 1},
    "m/s": {"m": 1, "s": -1},
    "m/s^2": {"m": 1, "s": -2},
    "rad": {"rad": 1},
    "rad/s": {"rad": 1, "s": -1},
    "rad/s^2": {"rad": 1, "s": -2},
    "rad/s^3": {"rad": 1, "s": -3},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N m": {"kg": 1, "m": 2, "s": -2},
    "N/m": {"kg": 1, "s": -2},
    "s": {"s": 1},
}
_RATES = {"m": "m/s", "m/s": "m/s^2", "rad": "rad/s", "rad/s": "rad/s^2"}


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of an FMU.

    Attributes
    ----------
    name, description : str
        Name and description.
    number : int
        Value reference.
    causality : str
        ``input``, ``output`` or ``local``.
    unit : str
        One of `UNITS`, or empty.
    start : float, optional
        Initial value, for inputs and states.
    derivative_of : int, optional
        Value reference of the variable whose derivative it is.
    nominal : float, optional
        Nominal value, for states.
    indicates : bool
        Whether an event is where its sign changes.
    """

    name: str
    number: int
    causality: str
    description: str
    unit: str = ""
    start: float | None = None
    derivative_of: int | None = None
    nominal: float | None = None
    indicates: bool = False


def variables(solver: Solver) -> list[Variable]:
    """Return the variables of a solver: inputs, outputs, states, their rates, event indicators.

    States of a large mesh are not variables: its FMU supports co-simulation only.

    Parameters
    ----------
    solver : Solver
        The model.

    Raises
    ------
    InputError
        When two variables have the same name.
    """
    found: list[Variable] = []
    for k, one in enumerate(solver.inputs):
        unit, name, text = one.unit, one.name, f"input {one.name}"
        for j in range(one.derivatives + 1):
            value = one.start if j == 0 else 0.0
            found.append(Variable(name, 1 + 3 * k + j, "input", text, _known(unit), value))
            unit, name = _RATES.get(unit, ""), f"der({name})"
            text = f"derivative of {text}"
    base = 1 + 3 * len(solver.inputs)
    for k, output in enumerate(solver.outputs):
        found.append(
            Variable(output.name, base + k, "output", output.description, _known(output.unit))
        )
    base += len(solver.outputs)
    if solver.exchanges:
        found += _states(solver, base) if solver.model.found is None else _poses(solver, base)
        base += 3 * solver.size if solver.model.found is None else 2 * (solver.size + solver.speeds)
        found += _indicators(solver, base)
    seen: set[str] = set()
    for variable in found:
        if variable.name in (seen | {"time"}):
            raise InputError(
                f"'{variable.name}': found two variables with this name; expected distinct "
                "names of inputs and probes"
            )
        seen.add(variable.name)
    return found


def _states(solver: Solver, base: int) -> list[Variable]:
    """Return coordinates, velocities and accelerations: rates of coordinates are states too."""
    n, found = solver.size, []
    for order in range(3):
        for i in range(n):
            number = base + order * n + i
            name = f"state[{i + 1}]"
            for _ in range(order):
                name = f"der({name})"
            text = ("coordinate", "velocity of coordinate", "acceleration of coordinate")[order]
            start = float(solver.initial[order, i]) if order < 2 else None
            nominal = float(solver.nominals[order, i]) if order < 2 else None
            of = number - n if order else None
            found.append(Variable(name, number, "local", f"{text} {i + 1}", "", start, of, nominal))
    return found


def _poses(solver: Solver, base: int) -> list[Variable]:
    """Return coordinates and speeds of links whose motion is found, and the rates of both."""
    places, count, found = solver.size, solver.size + solver.speeds, []
    for k, (start, nominal) in enumerate(
        zip(solver.initial.tolist(), solver.nominals.tolist(), strict=True)
    ):
        text = f"coordinate {k + 1}" if k < places else f"speed {k + 1 - places}"
        found.append(Variable(f"state[{k + 1}]", base + k, "local", text, "", start, None, nominal))
    for k in range(count):
        name, text = f"der(state[{k + 1}])", f"rate of state {k + 1}"
        found.append(Variable(name, base + count + k, "local", text, "", None, base + k))
    return found


def _indicators(solver: Solver, base: int) -> list[Variable]:
    """Return the formulas of events, which are where one falls below zero."""
    return [
        Variable(f"event[{k + 1}]", base + k, "local", f"force '{force}': {event}", indicates=True)
        for k, (force, event) in enumerate(solver.switches)
    ]


def _known(unit: str) -> str:
    return unit if unit in UNITS else ""
