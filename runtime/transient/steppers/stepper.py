# SPDX-License-Identifier: BSD-3-Clause
"""What the loop asks of a method of integration."""

from __future__ import annotations

from typing import Protocol

from flexforge.runtime.transient.model import Model, Point
from flexforge.runtime.transient.newton import Counts
from flexforge.runtime.transient.state import State


class Stepper(Protocol):
    """A method of integration of one model.

    Attributes
    ----------
    model : Model
        The equations.
    counts : Counts
        Work done.
    """

    model: Model

    @property
    def counts(self) -> Counts:
        """Work done."""

    def begin(self, state: State) -> State:
        """Return a state with a history: consistent, with accelerations and multipliers."""

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later; the same bits for the same state, whatever was before.

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
