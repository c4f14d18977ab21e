# SPDX-License-Identifier: BSD-3-Clause
"""The stiffness of loads about the state that they deform bodies to.

Forces that follow a body change with it. Moments of fixed direction at nodes that turn do not, but
their work depends on the way: the stiffness of a body in balance with them is not symmetric.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.statics.balance import Balance, followers_conserve
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.large_body import LargeBody
from flexforge.runtime.system.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Skew part that is round-off, relative to the entries on the diagonal.
_UNEVEN = 1e-9


def with_load_stiffness(balance: Balance, system: System, u: Floats) -> System:
    """Return deformed bodies whose stiffness has that of the loads on them.

    Parameters
    ----------
    balance : Balance
        The loads, and their time.
    system : System
        The bodies, with their stiffness at nodal displacements.
    u : ndarray, (N, d)
        The displacements, m.
    """
    loads, time = balance.loads, balance.time
    found: dict[int, Body] = {}
    if balance.has_moments and _leans(system.matrix(balance.elastic(1.0))):
        for number, body in enumerate(system.bodies):
            if isinstance(body, LargeBody) and body.turns:
                found[number] = body.leaning
    if loads.followers:
        conserves = followers_conserve(balance.system, loads, time)
        for number, slope in loads.following_slopes(time, u).items():
            body = found.get(number, system.bodies[number])
            assert isinstance(body, LargeBody)
            found[number] = body.under_followers(slope, conserves=conserves and body.conserves)
    return system.with_bodies(found)


def _leans(matrix: csr_matrix) -> bool:
    """Whether a stiffness is not symmetric, in units of its diagonal: rotations are among them."""
    skew = (matrix - matrix.T).tocoo()
    size = np.sqrt(np.abs(matrix.diagonal()))
    return bool((np.abs(skew.data) > _UNEVEN * size[skew.row] * size[skew.col]).any())
