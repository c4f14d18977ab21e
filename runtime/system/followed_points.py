# SPDX-License-Identifier: BSD-3-Clause
"""Points that follow the state of the nodes that have mass, at the start of a motion.

Their own displacements, rotations and rates are nobody's to give: those nearest to the equations
are theirs, so that nodes with mass begin as ``[[initial]]`` says.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.system import System

_MOST = 20
_SETTLED = 1e-13  # change of the unknowns, relative to the arms


def with_points(system: System, u: Floats, v: Floats) -> tuple[Floats, Floats]:
    """Return displacements and velocities (N, d) in which points without mass follow the others.

    Parameters
    ----------
    system : System
        The bodies.
    u, v : ndarray, (N, d)
        Displacements and velocities, m and m/s.
    """
    from scipy.sparse.linalg import lsqr

    curved = system.curved
    if curved is None:
        return u, v
    bare = np.ones(system.size, dtype=bool)
    for body in system.bodies:
        if not body.lumped or any(body.values.values()):
            bare[body.nodes] = False
    some = np.flatnonzero(bare[system.map.places // system.dimension])
    chosen = system.map.sparse[:, some]
    given = u - system.expand(system.map.sample(u))
    q = system.map.sample(u)
    for _ in range(_MOST):
        rows = (curved.slopes(u) @ chosen).tocsr()
        found = lsqr(rows, -curved.values(u), atol=0.0, btol=0.0, conlim=0.0)[0]
        change = np.zeros(system.unknowns)
        change[some] = found
        q = system.moved(q, change)
        u = system.expand(q) + given
        if np.abs(found).max(initial=0.0) <= _SETTLED * curved.scales.max():
            break
    slopes = curved.slopes(u)
    rows, change = (slopes @ chosen).tocsr(), np.zeros(system.unknowns)
    change[some] = lsqr(rows, -(slopes @ v.ravel()), atol=0.0, btol=0.0, conlim=0.0)[0]
    return u, v + system.expand(change)
