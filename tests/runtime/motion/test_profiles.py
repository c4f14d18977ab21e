# SPDX-License-Identifier: BSD-3-Clause
"""Functions of time: derivatives and integrals consistent and accurate, also across jumps."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.motion.coordinate import Coordinate
from flexforge.runtime.motion.profiles import (
    ExpressionProfile,
    PolynomialProfile,
    Profile,
    RampProfile,
    TableProfile,
)

TIMES = np.linspace(0.0, 3.0, 13)
#: Pieces on which all functions below are smooth: between these times.
GRID = np.unique([*np.linspace(0.0, 3.0, 1201), 0.4, 1.5, 0.8])


def integrals(function: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return both integrals from zero at TIMES by NumPy's Gauss rule on small pieces of GRID."""
    nodes, weights = np.polynomial.legendre.leggauss(6)
    length = np.diff(GRID)
    values = function(GRID[:-1, None] + length[:, None] * 0.5 * (nodes + 1.0))
    pieces = 0.5 * length * (values @ weights)
    moments = 0.25 * length**2 * (values @ (weights * (1.0 - nodes)))
    once = np.concatenate([[0.0], np.cumsum(pieces)])
    twice = np.concatenate([[0.0], np.cumsum(once[:-1] * length + moments)])
    at = np.searchsorted(GRID, TIMES)
    return once[at], twice[at]


def expression(text: str, span: float = 3.0) -> ExpressionProfile:
    return ExpressionProfile(parse_expression(text), span)


def table() -> TableProfile:
    """A table whose times are among those of GRID."""
    t = np.linspace(0.0, 3.0, 9)
    return TableProfile(t, np.sin(t), "table")


PROFILES: dict[str, Profile] = {
    "constant": PolynomialProfile([2.5]),
    "polynomial": PolynomialProfile([1.0, -2.0, 0.5, 0.1]),
    "ramp": RampProfile(to=4.0, duration=1.1, begin=-1.0, start=0.4),
    "table": table(),
    "expression": expression("exp(-t)*sin(7*t) + t"),
}


@pytest.mark.parametrize("name", PROFILES)
def test_integrals_are_antiderivatives(name: str) -> None:
    """Quadrature of the value over each interval gives the increments of both integrals."""
    profile = PROFILES[name]
    once, twice = integrals(lambda t: profile.derivative(t, 0))
    np.testing.assert_allclose(profile.integral(TIMES), once, atol=2e-13)
    np.testing.assert_allclose(profile.integral(TIMES, 2), twice, atol=2e-13)


def test_integrals_of_a_table_that_holds() -> None:
    """Before and after its times the end values go on: quadrature gives the same increments."""
    given = np.linspace(0.8, 2.0, 7)
    held = TableProfile(given, 1.0 + np.cos(given), "table", hold=True)
    once, twice = integrals(lambda t: held.derivative(t, 0))
    np.testing.assert_allclose(held.integral(TIMES), once, atol=2e-13)
    np.testing.assert_allclose(held.integral(TIMES, 2), twice, atol=2e-13)
    assert float(held.integral(0.5)) == pytest.approx(0.5 * (1.0 + np.cos(0.8)), rel=1e-14)


@pytest.mark.parametrize("name", PROFILES)
def test_derivatives_integrate_back(name: str) -> None:
    """The integral of each derivative is the increment of what it is the derivative of."""
    profile = PROFILES[name]
    for order in (0, 1):
        once, _ = integrals(lambda t, k=order: profile.derivative(t, k + 1))
        found = profile.derivative(TIMES, order)
        np.testing.assert_allclose(found - found[0], once, atol=1e-12)
        kept = profile.quadrature_of(order + 1).at(TIMES)[:, 0]
        np.testing.assert_allclose(found - found[0], kept, atol=1e-12)


def test_ramp_of_the_spin_up_case() -> None:
    """CASES M8: W(t) = (6/15)(t - (15/2pi) sin(2 pi t/15)) up to 15 s, then 6 rad/s."""
    ramp = RampProfile(to=6.0, duration=15.0)
    t = np.linspace(0.0, 15.0, 31)
    given = 6 / 15 * (t - 15 / (2 * np.pi) * np.sin(2 * np.pi * t / 15))
    np.testing.assert_allclose(ramp.derivative(t, 0), given, atol=1e-14)
    np.testing.assert_allclose(
        ramp.derivative(t, 1), 0.4 * (1 - np.cos(2 * np.pi * t / 15)), atol=1e-15
    )
    angle = 0.2 * t**2 + 0.4 * (15 / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * t / 15) - 1)
    np.testing.assert_allclose(ramp.integral(t), angle, atol=1e-13)
    assert float(ramp.derivative(15.0, 0)) == 6.0
    assert [float(ramp.derivative(20.0, k)) for k in (0, 1, 2)] == [6.0, 0.0, 0.0]
    assert float(ramp.integral(20.0)) == pytest.approx(45.0 + 30.0, rel=1e-15)


def test_formula_agrees_with_the_ramp() -> None:
    """The same ramp written as a formula has the same integrals, also past its end."""
    text = "min(t, 15)*6/15 - 6/(2*pi)*sin(2*pi*min(t, 15)/15)"
    ramp, formula = RampProfile(to=6.0, duration=15.0), expression(text, 20.0)
    t = np.linspace(0.0, 20.0, 41)
    for order in (1, 2):
        np.testing.assert_allclose(
            formula.integral(t, order), ramp.integral(t, order), rtol=1e-13, atol=1e-13
        )


def test_ramp_before_zero_and_negative_times() -> None:
    """Integrals start at t = 0 wherever the ramp is, and hold for negative times too."""
    ramp = RampProfile(to=2.0, duration=1.0, begin=1.0, start=-3.0)
    assert float(ramp.integral(2.0)) == pytest.approx(4.0, rel=1e-14)
    assert float(ramp.integral(2.0, 2)) == pytest.approx(4.0, rel=1e-14)
    assert float(ramp.integral(-2.0)) == pytest.approx(-4.0, rel=1e-14)
    assert float(expression("cos(t)").integral(-2.0)) == pytest.approx(np.sin(-2.0), rel=1e-13)
    assert float(expression("cos(t)").integral(-2.0, 2)) == pytest.approx(
        1 - np.cos(2.0), rel=1e-13
    )


@pytest.mark.parametrize(
    ("text", "once", "twice"),
    [
        ("step(t, 0.7)", 2.3, 2.3**2 / 2),
        ("step(t - 0.7, 0)", 2.3, 2.3**2 / 2),
        ("abs(t - 1/3)", (1 / 9 + 64 / 9) / 2, None),
        ("max(0, sin(20*t))", None, None),
        ("10*exp(-1e6*(t - 1.234)**2)", 10 * np.sqrt(np.pi) * 1e-3, None),
    ],
)
def test_jumps_kinks_and_pulses_are_enclosed(text: str, once: float, twice: float) -> None:
    """Bisection encloses what is not smooth: integrals keep 1e-13 (a 2 ms pulse included)."""
    profile = expression(text)
    if text.startswith("max"):
        whole, rest = divmod(3.0, np.pi / 10)
        once = whole * 0.1 + (1 - np.cos(20 * min(rest, np.pi / 20))) / 20
    assert float(profile.integral(3.0)) == pytest.approx(once, abs=1e-13)
    if twice is not None:
        assert float(profile.integral(3.0, 2)) == pytest.approx(twice, abs=1e-12)


def test_integrals_do_not_depend_on_what_was_asked_before() -> None:
    """The same time gives the same bits, whichever times were asked for before."""
    one, other = expression("sin(9*t)**2"), expression("sin(9*t)**2")
    other.integral(np.linspace(0.0, 3.0, 50))
    assert float(one.integral(1.7)) == float(other.integral(1.7))


def test_integral_of_noise_is_refused() -> None:
    """A function that thousands of pieces do not resolve is an error, not a long wait."""
    with pytest.raises(InputError, match="varies too fast"):
        expression("sin(1e9*t)").integral(1.0)


def test_table_reproduces_a_cubic_and_refuses_to_extrapolate() -> None:
    """A not-a-knot spline is exact for cubics; outside the table is an error or a held value."""
    t = np.array([0.0, 0.3, 1.0, 1.8, 2.5])
    cubic = PolynomialProfile([1.0, -1.0, 0.5, 0.25])
    spline = TableProfile(t, cubic.derivative(t, 0), "speed.csv")
    inside = np.linspace(0.0, 2.5, 17)
    for order in (0, 1, 2):
        np.testing.assert_allclose(
            spline.derivative(inside, order), cubic.derivative(inside, order), atol=1e-12
        )
    np.testing.assert_allclose(spline.integral(inside, 2), cubic.integral(inside, 2), atol=1e-13)
    spline.derivative(2.5 + 1e-12, 0)  # the round-off of a sum of steps
    with pytest.raises(InputError, match=r'speed.csv: .* to cover t = 3 s, or outside = "hold"'):
        spline.derivative(np.array([0.0, 2.5, 3.0, 4.0]), 0)
    with pytest.raises(InputError, match="to cover t = -0.1 s"):
        spline.integral(-0.1)
    held = TableProfile(t, cubic.derivative(t, 0), "speed.csv", hold=True)
    last = float(cubic.derivative(2.5, 0))
    assert float(held.derivative(3.0, 0)) == pytest.approx(last)
    assert float(held.derivative(3.0, 1)) == 0.0
    expected = float(held.integral(2.5)) + 0.5 * last
    assert float(held.integral(3.0)) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("given", ["position", "velocity", "acceleration"])
def test_the_others_follow_from_any_one(given: str) -> None:
    """Position, velocity and acceleration of sin(2 t) are the same whichever is given."""
    text = {"position": "sin(2*t)", "velocity": "2*cos(2*t)", "acceleration": "-4*sin(2*t)"}[given]
    coordinate = Coordinate(expression(text), given, velocity0=2.0)
    for t in (-0.4, 0.0, 0.9, 2.7):
        expected = (np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t))
        np.testing.assert_allclose(coordinate.at(t), expected, atol=2e-13)


@pytest.mark.parametrize("name", PROFILES)
def test_coordinates_begin_as_they_are_given(name: str) -> None:
    """What is integrated for starts with the given values, and goes on by integrals."""
    profile = PROFILES[name]
    once, twice = integrals(lambda t: profile.derivative(t, 0))
    turning = Coordinate(profile, "velocity", 0.5, 7.0).over(TIMES)
    np.testing.assert_allclose(turning[:, 0], 0.5 + once, atol=1e-12)
    np.testing.assert_allclose(turning[:, 1], profile.derivative(TIMES, 0), atol=1e-14)
    np.testing.assert_allclose(turning[:, 2], profile.derivative(TIMES, 1), atol=1e-12)
    pushed = Coordinate(profile, "acceleration", 0.5, 7.0).over(TIMES)
    np.testing.assert_allclose(pushed[:, 0], 0.5 + 7.0 * TIMES + twice, atol=1e-12)
    np.testing.assert_allclose(pushed[:, 1], 7.0 + once, atol=1e-12)
    np.testing.assert_allclose(pushed[:, 2], profile.derivative(TIMES, 0), atol=1e-12)


def test_steadiness() -> None:
    """Whether a velocity is constant is known for each form, and not guessed for formulas."""
    steady = [
        Coordinate(PolynomialProfile([1.0, 3.0])),
        Coordinate(expression("100*t + 1")),
        Coordinate(PolynomialProfile([3.0]), "velocity"),
        Coordinate(PolynomialProfile([0.0]), "acceleration", velocity0=2.0),
    ]
    unsteady = [
        Coordinate(PolynomialProfile([1.0, 3.0, 1.0])),
        Coordinate(expression("max(t, 50)")),
        Coordinate(expression("3*t**2")),
        Coordinate(PolynomialProfile([3.0]), "acceleration"),
        Coordinate(RampProfile(to=1.0, duration=1.0), "velocity"),
    ]
    assert all(item.velocity_is_constant for item in steady)
    assert not any(item.velocity_is_constant for item in unsteady)


@pytest.mark.parametrize(
    ("text", "given", "what"),
    [
        ("step(t, 1)", "velocity", "velocity that jumps by 1 between"),
        ("step(t, 1) - step(t, 2)", "velocity", "velocity that jumps by 1 between"),
        ("abs(t - 1)", "position", "velocity that jumps by 2 between"),
        ("step(t, 1)", "position", "position that jumps by 1 between"),
        ("sqrt(t)", "velocity", "first derivative of 'sqrt.t.' is inf at t = 0"),
    ],
)
def test_infinite_accelerations_are_refused(text: str, given: str, what: str) -> None:
    """A jump of velocity or a kink of position has no acceleration that could act on a body."""
    with pytest.raises(InputError, match=what):
        Coordinate(expression(text), given).check(3.0)


def test_what_is_admissible_passes_the_check() -> None:
    """Jumps of acceleration and kinks of velocity are finite loads."""
    for text, given in (
        ("step(t, 1)", "acceleration"),
        ("abs(t - 1)", "velocity"),
        ("smooth_step(t, 1, 1.01)", "position"),
        ("sin(300*t)", "position"),
    ):
        Coordinate(expression(text), given).check(3.0)


@pytest.mark.parametrize("way", [1e-12, 1e-6, 1e-3, 0.1, 0.159, 0.16, 0.4])
def test_a_ramp_begins_without_round_off(way: float) -> None:
    """Value, rate and both integrals of what differs little from zero, against 120 digits."""
    ramp = RampProfile(to=3000.0, duration=1.25)
    with mpmath.workdps(120):
        s, turn = mpmath.mpf(way * 1.25) / mpmath.mpf(1.25), 2 * mpmath.pi
        value = s - mpmath.sin(turn * s) / turn
        rate = (1 - mpmath.cos(turn * s)) / 1.25
        once = 1.25 * (s**2 / 2 - (1 - mpmath.cos(turn * s)) / turn**2)
        twice = 1.25**2 * (s**3 / 6 - (s - mpmath.sin(turn * s) / turn) / turn**2)
    t = way * 1.25
    found = [ramp.derivative(t, 0), ramp.derivative(t, 1), ramp.integral(t), ramp.integral(t, 2)]
    exact = [3000.0 * float(x) for x in (value, rate, once, twice)]
    np.testing.assert_allclose([float(x) for x in found], exact, rtol=1e-13)
