# SPDX-License-Identifier: BSD-3-Clause
"""Prescribed functions of time: value, two derivatives and two integrals from zero, all consistent.

Derivatives are exact (closed form, spline or jets). Integrals are exact for polynomials, ramps and
splines; for expressions they come from cached Gauss quadrature, to about 1e-13 of the function's
magnitude.
"""

from __future__ import annotations

import warnings
from typing import Any, Protocol

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.formula.expressions import Expression
from flexforge.runtime.motion.integrals import Antiderivative
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


class Profile(Protocol):
    """A function of time with what follows from it; every method takes and returns arrays."""

    @property
    def is_constant(self) -> bool:
        """Whether the value never changes."""

    @property
    def is_uniform(self) -> bool:
        """Whether the first derivative never changes (false where that cannot be told)."""

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times at which some derivative jumps, as far as known."""

    def derivative(self, t: ArrayLike, order: int = 1) -> Array:
        """Return the derivative of order 0 (the value itself), 1 or 2."""

    def integral(self, t: ArrayLike, order: int = 1) -> Array:
        """Return the integral from 0 to t taken once (order 1) or twice (order 2)."""


class PolynomialProfile:
    """``c0 + c1 t + c2 t^2 + ...``; a constant is the shortest one.

    Parameters
    ----------
    coefficients : sequence of float
        From the constant upwards.

    Attributes
    ----------
    coefficients : tuple of float
        As given.
    """

    breaks: tuple[float, ...] = ()

    def __init__(self, coefficients: list[float] | tuple[float, ...]) -> None:
        self.coefficients = tuple(map(float, coefficients))
        polynomial = np.polynomial.Polynomial(np.asarray(coefficients, dtype=np.float64))
        self._derivatives = (polynomial, polynomial.deriv(1), polynomial.deriv(2))
        self._integrals = (polynomial.integ(1), polynomial.integ(2))
        self.is_constant = not np.any(polynomial.coef[1:])
        self.is_uniform = not np.any(polynomial.coef[2:])

    def derivative(self, t: ArrayLike, order: int = 1) -> Array:
        """Return the derivative of order 0, 1 or 2."""
        return np.asarray(self._derivatives[order](np.asarray(t, dtype=np.float64)))

    def integral(self, t: ArrayLike, order: int = 1) -> Array:
        """Return the integral from zero, once or twice."""
        return np.asarray(self._integrals[order - 1](np.asarray(t, dtype=np.float64)))


class InputProfile(PolynomialProfile):
    """What an exported solver is told while it runs; here the value it starts with.

    Parameters
    ----------
    name : str
        What it is called.
    start : float
        Its value until it is told another.

    Attributes
    ----------
    name : str
        As given.
    """

    def __init__(self, name: str, start: float) -> None:
        super().__init__([start])
        self.name = name
        self.is_constant = self.is_uniform = False  # elsewhere it may change


class RampProfile:
    """Smooth change ``from + (to - from) (s - sin(2 pi s) / (2 pi))``, constant before and after.

    Value, first and second derivative are continuous at both ends.

    Parameters
    ----------
    to, begin : float
        Value after and before.
    duration, start : float
        Length and beginning of the change, s.

    Attributes
    ----------
    to, begin, duration, start : float
        As given.
    """

    def __init__(self, to: float, duration: float, begin: float = 0.0, start: float = 0.0) -> None:
        self.begin, self._rise = begin, to - begin
        self.to, self.start, self.duration = to, start, duration
        self.is_constant = self.is_uniform = to == begin
        self.breaks = (start, start + duration)
        self._at_zero = self._antiderivatives(np.zeros(()))

    def derivative(self, t: ArrayLike, order: int = 1) -> Array:
        """Return the derivative of order 0, 1 or 2."""
        s = self._phase(t)
        turn = 2.0 * np.pi * s
        if order == 0:
            value = self.begin + self._rise * (s - np.sin(turn) / (2.0 * np.pi))
            return np.asarray(np.where(s >= 1.0, self.to, value))
        inside = (s > 0.0) & (s < 1.0)
        if order == 1:
            return np.where(inside, self._rise / self.duration * (1.0 - np.cos(turn)), 0.0)
        scale = 2.0 * np.pi * self._rise / self.duration**2
        return np.where(inside, scale * np.sin(turn), 0.0)

    def integral(self, t: ArrayLike, order: int = 1) -> Array:
        """Return the integral from zero, once or twice."""
        time = np.asarray(t, dtype=np.float64)
        once, twice = self._antiderivatives(time)
        if order == 1:
            return np.asarray(once - self._at_zero[0])
        return np.asarray(twice - self._at_zero[1] - self._at_zero[0] * time)

    def _phase(self, t: ArrayLike) -> Array:
        return np.clip((np.asarray(t, dtype=np.float64) - self.start) / self.duration, 0.0, 1.0)

    def _antiderivatives(self, t: Array) -> tuple[Array, Array]:
        """Antiderivatives that vanish with the rise before the start."""
        s, d = self._phase(t), self.duration
        turn = 2.0 * np.pi * s
        once = d * (0.5 * s**2 + (np.cos(turn) - 1.0) / (4.0 * np.pi**2))
        twice = d**2 * (s**3 / 6.0 + np.sin(turn) / (8.0 * np.pi**3) - s / (4.0 * np.pi**2))
        after = np.maximum(t - self.start - d, 0.0)
        twice = twice + after * once + 0.5 * after**2
        once = once + after
        return self.begin * t + self._rise * once, 0.5 * self.begin * t**2 + self._rise * twice


class TableProfile:
    """Cubic spline (not-a-knot, twice continuously differentiable) through a table.

    Parameters
    ----------
    times, values : (n,) array
        The table; times increase strictly.
    name : str
        What to call the table in errors.
    hold : bool
        Whether the end values hold outside the table; otherwise leaving it is an error.

    Raises
    ------
    InputError
        When the times are spaced too unequally for a spline.

    Attributes
    ----------
    spline : CubicSpline
        The interpolant, inside the table.
    hold : bool
        As given.
    slack : float
        How far outside the table is still inside, s.
    """

    def __init__(self, times: Array, values: Array, name: str, hold: bool = False) -> None:
        # Slow to import, and few models need it.
        from scipy.interpolate import CubicSpline
        from scipy.linalg import LinAlgWarning

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", LinAlgWarning)
                spline: Any = CubicSpline(times, values)
        except LinAlgWarning:
            steps = np.diff(times)
            raise InputError(
                f"{name}: found steps of time from {steps.min():g} to {steps.max():g} s, too "
                "unequal for a smooth curve; expected steps more alike"
            ) from None
        self.spline, self._name, self.hold = spline, name, hold
        self._first, self._last = float(times[0]), float(times[-1])
        self._ends = (float(values[0]), float(values[-1]))
        self.slack = 1e-9 * (self._last - self._first)
        self._derivatives = (spline, spline.derivative(1), spline.derivative(2))
        self._integrals = (spline.antiderivative(1), spline.antiderivative(2))
        self.is_constant = self.is_uniform = bool(np.all(values == values[0]))
        self.breaks = (self._first, self._last)
        self._at_zero = self._antiderivatives(np.zeros(()))

    def derivative(self, t: ArrayLike, order: int = 1) -> Array:
        """Return the derivative of order 0, 1 or 2."""
        time = self._checked(t)
        inside = np.clip(time, self._first, self._last)
        result = np.asarray(self._derivatives[order](inside))
        beyond = (time < self._first - self.slack) | (time > self._last + self.slack)
        return np.where(beyond, 0.0, result) if order else result

    def integral(self, t: ArrayLike, order: int = 1) -> Array:
        """Return the integral from zero, once or twice."""
        time = self._checked(t)
        once, twice = self._antiderivatives(time)
        if order == 1:
            return np.asarray(once - self._at_zero[0])
        return np.asarray(twice - self._at_zero[1] - self._at_zero[0] * time)

    def _antiderivatives(self, time: Array) -> tuple[Array, Array]:
        """Antiderivatives that vanish at the first time of the table, end values held outside."""
        inside = np.clip(time, self._first, self._last)
        before, after = np.minimum(time - self._first, 0.0), np.maximum(time - self._last, 0.0)
        once, twice = self._integrals[0](inside), self._integrals[1](inside)
        twice = twice + once * after
        twice = twice + 0.5 * (self._ends[0] * before**2 + self._ends[1] * after**2)
        return once + self._ends[0] * before + self._ends[1] * after, twice

    def _checked(self, t: ArrayLike) -> Array:
        time = np.asarray(t, dtype=np.float64)
        outside = (time < self._first - self.slack) | (time > self._last + self.slack)
        if not self.hold and np.any(outside):
            raise InputError(
                f"{self._name}: found a table from {self._first:g} to {self._last:g} s; expected "
                f'it to cover t = {time[outside].ravel()[0]:g} s, or outside = "hold"'
            )
        return time


class ExpressionProfile:
    """A formula of t: derivatives by jets, integrals by cached Gauss quadrature.

    Parameters
    ----------
    expression : Expression
        In the one variable ``t``.
    span : float
        The time the analysis covers, s.

    Attributes
    ----------
    expression : Expression
        As given.
    """

    def __init__(self, expression: Expression, span: float = 1.0) -> None:
        self.expression = expression
        self.is_constant = expression.is_constant
        self.is_uniform = expression.is_constant or _is_linear(expression)
        self.breaks = expression.breaks
        self._integrals = Antiderivative(lambda t: expression(t=t), span, self.breaks)

    def derivative(self, t: ArrayLike, order: int = 1) -> Array:
        """Return the derivative of order 0, 1 or 2."""
        if order == 0:
            return self.expression(t=t)
        return self.expression.derivative(t, order)

    def integral(self, t: ArrayLike, order: int = 1) -> Array:
        """Return the integral from zero, once or twice."""
        time = np.asarray(t, dtype=np.float64)
        return self._integrals.once(time) if order == 1 else self._integrals.twice(time)


def _is_linear(expression: Expression) -> bool:
    """Whether a formula without functions has no second derivative (points hide no root)."""
    if any(step.kind == "function" for step in expression.program):
        return False
    second = expression.jet(np.sqrt(np.array([0.02, 0.3, 0.7, 2.3, 5.9, 31.7]))).second
    return not np.any(second)
