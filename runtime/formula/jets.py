# SPDX-License-Identifier: BSD-3-Clause
"""Jets: a function of time carried with its first and second derivative, which are exact.

A jet of ``f`` is ``(f, f', f'')``. Sums, products, quotients and compositions follow the product
and the chain rule; no step size and no symbolic algebra are involved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[np.float64] | np.float64 | float


@dataclass(frozen=True, slots=True)
class Jet:
    """Value, first and second derivative with respect to time, arrays of one shape."""

    value: Values
    first: Values
    second: Values

    def __add__(self, other: Jet) -> Jet:
        """Sum rule."""
        return Jet(self.value + other.value, self.first + other.first, self.second + other.second)

    def __sub__(self, other: Jet) -> Jet:
        """Difference rule."""
        return Jet(self.value - other.value, self.first - other.first, self.second - other.second)

    def __mul__(self, other: Jet) -> Jet:
        """Product rule."""
        return Jet(
            self.value * other.value,
            self.first * other.value + self.value * other.first,
            self.second * other.value + 2.0 * self.first * other.first + self.value * other.second,
        )

    def __truediv__(self, other: Jet) -> Jet:
        """Quotient rule, by solving ``self = quotient * other`` for the quotient's derivatives."""
        value = np.divide(self.value, other.value)
        first = np.divide(self.first - value * other.first, other.value)
        second = self.second - 2.0 * first * other.first - value * other.second
        return Jet(value, first, np.divide(second, other.value))

    def __neg__(self) -> Jet:
        """Change of sign."""
        return Jet(-self.value, -self.first, -self.second)

    def __pow__(self, other: Jet) -> Jet:
        """Power; a constant exponent follows the power rule, so negative bases stay possible."""
        if not np.any(other.first) and not np.any(other.second):
            return _constant_power(self, other.value)
        logarithm = chain(
            self, np.log(self.value), _over(1.0, self.value), _over(-1.0, self.value, 2)
        )
        exponent = other * logarithm
        value = np.exp(exponent.value)
        return chain(exponent, value, value, value)


def constant(value: Values) -> Jet:
    """Return the jet of a constant."""
    return Jet(np.asarray(value, dtype=np.float64), 0.0, 0.0)


def variable(time: NDArray[np.float64]) -> Jet:
    """Return the jet of time itself."""
    return Jet(time, np.ones_like(time), np.zeros_like(time))


def chain(inner: Jet, value: Values, first: Values, second: Values) -> Jet:
    """Return the jet of ``f(inner)`` from ``f``, ``f'`` and ``f''`` at ``inner`` (chain rule)."""
    return Jet(
        value,
        first * inner.first,
        second * inner.first * inner.first + first * inner.second,
    )


def select(condition: NDArray[np.bool_] | np.bool_, yes: Jet, no: Jet) -> Jet:
    """Return ``yes`` where the condition holds and ``no`` elsewhere."""
    return Jet(
        np.where(condition, yes.value, no.value),
        np.where(condition, yes.first, no.first),
        np.where(condition, yes.second, no.second),
    )


def atan2(y: Jet, x: Jet) -> Jet:
    """Return the jet of the angle of the point ``(x, y)``."""
    squared = x * x + y * y
    turning = x.value * y.first - y.value * x.first
    change = x.value * y.second - y.value * x.second
    first = np.divide(turning, squared.value)
    second = np.divide(change - first * squared.first, squared.value)
    return Jet(np.arctan2(y.value, x.value), first, second)


def lift(
    function: Callable[[Values], Values],
    first: Callable[[Values, Values], Values],
    second: Callable[[Values, Values], Values],
) -> Callable[[Jet], Jet]:
    """Return the jet function of ``f``; its derivatives are given as functions of ``(x, f(x))``."""

    def lifted(x: Jet) -> Jet:
        value = function(x.value)
        return chain(x, value, first(x.value, value), second(x.value, value))

    return lifted


def _over(numerator: float, x: Values, power: int = 1) -> Values:
    return np.divide(numerator, np.power(x, power))


def _constant_power(base: Jet, exponent: Values) -> Jet:
    """Power rule; a vanishing coefficient wins over a singular power (``t**1`` at ``t = 0``)."""
    value = np.power(base.value, exponent)
    factors = (np.asarray(exponent), np.asarray(exponent) * (np.asarray(exponent) - 1.0))
    first, second = (
        np.where(factor == 0.0, 0.0, factor * np.power(base.value, exponent - 1.0 - order))
        for order, factor in enumerate(factors)
    )
    return chain(base, value, first, second)
