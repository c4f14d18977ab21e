# SPDX-License-Identifier: BSD-3-Clause
"""Steps of several lengths, each of which has factors of its own; those by averaged accelerations.

Generalized-alpha, the method of Hilber, Hughes and Taylor and Newmark's are of second order with
``gamma = 1/2 + alpha_f - alpha_m``: a step from a motion with acceleration a ends away from it by

    off h^3 a',    off = 1/6 - beta - (alpha_m - alpha_f) / 2,

(`ff_pace.h`), to which averaged accelerations add nothing where they are moved to the length of
the step: ``x = a + (alpha_m - alpha_f) h a'``. So two steps and one of twice the length, compared,
tell the error, whatever the lengths before. Behind a kink there is no such shift until it is known.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.steppers.paced import Adaptable
from flexforge.runtime.transient.steppers.stepper import Stepper

T = TypeVar("T")
#: Lengths of steps of which factors are kept: two that are compared, and one more.
_LENGTHS = 3


class OfLengths(Generic[T]):
    """What belongs to a length of steps, of those that were used last.

    Parameters
    ----------
    make : callable
        Makes it for a length, s.
    drop : callable
        Takes one that is not kept any more.

    Examples
    --------
    >>> squares = OfLengths(lambda h: h * h, lambda old: print("dropped", old))
    >>> [squares.at(h) for h in (1.0, 2.0, 1.0, 3.0, 4.0)]
    dropped 4.0
    [1.0, 4.0, 1.0, 9.0, 16.0]
    """

    def __init__(self, make: Callable[[float], T], drop: Callable[[T], None]) -> None:
        self._make, self._drop = make, drop
        self._kept = OrderedDict[float, T]()

    def at(self, length: float) -> T:
        """Return what belongs to a length, s."""
        if length not in self._kept:
            if len(self._kept) == _LENGTHS:
                self._drop(self._kept.popitem(last=False)[1])
            self._kept[length] = self._make(length)
        self._kept.move_to_end(length)
        return self._kept[length]

    def __iter__(self) -> Iterator[T]:
        """Iterate over those that are kept."""
        return iter(self._kept.values())


class AveragedSteps(Adaptable):
    """Steps by averaged accelerations, of any length.

    Parameters
    ----------
    make : callable
        Makes the steps of a length, s; their states have accelerations.
    first : float
        Length of the first step, s.
    """

    order = 2
    interpolates = True

    def __init__(self, make: Callable[[float], Stepper], first: float) -> None:
        self._kept = OfLengths(make, self._drop)
        self._first = self._newest = first
        self._dropped = Counts()

    @property
    def counts(self) -> Counts:
        """Work done."""
        total, held = self._dropped, 0
        for one in self._kept:
            total, held = total + one.counts, held + one.counts.factor_bytes
        total.factor_bytes = held
        return total

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return next((one.solver_name for one in self._kept), "")

    def begin(self, state: State) -> State:
        """Return a state with a history, its accelerations from the equations there."""
        return self._kept.at(self._first).begin(state)

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later."""
        self._newest = h
        return self._kept.at(h).advance(state, h, to)

    def behind(self, state: State, time: float) -> State:
        """Return the state behind a kink: accelerations are those that balance the forces there."""
        return self._kept.at(self._newest).begin(State(time, state.q, state.z, mode=state.mode))

    def seen(self, state: State) -> State:
        """Return a state as it is."""
        return state

    def unseen(self, state: State) -> State:
        """Return a state with accelerations from one without."""
        return self._kept.at(self._newest).begin(state)

    def accelerations(self, state: State) -> Floats:
        """Return the accelerations at the end of a step."""
        return self.point(state).rate

    def point(self, state: State) -> Point:
        """Return the state at the end of a step with its accelerations."""
        return self._kept.at(self._newest).point(state)

    def close(self) -> None:
        """Release the factors."""
        for one in self._kept:
            one.close()

    def _drop(self, steps: Stepper) -> None:
        self._dropped = self._dropped + steps.counts
        steps.close()
