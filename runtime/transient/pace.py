# SPDX-License-Identifier: BSD-3-Clause
"""What steps adapt to: an accuracy, and the intervals of a run in which functions are smooth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from flexforge.runtime.arrays import Floats
from flexforge.runtime.motion.profiles import Kink

#: Steps that adapt are at most the part of a run that this many are.
FEWEST_STEPS = 50
#: Part of a time by which a step ends before a kink there, and of a run that no interval is.
_ASIDE, _NOTHING = 1e-12, 1e-9


def smooth_intervals(kinks: Iterable[Kink], duration: float) -> list[tuple[float, float]]:
    """Return the intervals of a run in which functions of time are smooth, s.

    Parameters
    ----------
    kinks : iterable of Kink
        Where they are not, in any order.
    duration : float
        Of the run, s.
    """
    found, start = [], 0.0
    for begin, behind in sorted(kinks):
        end = begin - _ASIDE * abs(begin)
        if end >= duration:
            break
        if end - start > _NOTHING * duration:
            found.append((start, end))
            start = behind
        elif behind > 0.0:
            start = max(start, behind)
    if duration - start > _NOTHING * duration:
        found.append((start, duration))
    return found


@dataclass(frozen=True, slots=True)
class Pace:
    """What steps adapt to.

    Attributes
    ----------
    accuracy : float
        Local error, relative to the largest displacement.
    intervals : list of pairs of float
        Where functions of time are smooth, s; together the run.
    size : callable
        Largest displacement of values of the unknowns.
    """

    accuracy: float
    intervals: list[tuple[float, float]]
    size: Callable[[Floats], float]

    @property
    def longest(self) -> float:
        """Longest pair of steps, s."""
        return 2.0 * self.intervals[-1][1] / FEWEST_STEPS

    @property
    def first(self) -> float:
        """Length of the steps that are tried first, s."""
        a, b = self.intervals[0]
        return (b - a) / 2.0 ** (self.level(0, self.longest) + 1)

    def level(self, interval: int, length: float) -> int:
        """Return the number of halvings of an interval to pairs of a length at most, s."""
        a, b = self.intervals[interval]
        return max(0, math.ceil(math.log2((b - a) / length) - _NOTHING))
