# SPDX-License-Identifier: BSD-3-Clause
"""Prescribed functions of time: value, two derivatives and two integrals from zero, consistent.

A function is a table that C evaluates, here as in exported solvers. Derivatives are exact.
Integrals are exact for polynomials, ramps and splines, whose integrals are tables as well; those of
formulas and inputs are computed by quadrature, to about 1e-13 of the function's magnitude.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime._functions import Function
from flexforge.runtime._integrals import CHUNKS, Integrals
from flexforge.runtime.arrays import Floats
from flexforge.runtime.formula.expressions import Expression
from numpy.typing import ArrayLike

#: Interval of a kink, s: the function is smooth before its start, and again from its end on.
Kink = tuple[float, float]


class Profile:
    """A function of time with its derivatives and integrals.

    Parameters
    ----------
    function : Function
        The function, of time and of inputs.
    breaks : tuple of float
        Times at which some derivative jumps, as far as known.
    span : float
        The time covered by the analysis, s; it only determines the pieces of integrals.

    Attributes
    ----------
    function, breaks : Function, tuple of float
        As given.
    chunk : float
        Longest piece of an integral, s.
    is_constant : bool
        Whether the value is constant.
    is_uniform : bool
        Whether the first derivative is constant (false if unknown).
    inputs : tuple of str
        Names of the inputs of the function.
    start : ndarray, (4 i,)
        Values of the inputs here, where no program sets them.
    """

    is_constant = False
    is_uniform = False
    inputs: tuple[str, ...] = ()
    start: Floats = np.zeros(0)

    def __init__(
        self, function: Function, breaks: tuple[float, ...] = (), span: float = 1.0
    ) -> None:
        self.function, self.breaks = function, breaks
        self.chunk = (span if span > 0.0 else 1.0) / CHUNKS

    @property
    def kinks(self) -> list[Kink]:
        """Where the function is not smooth, as far as known."""
        return [] if self.is_constant else [(time, time) for time in self.breaks]

    def derivative(self, t: ArrayLike, order: int = 1) -> Floats:
        """Return the derivative of order 0 (the value itself), 1 or 2, in the shape of ``t``."""
        found, finite = self.function.derivative(t, order, self.start)
        if not finite:
            self.refuse(t, order)
        return found

    def integral(self, t: ArrayLike, order: int = 1) -> Floats:
        """Return the integral from 0 to t taken once (order 1) or twice (order 2)."""
        function = self._integrals[order - 1]
        if function is None:
            return np.array(self.quadrature.at(t)[..., order - 1])
        found, finite = function.derivative(t, 0, self.start)
        if not finite:
            self.refuse(t, 0)
        return found

    def integrated(self, *start: float) -> Function | None:
        """Return the integral as a function, or None if it requires quadrature.

        Parameters
        ----------
        *start : float
            Value at time zero of every integral, the innermost first; their number is that of
            integrals.
        """
        return None if start else self.function

    @cached_property
    def _integrals(self) -> tuple[Function | None, Function | None]:
        return self.integrated(0.0), self.integrated(0.0, 0.0)

    @cached_property
    def quadrature(self) -> Integrals:
        """Integrals from zero by quadrature."""
        return self.quadrature_of(0)

    def quadrature_of(self, order: int, span: float | None = None) -> Integrals:
        """Return integrals of a derivative by quadrature, with pieces for another span if given."""
        function = self.function.of(*[("rate", 0, 0)] * order)
        chunk = self.chunk if span is None else span / CHUNKS
        refuse = partial(self.refuse, order=order)
        return Integrals(function, self.start, chunk, self.breaks, refuse)

    def refuse(self, t: ArrayLike, order: int) -> None:
        """Raise the error for a derivative that is not finite, unless it only overflows."""


class PolynomialProfile(Profile):
    """``c0 + c1 t + c2 t^2 + ...``; a constant has one coefficient.

    Parameters
    ----------
    coefficients : sequence of float
        From the constant upwards.
    """

    def __init__(self, coefficients: Sequence[float]) -> None:
        super().__init__(_polynomial(coefficients))
        self.is_constant = not np.any(self.function.constants[1:])
        self.is_uniform = not np.any(self.function.constants[2:])

    def integrated(self, *start: float) -> Function:
        """Return the integral as a polynomial."""
        found = np.polynomial.Polynomial(self.function.constants)
        for constant in start:
            found = found.integ(1, k=[constant])
        return _polynomial(np.asarray(found.coef, dtype=np.float64))


class InputProfile(Profile):
    """An input that an exported solver receives while it runs; here its start value.

    Parameters
    ----------
    name : str
        Name of the input.
    start : float
        Its value until another is set.
    """

    def __init__(self, name: str, start: float) -> None:
        super().__init__(Function([("input", 0, 0)]))
        self.inputs, self.start = (name,), np.array([start, 0.0, 0.0, 0.0])


class RampProfile(Profile):
    """Smooth change ``from + (to - from) (s - sin(2 pi s) / (2 pi))``, constant before and after.

    Value, first and second derivative are continuous at both ends.

    Parameters
    ----------
    to, begin : float
        Value after and before.
    duration, start : float
        Length and beginning of the change, s.
    """

    def __init__(self, to: float, duration: float, begin: float = 0.0, start: float = 0.0) -> None:
        numbers = (begin, to, start, duration)
        super().__init__(Function([("ramp", 0, 4)], numbers), (start, start + duration))
        self.is_constant = self.is_uniform = to == begin

    def integrated(self, *start: float) -> Function:
        """Return the integral as a function."""
        if not start:
            return self.function
        numbers = self.function.constants
        found = Function([(f"ramp{_TIMES[len(start)]}", 0, len(numbers))], numbers)
        return _shifted(found, found, start)


class TableProfile(Profile):
    """Cubic spline (not-a-knot, twice continuously differentiable) or lines through a table.

    Parameters
    ----------
    times, values : (n,) array
        The table; times increase strictly.
    name : str
        Name of the table in error messages.
    hold : bool
        Whether the end values are held outside the table; otherwise leaving it is an error.
    smooth : bool
        Whether it is a spline; otherwise there are straight lines between the rows.

    Raises
    ------
    InputError
        When the times are spaced too unequally for a spline.
    """

    def __init__(
        self, times: Floats, values: Floats, name: str, hold: bool = False, *, smooth: bool = True
    ) -> None:
        self._spline: Any = (_spline if smooth else _lines)(times, values, name)
        self._name, self._hold = name, hold
        first, last = float(times[0]), float(times[-1])
        self._slack = 1e-9 * (last - first)  # tolerates the round-off of a sum of steps
        self._inner = () if smooth else tuple(times[1:-1].tolist())
        super().__init__(self._function(0, hold), (first, *self._inner, last))
        self.is_constant = self.is_uniform = bool(np.all(values == values[0]))

    @property
    def kinks(self) -> list[Kink]:
        """Where the function is not smooth.

        A table that holds its end values starts to hold them slightly outside its ends; up to
        there, it continues with the slopes of its ends.
        """
        if self.is_constant or not self._hold:
            return super().kinks
        first, last = self.breaks[0], self.breaks[-1]
        return [
            (first - self._slack, first),
            *((time, time) for time in self._inner),
            (last, float(np.nextafter(last + self._slack, np.inf))),
        ]

    def integrated(self, *start: float) -> Function:
        """Return the integral as a function, from zero even if the table starts later."""
        if not start:
            return self.function
        level = len(start)
        return _shifted(self._function(level, self._hold), self._function(level, True), start)

    def refuse(self, t: ArrayLike, order: int) -> None:
        """Name the first time that the table does not cover."""
        time, first, last = np.asarray(t, dtype=np.float64), self.breaks[0], self.breaks[-1]
        outside = (time < first - self._slack) | (time > last + self._slack)
        if not self._hold and np.any(outside):
            raise InputError(
                f"{self._name}: found a table from {first:g} to {last:g} s; expected "
                f'it to cover t = {time[outside].ravel()[0]:g} s, or outside = "hold"'
            )

    def _function(self, level: int, hold: bool) -> Function:
        """Return the spline, or its integral from the first time."""
        spline = self._spline.antiderivative(level) if level else self._spline
        pieces = np.asarray(spline.c)[::-1].T  # the constants first
        numbers = np.concatenate([[float(hold), self._slack], spline.x, pieces.ravel()])
        return Function([(f"spline{_TIMES[level]}", 0, len(numbers))], numbers)


def _spline(times: Floats, values: Floats, name: str) -> Any:
    """Return the cubic spline through points.

    Raises
    ------
    InputError
        When the times are spaced too unequally.
    """
    # Slow to import, and few models need it.
    from scipy.interpolate import CubicSpline
    from scipy.linalg import LinAlgWarning

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", LinAlgWarning)
            return CubicSpline(times, values)
    except LinAlgWarning:
        steps = np.diff(times)
        raise InputError(
            f"{name}: found time steps from {steps.min():g} to {steps.max():g} s, too "
            "unequal for a smooth curve; expected more uniform steps"
        ) from None


def _lines(times: Floats, values: Floats, name: str) -> Any:
    """Return straight lines between points, as cubic polynomials."""
    from scipy.interpolate import PPoly

    slopes = np.diff(values) / np.diff(times)
    if not np.isfinite(slopes).all():
        raise InputError(f"{name}: found times too close for the values between them")
    none = np.zeros_like(slopes)
    return PPoly(np.array([none, none, slopes, values[:-1]]), times)


class ExpressionProfile(Profile):
    """A formula of t.

    Parameters
    ----------
    expression : Expression
        In the one variable ``t``.
    span : float
        The time covered by the analysis, s.
    """

    def __init__(self, expression: Expression, span: float = 1.0) -> None:
        super().__init__(expression.function, expression.breaks, span)
        self._expression = expression
        self.is_constant = expression.is_constant
        self.is_uniform = expression.is_constant or expression.is_linear

    def refuse(self, t: ArrayLike, order: int) -> None:
        """Name the formula, and the first time at which it is not finite."""
        self._expression.derivative(t, order)


#: Number of integrations of an operation, as its name states.
_TIMES = ("", "_once", "_twice")


def _polynomial(coefficients: Sequence[float] | Floats) -> Function:
    return Function([("polynomial", 0, len(coefficients))], coefficients)


def _shifted(found: Function, at_zero: Function, start: tuple[float, ...]) -> Function:
    """Return an integral with given values at time zero, the innermost first."""
    (value, first, _), _ = at_zero.jets(0.0, np.zeros(0))
    shift = [start[0] - value] if len(start) == 1 else [start[1] - value, start[0] - first]
    code = (*found.code, ("polynomial", len(found.constants), len(shift)), ("add", 0, 0))
    return Function(code, np.append(found.constants, shift))
