# SPDX-License-Identifier: BSD-3-Clause
"""The stiffness of loads that follow bodies, about the state that they deform these to."""

from __future__ import annotations

from flexforge.runtime.arrays import Floats
from flexforge.runtime.statics.balance import followers_conserve
from flexforge.runtime.system.large_body import LargeBody
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System


def with_load_stiffness(system: System, loads: Loads, time: float, u: Floats) -> System:
    """Return deformed bodies whose stiffness has that of the loads that follow them.

    Parameters
    ----------
    system : System
        The bodies, with their stiffness at nodal displacements.
    loads : Loads
        What acts on them.
    time : float
        s.
    u : ndarray, (N, d)
        The displacements, m.
    """
    if not loads.followers:
        return system
    conserves = followers_conserve(system, loads, time)
    found = {}
    for number, slope in loads.following_slopes(time, u).items():
        body = system.bodies[number]
        assert isinstance(body, LargeBody)
        found[number] = body.under_followers(slope, conserves=conserves)
    return system.with_bodies(found)
