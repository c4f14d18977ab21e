# SPDX-License-Identifier: BSD-3-Clause
"""How threads of loops wait for each other: they sleep soon.

Left to itself the OpenMP library of GCC lets a thread look for the others for milliseconds. Where
another program runs, that takes the core from the very thread it waits for: with three programs on
two cores multigrid of 60,000 unknowns took 3.6 s, and 0.8 s where threads sleep soon.
"""

from __future__ import annotations

import os

#: How often a thread looks before it sleeps, some microseconds: what short loops take.
LOOKS = 2000
_OF_THE_USER = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")


def sleep_soon() -> None:
    """Let threads sleep soon, unless the environment says how they wait.

    It has to be called before the library is loaded, which reads the environment then.
    """
    if not any(name in os.environ for name in _OF_THE_USER):
        os.environ["GOMP_SPINCOUNT"] = str(LOOKS)
