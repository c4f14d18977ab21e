# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of threads, and their limits."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

#: No machine of today has more cores. OpenMP stores a record of every thread on the stack of the
#: thread that starts them, and ends the process if the system refuses one: 100,000 threads crash
#: it.
MOST_THREADS = 1024

_STARTED = os.getpid()


def checked_threads(wanted: int, where: str) -> int:
    """Return a valid number of threads, or refuse it.

    Parameters
    ----------
    wanted : int
        The requested number.
    where : str
        Name of the caller, for the message.

    Raises
    ------
    InputError
        When it is not an integer from 1 to :data:`MOST_THREADS`.
    """
    whole = isinstance(wanted, int | np.integer) and not isinstance(wanted, bool)
    if not whole or not 1 <= wanted <= MOST_THREADS:
        raise InputError(
            f"{where}: threads: found {wanted}; expected a whole number >= 1 and <= {MOST_THREADS}"
        )
    return int(wanted)


def is_forked() -> bool:
    """Return whether the process was forked from the one that imported this module.

    OpenMP threads do not survive a fork, and a parallel loop in the child would wait for them
    forever.
    """
    return os.getpid() != _STARTED


def default_threads() -> int:
    """Return the number of cores this process may use, or of ``OMP_NUM_THREADS`` if fewer."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    wanted = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()  # a list by nesting level
    most = int(wanted) if wanted.isdecimal() and int(wanted) else MOST_THREADS
    return min(cores or 1, most, MOST_THREADS)


@contextmanager
def cores_for_our_loops() -> Iterator[None]:
    """Limit OpenBLAS, which NumPy uses for vectors, to one thread.

    Its threads spin while they wait, which takes cores from the loops over nodes and from the
    solver: a step of 35,000 unknowns took four times as long on two cores.
    """
    with _openblas(len(sys.modules)).limit(limits=1):
        yield


@lru_cache(maxsize=1)
def _openblas(modules: int) -> ThreadpoolController:
    """Return the controller of OpenBLAS for a number of imported modules, which bring libraries.

    A search through all libraries of a process takes up to ten milliseconds.
    """
    del modules
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(internal_api="openblas")
