# SPDX-License-Identifier: BSD-3-Clause
"""Values and derivatives of formulas drawn at random, against mpmath at fifty digits."""

from __future__ import annotations

import ast
from collections.abc import Callable
from random import Random

import mpmath
import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.formula.functions import FUNCTIONS
from hypothesis import given, settings
from hypothesis import strategies as st

Function = Callable[[mpmath.mpf], mpmath.mpf]
TIMES = (-0.71, 0.03, 0.26, 0.91, 1.37, 3.1)
OPERATORS = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}


def _smooth_step(time: mpmath.mpf, start: mpmath.mpf, end: mpmath.mpf) -> mpmath.mpf:
    s = min(max((time - start) / (end - start), mpmath.mpf(0)), mpmath.mpf(1))
    return 10 * s**3 - 15 * s**4 + 6 * s**5


CALLS = {
    "abs": abs,
    "min": min,
    "max": max,
    "step": lambda time, start: mpmath.mpf(1 if time >= start else 0),
    "smooth_step": _smooth_step,
}


class NotReal(Exception):
    """A value is not a real number."""


def exact(node: ast.expr, chance: Random, size: float) -> Function:
    """Return a formula by mpmath, the result of every operation with a relative error of a size."""
    error = 1 + mpmath.mpf(size * chance.uniform(-1.0, 1.0))

    def real(value: mpmath.mpf) -> mpmath.mpf:
        if mpmath.im(value) != 0 or not mpmath.isfinite(value):
            raise NotReal
        return error * mpmath.re(value)

    match node:
        case ast.Constant(value=value):
            return lambda t: mpmath.mpf(value)
        case ast.Name(id=name):
            return lambda t: {"t": t, "pi": +mpmath.pi, "e": +mpmath.e}[name]
        case ast.UnaryOp(operand=operand):
            inner = exact(operand, chance, size)
            return lambda t: -inner(t)
        case ast.BinOp(left=left, op=operator, right=right):
            a, b = exact(left, chance, size), exact(right, chance, size)
            return lambda t: real(OPERATORS[type(operator)](a(t), b(t)))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            parts = [exact(one, chance, size) for one in arguments]
            function = CALLS.get(name) or getattr(mpmath, name)
            return lambda t: real(function(*(part(t) for part in parts)))
    raise AssertionError(ast.dump(node))


def wanted(text: str, time: float) -> tuple[list[float], list[float]] | None:
    """Return value and derivatives, and what errors of the last digit make of them, or None."""
    tree = ast.parse(text, mode="eval").body
    chance, rows = Random(1), []
    with mpmath.workdps(50):
        try:
            for size in (0.0, 2e-16, 2e-16, 2e-16):
                function = exact(tree, chance, size)
                rows.append([mpmath.diff(function, mpmath.mpf(time), k) for k in range(3)])
        except (NotReal, ZeroDivisionError, ValueError, OverflowError):
            return None
        first, *others = rows
        noise = [max(abs(other[k] - first[k]) for other in others) for k in range(3)]
        return [float(x) for x in first], [float(x) for x in noise]


def _deeper(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return formulas one level deeper."""

    def call(name: str) -> st.SearchStrategy[str]:
        counts = st.integers(FUNCTIONS[name].least, min(FUNCTIONS[name].most, 3))
        lists = counts.flatmap(lambda count: st.lists(parts, min_size=count, max_size=count))
        return lists.map(lambda arguments: f"{name}({', '.join(arguments)})")

    powers = st.sampled_from(["2", "3", "0.5", "1.5", "(-1)", "(-2)", "0", "1"])
    return st.one_of(
        st.tuples(parts, st.sampled_from("+-*/"), parts).map(lambda p: f"({p[0]}) {p[1]} ({p[2]})"),
        st.tuples(parts, powers).map(lambda p: f"({p[0]})**{p[1]}"),
        st.tuples(parts, parts).map(lambda p: f"(1 + ({p[0]})**2)**({p[1]})"),
        parts.map(lambda part: f"-({part})"),
        st.sampled_from(sorted(FUNCTIONS)).flatmap(call),
        st.sampled_from(sorted(FUNCTIONS)).flatmap(call),
    )


LEAVES = st.sampled_from(["t", "t", "t", "t", "0.75", "2", "1.25", "pi", "e", "(t - 1.125)", "3*t"])
FORMULAS = st.recursive(LEAVES, _deeper, max_leaves=5)


def test_derivatives_of_formulas_by_chance() -> None:
    """Value and two derivatives: 1e-13 of their size, and what errors of last digits make."""
    compared, called = [0, 0, 0], set()

    @settings(derandomize=True, max_examples=450, deadline=None, database=None)
    @given(FORMULAS, st.sampled_from(TIMES))
    def compare(text: str, time: float) -> None:
        try:
            found = parse_expression(text).jet(time)
        except InputError:
            return  # a step at a time that is not finite
        expected = wanted(text, time)
        if expected is None:
            return
        for order, (one, value, noise) in enumerate(zip(found, *expected, strict=True)):
            size = max(1.0, abs(value))
            if abs(value) > 1e6 or noise > 1e-9 * size or not np.isfinite(one):
                return  # near a pole, at a kink, or outside of where derivatives are defined
            assert abs(float(one) - value) <= 1e-13 * size + 10.0 * noise, (text, time, order)
            compared[order] += 1
        called.update(name for name in FUNCTIONS if f"{name}(" in text)

    compare()
    assert min(compared) > 250, compared
    assert called == set(FUNCTIONS)


UNDEFINED = {
    "log(-1)*t": "nan",
    "log(0*t)": "-inf",
    "(0*t)**-1": "inf",
    "0**-1 + t": "inf",
    "asin(2) + t": "nan",
    "acos(1 + t)": "nan",
    "sqrt(-t)": "nan",
    "(-t)**0.5": "nan",
    "exp(1000*t)": "inf",
    "min(t, log(-1))": "nan",
    "min(log(-1), t)": "nan",
    "max(t, 2, log(-t))": "nan",
    "abs(log(-t))": "nan",
    "smooth_step(log(-t), 0, 1)": "nan",
    "1e308*10*t": "inf",
}


def test_what_is_not_defined_is_said() -> None:
    """Outside of a domain and beyond all bounds there is an error, which names the value."""
    for text, value in UNDEFINED.items():
        for evaluate in (lambda e: e(t=1.0), lambda e: e.derivative(1.0, 0)):
            try:
                evaluate(parse_expression(text))
            except InputError as error:
                assert f"is {value} at t = 1; expected finite values" in str(error), text
            else:
                raise AssertionError(text)


def test_what_is_not_a_number_is_before_no_step() -> None:
    """A step at a time that is not known has not happened."""
    assert float(parse_expression("step(log(-1)*t, 0)")(t=1.0)) == 0.0


def test_singular_derivatives_of_defined_values() -> None:
    """At its ends sqrt, asin and powers have values; what is infinite is their slope alone."""
    for text, time in {"sqrt(t)": 0.0, "asin(t)": 1.0, "acos(t)": 1.0, "t**0.5": 0.0}.items():
        value, first, second = parse_expression(text).jet(time)
        assert np.isfinite(value), text
        assert np.isinf(first), text
        assert not np.isfinite(second), text


def test_constants_have_no_derivative() -> None:
    """Those of sqrt(0) and asin(1) are zero, although slopes there are infinite."""
    found = parse_expression("t + sqrt(0) + asin(1)").jet(2.0)
    assert [float(one) for one in found[1:]] == [1.0, 0.0]


def test_rates_along_a_motion_follow_the_chain_rule() -> None:
    """Of a function of x and t: f_x x' + f_t, by hand."""
    expression = parse_expression("x**2*sin(t)", ("t", "x"))
    found = expression.along({"t": (0.4, 1.0), "x": (3.0, -2.0)})
    np.testing.assert_allclose(found, 2 * 3 * -2 * np.sin(0.4) + 9 * np.cos(0.4), rtol=1e-15)
