# SPDX-License-Identifier: BSD-3-Clause
"""A parsed formula: a short program for a stack machine, run on arrays or on jets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.formula.functions import FUNCTIONS
from flexforge.runtime.formula.jets import Jet, constant, variable
from numpy.typing import ArrayLike, NDArray

_ARRAY_OPERATORS = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "**": np.power,
    "negate": np.negative,
}
_JET_OPERATORS = {
    "+": Jet.__add__,
    "-": Jet.__sub__,
    "*": Jet.__mul__,
    "/": Jet.__truediv__,
    "**": Jet.__pow__,
    "negate": Jet.__neg__,
}


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction: push a number, push a variable, or apply an operator or function."""

    kind: str  # "number", "variable", "operator", "function"
    name: str
    number: float = 0.0
    arity: int = 0


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed formula; call it with its variables as keyword arguments.

    Attributes
    ----------
    text : str
        What was parsed.
    variables : tuple of str
        The names it may use.
    program : tuple of Step
        Postfix instructions.
    breaks : tuple of float
        Times given in ``step`` and ``smooth_step``, where it is not smooth.
    """

    text: str
    variables: tuple[str, ...]
    program: tuple[Step, ...]
    breaks: tuple[float, ...] = ()

    @property
    def is_constant(self) -> bool:
        """Whether no variable occurs."""
        return all(step.kind != "variable" for step in self.program)

    def __call__(self, **arrays: ArrayLike) -> NDArray[np.float64]:
        """Evaluate at arrays of the variables; the result has their common shape.

        Raises
        ------
        InputError
            If a value is not finite; the text names the first place where that happens.
        """
        values = {name: np.asarray(array, dtype=np.float64) for name, array in arrays.items()}
        shape = np.broadcast_shapes(*(value.shape for value in values.values()))
        with np.errstate(all="ignore"):
            raw = self._run(values, np.float64, _ARRAY_OPERATORS, "value")
        result = np.array(np.broadcast_to(raw, shape))
        self._require_finite(result, values, "")
        return result

    def jet(self, t: ArrayLike) -> Jet:
        """Evaluate value, first and second derivative with respect to ``t``, unchecked."""
        time = np.asarray(t, dtype=np.float64)
        with np.errstate(all="ignore"):
            raw = self._run({"t": variable(time)}, constant, _JET_OPERATORS, "jet")
        parts = (raw.value, raw.first, raw.second)
        return Jet(*(np.array(np.broadcast_to(part, time.shape)) for part in parts))

    def along(self, motion: Mapping[str, tuple[float, float]]) -> float:
        """Return the rate of the formula where each variable has a value and a rate.

        Parameters
        ----------
        motion : mapping
            Value and rate of every variable.

        Raises
        ------
        InputError
            If it is not finite.
        """
        jets = {name: Jet(value, rate, 0.0) for name, (value, rate) in motion.items()}
        with np.errstate(all="ignore"):
            rate = np.asarray(self._run(jets, constant, _JET_OPERATORS, "jet").first)
        places = {name: np.asarray(value) for name, (value, _) in motion.items()}
        self._require_finite(rate, places, "the rate of ")
        return float(rate)

    def derivative(self, t: ArrayLike, order: int) -> NDArray[np.float64]:
        """Return the derivative of order 0, 1 or 2 with respect to ``t``.

        Raises
        ------
        InputError
            If it is not finite somewhere.
        """
        jet = self.jet(t)
        result = np.asarray((jet.value, jet.first, jet.second)[order])
        name = ("", "the first derivative of ", "the second derivative of ")[order]
        self._require_finite(result, {"t": np.asarray(t, dtype=np.float64)}, name)
        return result

    def _run(self, values: dict[str, Any], number: Any, operators: Any, part: str) -> Any:
        stack: list[Any] = []
        for step in self.program:
            if step.kind == "number":
                stack.append(number(step.number))
            elif step.kind == "variable":
                stack.append(values[step.name])
            else:
                arguments = stack[-step.arity :]
                del stack[-step.arity :]
                if step.kind == "operator":
                    stack.append(operators[step.name](*arguments))
                else:
                    stack.append(getattr(FUNCTIONS[step.name], part)(*arguments))
        return stack[0]

    def _require_finite(
        self, result: NDArray[np.float64], values: dict[str, NDArray[np.float64]], what: str
    ) -> None:
        bad = ~np.isfinite(result)
        if bad.any():
            first = int(np.argmax(bad))
            place = ", ".join(
                f"{name} = {np.broadcast_to(value, result.shape).ravel()[first]:.6g}"
                for name, value in values.items()
                if name in self.variables
            )
            raise InputError(
                f"{what}'{self.text}' is {result.ravel()[first]} at {place}; expected finite values"
            )
