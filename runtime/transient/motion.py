# SPDX-License-Identifier: BSD-3-Clause
"""A motion in progress as probes and results see it: nodal values at the current time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.equations import equations_at
from flexforge.runtime.transient.loop import grid, march, next_time
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.samples import Samples
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.steppers.stepper import Stepper


class Motion:
    """A motion in progress of the bodies of a system.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    stepper : Stepper
        Takes the steps.
    step : float
        Length of a step, s.
    displacement, velocity : ndarray, (N, d)
        State at t = 0, relative to the frames, m and m/s.
    shapes : Shapes, optional
        Those that the unknowns move in; by default the unknowns themselves are stepped.

    Attributes
    ----------
    system, loads, stepper, step
        As given.
    state : State
        Of the unknowns, or of the coordinates of the shapes, at the time reached.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        stepper: Stepper,
        step: float,
        displacement: Floats,
        velocity: Floats,
        shapes: Shapes | None = None,
    ) -> None:
        self.system, self.loads, self.stepper, self.step = system, loads, stepper, step
        self._shapes = shapes
        self._point: Point | None = None
        self._seen: dict[int, Floats] = {}
        self._before = Counts()
        q, v = (self._coordinates(system.map.sample(x)) for x in (displacement, velocity))
        self._begin(State(0.0, q, v))
        self._states = self._from(State(0.0, q, v))
        self._see(next(self._states))

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self.state.t

    @property
    def displacement(self) -> Floats:
        """Displacements relative to the frames, (N, d), m."""
        return self._nodal(0, lambda state: state.q)

    @property
    def velocity(self) -> Floats:
        """Velocities relative to the frames, (N, d), m/s."""
        return self._nodal(1, self.stepper.velocity)

    @property
    def acceleration(self) -> Floats:
        """Accelerations relative to the frames, (N, d), m/s^2."""
        return self._nodal(2, lambda _: self.point.rate)

    @property
    def point(self) -> Point:
        """The state with its accelerations and multipliers."""
        if self._point is None:
            self._point = self.stepper.point(self.state)
        return self._point

    @property
    def counts(self) -> Counts:
        """Steps, factorizations, solves."""
        return self._before + self.stepper.counts

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return self.stepper.solver_name

    def resume(self, state: State, before: Counts) -> None:
        """Go on from a state that another process reached.

        Parameters
        ----------
        state : State
            With a history.
        before : Counts
            Work done by that process.
        """
        self._before = before
        self._states = self._from(state)
        self._see(state)

    def advance(self) -> None:
        """Take one step, or the shorter ones that a method takes instead where it has to.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved; the state is the last one reached.
        """
        goal = next_time(self.time, self.step)
        while True:
            try:
                found = next(self._states)
            except AnalysisError:
                self._states = self._from(self.state)
                raise
            self._see(found)
            if next_time(found.t, self.step) > goal:
                return

    def leap(self, most: int, passed: list[State] | None = None) -> int:
        """Take several steps at once where the method can, and otherwise one, as `advance` does.

        Parameters
        ----------
        most : int
            Steps at most.
        passed : list, optional
            To which the states after all steps are appended; without it nobody sees them but the
            last one, and no time is spent on them.

        Returns
        -------
        int
            Number of steps taken, one at least.

        Raises
        ------
        AnalysisError
            As of `advance`: when the equations of the first step cannot be solved.
        """
        times, each = grid(self.time, self.step, most), passed is not None
        found = self.stepper.leap(self.state, self.step, times, each=each) if most > 1 else []
        if found:
            self._states = self._from(found[-1])
            self._see(found[-1])
        else:
            self.advance()
            found = [self.state]
        if passed is not None:
            passed.extend(found)
        return max(1, int(np.searchsorted(times, self.time, side="right")))

    def over(self, states: Sequence[State]) -> Samples:
        """Return states of the motion, whose nodal values are computed together.

        Parameters
        ----------
        states : sequence of State
            Of `state`, at times reached.
        """
        return Samples(self.system, self.loads, self.stepper, self._shapes, states)

    def stressed(self) -> System:
        """Return the bodies with the stresses that they had in the step to the time reached."""
        return self.system

    def figures(self) -> dict[str, Any]:
        """Return the summary of the motion, except its steps.

        The residual is that of all forces at the time reached, relative to their sizes. Reduced
        models have none in their shapes; what these leave out is estimated elsewhere.
        """
        steps = self.stepper.figures(self.state)
        if self._shapes is not None:
            return steps
        equations = equations_at(self.system, self.loads, self.time, self.system.frames(self.time))
        q = self.state.q
        inner = equations.inner(q, self.stepper.velocity(self.state), self.point.rate)
        left = self.system.ranks.norm(equations.force - inner)
        size = max(equations.magnitude(inner, q), float(np.finfo(float).tiny))
        return {**steps, "residual at the end": left / size}

    def close(self) -> None:
        """Release the factors."""
        self.stepper.close()

    def _begin(self, state: State) -> None:
        """Refuse a start that cannot be gone on from."""

    def _from(self, state: State) -> Iterator[State]:
        return march(self.stepper, state, self.step, np.inf)

    def _see(self, state: State) -> None:
        self.state = state
        self._point = None
        if self._seen:
            self._seen = {}

    def _nodal(self, order: int, values: Callable[[State], Floats]) -> Floats:
        """Return nodal displacements (N, d) or their rates, computed when first asked for."""
        if order not in self._seen:
            found = self.system.expand(self.unknowns(values(self.state)))
            if self.loads.given is not None:
                found += self.loads.given.at(self.time)[order]
            self._seen[order] = found
        return self._seen[order]

    def unknowns(self, values: Floats) -> Floats:
        """Return the values of the unknowns (n,) from those of the coordinates."""
        return values if self._shapes is None else self._shapes.matrix @ values

    def _coordinates(self, unknowns: Floats) -> Floats:
        """Return the coordinates of a state of the unknowns (n,), as far as there are."""
        if self._shapes is None:
            return unknowns
        return np.ascontiguousarray(self._shapes.coordinates(self.system, unknowns))
