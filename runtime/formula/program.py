# SPDX-License-Identifier: BSD-3-Clause
"""A parsed formula: a table of operations, evaluated in C."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime._functions import Function
from flexforge.runtime.formula.functions import OPERATORS
from numpy.typing import ArrayLike, NDArray

_NO_INPUTS = np.zeros(0)
_ALGEBRA = {"number", "variable", *(one.name for one in OPERATORS.values())}


class Jet(NamedTuple):
    """Value, first and second derivative with respect to time, arrays of one shape."""

    value: NDArray[np.float64]
    first: NDArray[np.float64]
    second: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed formula; call it with its variables as keyword arguments.

    Attributes
    ----------
    text : str
        The text that was parsed.
    variables : tuple of str
        The names it may use.
    function : Function
        Its operations; the variables are numbered in the order above.
    breaks : tuple of float
        Times in ``step`` and ``smooth_step``, where it is not smooth.
    """

    text: str
    variables: tuple[str, ...]
    function: Function
    breaks: tuple[float, ...] = ()

    @property
    def is_constant(self) -> bool:
        """Whether it contains no variable."""
        return all(name != "variable" for name, *_ in self.function.code)

    @property
    def is_linear(self) -> bool:
        """Whether it is a formula of time without functions whose second derivative vanishes."""
        if not all(name in _ALGEBRA for name, *_ in self.function.code):
            return False
        # The second derivative is a ratio of polynomials, which cannot vanish at all of these
        # points.
        return not np.any(self.jet(np.sqrt(np.array([0.02, 0.3, 0.7, 2.3, 5.9, 31.7]))).second)

    def __call__(self, **arrays: ArrayLike) -> NDArray[np.float64]:
        """Evaluate for arrays of the variables; the result has their common shape.

        Raises
        ------
        InputError
            If a value is not finite; the message names the first position where that happens.
        """
        values = {name: np.asarray(array, dtype=np.float64) for name, array in arrays.items()}
        shape = np.broadcast_shapes(*(value.shape for value in values.values()))
        given = np.full((len(self.variables), math.prod(shape)), np.nan)
        for row, name in zip(given, self.variables, strict=True):
            row[:] = np.broadcast_to(values.get(name, np.nan), shape).ravel()
        found, finite = self.function.values(given)
        result = found.reshape(shape)
        if not finite:
            self._refuse(result, values, "")
        return result

    def jet(self, t: ArrayLike) -> Jet:
        """Evaluate value, first and second derivative with respect to ``t``, unchecked."""
        found, _ = self.function.jets(t, _NO_INPUTS)
        return Jet(*(np.array(found[..., order]) for order in range(3)))

    def along(self, motion: Mapping[str, tuple[float, float]]) -> float:
        """Return the rate of the formula for given values and rates of the variables.

        Parameters
        ----------
        motion : mapping
            Value and rate of every variable.

        Raises
        ------
        InputError
            If it is not finite.
        """
        jets = np.array([(*motion[name], 0.0) for name in self.variables])
        rate = self.function.jet(jets)[1]
        if not np.isfinite(rate):
            places = {name: np.asarray(value) for name, (value, _) in motion.items()}
            self._refuse(np.asarray(rate), places, "the rate of ")
        return float(rate)

    def derivative(self, t: ArrayLike, order: int) -> NDArray[np.float64]:
        """Return the derivative of order 0, 1 or 2 with respect to ``t``.

        Raises
        ------
        InputError
            If it is not finite somewhere.
        """
        result, finite = self.function.derivative(t, order, _NO_INPUTS)
        if not finite:
            name = ("", "the first derivative of ", "the second derivative of ")[order]
            self._refuse(result, {"t": np.asarray(t, dtype=np.float64)}, name)
        return result

    def _refuse(
        self, result: NDArray[np.float64], values: dict[str, NDArray[np.float64]], what: str
    ) -> None:
        """Name the first non-finite value, and its position."""
        first = int(np.argmax(~np.isfinite(result)))
        place = ", ".join(
            f"{name} = {np.broadcast_to(value, result.shape).ravel()[first]:.6g}"
            for name, value in values.items()
            if name in self.variables
        )
        raise InputError(
            f"{what}'{self.text}' is {result.ravel()[first]} at {place}; expected finite values"
        )
