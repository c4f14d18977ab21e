# SPDX-License-Identifier: BSD-3-Clause
"""A contestant's side: prepares, says so, and does one timed run each time it is told to.

A contestant is a process of its own, so that memory and threads are its alone; the referee takes
turns between them, so that what the machine does at the moment hits all of them alike.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any


def memory(key: str) -> float:
    """Return a figure of this process's memory in MiB: VmRSS now, VmHWM at its peak."""
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(key):
                return int(line.split()[1]) / 1024.0
    raise OSError(f"no {key} in /proc/self/status")


def reset_peak() -> None:
    """Make the system forget the peak so far."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def _say(**message: Any) -> None:
    sys.__stdout__.write(json.dumps(message) + "\n")
    sys.__stdout__.flush()


def serve(prepare: Callable[[], tuple[dict[str, Callable[[], Any]], dict[str, Any]]]) -> None:
    """Prepare, then run jobs by name as the referee asks for them.

    Parameters
    ----------
    prepare : callable
        Returns the jobs, and facts to report. A job may return a dictionary of figures; what else
        it returns is kept until the next run begins, so that releasing it is not timed.
    """
    try:
        jobs, facts = prepare()
    except ImportError as error:
        _say(absent=str(error))
        return
    reset_peak()
    base = memory("VmRSS")
    _say(ready=facts, jobs=list(jobs))
    kept: Any = None
    for line in sys.stdin:
        name = line.strip()
        if not name:
            break
        kept = None
        start = time.perf_counter()
        kept = jobs[name]()
        seconds = time.perf_counter() - start
        figures = kept if isinstance(kept, dict) else {}
        _say(seconds=seconds, peak=memory("VmHWM") - base, figures=figures)
