# SPDX-License-Identifier: BSD-3-Clause
"""Steps that are computed many at once, and handed out one by one."""

from __future__ import annotations

from collections import deque
from typing import Protocol

import numpy as np
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.steppers.stepper import Stepper
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Steps computed at once: fewest and most, and the numbers of a state in all of them together.
FEWEST, MOST, NUMBERS = 256, 2048, 2**18


class Ahead(Stepper, Protocol):
    """A stepper of small systems, for which the motion of frames is known ahead.

    Attributes
    ----------
    total : int
        Steps of the run: what lies beyond them need not be known of the motion.
    """

    total: int
    _counts: Counts
    _queue: deque[State]
    _last: State | None

    def take(self, state: State, h: float, times: Floats) -> list[State]:
        """Return what steps make of a state, one after the other.

        Parameters
        ----------
        state : State
            Where they start.
        h : float
            Their length, s.
        times : ndarray, (T,)
            Their ends, s. At least one of them is taken, and fewer than all where one fails.

        Raises
        ------
        AnalysisError
            When the first step cannot be taken.
        """

    def start_ahead(self, total: int, counts: Counts) -> None:
        """Begin with nothing computed."""
        self.total, self._counts = total, counts
        self._queue, self._last = deque(), None

    @property
    def counts(self) -> Counts:
        """Work done."""
        return self._counts

    @property
    def solver_name(self) -> str:
        """What solves the equations of a step."""
        return "native, banded"

    @property
    def ahead(self) -> int:
        """States that are computed already beyond the last one returned."""
        return len(self._queue)

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later: computed already where it follows the last one."""
        queue, counts = self._queue, self._counts
        if not (queue and state is self._last and queue[0].t == to):
            number = round(to / h)
            on_grid = number * h == to
            most = max(FEWEST, min(MOST, NUMBERS // len(state.q))) if on_grid else 1
            count = max(min(most, self.total + 1 - number), 1)
            times = (number + np.arange(count, dtype=np.float64)) * h if on_grid else np.array([to])
            queue = self._queue = deque(self.take(state, h, times))
        found = self._last = queue.popleft()
        counts.steps += 1
        counts.solves += 1
        counts.most_solves = 1
        return found
