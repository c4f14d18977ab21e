# SPDX-License-Identifier: BSD-3-Clause
"""How modes take part in rigid motions of the base: participation factors and effective masses.

A base that moves by ``r`` loads mode ``phi``, scaled so that ``phi^T M phi = 1``, with its
participation factor ``Gamma = phi^T M r``; ``Gamma^2`` is its effective mass, and the sum over all
modes is ``r^T M r``, the mass or the moment of inertia about the origin of what moves.
Source: Clough and Penzien, Dynamics of Structures, section 26-3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.system import System

#: Names of the rigid motions in space, and in the plane.
MOTIONS = {3: ("x", "y", "z", "rx", "ry", "rz"), 2: ("x", "y", "rz")}


@dataclass(frozen=True, slots=True)
class Participation:
    """Participation of modes in rigid motions.

    Attributes
    ----------
    factors : ndarray, (count, m)
        Participation factors of modes of unit mass, sqrt(kg); of rotations sqrt(kg) m.
    total : ndarray, (m,)
        Mass, kg, or moment of inertia about the origin, kg m^2, of all free coordinates.
    """

    factors: Floats
    total: Floats

    @property
    def masses(self) -> Floats:
        """Effective masses, (count, m), kg; of rotations kg m^2."""
        return np.asarray(self.factors**2)


def participation(system: System, shapes: Floats) -> Participation:
    """Return how modes take part in rigid motions of the base.

    Parameters
    ----------
    system : System
        The bodies.
    shapes : ndarray, (count, N, d)
        Shapes of undamped modes.

    Returns
    -------
    Participation
    """
    moved = [system.expand(system.map.restrict(one)) for one in rigid_motions(system)]
    rigid = [system.mass_times(one) for one in moved]
    sizes = np.array([np.sum(shape * system.mass_times(shape)) for shape in shapes])
    factors = np.array([[np.sum(shape * one) for one in rigid] for shape in shapes])
    total = np.array([np.sum(m * one) for m, one in zip(moved, rigid, strict=True)])
    with np.errstate(divide="ignore", invalid="ignore"):
        return Participation(factors / np.sqrt(sizes)[:, None], total)


def rigid_motions(system: System) -> Floats:
    """Return the unit rigid motions of all nodes, (m, N, d): along and about the axes.

    Bodies of revolution have those along and about their axis y alone; the others are zero.
    """
    found = _rigid_motions(system)
    if any(body.revolved for body in system.bodies):
        across = [name not in ("y", "ry") for name in MOTIONS[system.dimension]]
        found[across] = 0.0
    return found


def _rigid_motions(system: System) -> Floats:
    d, size = system.dimension, system.size
    points = np.zeros((size, d))
    turning, inside = np.zeros((2, size), dtype=bool)
    for body in system.bodies:
        points[body.nodes] = body.points
        turning[body.rotations] = True
        inside[body.internal] = True
    found = np.zeros((len(MOTIONS[d]), size, d))
    found[range(d), :, range(d)] = ~turning
    if d == 2:
        found[2] = np.where(
            turning[:, None], [1.0, 0.0], np.stack([-points[:, 1], points[:, 0]], 1)
        )
        return found
    for place, axis in enumerate(np.eye(3)):
        found[3 + place] = np.where(turning[:, None], axis, np.cross(axis, points))
    found[:, inside] = 0.0
    return found
