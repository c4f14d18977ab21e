# SPDX-License-Identifier: BSD-3-Clause
"""Where the time of a run goes, and how far it has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and how much there is."""


@dataclass
class Phases:
    """Seconds by phase, in the order the phases began.

    Attributes
    ----------
    progress : callable, optional
        Told of every phase.
    seconds : dict
        Wall-clock time by name; phases that repeat add up.
    """

    progress: Progress | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, name: str, *, quiet: bool = False) -> Iterator[None]:
        """Count the time of a block under a name."""
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
