# SPDX-License-Identifier: BSD-3-Clause
"""Steps of the bodies of a system, linear at every time, in any step coordinates.

Bodies on links have a geometric stiffness of the state that is expected at the end of a step, from
two positions: accelerations of modes too stiff for the step would be mere noise.

Factors of earlier steps serve as preconditioners, and earlier solutions as first guesses, so that a
step is the same whatever was before to the tolerance of its equations, not to the last digit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.state import State, pack, unpack
from flexforge.runtime.transient.step_end import Coordinates, StepEnd, StepState
from flexforge.runtime.transient.steppers.stepper import Stepper


class LinearModel(Protocol):
    """What gives the equations of steps."""

    stiffened: tuple[int, ...]  # numbers of the bodies that their own state stiffens

    def end(self, time: float, step: float, scheme: Scheme, expected: Floats) -> StepEnd:
        """Return the end of a step; bodies are stiffened by the state that is expected there."""


class LinearSteps(Stepper):
    """Generalized-alpha steps, and those of Newmark's method, of equations that are linear.

    Parameters
    ----------
    model : LinearModel
        The equations.
    coordinates : Coordinates
        What they are solved in.
    scheme : Scheme
        Coefficients.
    step : float
        Length of the steps, s.
    counts : Counts
        Where work is counted.
    """

    def __init__(
        self,
        model: LinearModel,
        coordinates: Coordinates,
        scheme: Scheme,
        step: float,
        counts: Counts,
    ) -> None:
        self.model, self.coordinates, self.scheme = model, coordinates, scheme
        self._step, self._counts = step, counts
        self._reached: State | None = None
        self._end: Any = None

    @property
    def counts(self) -> Counts:
        """Work done."""
        return self._counts

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return self.coordinates.solver_name

    def begin(self, state: State) -> State:
        """Return a state with a history, its accelerations from the equations there."""
        end = self.model.end(state.t, self._step, self.scheme, state.q)
        found = self.coordinates.begin(state.q, state.z, end)
        before = state.q - self._step * state.z
        return self._pack(end, found, before, state.q)

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later."""
        (last,), now, before, _ = self._unpack(state)
        if last != h:  # what is known of the step before, moved to one of another length
            before = now.q - h / last * (now.q - before)
            now = replace(now, averaged=now.a + h / last * (now.averaged - now.a))
        expected = now.q
        if self.model.stiffened:
            expected = 2.0 * now.q - before
        end = self.model.end(to, h, self.scheme, expected)
        found = self.coordinates.advance(now, end)
        self._counts.steps += 1
        return self._pack(end, found, now.q, expected)

    def point(self, state: State) -> Point:
        """Return a state with its accelerations and multipliers."""
        _, now, *_ = self._unpack(state)
        force = now.multipliers
        return Point(state.t, state.q, state.z, state.s, state.mode, now.a, force)

    @property
    def unknowns(self) -> int:
        """Number of equations of a step that are solved together."""
        return self.coordinates.unknowns

    def expected(self, state: State) -> Floats:
        """Return the coordinates that stiffened the bodies in the step that led to a state."""
        return self._unpack(state)[3]

    def known_end(self, state: State) -> Any:
        """Return the end of the step that led to a state, where it is still at hand."""
        return self._end if state is self._reached else None

    def close(self) -> None:
        """Release the factors."""
        self.coordinates.close()

    def _pack(self, end: StepEnd, found: StepState, before: Floats, expected: Floats) -> State:
        """Return a state; where the positions were one step before counts for what stiffens."""
        if not self.model.stiffened:
            before = expected = np.zeros(0)
        averaged = np.zeros(0) if found.averaged is found.a else found.averaged
        kept = (found.a, averaged, found.multipliers, found.momentum)
        history = pack(np.array([end.step]), *kept, before, expected)
        self._end, self._reached = end, State(end.time, found.q, found.v, history=history)
        return self._reached

    def _unpack(self, state: State) -> tuple[Floats, StepState, Floats, Floats]:
        """Return the length of the last step, the state, positions before and expected ones."""
        h, a, averaged, multipliers, momentum, before, expected = unpack(state.history)
        if not self.model.stiffened:
            before = expected = state.q
        averaged = averaged if len(averaged) else a  # which it is unless it is kept
        now = StepState(state.q, state.z, a, averaged, multipliers, momentum)
        return h, now, before, expected
