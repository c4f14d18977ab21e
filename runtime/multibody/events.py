# SPDX-License-Identifier: BSD-3-Clause
"""Events of forces between links in a motion: times, numbers, energy lost in impacts."""

from __future__ import annotations

import csv
import io
from collections import Counter
from typing import Any, ClassVar

from flexforge.codegen.forces.switching import RESTING, SINCE
from flexforge.runtime.multibody.motion import FoundMotion


class Events:
    """Events of a motion up to the recorded times.

    Parameters
    ----------
    motion : FoundMotion
        The motion.
    """

    KEPT: ClassVar[tuple[str, ...]] = ("_times", "_numbers")

    def __init__(self, motion: FoundMotion) -> None:
        self._motion = motion
        self._names = motion.links.model.formulas.events
        self._times: list[float] = []
        self._numbers: list[float] = []

    def follow(self) -> None:
        """Record the events up to the current time."""
        for time, number in self._motion.events_until(self._motion.time):
            self._times.append(time)
            self._numbers.append(number)

    def figures(self) -> dict[str, Any]:
        """Return how often every event happened, energy lost in impacts, J, and kept numbers."""
        self.follow()
        counts = Counter(map(int, self._numbers))
        found: dict[str, Any] = {
            f"force '{force}': {event}": counts[k]
            for k, (force, event) in enumerate(self._names)
            if counts[k]
        }
        for force, lost in self._motion.lost.items():
            found[f"energy lost in impacts of force '{force}'"] = [lost, "J"]
            kept = self._motion.kept[force]
            if kept.get(RESTING):
                found[f"force '{force}': rests since"] = [kept[SINCE], "s"]
        for one in self._motion.links.model.formulas.forces:
            for number in one.law.kept:
                if number.told:
                    value = self._motion.kept[one.name][number.name]
                    found[f"force '{one.name}': {number.name} at the end"] = value
        return found

    def table(self) -> bytes:
        """Return the events as CSV: time, force and event."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["time [s]", "force", "event"])
        for time, number in zip(self._times, self._numbers, strict=True):
            writer.writerow([repr(time), *self._names[int(number)]])
        return text.getvalue().encode()
