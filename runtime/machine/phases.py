# SPDX-License-Identifier: BSD-3-Clause
"""Time of a run by phase, and its progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much is done, and how much there is."""


#: How texts of progress begin that are not phases: they stay on the terminal and in every log.
GOES_ON = "goes on from "
ALREADY = "already finished: "
STAYING = (GOES_ON, ALREADY)

#: The phases of the run that is under way, for work deep inside that has a phase of its own.
_RUNNING: ContextVar[Phases | None] = ContextVar("running", default=None)


@contextmanager
def phase(name: str) -> Iterator[None]:
    """Measure a block as a phase of the run that is under way; without a run, do nothing.

    Examples
    --------
    >>> phases = Phases()
    >>> with phases("number the unknowns"), phase("compile kernels"):
    ...     pass
    >>> list(phases.seconds)
    ['number the unknowns', 'compile kernels']
    """
    running = _RUNNING.get()
    with nullcontext() if running is None else running(name):
        yield


@dataclass
class Phases:
    """Seconds by phase, in the order in which phases began.

    Attributes
    ----------
    progress : callable, optional
        Called at the beginning of every phase.
    seconds : dict
        Wall-clock time by name; repeated phases add up. A phase within another one is not counted
        to both.
    """

    progress: Progress | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    _names: list[str] = field(default_factory=list, repr=False)
    _since: float = field(default=0.0, repr=False)

    @contextmanager
    def __call__(self, name: str, *, quiet: bool = False) -> Iterator[None]:
        """Measure the time of a block under a name."""
        if not quiet:
            self.tell(name, 0, 0)
        self._count()
        self._names.append(name)
        self.seconds.setdefault(name, 0.0)
        token = _RUNNING.set(self)
        try:
            yield
        finally:
            _RUNNING.reset(token)
            self._count()
            self._names.pop()

    def _count(self) -> None:
        """Add the time since the last change of phase to the one that is under way."""
        now = time.perf_counter()
        if self._names:
            self.seconds[self._names[-1]] += now - self._since
        self._since = now

    def tell(self, text: str, done: int, total: int) -> None:
        """Report progress."""
        if self.progress is not None:
            self.progress(text, done, total)
