# SPDX-License-Identifier: BSD-3-Clause
"""Signals that wait until something is written whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


@contextmanager
def shielded() -> Iterator[None]:
    """Handle signals that arrive in a block at its end, by the handlers that were set before.

    Signals that end the process at once, or are ignored, are left as they are; so are all of them
    outside the main thread, which receives none.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[tuple[int, FrameType | None]] = []
    handlers = {one: signal.getsignal(one) for one in _SIGNALS}
    ours = {one: handler for one, handler in handlers.items() if callable(handler)}
    try:
        for one in ours:
            signal.signal(one, lambda number, frame: arrived.append((number, frame)))
        yield
    finally:
        for one, handler in ours.items():
            signal.signal(one, handler)
        for number, frame in arrived:
            ours[signal.Signals(number)](number, frame)
