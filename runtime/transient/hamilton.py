# SPDX-License-Identifier: BSD-3-Clause
"""A motion in progress by Hamilton's pair, with its Jacobi integral."""

from __future__ import annotations

from typing import Any

from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.jacobi import JacobiIntegral
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.steppers.hamilton import HamiltonSteps


class HamiltonMotion(Motion):
    """A motion by Hamilton's pair.

    Attributes
    ----------
    jacobi : JacobiIntegral or None
        The integral that the motion keeps, where it keeps one.
    """

    stepper: HamiltonSteps
    jacobi: JacobiIntegral | None = None

    @property
    def momentum(self) -> Floats:
        """Momenta of the unknowns, (n,), kg m/s: of the motion in space, in the frames' axes."""
        return self.state.z

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
        if self.jacobi is not None:
            self.jacobi.follow(*self.stepper.energies(state))
        elif self.stepper.keeps_energy:
            self.jacobi = JacobiIntegral(*self.stepper.energies(state))
