# SPDX-License-Identifier: BSD-3-Clause
"""A motion in progress of bodies whose spin a torque decides."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.equations import Equations
from flexforge.runtime.transient.machine_model import MachineModel
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.samples import Samples
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.steppers.machines import MachineSteps, Reached

_TINY = float(np.finfo(float).tiny)


class MachineSamples(Samples):
    """States of bodies and machines.

    Parameters
    ----------
    stepper : MachineSteps
        What took the steps.
    states : sequence of State
        The states.
    """

    def __init__(self, stepper: MachineSteps, states: Sequence[State]) -> None:
        model = stepper.model
        super().__init__(model.system, model.loads, stepper, None, states)
        self.stepper = stepper

    @cached_property
    def reached(self) -> list[Reached]:
        """Angles of machines and works at all of them."""
        return [self.stepper.reached(state) for state in self._states]

    def equations(self, number: int, displacement: Floats | None = None) -> Equations:
        """Return the equations at one of them; displacements are as of `equations_at`."""
        time, turn = float(self.times[number]), self.reached[number].turn
        return self.stepper.model.equations(time, turn, displacement)

    def torques(self, machine: int) -> Floats:
        """Return the torque on a machine, (T,), N m."""
        each = zip(self.times.tolist(), self.reached, strict=True)
        return np.array([self.stepper.model.torques(t, one.turn)[machine] for t, one in each])


class MachineMotion(Motion):
    """As `Motion`, of bodies and machines.

    Parameters
    ----------
    stepper : MachineSteps
        Takes the steps.
    step : float
        Length of a step, s.
    displacement, velocity : ndarray, (N, d)
        State at t = 0, along axes that stand still, m and m/s.
    """

    stepper: MachineSteps

    def __init__(
        self, stepper: MachineSteps, step: float, displacement: Floats, velocity: Floats
    ) -> None:
        model: MachineModel = stepper.model
        super().__init__(model.system, model.loads, stepper, step, displacement, velocity)

    def over(self, states: Sequence[State]) -> MachineSamples:
        """Return states of the motion, whose values are computed together."""
        return MachineSamples(self.stepper, states)

    def equations(self, displacement: Floats | None = None) -> Equations:
        """Return the equations at the time reached."""
        turn = self.stepper.reached(self.state).turn
        return self.stepper.model.equations(self.time, turn, displacement)

    def figures(self) -> dict[str, Any]:
        """Return the summary of the motion, except its steps."""
        equations, state = self.equations(), self.state
        inner = equations.inner(state.q, state.z, self.point.rate)
        left = float(np.linalg.norm(equations.force - inner))
        size = max(equations.magnitude(inner, state.q), _TINY)
        return {**self.stepper.figures(state), "residual at the end": left / size}
