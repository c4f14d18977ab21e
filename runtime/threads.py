# SPDX-License-Identifier: BSD-3-Clause
"""How many threads there are, and whose they are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

_STARTED = os.getpid()


def is_forked() -> bool:
    """Return whether the process is a copy of the one that imported this.

    Threads of OpenMP do not survive a fork, and a loop in the copy would wait for them for ever.
    """
    return os.getpid() != _STARTED


def default_threads() -> int:
    """Return the number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def cores_for_our_loops() -> Iterator[None]:
    """Keep OpenBLAS, which NumPy calls for vectors, to one thread.

    Its threads spin while they wait and take the cores from the loops over nodes and from the
    solver between two calls: a step of 35,000 unknowns took four times as long on two cores.
    """
    from threadpoolctl import ThreadpoolController

    with ThreadpoolController().select(internal_api="openblas").limit(limits=1):
        yield
