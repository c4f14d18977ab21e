# SPDX-License-Identifier: BSD-3-Clause
"""Steps that adapt to a local error, of any method whose order is known.

Two steps of length h are compared with one of 2 h. With the order p, the two miss the motion that
goes through their beginning by

    e = |x_h - x_2h| / (2^p - 1) + O(h^(p + 2))

(Richardson; E. Hairer, S. P. Norsett, G. Wanner, *Solving Ordinary Differential Equations I*, 2nd
ed., section II.4). Their end is gone on from as it is, without extrapolation: a method that keeps
an invariant at any length of steps goes on to keep it. An error is that of displacements now, or
of what velocities make of it in a time 2 h, relative to the largest displacement met so far, in
trials too.

Lengths are those of a smooth interval over powers of two, so that factors of two or three matrices
serve nearly all steps: a pair of steps is halved where its error is too large, and doubled where
two pairs together would be accurate enough. Between the ends of a step displacements are of degree
five in time, through displacements, velocities and accelerations at both (an error of h^6 for
displacements, h^5 for velocities).
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.adapted import Adapted
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.newton import NotConvergedError
from flexforge.runtime.transient.pace import Pace
from flexforge.runtime.transient.state import State, pack, unpack
from flexforge.runtime.transient.steppers.stepper import Stepper

#: Of the error that is allowed: what a pair of twice the length is expected to have at most.
_WORTH = 0.5
#: Halvings of the longest pair before a run fails: to 1e-7 of it.
_MOST_HALVINGS = 23


class Adaptable(Stepper, Protocol):
    """A method of steps of any length, on a vector space, one after the other.

    Attributes
    ----------
    interpolates : bool
        Whether accelerations between ends of steps are linear in time; otherwise they balance the
        forces there.
    """

    interpolates: bool = False

    @property
    def order(self) -> int:
        """Power of the length of steps that errors at a time fall with."""

    def behind(self, state: State, time: float) -> State:
        """Return the state behind a kink, which ends at a time, s."""

    def seen(self, state: State) -> State:
        """Return a state of displacements and velocities, as outputs know it."""

    def unseen(self, state: State) -> State:
        """Return a state of the method's own unknowns from one of displacements and velocities."""

    def accelerations(self, state: State) -> Floats:
        """Return the accelerations that balance the forces of displacements and velocities."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a pair of steps is: number ``index`` of ``2^level`` in an interval; what was before.

    Attributes
    ----------
    error : float
        Of the pair, in units of the accuracy; negative before it has been taken.
    before : float
        The larger of it and that of the other half of the pair of twice the length.
    scale : float
        Largest displacement met.
    adapted : Adapted
        The steps up to the end of the pair, or to its beginning before it has been taken.
    """

    interval: int
    level: int
    index: int
    error: float
    before: float
    scale: float
    adapted: Adapted

    def numbers(self) -> Floats:
        """Return all of it as one vector."""
        own = (self.interval, self.level, self.index, self.error, self.before, self.scale)
        steps = self.adapted
        return np.array([*own, steps.taken, steps.refused, steps.shortest, steps.longest])

    @classmethod
    def of(cls, numbers: Floats) -> _Place:
        """Return what such a vector has."""
        interval, level, index, error, before, scale, taken, refused, least, most = numbers.tolist()
        adapted = Adapted(int(taken), int(refused), least, most)
        return cls(int(interval), int(level), int(index), error, before, scale, adapted)


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two steps that have been taken: the states at their ends, and where they are."""

    states: tuple[State, State, State]
    place: _Place


class Paced(Stepper):
    """Steps that adapt, of which states at the times of results are seen.

    A state has displacements and velocities. Its history has the place and the beginning of the
    pair of steps around it, from which the pair is taken again where it is not at hand.

    Parameters
    ----------
    inner : Adaptable
        Takes the steps.
    pace : Pace
        What they adapt to.
    """

    def __init__(self, inner: Adaptable, pace: Pace) -> None:
        self._inner, self._pace = inner, pace
        self._now: _Pair | None = None
        self._known: deque[tuple[State, State, Floats]] = deque(maxlen=3)
        self._steps = 0

    @property
    def counts(self) -> Counts:
        """Work done; refused steps and those for comparison are not among the steps."""
        return replace(self._inner.counts, steps=self._steps)

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return self._inner.solver_name

    def begin(self, state: State) -> State:
        """Return a state with a history, before the first step."""
        begun = self._inner.begin(state)
        first = _Place(0, self._pace.level(0, self._pace.longest), 0, -1.0, 0.0, 0.0, Adapted())
        scale = self._pace.size(state.q)
        return self._state(state.t, state.q, state.z, begun, replace(first, scale=scale))

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state at a time, by as many steps as it takes to reach it.

        Raises
        ------
        AnalysisError
            When no step is short enough.
        """
        del h
        pair = self._pair_of(state)
        while to > pair.states[-1].t and (following := self._following(pair)) is not None:
            pair = following
        self._now = pair
        q, v = self._between(pair, to)
        return self._state(to, q, v, pair.states[0], pair.place)

    def point(self, state: State) -> Point:
        """Return a state with its accelerations."""
        inner = self._inner
        if not inner.interpolates:
            a = inner.accelerations(state)
        else:
            first, second, x = self._around(self._pair_of(state), state.t)
            a = (1.0 - x) * self._jet(first)[2] + x * self._jet(second)[2]
        return Point(state.t, state.q, state.z, state.s, state.mode, a)

    def inside(self, state: State) -> State:
        """Return a state of the unknowns that the steps have."""
        return self._inner.unseen(state)

    def knot(self, state: State) -> State:
        """Return the end of a step at which a state is, or the last one before it."""
        return self._begin_of(state)[0]

    def figures(self, state: State) -> dict[str, Any]:
        """Return how steps have adapted up to a state."""
        return self._begin_of(state)[1].adapted.figures()

    def close(self) -> None:
        """Release the factors."""
        self._inner.close()

    def _state(self, t: float, q: Floats, v: Floats, begun: State, place: _Place) -> State:
        numbers = np.concatenate([[begun.t], place.numbers()])
        return State(t, q, v, history=pack(numbers, begun.q, begun.z, begun.history))

    def _begin_of(self, state: State) -> tuple[State, _Place]:
        """Return the beginning of the pair around a state, and its place."""
        numbers, q, z, history = unpack(state.history)
        return State(float(numbers[0]), q, z, history=history), _Place.of(numbers[1:])

    def _pair_of(self, state: State) -> _Pair:
        """Return the pair around a state."""
        begun, place = self._begin_of(state)
        if place.error < 0.0:
            return self._taken(begun, place)
        now = self._now
        if now is None or now.place != place:
            h, middle, end = self._times(place)
            half = self._inner.advance(begun, h, middle)
            now = _Pair((begun, half, self._inner.advance(half, h, end)), place)
        return now

    def _following(self, pair: _Pair) -> _Pair | None:
        """Return the pair after one, or None at the end of the run."""
        at, begun, pace = pair.place, pair.states[-1], self._pace
        interval, level, index, before = at.interval, at.level, at.index + 1, at.error
        if index == 2**level:
            interval, index, before = interval + 1, 0, 0.0
            if interval == len(pace.intervals):
                return None
            begun = self._inner.behind(begun, pace.intervals[interval][0])
            length = 2.0 * (pair.states[1].t - pair.states[0].t)
            level = pace.level(interval, length)
        elif index % 2 == 0:
            expected = at.before * 2.0 ** (self._inner.order + 1)
            if expected <= _WORTH and level > pace.level(interval, pace.longest):
                level, index, before = level - 1, index // 2, 0.0
            else:
                before = 0.0
        place = replace(at, interval=interval, level=level, index=index, error=-1.0, before=before)
        return self._taken(begun, place)

    def _taken(self, begun: State, at: _Place) -> _Pair:
        """Return a pair that is accurate enough, from a place on, or a shorter one there.

        Raises
        ------
        AnalysisError
            When none is short enough.
        """
        inner, most = self._inner, self._pace.level(at.interval, self._pace.longest)
        level, index, before, scale, refused = at.level, at.index, at.before, at.scale, 0
        whole: State | None = None
        while True:
            h, middle, end = self._times(replace(at, level=level, index=index))
            try:
                if whole is None:
                    whole = inner.advance(begun, 2.0 * h, end)
                half = inner.advance(begun, h, middle)
                last = inner.advance(half, h, end)
                scale = max(scale, *(self._pace.size(one.q) for one in (whole, half, last)))
                error = self._error(whole, last, 2.0 * h) / (self._pace.accuracy * (scale or 1.0))
            except NotConvergedError:
                half, last, error = begun, begun, math.inf
            if error <= 1.0:
                self._steps += 2
                adapted = at.adapted.after(2, h, refused)
                place = _Place(at.interval, level, index, error, max(before, error), scale, adapted)
                return _Pair((begun, half, last), place)
            # No error falls faster than with the power p + 1: none is skipped that would do.
            power = math.log2(error) / (inner.order + 1) if math.isfinite(error) else 1.0
            halvings = max(1, math.floor(power))
            whole = half if halvings == 1 and math.isfinite(error) else None
            level, index, before, refused = level + halvings, index << halvings, 0.0, refused + 2
            if level - most > _MOST_HALVINGS:
                raise AnalysisError(
                    f"transient: no step from t = {begun.t:g} s on is short enough for the accuracy"
                )

    def _times(self, at: _Place) -> tuple[float, float, float]:
        """Return the length of the steps of a pair, and the times at their ends, s."""
        a, b = self._pace.intervals[at.interval]
        h = (b - a) / 2.0 ** (at.level + 1)
        last = at.index + 1 == 2**at.level
        return h, a + (2 * at.index + 1) * h, b if last else a + (2 * at.index + 2) * h

    def _error(self, whole: State, last: State, length: float) -> float:
        """Return the local error of a pair of steps."""
        coarse, fine = self._inner.seen(whole), self._inner.seen(last)
        size = self._pace.size
        found = max(size(fine.q - coarse.q), length * size(fine.z - coarse.z))
        return found / (2.0**self._inner.order - 1.0) if math.isfinite(found) else math.inf

    def _between(self, pair: _Pair, t: float) -> tuple[Floats, Floats]:
        """Return displacements and velocities at a time of a pair."""
        one, other, x = self._around(pair, t)
        (q0, v0, a0), (q1, v1, a1) = self._jet(one), self._jet(other)
        h = other.t - one.t
        if x == 0.0 or x == 1.0:
            return (q0, v0) if x == 0.0 else (q1, v1)
        place = q1 - q0 - h * (v0 + 0.5 * h * a0)
        speed, rate = h * (v1 - v0 - h * a0), h * h * (a1 - a0)
        third = 10.0 * place - 4.0 * speed + 0.5 * rate
        fourth = -15.0 * place + 7.0 * speed - rate
        fifth = 6.0 * place - 3.0 * speed + 0.5 * rate
        q = q0 + x * h * (v0 + 0.5 * x * h * a0) + x**3 * (third + x * (fourth + x * fifth))
        rise = x * x * (3.0 * third + x * (4.0 * fourth + x * 5.0 * fifth))
        return q, v0 + x * h * a0 + rise / h

    def _around(self, pair: _Pair, t: float) -> tuple[State, State, float]:
        """Return the step of a pair at a time: its ends, and the part of it that is over."""
        first, middle, last = pair.states
        one, other = (first, middle) if t <= middle.t else (middle, last)
        return one, other, min(max((t - one.t) / (other.t - one.t), 0.0), 1.0)

    def _jet(self, state: State) -> tuple[Floats, Floats, Floats]:
        """Return displacements, velocities and accelerations at the end of a step."""
        for one, seen, a in self._known:
            if one is state:
                return seen.q, seen.z, a
        seen = self._inner.seen(state)
        a = self._inner.accelerations(seen)
        self._known.append((state, seen, a))
        return seen.q, seen.z, a
