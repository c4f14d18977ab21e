# SPDX-License-Identifier: BSD-3-Clause
"""Signals that ask a program to end act like Ctrl-C: computed results are kept."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
#: A terminal that is closed sends several signals within moments: they are one request.
_ONE_REQUEST = 1.0
#: Seconds after which an interrupt that no handler received is sent again.
_LATER = 0.05


class EndedError(KeyboardInterrupt):
    """A signal has asked the process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(f"interrupted by {signal.Signals(number).name}")
        self.number = number


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raise `EndedError` for SIGTERM and SIGHUP in a block, unless they are handled or ignored."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals cannot be handled here
        return
    last = -_ONE_REQUEST

    def end(number: int, _: FrameType | None) -> None:
        nonlocal last
        before, last = last, time.monotonic()
        if last - before >= _ONE_REQUEST:
            raise EndedError(number)

    def again(swallowed: sys.UnraisableHookArgs) -> None:
        """Interrupt again: an interrupt raised in a destructor is not propagated."""
        nonlocal last
        interrupt = swallowed.exc_value
        if not isinstance(interrupt, KeyboardInterrupt):
            others(swallowed)
            return
        last = -_ONE_REQUEST
        number = interrupt.number if isinstance(interrupt, EndedError) else signal.SIGINT
        threading.Timer(_LATER, os.kill, (os.getpid(), number)).start()

    ours = [one for one in _SIGNALS if signal.getsignal(one) == signal.SIG_DFL]
    others = sys.unraisablehook
    try:
        sys.unraisablehook = again
        for one in ours:
            signal.signal(one, end)
        yield
    finally:
        sys.unraisablehook = others
        for one in ours:
            signal.signal(one, signal.SIG_DFL)


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """Return the exit code of an interrupted program, 128 and the number of the signal."""
    return 128 + (interrupt.number if isinstance(interrupt, EndedError) else signal.SIGINT)


def said(interrupt: KeyboardInterrupt) -> str:
    """Return the name of an interrupt."""
    return str(interrupt) or "interrupted"
