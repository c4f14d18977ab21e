# SPDX-License-Identifier: BSD-3-Clause
"""What a job took: seconds of its parts, memory."""

from __future__ import annotations

import resource
import time


class Clock:
    """Seconds between laps, by name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._before = time.perf_counter()

    def lap(self, name: str) -> None:
        """End a lap."""
        now = time.perf_counter()
        self.laps[name], self._before = now - self._before, now


def peak() -> float:
    """Return the largest memory of this process so far, GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
