# SPDX-License-Identifier: BSD-3-Clause
"""Functions of time as C, by the jets of ``ff_time.h``."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.identifiers import c_number, c_numbers
from flexforge.runtime.export.kinks import Kink, kinks
from flexforge.runtime.formula.expressions import Expression
from flexforge.runtime.motion.profiles import (
    ExpressionProfile,
    InputProfile,
    PolynomialProfile,
    Profile,
    RampProfile,
    TableProfile,
)
from numpy.typing import NDArray

_OPERATORS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "**": "power",
              "negate": "negate"}  # fmt: skip
#: Those that are called otherwise in C.
_NAMES = {"step": "step_at"}
#: Those that take as many arguments as are given, two at a time.
_FOLDED = ("min", "max")


@dataclass(frozen=True, slots=True)
class Input:
    """What a solver is told while it runs.

    Attributes
    ----------
    name : str
        As in the model.
    unit : str
        Of its value.
    start : float
        Its value until it is told another.
    derivatives : int
        How many derivatives of it count: those of an angle 2, of a velocity 1.
    """

    name: str
    unit: str
    start: float
    derivatives: int


@dataclass(slots=True)
class Functions:
    """The functions of time of a solver, each written once.

    Attributes
    ----------
    texts : list of str
        Their definitions; the i-th is ``ff_my_function_i``.
    inputs : dict
        Every input by name, in the order in which they were met.
    kinks : set of Kink
        Of all functions.
    """

    texts: list[str] = field(default_factory=list)
    inputs: dict[str, Input] = field(default_factory=dict)
    kinks: set[Kink] = field(default_factory=set)
    _known: dict[str, str] = field(default_factory=dict)

    def add(self, profile: Profile, unit: str = "1", derivatives: int = 0) -> str:
        """Return the name of the C function of a profile.

        Parameters
        ----------
        profile : Profile
            The function.
        unit : str
            Of its value.
        derivatives : int
            How many derivatives of it count.

        Raises
        ------
        InputError
            When an input has two start values, or two units.
        """
        if isinstance(profile, InputProfile):
            start = float(profile.derivative(0.0, 0))
            self._meet(Input(profile.name, unit, start, derivatives))
        tables, body = self._of(profile)
        key = tables + body
        if key not in self._known:
            name = f"ff_my_function_{len(self.texts)}"
            self._known[key] = name
            self.kinks.update(kinks(profile))
            self.texts.append(
                f"static ff_jet {name}(double t, const double *inputs)\n{{\n"
                f"{tables}    (void)t, (void)inputs; /* not all ask for both */\n{body}}}"
            )
        return self._known[key]

    def _meet(self, found: Input) -> None:
        """Remember an input, whose uses agree."""
        known = self.inputs.setdefault(found.name, found)
        if known.start != found.start:
            raise InputError(
                f"input '{found.name}': found it to start with {known.start:g} and "
                f"{found.start:g}; expected one value"
            )
        if known.unit != found.unit:
            raise InputError(
                f"input '{found.name}': found it in {known.unit} and in {found.unit}; expected one "
                "unit"
            )
        if found.derivatives > known.derivatives:
            self.inputs[found.name] = found

    def _of(self, profile: Profile) -> tuple[str, str]:
        """Return the constant tables of a function, and its statements."""
        match profile:
            case InputProfile(name=name):
                number = list(self.inputs).index(name)
                return "", f"    return ff_input(t, inputs + {4 * number});\n"
            case PolynomialProfile(coefficients=coefficients):
                table = (
                    f"    static const double c[] = {{{', '.join(map(c_number, coefficients))}}};\n"
                )
                return table, f"    return ff_polynomial({len(coefficients)}, c, t);\n"
            case RampProfile():
                given = (profile.begin, profile.to, profile.start, profile.duration)
                return "", f"    return ff_ramp({', '.join(map(c_number, given))}, t);\n"
            case TableProfile(spline=spline):
                times, c = np.asarray(spline.x), np.asarray(spline.c)
                table = _array("times", times) + _array("c", c.T.ravel())
                hold, slack = int(profile.hold), c_number(profile.slack)
                return table, f"    return ff_spline({len(times)}, times, c, {hold}, {slack}, t);\n"
            case ExpressionProfile(expression=expression):
                return "", _statements(expression)
        raise InputError(f"function of time: found {type(profile).__name__}, which is not exported")


def _array(name: str, values: NDArray[np.float64]) -> str:
    """Return the definition of a constant array inside a function."""
    return f"    static const double {name}[] = {{\n{c_numbers(values, ' ' * 8)}\n    }};\n"


def _statements(expression: Expression) -> str:
    """Return the statements that evaluate a formula."""
    lines: list[str] = []
    stack: list[str] = []
    for step in expression.program:
        if step.kind == "number":
            value = f"ff_number({c_number(step.number)})"
        elif step.kind == "variable":
            value = "ff_variable(t)"
        else:
            arguments = stack[-step.arity :]
            del stack[-step.arity :]
            name = _OPERATORS.get(step.name) or _NAMES.get(step.name, step.name)
            value = f"ff_{name}({', '.join(arguments)})"
            if step.name in _FOLDED:
                value = arguments[0]
                for other in arguments[1:]:
                    value = f"ff_{name}({value}, {other})"
        stack.append(f"v{len(lines)}")
        lines.append(f"    const ff_jet {stack[-1]} = {value};\n")
    return "".join(lines) + f"    return {stack[0]};\n"


def integrated(profile: PolynomialProfile, times: int, constants: tuple[float, ...]) -> Profile:
    """Return the polynomial that is another's integral, taken some times.

    Parameters
    ----------
    profile : PolynomialProfile
        No input.
    times : int
        How often.
    constants : tuple of float
        Value at zero after each, the first first.
    """
    found = np.polynomial.Polynomial(profile.coefficients)
    for constant in constants[:times]:
        found = found.integ(1, k=[constant])
    return PolynomialProfile(tuple(found.coef))
