# SPDX-License-Identifier: BSD-3-Clause
"""A motion in progress of bodies connected by joints, with the joint forces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.joints import Reaction
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.residuals import Drift, check_start
from flexforge.runtime.transient.samples import TiedSamples
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.step_end import TiedStepEnd
from flexforge.runtime.transient.steppers.stepper import Stepper
from flexforge.runtime.transient.system_model import Constraints, TiedModel


class TiedStepper(Stepper, Protocol):
    """A stepper of tied bodies."""

    @property
    def unknowns(self) -> int:
        """Number of equations of a step that are solved together."""

    def expected(self, state: State) -> Floats:
        """Return the coordinates that stiffened the bodies in the step that led to a state."""

    def known_end(self, state: State) -> TiedStepEnd | None:
        """Return the end of the step that led to a state, where it is still at hand."""


class TiedMotion(Motion):
    """A motion in progress of tied bodies.

    Parameters
    ----------
    model : TiedModel
        The bodies and what ties them.
    stepper : TiedStepper
        Takes the steps.
    scheme : Scheme
        Method of integration.
    step : float
        Length of a step, s.
    displacement, velocity : ndarray, (N, d)
        State at t = 0, relative to the frames, m and m/s.
    shapes : Shapes, optional
        Those that the unknowns move in.
    constraints : Constraints, optional
        What ties the coordinates of the shapes; by default what ties the unknowns.

    Attributes
    ----------
    constraints : Constraints
        What ties the coordinates.
    rates : RateConstraints or None
        What forbids velocities.

    Raises
    ------
    InputError
        When the state at the start does not satisfy the constraints.
    """

    stepper: TiedStepper

    def __init__(
        self,
        model: TiedModel,
        stepper: TiedStepper,
        scheme: Scheme,
        step: float,
        displacement: Floats,
        velocity: Floats,
        shapes: Shapes | None = None,
        constraints: Constraints | None = None,
    ) -> None:
        self.model, self.scheme, self.rates = model, scheme, model.rates
        self.constraints, self._drift = constraints or model.constraints, Drift()
        self._end: TiedStepEnd | None = None
        self._followed = False
        super().__init__(model.system, model.loads, stepper, step, displacement, velocity, shapes)

    def _begin(self, state: State) -> None:
        rows = self.constraints.at(state.t)
        rates = self.rates.at(state.t, state.q, state.z) if self.rates is not None else None
        check_start(rows, rates, state.q, state.z)

    def _see(self, state: State) -> None:
        super()._see(state)
        self._end, self._followed = None, False
        # What was computed ahead is looked at where it ends, and where somebody asks.
        if not self.stepper.ahead and self._shapes is None:
            self._follow()

    @property
    def end(self) -> TiedStepEnd:
        """The end of the step to the time reached: its equations and constraints."""
        if self._end is None:
            self._end = self.stepper.known_end(self.state)
        if self._end is None:
            expected = self.unknowns(self.stepper.expected(self.state))
            self._end = self.model.end(self.time, self.step, self.scheme, expected)
        return self._end

    @property
    def multipliers(self) -> Floats:
        """Forces of the constraints at the time reached, (m + k,)."""
        return self.point.force

    @property
    def reactions(self) -> dict[str, Reaction]:
        """What the first link of every joint does to the second, by the joint's name."""
        found = self.constraints.reactions(np.array([self.time]), self.multipliers[None])
        return {name: one.at(0) for name, one in found.items()}

    def over(self, states: Sequence[State]) -> TiedSamples:
        """Return states of the motion with the forces of its constraints."""
        given = self.system, self.loads, self.stepper, self._shapes, states
        return TiedSamples(*given, constraints=self.constraints, rates=self.rates)

    def multiplier(self, name: str) -> float:
        """Return the generalized force that keeps a driver, a gear or an equation."""
        names = (*self.constraints.pattern.names, *(self.rates.names if self.rates else ()))
        last = len(names) - 1 - names[::-1].index(name)  # joints, which may share it, are first
        return float(self.multipliers[last])

    def stressed(self) -> System:
        """Return the bodies with the stresses that they had in the step to the time reached."""
        return self.end.equations.system

    @property
    def drift(self) -> Drift:
        """Largest residuals of the constraints at the times looked at, that reached among them."""
        if not self._followed:
            self._follow()
        return self._drift

    @property
    def observed(self) -> Drift:
        """Largest residuals of the constraints at the times looked at so far."""
        return self._drift

    def figures(self) -> dict[str, Any]:
        """Return the summary of the constraints."""
        found = {
            "constraints": len(self.constraints.pattern.names),
            "equations of a step": self.stepper.unknowns,
        }
        if self._shapes is not None:
            left = self.constraints.at(self.time).residuals(
                self.state.q, self.state.z, self.point.rate
            )
            levels = zip(("positions", "velocities", "accelerations"), left, strict=True)
            return found | {
                f"residual of {name} at the end": float(np.abs(one).max(initial=0.0))
                for name, one in levels
            }
        drift = self.drift
        return found | {
            "constraints": len(self.multipliers),
            "largest residual of positions": drift.position,
            "largest residual of velocities": drift.velocity,
            "largest residual of accelerations": drift.acceleration,
            "largest power of the joints' forces": [drift.power, "W"],
            "of terms as large as": [drift.power_size, "W"],
        }

    def _follow(self) -> None:
        self._followed = True
        state, rows = self.state, self.end.rows
        rates = None if self.end.rates is None else self.end.rates(state.q, state.z)
        self._drift.follow(rows, rates, state.q, state.z, self.point.rate)
        power = self.constraints.power(self.time, rows, state.q, state.z, self.multipliers)
        self._drift.follow_power(*power)
