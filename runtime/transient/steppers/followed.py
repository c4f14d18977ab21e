# SPDX-License-Identifier: BSD-3-Clause
"""Explicit steps whose length follows the longest stable one.

A step h is stable where ``M - a h C - b h^2 K`` is positive (``stability``), with the stiffness K
of the state there: elements with an energy stiffen or soften as they deform, and frames what they
turn. The fastest motion x is followed by power iteration, ``x <- M^-1 K x`` once a step, and
computed anew where its frequency has moved. With its Rayleigh quotient k there is an eigenvalue
within ``r = |M^-1 K x - k x|`` (norms of M) of it (B. N. Parlett, *The Symmetric Eigenvalue
Problem*, 1980, theorem 4.5.1), so that ``k + r`` is taken for the largest one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.adapted import Adapted
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.linear.mass import MassFactors
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.stability import TURN, ActingMatrices
from flexforge.runtime.transient.state import State, pack, unpack
from flexforge.runtime.transient.steppers.stepper import Stepper

#: Change of the largest eigenvalue after which it is computed anew, and steps after which it is.
_MOVED, _OLD = 0.05, 50


@dataclass(frozen=True, slots=True)
class Acting:
    """What acts at a state.

    Attributes
    ----------
    matrices : ActingMatrices
        Mass, damping and stiffness.
    turn : float
        Angular speed of the fastest frame with Coriolis forces, rad/s.
    """

    matrices: ActingMatrices
    turn: float


@dataclass(frozen=True, slots=True)
class _Fastest:
    """The fastest motion, as it was followed.

    Attributes
    ----------
    value : float
        Largest eigenvalue of K relative to M when it was computed, 1/s^2.
    age : int
        Steps since then.
    adapted : Adapted
        The steps taken.
    """

    value: float
    age: int
    adapted: Adapted

    def numbers(self) -> list[float]:
        """Return all of it."""
        steps = self.adapted
        return [self.value, self.age, steps.taken, steps.shortest, steps.longest]


class Followed(Stepper):
    """Explicit steps, as long as is stable, to the times of results.

    The history of a state has the fastest motion besides what the method carries.

    Parameters
    ----------
    inner : Stepper
        Takes the steps.
    scheme : Scheme
        Its coefficients.
    acting : callable
        What acts at a state.
    fraction : float
        Part of the longest stable step that is taken.
    masses : MassFactors, optional
        Factors that are released with the steps.
    """

    def __init__(
        self,
        inner: Stepper,
        scheme: Scheme,
        acting: Callable[[State], Acting],
        fraction: float,
        masses: MassFactors | None = None,
    ) -> None:
        self._inner, self._scheme, self._acting, self._fraction = inner, scheme, acting, fraction
        self._masses = masses

    @property
    def counts(self) -> Counts:
        """Work done."""
        return self._inner.counts

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return self._inner.solver_name

    def begin(self, state: State) -> State:
        """Return a state with a history, before the first step."""
        begun = self._inner.begin(state)
        return _packed(begun, _Fastest(0.0, _OLD, Adapted()), np.zeros(0))

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state at a time, by equal steps as far as the limit stays."""
        del h
        state, fastest, x = _unpacked(state)
        while state.t < to:
            limit, fastest, x = self._limit(state, fastest, x)
            left = to - state.t
            count = max(1, math.ceil(left / (self._fraction * limit) - 1e-9))
            step = left / count
            state = self._inner.advance(state, step, to if count == 1 else state.t + step)
            fastest = replace(fastest, adapted=fastest.adapted.after(1, step))
        return _packed(state, fastest, x)

    def point(self, state: State) -> Point:
        """Return a state with its accelerations."""
        return self._inner.point(_unpacked(state)[0])

    def figures(self, state: State) -> dict[str, Any]:
        """Return the shortest and the longest step up to a state."""
        figures = _unpacked(state)[1].adapted.figures()
        del figures["refused steps"]  # none is: each is stable
        return figures

    def close(self) -> None:
        """Release the factors."""
        self._inner.close()
        if self._masses is not None:
            self._masses.close()

    def _limit(self, state: State, fastest: _Fastest, x: Floats) -> tuple[float, _Fastest, Floats]:
        """Return the longest stable step at a state, s, and the motion that limits it."""
        acting = self._acting(state)
        matrices, ranks = acting.matrices, acting.matrices.ranks
        if not ranks.any(matrices.size):
            return math.inf, fastest, x
        value = 0.0
        if fastest.age < _OLD:
            value, x = _iterated(matrices, x)
            fastest = replace(fastest, age=fastest.age + 1)
        if fastest.age >= _OLD or abs(value - fastest.value) > _MOVED * fastest.value:
            value, x = matrices.largest(0.0, 1.0)
            x = x / math.sqrt(ranks.dot(x, matrices.mass(x)))
            fastest = replace(fastest, value=value, age=0)
        a, b = self._scheme.limit
        c = max(ranks.dot(x, matrices.damping(x)), 0.0)
        root = a * c + math.sqrt((a * c) ** 2 + 4.0 * b * max(value, 0.0))
        stable = 2.0 / root if root else math.inf
        return min(stable, TURN / acting.turn if acting.turn else math.inf), fastest, x


def _iterated(matrices: ActingMatrices, x: Floats) -> tuple[float, Floats]:
    """Return the eigenvalue near a vector of unit length, at most, and a nearer vector."""
    dot = matrices.ranks.dot
    y = matrices.solve_mass(matrices.stiffness(x))
    image = matrices.mass(y)
    value, square = dot(x, image), dot(y, image)
    if square <= 0.0:
        return 0.0, x
    return value + math.sqrt(max(square - value**2, 0.0)), y / math.sqrt(square)


def _packed(state: State, fastest: _Fastest, x: Floats) -> State:
    first, *others = unpack(state.history)
    numbers = np.concatenate([fastest.numbers(), first])
    return replace(state, history=pack(numbers, x, *others))


def _unpacked(state: State) -> tuple[State, _Fastest, Floats]:
    numbers, x, *others = unpack(state.history)
    value, age, taken, shortest, longest = numbers[:5].tolist()
    fastest = _Fastest(value, int(age), Adapted(int(taken), 0, shortest, longest))
    return replace(state, history=pack(numbers[5:], *others)), fastest, x
