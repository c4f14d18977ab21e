# SPDX-License-Identifier: BSD-3-Clause
"""Formulas: what is admitted, what is refused, values and derivatives."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.formula.functions import FUNCTIONS

SMOOTH = {
    "2*t**3 - t/4 + 1": lambda t: (2 * t**3 - t / 4 + 1, 6 * t**2 - 0.25, 12 * t),
    "sin(3*t)": lambda t: (np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t)),
    "exp(-t)*cos(t)": lambda t: (
        np.exp(-t) * np.cos(t),
        -np.exp(-t) * (np.cos(t) + np.sin(t)),
        2 * np.exp(-t) * np.sin(t),
    ),
    "1/(1 + t)": lambda t: (1 / (1 + t), -((1 + t) ** -2), 2 * (1 + t) ** -3),
    "sqrt(t)": lambda t: (np.sqrt(t), 0.5 * t**-0.5, -0.25 * t**-1.5),
    "t**t": lambda t: (
        t**t,
        t**t * (np.log(t) + 1),
        t**t * ((np.log(t) + 1) ** 2 + 1 / t),
    ),
    "(-t)**3": lambda t: (-(t**3), -3 * t**2, -6 * t),
    "2**t": lambda t: (2**t, np.log(2) * 2**t, np.log(2) ** 2 * 2**t),
}


@pytest.mark.parametrize("text", SMOOTH)
def test_jets_equal_closed_forms(text: str) -> None:
    """Value, first and second derivative agree with calculus to round-off."""
    t = np.linspace(0.1, 1.9, 7)
    expression = parse_expression(text)
    for order, expected in enumerate(SMOOTH[text](t)):
        np.testing.assert_allclose(expression.derivative(t, order), expected, rtol=2e-14)
    np.testing.assert_allclose(expression(t=t), SMOOTH[text](t)[0], rtol=1e-15)


CALLS = {
    "atan2": "atan2(1 + t, 2 - t**2)",
    "min": "min(t, 0.3 + t**2, 5)",
    "max": "max(sin(t), cos(t))",
    "step": "step(t, 2)",
    "smooth_step": "smooth_step(t, 0.1, 0.9)",
    "log": "log(1 + t)",
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives_of_every_function_equal_finite_differences(name: str) -> None:
    """Jets agree with eighth-order central differences of the value and of the first derivative."""
    expression = parse_expression(CALLS.get(name, f"{name}(0.3*t + 0.1*t**2)"))
    t, h = np.array([0.37, 0.64]), 1e-2
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    for order in (0, 1):
        difference = sum(
            weight
            / h
            * (expression.derivative(t + k * h, order) - expression.derivative(t - k * h, order))
            for k, weight in enumerate(weights, start=1)
        )
        np.testing.assert_allclose(expression.derivative(t, order + 1), difference, atol=1e-9)


def test_powers_at_zero() -> None:
    """The power rule holds at t = 0, where t**(n-2) alone would be singular."""
    for text, expected in {
        "t": (0, 1, 0),
        "t**1": (0, 1, 0),
        "t**2": (0, 0, 2),
        "t**0": (1, 0, 0),
    }.items():
        found = [float(parse_expression(text).derivative(0.0, order)) for order in range(3)]
        assert found == list(expected)


def test_fields_of_place_are_vectorised() -> None:
    """A formula of x, y, z takes arrays and gives their common shape, constants too."""
    x = np.arange(3.0)
    field = parse_expression("x*y - 2*z", ("x", "y", "z"))
    np.testing.assert_array_equal(field(x=x, y=2 * x, z=1.0), 2 * x * x - 2)
    assert parse_expression("pi/2", ("x",))(x=x).shape == (3,)


def test_smooth_step_joins_with_two_derivatives() -> None:
    """smooth_step is exactly 0 before and 1 after, with vanishing derivatives at both ends."""
    step = parse_expression("smooth_step(t, 1, 3)")
    t = np.array([0.0, 1.0, 3.0, 4.0])
    np.testing.assert_array_equal(step(t=t), [0, 0, 1, 1])
    for order in (0, 1, 2):
        np.testing.assert_array_equal(
            step.derivative(t, order), [0, 0, 1, 1] if order == 0 else 0 * t
        )


def test_times_of_steps_are_known() -> None:
    """Quadrature ends an interval there: where they are numbers, also worked out, in any order."""
    expression = parse_expression("step(t, 1/4) + smooth_step(t, 0.1 + 0.2, sqrt(4)) + step(2, t)")
    assert expression.breaks == (0.25, 0.1 + 0.2, 2.0)


REFUSED = {
    "__import__('os').system('x')": "expected only numbers",
    "__import__('os')": "unknown function '__import__'",
    "t.real": "expected only numbers",
    "[1][0]": "expected only numbers",
    "lambda: 1": "expected only numbers",
    "(t := 3)": "expected only numbers",
    "t if t else 1": "expected only numbers",
    "t > 1": "expected only numbers",
    "True": "expected only numbers",
    "1j": "expected only numbers",
    "'a'": "expected only numbers",
    "sin(x=t)": "expected only numbers",
    "sin(*t)": "expected only numbers",
    "t // 2": "expected only numbers",
    "t ^ 2": "a power is written **",
    "sn(t)": "did you mean 'sin'?",
    "x + 1": "unknown name 'x'",
    "sin(t, t)": "expected 1",
    "min(t)": "expected 2 to 8",
    "2 mm * sin(t)": "found 'mm' after '2' in '2 mm * sin(t)'; expected numbers in the units",
    "(1 + t) ms": "found 'ms' after ')' in",
    "sin(t": "expected one formula",
    "": "expected one formula",
    "t; t": "expected one formula",
    "\0": "expected one formula",
    "1e999": "too large",
    "9" * 400: "too large",
    "t+" * 300 + "t": "nested deeper than 200 levels",
    "-" * 3999 + "t": "",
    "(" * 3000 + "t": "expected one formula",
    "t.a" + ".a" * 1900: "",
    "t" * 5000: "at most 4000",
}


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_refused(text: str) -> None:
    """Anything outside the whitelist is one clear line, and is never executed."""
    with warnings.catch_warnings(), pytest.raises(InputError) as caught:
        warnings.simplefilter("error")
        parse_expression(text)
    assert REFUSED[text] in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("text", ["9**9**9**9", "exp(exp(t + 10))", "1/(t - 1)", "log(t - 1)"])
def test_values_that_are_not_finite_are_errors(text: str) -> None:
    """Overflow, division by zero and logarithms of zero name the time; huge powers cost nothing."""
    with pytest.raises(InputError, match="at t = 1; expected finite"):
        parse_expression(text)(t=np.array([1.0]))


def test_deep_sums_are_admitted() -> None:
    """A Fourier series with dozens of terms is an ordinary motion."""
    text = " + ".join(f"sin({k}*t)/{k}" for k in range(1, 100))
    expected = sum(np.sin(k * 0.3) / k for k in range(1, 100))
    assert float(parse_expression(text)(t=0.3)) == pytest.approx(expected, rel=1e-13)
