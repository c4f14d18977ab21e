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


_PLAIN = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "sqrt", "abs", "sinh",
    "cosh", "tanh",
)  # fmt: skip
FUNCTIONS: dict[str, Operation] = {
    **{name: _operation(name) for name in _PLAIN},
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
