# SPDX-License-Identifier: BSD-3-Clause
"""Constraints of velocities from equations of the model file: linear in ``x_dot``, and in nothing.

The coefficients are values of the equation itself, which is linear, and its rate along a motion
comes from jets: exact, without differences or symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.rates import Rates
from flexforge.runtime.formula.expressions import Expression
from flexforge.runtime.model.schema_ties import DOT
from flexforge.runtime.system.prescribed import Prescribed

_LINEAR = 1e-9


@dataclass(frozen=True, slots=True)
class Equation:
    """One equation ``expression = 0`` of coordinates, their velocities and time.

    Attributes
    ----------
    name : str
        As in the model file.
    expression : Expression
        In ``t``, the coordinates, and their names with the ending ``_dot``.
    coordinates : tuple of str
        Names of its coordinates.
    columns : ndarray of int64, (k,)
        Unknowns that move them, ascending.
    moved : ndarray, (c, k)
        Coordinates for units of these.
    given : ndarray, (c, f)
        Coordinates for units of the functions of given displacements.
    """

    name: str
    expression: Expression
    coordinates: tuple[str, ...]
    columns: Ints
    moved: Floats
    given: Floats

    def rates(self, time: float, q: Floats, v: Floats) -> tuple[Floats, float, float]:
        """Return W (c,), w and g of the equation for its coordinates (c,) and velocities."""
        names = self.coordinates
        place = {"t": time} | dict(zip(names, q, strict=True))
        count = len(names)
        # One evaluation for no velocity and for a unit of each.
        units = np.vstack([np.zeros(count), np.eye(count)])
        dots = {f"{name}{DOT}": units[:, i] for i, name in enumerate(names)}
        values = self.expression(**{k: np.full(count + 1, x) for k, x in place.items()}, **dots)
        motion = {"t": (time, 1.0)}
        for name, at, rate in zip(names, q, v, strict=True):
            motion |= {name: (at, rate), f"{name}{DOT}": (rate, 0.0)}
        along = self.expression.along(motion)
        return values[1:] - values[0], float(values[0]), along

    def check(self) -> None:
        """Refuse an equation that is not linear in the velocities.

        Raises
        ------
        InputError
            Naming the equation.
        """
        rng = np.random.default_rng(1)
        q, v = rng.normal(size=(2, len(self.coordinates)))
        matrix, value, _ = self.rates(0.37, q, v)
        point = {"t": 0.37} | dict(zip(self.coordinates, q, strict=True))
        speeds = {f"{name}{DOT}": x for name, x in zip(self.coordinates, v, strict=True)}
        found, size = float(self.expression(**point, **speeds)), np.abs(matrix) @ np.abs(v)
        if abs(found - matrix @ v - value) > _LINEAR * (size + abs(value)):
            raise InputError(
                f"constraint '{self.name}': '{self.expression.text}' is not linear in the "
                "velocities; expected a linear equation"
            )
        if not matrix.any():
            raise InputError(
                f"constraint '{self.name}': '{self.expression.text}' contains no velocity; "
                f"expected one such as {self.coordinates[0]}{DOT}"
            )


class Equations:
    """Constraints of velocities given by equations.

    Parameters
    ----------
    equations : sequence of Equation
        At least one.
    prescribed : Prescribed, optional
        Displacements of supports that are given.
    """

    def __init__(self, equations: Sequence[Equation], prescribed: Prescribed | None = None) -> None:
        self._equations, self._prescribed = tuple(equations), prescribed
        self.names = tuple(one.name for one in equations)
        self.columns = np.unique(np.concatenate([one.columns for one in equations]))

    def at(self, time: float, q: Floats, v: Floats) -> Rates:
        """Return the constraints at a time, s, and a state (n,)."""
        k = len(self._equations)
        matrix, value, second = np.zeros((k, len(self.columns))), np.zeros(k), np.zeros(k)
        given = np.zeros((3, 0)) if self._prescribed is None else self._prescribed.values(time)
        for row, one in enumerate(self._equations):
            g, g_rate, g_second = given @ one.given.T
            place, rate = one.moved @ q[one.columns] + g, one.moved @ v[one.columns] + g_rate
            found, value[row], second[row] = one.rates(time, place, rate)
            matrix[row, np.searchsorted(self.columns, one.columns)] = found @ one.moved
            value[row] += found @ g_rate
            second[row] += found @ g_second
        return Rates(self.names, self.columns, matrix, value, second)
