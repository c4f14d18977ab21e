# SPDX-License-Identifier: BSD-3-Clause
"""States of a motion at several times, evaluated together: what probes read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.joints import Reaction
from flexforge.runtime.constraints.rates import RateConstraints
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.system_model import Constraints


class Reading(Protocol):
    """What knows velocities and accelerations of states: what took the steps."""

    def velocity(self, state: State) -> Floats:
        """Return the rates of the unknowns, or of the coordinates."""

    def point(self, state: State) -> Point:
        """Return a state with its accelerations and multipliers."""


class Samples:
    """States of a motion; nodal values are computed on request, for all times at once.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    stepper : Reading
        What took the steps.
    shapes : Shapes, optional
        Those that the unknowns move in.
    states : sequence of State
        Of the unknowns, or of the coordinates of the shapes.

    Attributes
    ----------
    times : ndarray, (T,)
        Times of the states, s.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        stepper: Reading,
        shapes: Shapes | None,
        states: Sequence[State],
    ) -> None:
        self.system, self._loads = system, loads
        self._stepper, self._shapes, self._states = stepper, shapes, states
        self.times = np.array([state.t for state in states])

    @cached_property
    def displacement(self) -> Floats:
        """Displacements relative to the frames, (T, N, d), m."""
        return self._nodal(0, [state.q for state in self._states])

    @cached_property
    def velocity(self) -> Floats:
        """Velocities relative to the frames, (T, N, d), m/s."""
        return self._nodal(1, [self._stepper.velocity(state) for state in self._states])

    @cached_property
    def acceleration(self) -> Floats:
        """Accelerations relative to the frames, (T, N, d), m/s^2."""
        return self._nodal(2, [point.rate for point in self.points])

    @cached_property
    def points(self) -> list[Point]:
        """The states with their accelerations and multipliers."""
        return [self._stepper.point(state) for state in self._states]

    def _nodal(self, order: int, coordinates: Sequence[Floats]) -> Floats:
        """Return nodal displacements or their rates from those of the coordinates."""
        values = np.array(coordinates)
        if self._shapes is not None:
            values = values @ self._shapes.matrix.T
        found = self.system.expand(values)
        if self._loads.given is not None:
            found += np.array([self._loads.given.at(t)[order] for t in self.times.tolist()])
        return found


class TiedSamples(Samples):
    """States of tied bodies, with the forces of what ties them.

    Parameters
    ----------
    constraints : Constraints
        What ties the coordinates.
    rates : RateConstraints, optional
        What forbids velocities.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        stepper: Reading,
        shapes: Shapes | None,
        states: Sequence[State],
        *,
        constraints: Constraints,
        rates: RateConstraints | None,
    ) -> None:
        super().__init__(system, loads, stepper, shapes, states)
        self._constraints = constraints
        self._names = (*constraints.pattern.names, *(rates.names if rates else ()))

    @cached_property
    def multipliers(self) -> Floats:
        """Forces of the constraints, (T, m + k)."""
        return np.array([point.force for point in self.points])

    @cached_property
    def reactions(self) -> dict[str, Reaction]:
        """What the first link of every joint does to the second, by the joint's name, over time."""
        return self._constraints.reactions(self.times, self.multipliers)

    def multiplier(self, name: str) -> Floats:
        """Return the generalized force that keeps a driver, a gear or an equation, (T,)."""
        last = len(self._names) - 1 - self._names[::-1].index(name)  # joints, which may share it,
        return self.multipliers[:, last]  # are first
