# SPDX-License-Identifier: BSD-3-Clause
"""Equilibria of bodies that nothing holds, under loads that balance: their pins bear nothing."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.system.system import System

_BALANCED = 1e-8  # resultant of loads, relative to the sum of their magnitudes


def is_balanced(free: Floats, loads: Floats) -> bool:
    """Return whether loads do no work on free motions.

    Parameters
    ----------
    free : ndarray, (n, k)
        Rigid motions of the unknowns that nothing holds.
    loads : ndarray, (n,) or (n, m)
        One load or several.
    """
    acting = np.abs(free).T @ np.abs(loads)
    return bool((np.abs(free.T @ loads) <= _BALANCED * acting).all())


def pinned(pencil: Pencil, system: System, free: Floats) -> Pencil:
    """Return a pencil with supports of as many unknowns as there are free motions.

    Balanced loads do not load these supports, so their stiffness does not matter.
    """
    from scipy.linalg import qr
    from scipy.sparse import diags

    order = qr(free.T, mode="r", pivoting=True)[1]
    pins = np.zeros(system.unknowns)
    pins[order[: free.shape[1]]] = system.stiffness_scale
    return pencil.raised(diags(pins, format="csr"))
