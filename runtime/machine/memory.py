# SPDX-License-Identifier: BSD-3-Clause
"""Memory required by a model, and memory available: compared before allocation.

The estimate is a lower bound of the memory needed at once: mesh, graph of the nodes, matrices. The
factors of a solver need additional memory, whose amount is unknown until they exist.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path

from flexforge.codegen.errors import InputError

#: Copies of a mesh file in memory at once: its bytes, its text, and its numbers; a digit and a
#: blank are the shortest text of a number, but eight characters the usual one.
COPIES_OF_FILE = 3
#: Fraction of the free memory that a method may be expected to need before another one is taken.
FILLED = 0.7
_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB")
_CGROUP = Path("/sys/fs/cgroup")
#: Limit, use and statistics of a control group, of version 2 and of version 1.
_CGROUPS = (
    ("memory.max", "memory.current", "memory.stat"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat"),
)


def require_memory(needed: float, where: str, what: str) -> None:
    """Refuse a model for which the machine has too little memory.

    Parameters
    ----------
    needed : float
        Bytes.
    where : str
        File or key, for the message.
    what : str
        What needs the memory: "8000000 cells".

    Raises
    ------
    InputError
        With the required and the available memory.
    """
    there = available_memory()
    if there is not None and needed > there:
        raise InputError(
            f"{where}: found {what}, which need {in_words(needed)} of memory; expected less than "
            f"the {in_words(there)} free on this machine"
        )


def in_words(count: float) -> str:
    """Return a number of bytes in words, such as ``1.3 TB``."""
    unit = 0
    while count >= 1000 and unit < len(_UNITS) - 1:
        count, unit = count / 1000, unit + 1
    return f"{count:.3g} {_UNITS[unit]}"


def matrix_bytes(pairs: int, dimension: int, corners: int) -> int:
    """Return the memory of the graph of a body and of its stiffness and mass matrices.

    Parameters
    ----------
    pairs : int
        Pairs of nodes that share an element, including each node with itself.
    dimension : int
        Coordinates per node.
    corners : int
        Nodes of all elements, with a node counted once per element.
    """
    entries = pairs * (1 + dimension**2)
    return 8 * entries + 4 * pairs + 8 * corners


def available_memory() -> int | None:
    """Return the memory available to this process, bytes; None if the system does not say.

    The least of the free memory of the machine, the limit of its container, and the remainder of
    the limit of the process.
    """
    found = [value for value in (_free(), _container(), _limit()) if value is not None]
    return max(min(found), 0) if found else None


def _free() -> int | None:
    meminfo = Path("/proc/meminfo")
    for line in meminfo.read_text(encoding="ascii").splitlines() if meminfo.exists() else ():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _container() -> int | None:
    """Return the remainder of the limit of a control group, as set by containers."""
    for most, used, statistics in _CGROUPS:
        try:
            limit = (_CGROUP / most).read_text(encoding="ascii").strip()
            taken = int((_CGROUP / used).read_text(encoding="ascii"))
            pairs = (_CGROUP / statistics).read_text(encoding="ascii").splitlines()
            # Cached file pages are released when memory is needed.
            cached = sum(int(one.split()[1]) for one in pairs if one.startswith("inactive_file "))
            return None if limit == "max" else int(limit) - taken + cached
        except (OSError, ValueError):
            continue
    return None


def _limit() -> int | None:
    """Return the remainder of the address space of the process (``ulimit -v``)."""
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return most - pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return most
