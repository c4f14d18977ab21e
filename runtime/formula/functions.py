# SPDX-License-Identifier: BSD-3-Clause
"""The functions an expression may call: for each its number of arguments, its value and its jet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from flexforge.runtime.formula.jets import Jet, Values, atan2, constant, lift, select


@dataclass(frozen=True, slots=True)
class Function:
    """A whitelisted function: least and largest number of arguments, value and jet."""

    least: int
    most: int
    value: Callable[..., Any]
    jet: Callable[..., Jet]


def _unary(
    value: Callable[..., Any],
    first: Callable[[Values, Values], Values],
    second: Callable[[Values, Values], Values],
) -> Function:
    return Function(1, 1, value, lift(value, first, second))


def _smooth_step(t: Values, start: Values, end: Values) -> Values:
    s = np.clip(np.divide(np.subtract(t, start), np.subtract(end, start)), 0.0, 1.0)
    return np.asarray(s * s * s * (10.0 + s * (6.0 * s - 15.0)))


def _smooth_step_jet(t: Jet, start: Jet, end: Jet) -> Jet:
    """Quintic ``10 s^3 - 15 s^4 + 6 s^5``: value, first and second derivative join at both ends."""
    s = (t - start) / (end - start)
    outside = np.logical_or(np.less_equal(s.value, 0.0), np.greater_equal(s.value, 1.0))
    s = select(~outside, s, constant(np.where(s.value >= 1.0, 1.0, 0.0)))
    return s * s * s * (constant(10.0) + s * (constant(6.0) * s - constant(15.0)))


def _fold_value(pick: Callable[[Values, Values], Values]) -> Callable[..., Values]:
    def folded(*arguments: Values) -> Values:
        result = arguments[0]
        for argument in arguments[1:]:
            result = pick(result, argument)
        return result

    return folded


def _fold_jet(prefer: Callable[[Values, Values], Any]) -> Callable[..., Jet]:
    def folded(*arguments: Jet) -> Jet:
        result = arguments[0]
        for argument in arguments[1:]:
            # What is not a number is preferred: it does not get lost, as in the value alone.
            kept = prefer(result.value, argument.value) | np.isnan(result.value)
            result = select(kept, result, argument)
        return result

    return folded


FUNCTIONS: dict[str, Function] = {
    "sin": _unary(np.sin, lambda x, f: np.cos(x), lambda x, f: -f),
    "cos": _unary(np.cos, lambda x, f: -np.sin(x), lambda x, f: -f),
    "tan": _unary(np.tan, lambda x, f: 1.0 + f * f, lambda x, f: 2.0 * f * (1.0 + f * f)),
    "asin": _unary(
        np.arcsin,
        lambda x, f: np.power(1.0 - x * x, -0.5),
        lambda x, f: x * np.power(1.0 - x * x, -1.5),
    ),
    "acos": _unary(
        np.arccos,
        lambda x, f: -np.power(1.0 - x * x, -0.5),
        lambda x, f: -x * np.power(1.0 - x * x, -1.5),
    ),
    "atan": _unary(
        np.arctan,
        lambda x, f: 1.0 / (1.0 + x * x),
        lambda x, f: -2.0 * x / (1.0 + x * x) ** 2,
    ),
    "atan2": Function(2, 2, np.arctan2, atan2),
    "exp": _unary(np.exp, lambda x, f: f, lambda x, f: f),
    "log": _unary(np.log, lambda x, f: np.power(x, -1.0), lambda x, f: -np.power(x, -2.0)),
    "sqrt": _unary(np.sqrt, lambda x, f: np.divide(0.5, f), lambda x, f: np.divide(-0.25, f**3)),
    "abs": _unary(np.abs, lambda x, f: np.sign(x), lambda x, f: 0.0 * f),
    "sinh": _unary(np.sinh, lambda x, f: np.cosh(x), lambda x, f: f),
    "cosh": _unary(np.cosh, lambda x, f: np.sinh(x), lambda x, f: f),
    "tanh": _unary(np.tanh, lambda x, f: 1.0 - f * f, lambda x, f: -2.0 * f * (1.0 - f * f)),
    "min": Function(2, 8, _fold_value(np.minimum), _fold_jet(np.less_equal)),
    "max": Function(2, 8, _fold_value(np.maximum), _fold_jet(np.greater_equal)),
    "step": Function(
        2,
        2,
        lambda t, start: np.where(np.greater_equal(t, start), 1.0, 0.0),
        lambda t, start: constant(np.where(np.greater_equal(t.value, start.value), 1.0, 0.0)),
    ),
    "smooth_step": Function(3, 3, _smooth_step, _smooth_step_jet),
}

CONSTANTS: dict[str, float] = {"pi": float(np.pi), "e": float(np.e)}
