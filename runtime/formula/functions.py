# SPDX-License-Identifier: BSD-3-Clause
"""The functions and operators of formulas, and the corresponding operations of ``ff_time.h``."""

from __future__ import annotations

import math
from dataclasses import dataclass

from flexforge.runtime._functions import OPERATIONS


@dataclass(frozen=True, slots=True)
class Operation:
    """A function or operator that a formula may use.

    Attributes
    ----------
    name : str
        Name of the operation in C.
    least, most : int
        Number of arguments; additional arguments are applied one after the other.
    """

    name: str
    least: int
    most: int


def _operation(name: str, most: int = 0) -> Operation:
    operands = OPERATIONS[name][1]
    return Operation(name, operands, most or operands)


FUNCTIONS: dict[str, Operation] = {
    "sin": _operation("sin"),
    "cos": _operation("cos"),
    "tan": _operation("tan"),
    "asin": _operation("asin"),
    "acos": _operation("acos"),
    "atan": _operation("atan"),
    "atan2": _operation("atan2"),
    "exp": _operation("exp"),
    "log": _operation("log"),
    "sqrt": _operation("sqrt"),
    "abs": _operation("abs"),
    "sinh": _operation("sinh"),
    "cosh": _operation("cosh"),
    "tanh": _operation("tanh"),
    "min": _operation("min", 8),
    "max": _operation("max", 8),
    "step": _operation("step_at"),
    "smooth_step": _operation("smooth_step"),
}

OPERATORS: dict[str, Operation] = {
    "+": _operation("add"),
    "-": _operation("subtract"),
    "*": _operation("multiply"),
    "/": _operation("divide"),
    "**": _operation("power"),
    "negate": _operation("negate"),
}

CONSTANTS: dict[str, float] = {"pi": math.pi, "e": math.e}
