# SPDX-License-Identifier: BSD-3-Clause
"""Processes that a launcher of MPI has started together."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

#: Seconds that others wait for the first process, which may be slower on a busy machine, to say why
#: all fail; and that each of them waits for the one before it.
_FIRST, _LATER = 3.0, 0.5
#: Seconds that others leave the first process to complete its files.
_TO_WRITE = 10.0
#: Variables in which launchers leave the number of processes: Open MPI, MPICH and Intel MPI.
_STARTED = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS")


def mpirun(count: int) -> list[str]:
    """Return the beginning of a command that starts processes together on this machine.

    Parameters
    ----------
    count : int
        Number of processes, which may exceed that of cores.
    """
    root = ["--allow-run-as-root"] if os.getuid() == 0 else []
    return ["mpirun", *root, "--oversubscribe", "-q", "-n", str(count)]


def processes_started() -> int:
    """Return how many processes the launcher of this one has started, 1 without one."""
    for name in _STARTED:
        number = os.environ.get(name, "")
        if number.isdecimal():
            return max(int(number), 1)
    return 1


def fail_together(code: int, say: Callable[[], None], *, interrupted: bool = False) -> None:
    """Say why this process fails, and end the others that the launcher has started with it.

    Where several fail for one reason, one of them says it, the first if it is among them.

    Parameters
    ----------
    code : int
        Exit code.
    say : callable
        Says it.
    interrupted : bool
        Whether a signal ends it, which all of them get.
    """
    if processes_started() == 1:
        say()
        return
    try:
        from mpi4py import MPI
    except ImportError:
        say()
        return
    number = MPI.COMM_WORLD.rank
    if interrupted and number:
        time.sleep(_TO_WRITE)  # in which the first completes its files
    else:
        if number:
            time.sleep(_FIRST + _LATER * number)
        say()
    MPI.COMM_WORLD.Abort(code)
