# SPDX-License-Identifier: BSD-3-Clause
"""The interface of a time integration method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.model import Model, Point
from flexforge.runtime.transient.state import State


class Stepper(Protocol):
    """A method of integration of one model. What has a body below need not be written by each.

    Attributes
    ----------
    counts : Counts
        Work done.
    """

    @property
    def counts(self) -> Counts:
        """Work done."""

    def begin(self, state: State) -> State:
        """Return a state with a history: consistent, with accelerations and multipliers."""

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later; it depends on the state alone, whatever was before.

        Parameters
        ----------
        state : State
            With a history.
        h : float
            Length of the step, s.
        to : float
            Time at its end, ``state.t + h`` but for rounding.

        Raises
        ------
        NotConvergedError
            When the equations of the step cannot be solved.
        """

    def point(self, state: State) -> Point:
        """Return a state with its rates, multipliers and inputs, for events and outputs."""

    def velocity(self, state: State) -> Floats:
        """Return the velocities of a state: z, unless something else is in its place."""
        return state.z

    def figures(self, state: State) -> dict[str, Any]:
        """Return what a summary tells of the steps up to a state; by default nothing."""
        del state
        return {}

    def events(self, state: State) -> Floats:
        """Return numbers, each of which is an event when it falls below zero; by default none."""
        return np.zeros(0)

    def switch(self, state: State, which: Sequence[int]) -> State:
        """Return the state after events, without a history; by default there are none."""
        raise ValueError(f"found events {list(which)} at t = {state.t:g} s; expected none")

    @property
    def solver_name(self) -> str:
        """What solves the equations of a step; none is told by default."""
        return ""

    @property
    def ahead(self) -> int:
        """States that are computed already beyond the last one returned; by default none."""
        return 0

    def leap(self, state: State, h: float, times: Floats, *, each: bool) -> list[State]:
        """Return the states after steps that are taken in one go; by default none are.

        They are those that `advance` would return one by one. There are fewer where a step fails,
        or where this is too much at once; none where the first one fails.

        Parameters
        ----------
        state : State
            With a history.
        h : float
            Length of the steps, s.
        times : ndarray, (T,)
            Times at their ends, s.
        each : bool
            Whether the states after all of them are wanted, or that after the last one.
        """
        del state, h, times, each
        return []

    def close(self) -> None:
        """Release factors; by default there are none to release."""
        return


class ModelStepper(Stepper, Protocol):
    """A method of integration of any `Model`, whose events are those of the model."""

    model: Model

    def events(self, state: State) -> Floats:
        """Return the events of the model."""
        return self.model.events(self.point(state))

    def switch(self, state: State, which: Sequence[int]) -> State:
        """Return the state after events."""
        return replace(self.model.switch(self.point(state), which), history=np.zeros(0))
