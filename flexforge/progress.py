# SPDX-License-Identifier: BSD-3-Clause
"""Progress of long work: a line on a terminal or in a notebook, lines now and then in a pipe."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, TextIO

from flexforge.runtime.machine.phases import STAYING

if TYPE_CHECKING:
    from flexforge.runtime.machine.phases import Progress

#: Seconds between two lines in a pipe or a log; work that takes less prints none in a pipe.
_INTERVAL = 10.0


class ProgressLine:
    """The progress of work, by phases.

    Parameters
    ----------
    quiet : bool
        Print nothing.
    log : file, optional
        Gets a line when a phase begins, and every ten seconds.
    """

    def __init__(self, *, quiet: bool = False, log: TextIO | None = None) -> None:
        self._terminal = sys.stderr.isatty() and not quiet
        self._piped = not sys.stderr.isatty() and not quiet
        self._log = log
        self._began: dict[str, float] = {}  # by phase; the first one began when the work did
        self._shown = self._logged = 0.0
        self._width = 0

    def __call__(self, text: str, done: int, total: int) -> None:
        """Show the progress of a phase, on a terminal ten times per second at most."""
        if text.startswith(STAYING):
            self._say(text)
            return
        now = time.monotonic()
        is_new = text not in self._began
        began = self._began.setdefault(text, now)
        start = next(iter(self._began.values()))
        if self._log is not None and (is_new or now - self._logged >= _INTERVAL):
            self._logged = now
            self.note(_line(text, done, total, now - began))
        if self._terminal and (now - self._shown >= 0.1 or done in (0, total)):
            self._shown = now
            self._overwrite(f"{_line(text, done, total, now - began)}, {_duration(now - start)}")
        elif self._piped and now - max(self._shown, start) >= _INTERVAL:
            self._shown = now
            line = _line(text, done, total, now - began)
            print(f"flexforge: {_duration(now - start)}: {line}", file=sys.stderr, flush=True)

    def _say(self, text: str) -> None:
        """Print a line that stays."""
        self.note(text)
        if self._terminal or self._piped:
            self.clear()
            print(f"flexforge: {text}", file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        """Add a line with the time to the log."""
        if self._log is not None:
            print(f"{datetime.now():%Y-%m-%d %H:%M:%S}  {text}", file=self._log, flush=True)

    def clear(self) -> None:
        """Erase the line on the terminal."""
        if self._terminal and self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0

    def _overwrite(self, line: str) -> None:
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)


class NotebookLine:
    """The progress of work in a Jupyter notebook: one line, ten times per second at most."""

    def __init__(self) -> None:
        self._began: dict[str, float] = {}
        self._shown = 0.0
        self._display: Any = None

    def __call__(self, text: str, done: int, total: int) -> None:
        """Show the progress of a phase."""
        now = time.monotonic()
        began = self._began.setdefault(text, now)
        start = next(iter(self._began.values()))
        if now - self._shown >= 0.1:
            self._shown = now
            self._show(f"{_line(text, done, total, now - began)}, {_duration(now - start)}")

    def close(self) -> None:
        """Leave no line behind: what the cell returns says how the work ended."""
        if self._display is not None:
            self._show("")

    def _show(self, line: str) -> None:
        ipython: Any = import_module("IPython.display")  # not typed, and only there in notebooks
        shown = ipython.HTML(f'<pre style="margin: 0">{escape(line)}</pre>' if line else "")
        if self._display is None:
            self._display = ipython.display(shown, display_id=True)
        else:
            self._display.update(shown)


@contextmanager
def shown(progress: Progress | bool | None) -> Iterator[Progress | None]:
    """Give work the function that shows its progress, and clear what it showed at the end.

    Parameters
    ----------
    progress : callable or bool, optional
        The function itself; None for a line in a notebook and nothing elsewhere, False for nothing,
        True for a line on a terminal too.
    """
    if callable(progress):
        yield progress
    elif progress is False or (progress is None and not in_notebook()):
        yield None
    elif in_notebook():
        line = NotebookLine()
        try:
            yield line
        finally:
            line.close()
    else:
        terminal = ProgressLine()
        try:
            yield terminal
        finally:
            terminal.clear()


def in_notebook() -> bool:
    """Whether the code runs in the kernel of a notebook; IPython is not imported for it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def _line(text: str, done: int, total: int, seconds: float) -> str:
    """Return a phase with its progress, if that is known."""
    if not total:
        return text
    filled = 24 * done // total
    line = f"{text} [{'#' * filled}{'.' * (24 - filled)}] {done}/{total}"
    if 0 < done < total:
        line += f", about {_duration(seconds * (total - done) / done)} left"
    return line


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
