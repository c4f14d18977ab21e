# SPDX-License-Identifier: BSD-3-Clause
"""The element equations of a system at one time: inner forces, and the acceleration they leave.

m d'' + 2 c d' + damping + (k + k_eps + k_omega + k_geo) d = q - q_eps - q_omega - m_O a_O
(physics.md section 2).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.inertia import Spin
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def inner_forces(
    system: System, spins: list[Spin], displacement: Floats, velocity: Floats
) -> Floats:
    """Return ``2 c d' + damping + (k + ...) d``, (N, d), N.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    spins : list of Spin
        Inertia blocks of every body at the time.
    displacement, velocity : ndarray, (N, d)
        State relative to the frames, m and m/s.
    """
    identity = np.eye(system.dimension)
    elastic = [Combination(1.0, s.stiffness, s.prestress) for s in spins]
    viscous = [
        Combination(b.beta, s.coriolis + b.alpha * identity, np.zeros(0), 1.0)
        for b, s in zip(system.bodies, spins, strict=True)
    ]
    total = system.apply(elastic, displacement)
    damped = any(b.is_damped for b in system.bodies)
    if damped or any(c.inertia.any() for c in viscous):
        total += system.apply(viscous, velocity)
    return total


def acceleration(
    system: System,
    loads: Loads,
    solve_mass: Callable[[Floats], Floats],
    time: float,
    displacement: Floats,
    velocity: Floats,
) -> Floats:
    """Return the acceleration that balances all forces at a time, (N, d), m/s^2.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    solve_mass : callable
        Takes forces of the unknowns (n,), returns them divided by the mass matrix; not called where
        there are none.
    time : float
        Time, s.
    displacement, velocity : ndarray, (N, d)
        State relative to the frames, m and m/s.
    """
    frames = system.frames(time)
    spins = system.spins_of(frames)
    force = loads.at(time, spins, frames)
    force -= inner_forces(system, spins, displacement, velocity)
    rhs = system.restrict(force)
    return system.expand(solve_mass(rhs) if rhs.any() else rhs)
