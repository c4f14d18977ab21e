# SPDX-License-Identifier: BSD-3-Clause
"""Balance of bodies some of whose nodes follow points that turn by any angle.

The equations ``h(u) = 0`` are next to those of the forces, with multipliers m, scaled to the size
of the stiffness s:

    T^T (factor f - f_int(u) - s G^T m) = 0,        s h(u) = 0,        G = dh/du
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.independent import independent_rows
from flexforge.runtime.statics.balance import Balance
from flexforge.runtime.system.curved.rows import CurvedRows
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_OF_ARMS = 1.0 / 16.0  # digits of displacements that arms take
_ROUND_OFF = 16.0 * float(np.finfo(float).eps)  # of an equation, relative to the arms in it


def balance_of(system: System, loads: Loads, time: float) -> Balance:
    """Return the balance of a system at a time, s, with the equations that it has."""
    if system.curved is None:
        return Balance(system, loads, time)
    return TiedBalance(system, loads, time)


@dataclass(frozen=True)
class TiedBalance(Balance):
    """The balance of a system with curved equations; its attributes are those of ``Balance``.

    Unknowns are those of the system, then one multiplier per independent equation.
    """

    @property
    def size(self) -> int:
        """Number of unknowns and multipliers."""
        return self.system.unknowns + self.multipliers

    @property
    def multipliers(self) -> int:
        """Number of multipliers."""
        return int(self._which.sum())

    def moved(self, q: Floats, change: Floats) -> Floats:
        """Return unknowns and multipliers after a change."""
        n = self.system.unknowns
        return np.concatenate([self.system.moved(q[:n], change[:n]), q[n:] + change[n:]])

    def change(self, q: Floats, start: Floats) -> Floats:
        """Return the change that leads from unknowns ``start`` to others."""
        n = self.system.unknowns
        return np.concatenate([self.system.change(q[:n], start[:n]), q[n:] - start[n:]])

    def displacement(self, q: Floats, factor: float) -> Floats:
        """Return nodal displacements (N, d), m."""
        return super().displacement(q[: self.system.unknowns], factor)

    def exerted(self, q: Floats, u: Floats) -> Floats:
        """Return the forces ``s G^T m`` (N, d), N, that nodes need to satisfy the equations."""
        forces = self.rows.slopes(u).T @ self._forces(q)
        return np.asarray(forces.reshape(u.shape))

    def residual(self, q: Floats, u: Floats, factor: float) -> tuple[Floats, float]:
        """Return what is left of forces and equations at displacements (N, d), and its measure."""
        right, size = super().residual(q, u, factor)
        gaps = self.rows.values(u)
        gaps[np.abs(gaps) <= _ROUND_OFF * self.rows.scales] = 0.0
        return np.concatenate([right, -self._scale * gaps[self._which]]), size

    def tangent(self, at: System, q: Floats, u: Floats, factor: float) -> csr_matrix:
        """Return the derivatives of the residual with the other sign."""
        from scipy.sparse import block_array, csr_matrix

        bent = self.system.map.reduce(self.rows.second(u, self._forces(q)))
        if self.is_symmetric:
            bent = 0.5 * (bent + bent.T)
        whole = super().tangent(at, q, u, factor) + bent
        g = self._scale * (self.rows.slopes(u)[self._which] @ self.system.map.sparse)
        # Zeros on the diagonal are entries: a direct solver has to be able to put pivots there.
        m = self.multipliers
        corner = csr_matrix((np.zeros(m), (np.arange(m), np.arange(m))), shape=(m, m))
        return block_array([[whole, g.T], [g, corner]], format="csr")

    def by_factor(self, at: System, q: Floats, u: Floats, factor: float) -> Floats:
        """Return the derivative of the residual by the load factor."""
        gaps = self.rows.slopes(u)[self._which] @ self.given.ravel()
        forces = super().by_factor(at, q, u, factor)
        if self.given.any():
            held = self.rows.second(u, self._forces(q)) @ self.given.ravel()
            forces = forces - self.system.restrict(held.reshape(u.shape))
        return np.concatenate([forces, -self._scale * gaps])

    def extent(self, u: Floats) -> float:
        """Return the size of what forces are computed from, m: arms of points as well."""
        return super().extent(u) + _OF_ARMS * float(np.linalg.norm(self.rows.scales))

    @property
    def rows(self) -> CurvedRows:
        """The equations."""
        assert self.system.curved is not None
        return self.system.curved

    @cached_property
    def _scale(self) -> float:
        return self.system.stiffness_scale or 1.0

    @cached_property
    def _which(self) -> NDArray[np.bool_]:
        """Equations that do not follow from others and from supports, (m,)."""
        undeformed = np.zeros((self.system.size, self.system.dimension))
        return independent_rows(self.rows.slopes(undeformed) @ self.system.map.sparse)

    def _forces(self, q: Floats) -> Floats:
        found = np.zeros(self.rows.count)
        found[self._which] = self._scale * q[self.system.unknowns :]
        return found
