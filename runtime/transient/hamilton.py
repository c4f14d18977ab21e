# SPDX-License-Identifier: BSD-3-Clause
"""A motion in progress by Hamilton's pair, with its Jacobi integral."""

from __future__ import annotations

from typing import Any

from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.jacobi import JacobiIntegral
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.pace import Pace
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.steppers.hamilton import HamiltonSteps
from flexforge.runtime.transient.steppers.paced import Paced


class HamiltonMotion(Motion):
    """A motion by Hamilton's pair.

    Parameters are those of `Motion`, and what steps adapt to; by default they are equal.

    Attributes
    ----------
    jacobi : JacobiIntegral or None
        The integral that the motion keeps, where it keeps one: at ends of steps.
    """

    jacobi: JacobiIntegral | None = None

    def __init__(
        self,
        system: System,
        loads: Loads,
        stepper: HamiltonSteps,
        step: float,
        displacement: Floats,
        velocity: Floats,
        pace: Pace | None = None,
    ) -> None:
        self._pair = stepper
        self._paced = None if pace is None else Paced(stepper, pace)
        super().__init__(system, loads, self._paced or stepper, step, displacement, velocity)

    @property
    def momentum(self) -> Floats:
        """Momenta of the unknowns, (n,), kg m/s: of the motion in space, in the frames' axes."""
        return (self.state if self._paced is None else self._paced.inside(self.state)).z

    def figures(self) -> dict[str, Any]:
        """Return the residual of the equations, and the summary of the Jacobi integral."""
        found = super().figures()
        if self.jacobi is None:
            return found
        return found | {
            "Jacobi integral": [self.jacobi.first, "J"],
            "largest change of the Jacobi integral": self.jacobi.largest_change,
        }

    def _see(self, state: State) -> None:
        super()._see(state)
        if not self._pair.keeps_energy:
            return
        energies = self._pair.energies(state if self._paced is None else self._paced.knot(state))
        if self.jacobi is None:
            self.jacobi = JacobiIntegral(*energies)
        else:
            self.jacobi.follow(*energies)
