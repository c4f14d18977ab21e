# SPDX-License-Identifier: BSD-3-Clause
"""Values and derivatives of formulas of what moves, as native code has evaluated them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.tables.structs import Multibody


@dataclass(frozen=True, slots=True)
class Slopes:
    """Formulas at a point.

    Attributes
    ----------
    value, by_time : ndarray, (F,)
        Values, and derivatives by time with all variables kept.
    by_place, by_rate : ndarray, (F, A)
        Derivatives by the coordinates of actuators and by their rates.
    by_state : ndarray, (F, S)
        Derivatives by states of controllers.
    by_force : ndarray, (F, E)
        Derivatives by multipliers of equations.
    """

    value: Floats
    by_time: Floats
    by_place: Floats
    by_rate: Floats
    by_state: Floats
    by_force: Floats

    def take(self, which: slice) -> Slopes:
        """Return some of the formulas."""
        return Slopes(
            self.value[which],
            self.by_time[which],
            self.by_place[which],
            self.by_rate[which],
            self.by_state[which],
            self.by_force[which],
        )


def slopes_of(table: Multibody, told: Floats, actuators: int) -> Slopes:
    """Return the formulas of a table from the numbers that native code has of them.

    Parameters
    ----------
    table : Multibody
        The links.
    told : ndarray
        Numbers of every formula: value, derivative by time, derivatives by its variables.
    actuators : int
        How many there are, A.
    """
    count = len(table.formula)
    value, by_time = np.zeros((2, count))
    by_place, by_rate = np.zeros((2, count, actuators))
    assert table.linkage is not None
    by_state = np.zeros((count, table.controllers))
    conditions = count - len(table.law_of) - table.controllers
    by_force = np.zeros((count, len(table.linkage.scales) + conditions))
    for k, one in enumerate(table.formula):
        value[k], by_time[k] = told[one.at : one.at + 2]
        for i, variable in enumerate(np.asarray(one.variable).tolist()):
            slope = told[one.at + 2 + i]
            if -variable > table.controllers:
                by_force[k, -1 - variable - table.controllers] += slope
            elif variable < 0:
                by_state[k, -1 - variable] += slope
            else:
                (by_rate if variable % 2 else by_place)[k, variable // 2] += (
                    slope  # one for every name
                )
    return Slopes(value, by_time, by_place, by_rate, by_state, by_force)
