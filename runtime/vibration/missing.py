# SPDX-License-Identifier: BSD-3-Clause
"""What a sum of modes leaves out of the answer to forces, as far as it is static.

``K u = f - sum M phi phi^T f`` over the modes that are kept: higher modes follow forces at once.
Source: U.S. NRC Regulatory Guide 1.92, revision 3, appendix A.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Flags, Floats
from flexforge.runtime.statics.held import factor_held
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.system.combinations import elastic_of
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.superposition import Superposition


def static_remainders(
    system: System,
    modes: Superposition,
    forces: Floats,
    time: float,
    solver: str,
    *,
    analysis: str,
    kept: Flags | None = None,
) -> Floats:
    """Return the static answers to what modes leave out of forces, (e, N, d), m.

    Parameters
    ----------
    system : System
        The bodies, with their stresses.
    modes : Superposition
        The modes.
    forces : ndarray, (e, N, d)
        Nodal forces, N.
    time : float
        Time at which frames are taken, s.
    solver : str
        Linear solver.
    analysis : str
        With which messages begin.
    kept : ndarray of bool, (k,), optional
        Which modes answer by themselves; by default all.

    Raises
    ------
    AnalysisError
        When supports leave a motion free.
    """
    elastic = elastic_of(system.spins(time))
    factors = factor_held(Pencil.of(system, elastic), solver, analysis)
    modal = modes.forces(forces)
    modal = modal if kept is None else modal * kept
    found = [
        system.expand(factors.solve(system.restrict(f - system.mass_times(modes.moved(own)))))
        for f, own in zip(forces, modal, strict=True)
    ]
    factors.close()
    return np.array(found)
