# SPDX-License-Identifier: BSD-3-Clause
"""Integrals of formulas and of inputs by quadrature, and what is kept of them."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.motion.coordinate import Coordinate
from flexforge.runtime.motion.profiles import ExpressionProfile, InputProfile
from hypothesis import given, settings
from hypothesis import strategies as st

PARTS = {
    "sin({a}*t + {b})": lambda t, a, b: mpmath.sin(a * t + b),
    "{b}*exp(-{a}*t)": lambda t, a, b: b * mpmath.exp(-a * t),
    "tanh({a}*(t - {b}))": lambda t, a, b: mpmath.tanh(a * (t - b)),
    "sqrt({a} + t**2)": lambda t, a, b: mpmath.sqrt(a + t**2),
    "{b}/(1 + {a}*t**2)": lambda t, a, b: b / (1 + a * t**2),
    "t**{a}": lambda t, a, b: t**a,
}
NUMBERS = st.sampled_from([0.25, 0.5, 1.0, 2.0, 3.0, 7.0])
PART = st.tuples(st.sampled_from(sorted(PARTS)), NUMBERS, NUMBERS)


@settings(derandomize=True, max_examples=40, deadline=None, database=None)
@given(st.lists(PART, min_size=1, max_size=3), st.sampled_from([0.0625, 0.8, 2.0, 5.5]))
def test_integrals_of_formulas_by_chance(parts: list[tuple[str, float, float]], to: float) -> None:
    """Products of smooth functions, once and twice, against mpmath at thirty digits: 1e-13."""
    if any(form == "t**{a}" and a < 1.0 for form, a, _ in parts):
        return  # a singular slope at zero has a test of its own
    text = "*".join(f"({form.format(a=a, b=b)})" for form, a, b in parts)
    profile = ExpressionProfile(parse_expression(text), 2.0)

    def exact(t: mpmath.mpf) -> mpmath.mpf:
        return mpmath.fprod(PARTS[form](t, mpmath.mpf(a), mpmath.mpf(b)) for form, a, b in parts)

    with mpmath.workdps(30):
        ends = mpmath.linspace(0, to, 9)
        once = mpmath.quad(exact, ends)
        twice = mpmath.quad(lambda t: (to - t) * exact(t), ends)
        size = max(abs(exact(t)) for t in mpmath.linspace(0, to, 99))
    assert abs(float(profile.integral(to)) - once) <= 1e-13 * size * to
    assert abs(float(profile.integral(to, 2)) - twice) <= 1e-13 * size * to**2


def test_a_singular_slope_is_enclosed() -> None:
    """Once and twice the integral of the root of t from zero, where its slope is infinite."""
    profile = ExpressionProfile(parse_expression("sqrt(t)"), 2.0)
    assert float(profile.integral(1.7)) == pytest.approx(1.7**1.5 / 1.5, rel=1e-13)
    assert float(profile.integral(1.7, 2)) == pytest.approx(1.7**2.5 / 3.75, rel=1e-13)


def test_what_was_asked_before_changes_no_bit() -> None:
    """Times in any order, of both signs, one by one or at once: knots do not depend on them."""
    text, times = "exp(sin(9*t)) + step(t, 0.3)", np.random.default_rng(2).uniform(-2.0, 9.0, 200)
    at_once = ExpressionProfile(parse_expression(text), 2.0).quadrature.at(times)
    for order in (times, np.sort(times), np.sort(times)[::-1]):
        one = ExpressionProfile(parse_expression(text), 2.0).quadrature
        kept = {t: one.at(t) for t in order.tolist()}
        np.testing.assert_array_equal([kept[t] for t in times.tolist()], at_once)


def test_beyond_where_it_is_defined_is_refused_again_and_again() -> None:
    """The formula and a time at which it has no value are named; earlier times stay known."""
    profile = ExpressionProfile(parse_expression("sqrt(0.5 - t)"), 1.0)
    for _ in range(2):
        with pytest.raises(InputError, match=r"'sqrt\(0.5 - t\)' is nan at t = 0.5"):
            profile.integral(1.0)
        assert float(profile.integral(0.25)) == pytest.approx(
            (0.5**1.5 - 0.25**1.5) / 1.5, rel=1e-13
        )


def test_noise_is_refused_again_and_again() -> None:
    """No knots of pieces that do not resolve it are kept."""
    profile = ExpressionProfile(parse_expression("sin(1e9*t)"), 1.0)
    for _ in range(2):
        with pytest.raises(InputError, match="varies too fast to be integrated between t = 0 and"):
            profile.integral(1.0)


def test_far_away_is_reached() -> None:
    """A billion seconds for a span of two: chunks grow with time."""
    profile = ExpressionProfile(parse_expression("1/(1 + t)"), 2.0)
    assert float(profile.integral(1e9)) == pytest.approx(np.log1p(1e9), rel=1e-13)


@pytest.mark.parametrize("given", ["velocity", "acceleration"])
def test_an_input_is_integrated_as_what_it_starts_with(given: str) -> None:
    """Of a constant: t and half its square."""
    coordinate = Coordinate(InputProfile("push", 3.0), given, position0=1.0, velocity0=2.0)
    expected = {"velocity": (1 + 3 * 0.7, 3.0, 0.0),
                "acceleration": (1 + 2 * 0.7 + 1.5 * 0.49, 2 + 3 * 0.7, 3.0)}[given]  # fmt: skip
    np.testing.assert_allclose(coordinate.at(0.7), expected, rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("span", [1e-3, 1.0])
def test_a_slow_start_is_integrated(span: float) -> None:
    """What cancels in 1 - cos(3 t) is round-off, not a function that varies."""
    profile = ExpressionProfile(parse_expression("1 - cos(3*t)"), span)
    with mpmath.workdps(40):
        once = span - mpmath.sin(3 * mpmath.mpf(span)) / 3
        twice = mpmath.mpf(span) ** 2 / 2 - (1 - mpmath.cos(3 * mpmath.mpf(span))) / 9
    assert float(profile.integral(span)) == pytest.approx(float(once), rel=1e-10)
    assert float(profile.integral(span, 2)) == pytest.approx(float(twice), rel=1e-10)
