# SPDX-License-Identifier: BSD-3-Clause
"""Motion in time of bodies that are tied to each other: the steps of a run, whatever the way.

The equations and the constraints are those of the end of a step. How they are solved together is
the business of a way: multipliers, or speeds that the constraints leave free.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from flexforge.runtime.constraints.actuators import Coupling
from flexforge.runtime.constraints.joints import Reaction
from flexforge.runtime.constraints.rates import RateConstraints
from flexforge.runtime.constraints.rows import Pattern, Rows
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.equations import equations_at
from flexforge.runtime.transient.linear.factors import Counts
from flexforge.runtime.transient.residuals import Drift, check_start
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.step_end import ConstraintMethod, State, StepEnd
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Constraints(Protocol):
    """What ties the unknowns of a system."""

    pattern: Pattern

    def at(self, time: float, frames: Sequence[FrameState]) -> Rows:
        """Return the constraints at a time, s, with the motion of every body's frame."""

    def coupling(self, time: float) -> Coupling | None:
        """Return what actuators do at a time, s, if there are any."""

    def reactions(self, time: float, multipliers: Floats) -> dict[str, Reaction]:
        """Return what joints do, by name, at a time, s, from the multipliers (m,)."""

    def power(
        self, time: float, rows: Rows, q: Floats, v: Floats, multipliers: Floats
    ) -> tuple[float, float]:
        """Return the power of the forces of joints, W, and the sum of what it is made of."""


class StepsAtOnce(Protocol):
    """What takes many steps of a system at once."""

    solver_name: str  # backend that factors, once a step
    factor_bytes: int  # memory of these factors

    def take(self, number: int, state: State, before: Floats) -> list[State]:
        """Return the states after the next steps.

        Parameters
        ----------
        number : int
            Steps taken so far.
        state : State
            That after them.
        before : ndarray, (n,)
            Coordinates one step before that.
        """


def stiffened_bodies(system: System, loads: Loads) -> tuple[int, ...]:
    """Return the numbers of the bodies that have a geometric stiffness of their own state."""
    wanted = loads.include.geometric is not False
    return tuple(
        number
        for number, body in enumerate(system.bodies)
        if wanted and "geometric" in body.kernels and not body.stiffens_itself
    )


def stiffened(
    system: System, loads: Loads, numbers: Sequence[int], displacement: Floats, time: float,
    frames: Sequence[FrameState],
) -> System:  # fmt: skip
    """Return a system with the geometric stiffness that a state gives some of its bodies.

    Parameters
    ----------
    system : System
        The bodies, without stresses.
    loads : Loads
        What acts on them.
    numbers : sequence of int
        Which of them.
    displacement : ndarray, (N, d)
        The state, m.
    time : float
        Time, s.
    frames : sequence of FrameState
        Motion of every body's frame then.
    """
    spins = system.spins_of(frames) if numbers else []
    stressed = {}
    for number in numbers:
        body = system.bodies[number]
        state, warmth = displacement[body.nodes], loads.temperature(body.name, time)
        stressed[number] = body.stressed([body.prestress(state, warmth, spins[number].load)])
    return system.with_bodies(stressed)


class Constrained:
    """A motion in progress of bodies that are tied to each other.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    constraints : Constraints
        What ties them.
    scheme : Scheme
        Method of integration.
    step : float
        Length of a step, s.
    way : callable
        Makes the way through the equations from the counts of work.
    displacement, velocity : ndarray, (N, d)
        State at t = 0, relative to the frames, m and m/s.
    rates : RateConstraints, optional
        What forbids velocities.

    Attributes
    ----------
    system : System
        The bodies, without stresses; ``moment`` has them with those of its time.
    time : float
        Time reached, s.
    counts : Counts
        Steps, factorizations, solves.
    stiffened : tuple of int
        Numbers of the bodies with a geometric stiffness of their own state.

    Raises
    ------
    InputError
        When the state at the start does not satisfy the constraints.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        constraints: Constraints,
        scheme: Scheme,
        step: float,
        way: Callable[[Counts], ConstraintMethod],
        displacement: Floats,
        velocity: Floats,
        rates: RateConstraints | None = None,
    ) -> None:
        self.system, self.loads, self.constraints = system, loads, constraints
        self.rates = rates
        self.scheme, self.step = scheme, step
        self.time, self.counts, self._drift = 0.0, Counts(), Drift()
        self.way = way(self.counts)
        q, v = system.restrict(displacement), system.restrict(velocity)
        self.stiffened = stiffened_bodies(system, loads)
        moment = self._moment(0.0, q)
        check_start(moment, q, v)
        self.state = self.way.begin(q, v, moment)
        self._known: StepEnd | None = moment
        self._at_once: StepsAtOnce | None = None
        self._ahead: deque[State] = deque()
        self._before, self._expected = q - step * v, q
        self._follow()

    @property
    def displacement(self) -> Floats:
        """Displacements relative to the frames, (N, d), m."""
        return self.system.expand(self.state.q)

    @property
    def velocity(self) -> Floats:
        """Velocities relative to the frames, (N, d), m/s."""
        return self.system.expand(self.state.v)

    @property
    def acceleration(self) -> Floats:
        """Accelerations relative to the frames, (N, d), m/s^2."""
        return self.system.expand(self.state.a)

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return self.way.solver_name if self._at_once is None else self._at_once.solver_name

    def take_at_once(self, steps: StepsAtOnce | None) -> None:
        """Take steps many at once from here on, where there is what does so."""
        self._at_once = steps
        if steps is not None:
            self.counts.factor_bytes = steps.factor_bytes

    def advance(self) -> None:
        """Take one step.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved; the state is that before the step.
        """
        end = (self.counts.steps + 1) * self.step
        old = self.state
        # From two positions: accelerations of modes too stiff for the step would be mere noise.
        self._expected = old.q + self.way.stiffened_at * (old.q - self._before)
        if self._at_once is not None:
            if not self._ahead:
                self._ahead.extend(self._at_once.take(self.counts.steps, old, self._before))
            self.state, self._known = self._ahead.popleft(), None
            self.counts.factorizations += 1  # every step factors its own matrix
            self.counts.solves += 1
            self.counts.most_solves = 1
        else:
            self._known = self._moment(end, self._expected)
            self.state = self.way.advance(old, self._known)
        self._before = old.q
        self.counts.steps += 1
        self.time = end
        self._followed = False
        # What was computed ahead is looked at where it ends, and where somebody asks.
        if not self._ahead:
            self._follow()

    @property
    def drift(self) -> Drift:
        """Largest residuals of the constraints at the times looked at, that reached among them."""
        if not self._followed:
            self._follow()
        return self._drift

    @property
    def moment(self) -> StepEnd:
        """Equations and constraints at the time reached."""
        if self._known is None:
            self._known = self._moment(self.time, self._expected)
        return self._known

    @property
    def multipliers(self) -> Floats:
        """Forces of the constraints at the time reached, (m + k,)."""
        if len(self.state.multipliers) < len(self.constraints.pattern.names):
            forces = self.way.forces(self.state, self.moment)
            self.state = replace(self.state, multipliers=forces)
        return self.state.multipliers

    @property
    def reactions(self) -> dict[str, Reaction]:
        """What the first link of every joint does to the second, by the joint's name."""
        return self.constraints.reactions(self.time, self.multipliers)

    def multiplier(self, name: str) -> float:
        """Return the generalized force that keeps a driver, a gear or an equation."""
        names = (*self.constraints.pattern.names, *(self.rates.names if self.rates else ()))
        last = len(names) - 1 - names[::-1].index(name)  # joints, which may share it, are first
        return float(self.multipliers[last])

    def figures(self) -> dict[str, Any]:
        """Return what a summary tells of the constraints."""
        drift = self.drift
        return {
            "constraints": len(self.multipliers),
            "equations of a step": self.way.unknowns,
            "largest residual of positions": drift.position,
            "largest residual of velocities": drift.velocity,
            "largest residual of accelerations": drift.acceleration,
            "largest power of the joints' forces": [drift.power, "W"],
            "of terms as large as": [drift.power_size, "W"],
        }

    def close(self) -> None:
        """Release the factors."""
        self.way.close()

    def _follow(self) -> None:
        self._followed = True
        self._drift.follow(self.moment, self.state)
        state = self.state
        power = self.constraints.power(
            self.time, self.moment.rows, state.q, state.v, self.multipliers
        )
        self._drift.follow_power(*power)

    def _moment(self, time: float, expected: Floats) -> StepEnd:
        """Return what is known at a time, the bodies stiffened by the state expected there."""
        system, frames = self.system, self.system.frames(time)
        state = system.expand(expected)
        stressed = stiffened(system, self.loads, self.stiffened, state, time, frames)
        coupling = self.constraints.coupling(time)
        equations = equations_at(stressed, self.loads, time, frames, coupling)
        rows = self.constraints.at(time, frames)
        rates = partial(self.rates.at, time) if self.rates is not None else None
        return StepEnd(time, self.step, self.scheme, equations, rows, rates)
