# SPDX-License-Identifier: BSD-3-Clause
"""Time of a run by phase, and its progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and how much there is."""


@dataclass
class Phases:
    """Seconds by phase, in the order in which phases began.

    Attributes
    ----------
    progress : callable, optional
        Called at the beginning of every phase.
    seconds : dict
        Wall-clock time by name; repeated phases add up.
    """

    progress: Progress | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, name: str, *, quiet: bool = False) -> Iterator[None]:
        """Measure the time of a block under a name."""
        if not quiet:
            self.tell(name, 0, 0)
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def tell(self, text: str, done: int, total: int) -> None:
        """Report progress."""
        if self.progress is not None:
            self.progress(text, done, total)
