# SPDX-License-Identifier: BSD-3-Clause
"""The time loop of all motions: steps on a grid, shorter steps after a failure, events."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.newton import NotConvergedError
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.steppers.stepper import Stepper
from numpy.typing import NDArray

_SAME = 1e-9  # of a step: lengths that differ by less are the same
_SHORTEST = 2.0**-12  # of a step
_EVENT = 1e-12  # of a step: how well the time of an event is found
_MOST_EVENTS = 10  # at one time
_FALSE_POSITIONS = 12  # before bisections


def march(stepper: Stepper, state: State, step: float, end: float) -> Iterator[State]:
    """Yield the states of a motion, step by step; the last is that at the end.

    Times are multiples of the step, whatever the state is that is gone on from: a run that was
    stopped and goes on takes the same steps. At an event the state is yielded before and after.

    Parameters
    ----------
    stepper : Stepper
        Method and model.
    state : State
        Where to start; without a history it is made consistent and yielded first.
    step : float
        Length of the steps, s.
    end : float
        When to stop, s.

    Raises
    ------
    AnalysisError
        When no step is short enough, or events follow each other at one time.
    """
    if not len(state.history):
        state = stepper.begin(state)
        yield state
    before, events_here = stepper.events(state), 0
    last = end - _SAME * step
    while state.t < last:
        target = min(next_time(state.t, step), end)
        found = _attempt(stepper, state, step, target)
        if not len(before):  # a model without events: rates need not be known
            state = found
            yield state
            continue
        after = stepper.events(found)
        if not _fired(before, after).size:
            state, before, events_here = found, after, 0
            yield state
            continue
        found, which = _locate(stepper, state, before, found, after)
        events_here = events_here + 1 if found.t - state.t <= _SAME * step else 0
        if events_here > _MOST_EVENTS:
            raise AnalysisError(f"transient: found an endless sequence of events at {found.t:g} s")
        yield found
        state = stepper.begin(stepper.switch(found, which.tolist()))
        before = stepper.events(state)
        yield state


def next_time(t: float, step: float) -> float:
    """Return the next time of the grid."""
    return step * (math.floor(t / step + _SAME) + 1.0)


def grid(t: float, step: float, count: int) -> Floats:
    """Return the next times of the grid, (count,), s; none if the first is not a step away."""
    times = step * (math.floor(t / step + _SAME) + np.arange(1.0, count + 1.0))
    return times if abs(times[0] - t - step) <= _SAME * step else times[:0]


def _attempt(stepper: Stepper, state: State, step: float, target: float) -> State:
    """Return the state at a time, or at an earlier one where a shorter step is needed."""
    whole = target - state.t
    if abs(whole - step) <= _SAME * step:
        whole = step  # to the last digit: the matrix of the step is the same
    length = whole
    while True:
        to = target if length == whole else state.t + length
        try:
            return stepper.advance(state, length, to)
        except NotConvergedError:
            length *= 0.5
            if length < _SHORTEST * step:
                raise


def _fired(before: Floats, after: Floats) -> NDArray[np.int64]:
    """Return the events between two states: below zero, and less than it was."""
    return np.flatnonzero((after < 0.0) & (after < before))


def _locate(
    stepper: Stepper, state: State, before: Floats, found: State, after: Floats
) -> tuple[State, NDArray[np.int64]]:
    """Return the state just after the first event of a step, and which events are there.

    Every trial is a step of its own from the state before, by false position (Illinois), and by
    bisections of what is left by events that jump.
    """
    low, high, which = 0.0, found.t - state.t, _fired(before, after)
    shortest, span = _EVENT * high, float(np.abs(after - before)[which].max())
    at_low, at_high = max(float(before[which].min()), 0.0), float(after[which].min())
    reached, count, side = at_high, 0, 0  # the end of the interval that the last trial moved
    while high - low > shortest and -reached > _EVENT * span:
        guess, count = (low * at_high - high * at_low) / (at_high - at_low), count + 1
        if count > _FALSE_POSITIONS or not low < guess < high:
            guess = 0.5 * (low + high)
        trial = stepper.advance(state, guess, state.t + guess)
        numbers = stepper.events(trial)
        fired = _fired(before, numbers)
        if fired.size:
            high, found, which = guess, trial, fired
            at_high = reached = float(numbers[fired].min())
            at_low *= 0.5 if side > 0 else 1.0
            side = 1
        else:
            low, at_low = guess, max(float(numbers[which].min()), 0.0)
            at_high *= 0.5 if side < 0 else 1.0
            side = -1
    return found, which
