# SPDX-License-Identifier: BSD-3-Clause
"""Steps of an instance in C: many are taken at once, and handed out one by one."""

from __future__ import annotations

from abc import abstractmethod
from collections import deque

import numpy as np
from flexforge.runtime import _native
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.steppers.stepper import Stepper

#: Steps computed at once: fewest and most, and the numbers of a state in all of them together.
FEWEST, MOST, NUMBERS = 256, 2048, 2**18


class InstanceSteps(Stepper):
    """Steps of an instance.

    Parameters
    ----------
    total : int
        Steps of the run, beyond which nothing need be known of the motion.
    end : float
        End of the run, s, at which steps that adapt end.

    Attributes
    ----------
    _instance : Instance
        The instance.
    """

    _instance: _native.Instance

    def __init__(self, total: int, end: float = 0.0) -> None:
        self._total, self._steps, self._queue = total, 0, deque[State]()
        self._end = end
        self._last: State | None = None

    @abstractmethod
    def _state(self, t: float, row: Floats) -> State:
        """Return the state of a row of the instance."""

    @abstractmethod
    def _row(self, state: State) -> Floats:
        """Return the row of a state."""

    @abstractmethod
    def _failed(self, code: int, t: float) -> Exception:
        """Return why a step to a time was not taken."""

    def _most(self, state: State) -> int:
        """Return how many steps are computed at once at most."""
        return max(FEWEST, min(MOST, NUMBERS // len(state.q)))

    @property
    def ahead(self) -> int:
        """States that are computed already beyond the last one returned."""
        return len(self._queue)

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later: computed already where it follows the last one.

        Raises
        ------
        AnalysisError
            When the step cannot be taken.
        """
        queue = self._queue
        if not (queue and state is self._last and queue[0].t == to):
            number = round(to / h)
            on_grid = number * h == to
            most = self._most(state) if on_grid else 1
            count = max(min(most, self._total + 1 - number), 1)
            times = (number + np.arange(count, dtype=np.float64)) * h if on_grid else np.array([to])
            queue = self._queue = self._taken(state, h, times)
        found = self._last = queue.popleft()
        self._steps += 1
        return found

    def leap(self, state: State, h: float, times: Floats, *, each: bool) -> list[State]:
        """Return the states after steps that are taken in one go."""
        self._queue.clear()
        times = times[: self._most(state)]
        rows, taken, _ = self._run(state, h, times, each=each)
        if not taken:
            return []
        self._steps += taken
        first = 0 if each else taken - 1
        found = zip(times[first:taken].tolist(), rows, strict=False)
        states = [self._state(t, row) for t, row in found]
        self._last = states[-1]
        return states

    def _taken(self, state: State, h: float, times: Floats) -> deque[State]:
        """Return what steps make of a state: one at least, and fewer than all where one fails."""
        rows, taken, code = self._run(state, h, times)
        if not taken:
            raise self._failed(code, float(times[0]))
        each = zip(times[:taken].tolist(), rows[:taken], strict=True)
        return deque([self._state(t, row) for t, row in each])

    def _run(
        self, state: State, h: float, times: Floats, *, each: bool = True
    ) -> tuple[Floats, int, int]:
        """Return rows, all or the last one, number of times reached, and code of what failed."""
        self._instance.set(self._row(state))
        rows = np.empty((len(times) if each else 1, self._instance.width))
        taken, code = self._instance.run(h, times, rows, self._end, each)
        return rows, taken, code
