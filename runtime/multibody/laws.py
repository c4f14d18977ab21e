# SPDX-License-Identifier: BSD-3-Clause
"""Forces along coordinates of joints as formulas of time, the coordinate and its rate.

In a step a formula is the straight line that touches it at the expected end, which springs and
dampers of the actuator take up; the step is repeated where that is not what was found.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.actuators import Actuator

#: Difference between a formula and its line, of the largest force, that counts as none.
_SAME = 1e-10


class Laws:
    """The formulas of actuators.

    Parameters
    ----------
    actuators : sequence of Actuator
        All of a model, with and without formulas.
    springs : ndarray, (A, 3)
        Stiffness, damping and rest of each, as native code reads them; changed in place.
    """

    def __init__(self, actuators: Sequence[Actuator], springs: Floats) -> None:
        self._laws = [(k, one.law) for k, one in enumerate(actuators) if one.law is not None]
        self._springs, self._base = springs, springs.copy()
        self._lines = np.zeros((len(actuators), 3))  # constant, slopes by coordinate and rate

    def __bool__(self) -> bool:
        return bool(self._laws)

    @property
    def springs(self) -> Floats:
        """Stiffness, damping and rest without the formulas, (A, 3)."""
        return self._base

    @property
    def given(self) -> Floats:
        """What the formulas add to the given forces where they were linearized last, (A,)."""
        return self._lines[:, 0] + self._lines[:, 1] * self._base[:, 2]

    def linearize(self, t: float, values: Floats, rates: Floats) -> None:
        """Take the straight lines that touch the formulas at coordinates and rates, (A,) each."""
        for k, law in self._laws:
            x, v = float(values[k]), float(rates[k])
            force = float(law(t=t, x=x, x_dot=v))
            slopes = [
                law.along({"t": (t, 0.0), "x": (x, along), "x_dot": (v, 1.0 - along)})
                for along in (1.0, 0.0)
            ]
            self._lines[k] = (force - slopes[0] * x - slopes[1] * v, *slopes)
            self._springs[k, :2] = self._base[k, :2] - slopes

    def forces(self, t: float, values: Floats, rates: Floats) -> Floats:
        """Return the forces of the formulas, (A,), N or N m."""
        found = np.zeros(len(self._lines))
        for k, law in self._laws:
            found[k] = float(law(t=t, x=float(values[k]), x_dot=float(rates[k])))
        return found

    def hold(self, t: float, values: Floats, rates: Floats) -> bool:
        """Whether the lines are the formulas at coordinates and rates."""
        lines = self._lines[:, 0] + self._lines[:, 1] * values + self._lines[:, 2] * rates
        found = self.forces(t, values, rates)
        size = np.abs(found).max(initial=0.0)
        return bool(np.abs(found - lines).max(initial=0.0) <= _SAME * size)
