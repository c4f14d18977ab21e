# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of a system at any frequency: few entries, of bearings, depend on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.combinations import elastic_of, viscous_of
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.speed_terms import across


class VibratingMatrices:
    """Matrices of displacements, velocities and accelerations over the frequency.

    Parameters
    ----------
    system : System
        The bodies, with their stresses.
    time : float
        Time at which frames are taken, s.
    dense : bool
        Whether the matrices are arrays.
    """

    def __init__(self, system: System, time: float, *, dense: bool = False) -> None:
        from scipy.sparse import csr_matrix

        self._system = system
        spins = system.spins(time)
        unit = [Combination(0.0, np.eye(system.dimension), np.zeros(0)) for _ in system.bodies]
        self._each = elastic_of(spins), viscous_of(system.bodies, spins), unit
        bodies = [one for one in system.bodies if isinstance(one, BearingBody) and one.vibrates]
        self._bearings = [(one.bearing, one.speed) for one in bodies]
        own = [body.vibrates for body in system.bodies]
        kept = [
            system.matrix([c.none if it else c for c, it in zip(one, own, strict=True)])
            for one in self._each
        ]
        self._kept: list[Any] = [one.toarray() for one in kept] if dense else kept
        if bodies:
            rows = np.vstack([across(system, one) for one in bodies])
            self._rows: Any = rows if dense else csr_matrix(rows)

    def at(self, frequency: float) -> list[Any]:
        """Return stiffness, damping with Coriolis forces, and mass at a frequency, rad/s."""
        if not self._bearings:
            return self._kept
        from scipy.linalg import block_diag

        w, rows = abs(frequency), self._rows
        laws = [law.at_frequency(w).at(speed) for law, speed in self._bearings]
        each = (block_diag(*parts) for parts in zip(*laws, strict=True))
        return [
            kept + rows.T @ (one @ rows if isinstance(rows, np.ndarray) else _sparse(one) @ rows)
            for kept, one in zip(self._kept, each, strict=True)
        ]

    def times(self, frequency: float, field: Floats) -> list[Floats]:
        """Return them, of all nodes, times nodal vectors (N, d)."""
        there = self._system.vibrating(abs(frequency))
        return [there.apply(one, field) for one in self._each]


def _sparse(matrix: Floats) -> Any:
    from scipy.sparse import csr_matrix

    return csr_matrix(matrix)
