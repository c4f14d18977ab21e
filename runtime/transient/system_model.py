# SPDX-License-Identifier: BSD-3-Clause
"""Equations of a step: bodies of a system with their loads and constraints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Protocol

from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.actuators import Coupling
from flexforge.runtime.constraints.joints import Reaction
from flexforge.runtime.constraints.rates import RateConstraints
from flexforge.runtime.constraints.rows import Pattern, Rows
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.equations import equations_at
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.step_end import SystemStepEnd, TiedStepEnd


class Constraints(Protocol):
    """What ties the unknowns of a system."""

    pattern: Pattern

    def at(self, time: float) -> Rows:
        """Return the constraints at a time, s."""

    def coupling(self, time: float) -> Coupling | None:
        """Return the actuator terms of the equations at a time, s, or None."""

    def reactions(self, times: Floats, multipliers: Floats) -> dict[str, Reaction]:
        """Return the joint forces by name at times (T,), s, from the multipliers (T, m)."""

    def power(
        self, time: float, rows: Rows, q: Floats, v: Floats, multipliers: Floats
    ) -> tuple[float, float]:
        """Return the power of the forces of joints, W, and the sum of what it is made of."""


class FreeModel:
    """Bodies in prescribed frames.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.

    Attributes
    ----------
    stiffened : tuple of int
        Numbers of the bodies with a geometric stiffness of their own state: none.
    """

    stiffened: tuple[int, ...] = ()

    def __init__(self, system: System, loads: Loads) -> None:
        self.system, self.loads = system, loads

    def end(self, time: float, step: float, scheme: Scheme, expected: Floats) -> SystemStepEnd:
        """Return the end of a step.

        Parameters
        ----------
        time, step : float
            When it is, and how long the step, s.
        scheme : Scheme
            Method of integration.
        expected : ndarray, (n,)
            State that bodies are stiffened by.
        """
        del expected
        frames = self.system.frames(time)
        equations = equations_at(self.system, self.loads, time, frames)
        return SystemStepEnd(time, step, scheme, equations)


class TiedModel:
    """Bodies that are tied to each other.

    Parameters
    ----------
    system : System
        The bodies, without stresses.
    loads : Loads
        What acts on them.
    constraints : Constraints
        What ties them.
    rates : RateConstraints, optional
        What forbids velocities.

    Attributes
    ----------
    stiffened : tuple of int
        Numbers of the bodies with a geometric stiffness of their own state.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        constraints: Constraints,
        rates: RateConstraints | None = None,
    ) -> None:
        self.system, self.loads = system, loads
        self.constraints, self.rates = constraints, rates
        self.stiffened = stiffened_bodies(system, loads)

    def end(self, time: float, step: float, scheme: Scheme, expected: Floats) -> TiedStepEnd:
        """Return the end of a step, the bodies stiffened by the state expected there.

        Parameters are those of ``FreeModel.end``.
        """
        frames = self.system.frames(time)
        stressed = stiffened(self.system, self.loads, self.stiffened, expected, time, frames)
        coupling = self.constraints.coupling(time)
        equations = equations_at(stressed, self.loads, time, frames, coupling)
        rows = self.constraints.at(time)
        rates = partial(self.rates.at, time) if self.rates is not None else None
        return TiedStepEnd(time, step, scheme, equations, expected, rows, rates)


def stiffened_bodies(system: System, loads: Loads) -> tuple[int, ...]:
    """Return the numbers of the bodies that have a geometric stiffness of their own state."""
    wanted = loads.include.geometric is not False
    return tuple(
        number
        for number, body in enumerate(system.bodies)
        if wanted and "geometric" in body.kernels and not body.stiffens_itself
    )


def stiffened(
    system: System,
    loads: Loads,
    numbers: Sequence[int],
    expected: Floats,
    time: float,
    frames: Sequence[FrameState],
) -> System:
    """Return a system with the geometric stiffness that a state gives some of its bodies.

    Parameters
    ----------
    system : System
        The bodies, without stresses.
    loads : Loads
        What acts on them.
    numbers : sequence of int
        Which of them.
    expected : ndarray, (n,)
        The state.
    time : float
        Time, s.
    frames : sequence of FrameState
        Motion of every body's frame then.
    """
    if not numbers:
        return system
    displacement = system.expand(expected)
    if loads.given is not None:
        displacement += loads.given.at(time)[0]
    spins, stressed = system.spins_of(frames), {}
    for number in numbers:
        body = system.bodies[number]
        state, warmth = displacement[body.nodes], loads.temperature(body.name, time)
        stressed[number] = body.stressed([body.prestress(state, warmth, spins[number].load)])
    return system.with_bodies(stressed)
