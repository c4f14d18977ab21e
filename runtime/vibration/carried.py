# SPDX-License-Identifier: BSD-3-Clause
"""What moved supports do to modes: ``u = G g(t) + sum phi q``, with the quasi-static shapes G.

``K G = 0`` at all that is free, so the modes are driven by the inertia and the damping of the
quasi-static motion alone: ``phi^T (f - m G g'' - C G g')``.
Source: Clough and Penzien, Dynamics of Structures, section 26-5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.statics.held import factor_held
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.system.combinations import elastic_of, viscous_of
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.superposition import Superposition


@dataclass(frozen=True, slots=True)
class Carried:
    """Quasi-static shapes of moved supports, and what they do to modes.

    Attributes
    ----------
    shapes : ndarray, (f, N, d)
        Displacements for a unit of every function that moves supports.
    inertia, damping : ndarray, (f, k)
        Modal forces of the mass and the damping matrix times these shapes.
    """

    shapes: Floats
    inertia: Floats
    damping: Floats


def carried(
    system: System,
    modes: Superposition,
    given: Floats,
    time: float,
    solver: str,
    *,
    drag: float = 0.0,
    analysis: str = "harmonic analysis",
) -> Carried:
    """Return what moved supports do to modes.

    Parameters
    ----------
    system : System
        The bodies, with their stresses.
    modes : Superposition
        The modes.
    given : ndarray, (f, N, d)
        Displacements of supports for a unit of every function; zero elsewhere.
    time : float
        Time at which frames are taken, s.
    solver : str
        Linear solver.
    drag : float
        Damping of the modes in proportion to mass, 1/s, which brakes supports that move as well.
    analysis : str
        With which messages begin.
    """
    if not given.any():
        none = np.zeros((len(given), len(modes.squares)))
        return Carried(np.zeros_like(given), none, none)
    elastic = elastic_of(system.spins(time))
    viscous = viscous_of(system.bodies, system.spins(time))
    factors = factor_held(Pencil.of(system, elastic), solver, analysis)
    shapes = np.array([
        one - system.expand(factors.solve(system.restrict(system.apply(elastic, one))))
        for one in given
    ])  # fmt: skip
    factors.close()
    inertia = [system.mass_times(one) for one in shapes]
    damping = [
        system.apply(viscous, one) + drag * other
        for one, other in zip(shapes, inertia, strict=True)
    ]
    return Carried(shapes, modes.forces(np.array(inertia)), modes.forces(np.array(damping)))
