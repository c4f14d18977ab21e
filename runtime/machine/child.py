# SPDX-License-Identifier: BSD-3-Clause
"""Work on untrusted files, tried in a child process first, which may hang or die without harm.

The HDF5 library trusts the content of files: a damaged file can make it loop forever, take all
memory, or end the process. If a forked child survives the work, the parent can do it too.
"""

from __future__ import annotations

import faulthandler
import math
import os
import resource
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from flexforge.codegen.errors import InputError

_SECONDS = 8.0
_COMPUTING = 2.0  # seconds of processor time, which an endless loop exceeds
_PER_SECOND = 20e6  # bytes per second that a slow disk reads
_MEMORY = 1 << 29  # bytes beyond those of the process and a few times the file's


class TooLong(InputError):
    """Work that did not end in the time that it should take."""


def try_in_child(work: Callable[[], object], path: Path) -> None:
    """Do some work on a file in a child process; its result is discarded.

    Parameters
    ----------
    work : callable
        The work. Its errors become one line; an `InputError` is passed on unchanged.
    path : Path
        The file, whose size determines the limits of time and memory.

    Raises
    ------
    TooLong
        When the work is not done in time.
    InputError
        When the work fails, exceeds memory, or ends the process.
    """
    size = path.stat().st_size
    limit = _SECONDS + size / _PER_SECOND
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        # Python warns if there are threads; the child calls nothing that waits for them.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reading)
        _work(work, writing, size, math.ceil(limit) + 1)
    os.close(writing)
    try:
        said = _said(reading, time.monotonic() + limit)
        if said is None:
            raise TooLong(f"{path}: is damaged (reading it takes more than {limit:.3g} s)")
    finally:  # also after Ctrl-C
        os.close(reading)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    kind, _, text = said.partition(":")
    if kind == "input":
        raise InputError(text)
    if kind != "done":
        raise InputError(f"{path}: is damaged ({text or 'reading it hangs or crashes'})")


def _work(work: Callable[[], object], writing: int, size: int, latest: int) -> None:
    """Do the work and end this process, which is the child."""
    said = "failed:"
    try:
        # Output of a failing library is not for the user.
        faulthandler.disable()
        for number in (signal.SIGALRM, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        signal.alarm(latest)  # in case no parent is left to end this process
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + 8 * size + _MEMORY
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        if hard == resource.RLIM_INFINITY or most < hard:
            resource.setrlimit(resource.RLIMIT_AS, (most, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        seconds = math.ceil(_COMPUTING + size / _PER_SECOND)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        work()
        said = "done:"
    except InputError as error:
        said = f"input:{error}"
    except MemoryError:
        said = "failed:it needs more memory than its size explains"
    except BaseException as error:  # a damaged file can cause any error in a reader or its library
        said = f"failed:{' '.join(str(error).split()) or type(error).__name__}"
    finally:  # even if the parent no longer listens
        with suppress(OSError):
            os.write(writing, said.encode("utf-8", "replace")[:4000])
        os._exit(0)


def _said(reading: int, until: float) -> str | None:
    """Return the output of the child before it ends; None if it takes too long."""
    said = b""
    while True:
        left = until - time.monotonic()
        if left <= 0 or not select.select([reading], [], [], left)[0]:
            return None
        more = os.read(reading, 4096)
        if not more:
            return said.decode("utf-8", "replace")
        said += more
