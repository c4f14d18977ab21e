# SPDX-License-Identifier: BSD-3-Clause
"""Balance of forces at rest in the frames, of bodies with an energy beside linear ones.

All that acts is scaled by the load factor: loads, given displacements, and what the motion of the
frames causes, as if their accelerations grew. With the displacements ``u = T q + factor g``

    r(q, factor) = T^T (factor (f - m_omega u) - f_int(u, factor T)) = 0

with changes of temperature T of bodies with an energy, which grow with the factor too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.combinations import elastic_of
from flexforge.runtime.system.inertia import Spin
from flexforge.runtime.system.large_body import LargeBody
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


_UNEVEN = 1e-9  # skew part that is round-off, relative
_SOME = 1e-2  # displacements of chance, relative to the size of the bodies


def is_large(system: System) -> bool:
    """Whether a body of a system is not linear."""
    return any(not body.is_linear for body in system.bodies)


def deformed(system: System, u: Floats, elastic: Sequence[Combination]) -> System:
    """Return bodies with their stiffness at nodal displacements.

    Parameters
    ----------
    system : System
        The bodies, at their temperatures.
    u : ndarray, (N, d)
        Nodal displacements, m.
    elastic : sequence of Combination
        Matrices of displacements, one per body.
    """
    return system.with_bodies(
        {
            number: body.at(u[body.nodes], combination)
            for number, (body, combination) in enumerate(zip(system.bodies, elastic, strict=True))
            if isinstance(body, LargeBody)
        }
    )


def is_even(matrix: csr_matrix) -> bool:
    """Whether a matrix is symmetric but for round-off."""
    return bool(abs(matrix - matrix.T).max() <= _UNEVEN * abs(matrix).max())


def followers_conserve(system: System, loads: Loads, time: float) -> bool:
    """Whether loads that follow have a potential: those on faces that supports or the body close.

    Their derivatives are symmetric then, at any displacements that the supports allow; here at
    some of chance.
    """
    if not loads.followers:
        return True
    size = max(float(np.ptp(body.points, axis=0).max(initial=0.0)) for body in system.bodies)
    moved = _SOME * size * np.random.default_rng(0).standard_normal(system.unknowns)
    return is_even(system.map.reduce(loads.following_slope(time, system.expand(moved))))


@dataclass(frozen=True)
class Balance:
    """The balance of a system at a time.

    Attributes
    ----------
    system : System
        The bodies, with the prestress of the linear ones.
    loads : Loads
        What acts on them.
    time : float
        Time at which loads and frames are taken, s.
    """

    system: System
    loads: Loads
    time: float

    @cached_property
    def _spins(self) -> list[Spin]:
        return self.system.spins(self.time)

    @cached_property
    def _dead(self) -> Floats:
        return self.loads.at(self.time, self._spins)

    def acting(self, u: Floats) -> Floats:
        """Return the forces of the whole loads at displacements (N, d), (N, d), N."""
        return self._dead + self.loads.following(self.time, u)

    @cached_property
    def given(self) -> Floats:
        """The given displacements of the whole loads, (N, d), m."""
        if self.loads.given is None:
            return np.zeros((self.system.size, self.system.dimension))
        return self.loads.given.at(self.time)[0]

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether the tangent is one at an equilibrium.

        Angular accelerations, loads that follow and have no potential, and moments on nodes that
        turn about any axis cause a skew part. Derivatives of moments by spins have another one away
        from equilibria, which is left out where they have none there.
        """
        if self.has_moments or not self.system.is_symmetric:
            return False
        if not followers_conserve(self.system, self.loads, self.time):
            return False
        return all(one.is_symmetric for one in elastic_of(self._spins))

    @cached_property
    def has_moments(self) -> bool:
        """Whether moments of fixed direction act on nodes that turn by any angle."""
        turning = self.system.turning
        return bool(turning.size and self.system.restrict(self._dead)[turning].any())

    def displacement(self, q: Floats, factor: float) -> Floats:
        """Return nodal displacements (N, d), m, of unknowns (n,)."""
        return self.system.expand(q) + factor * self.given

    def inside(self, u: Floats, factor: float) -> Floats:
        """Return the forces (N, d), N, that elasticity and motion of the frames need."""
        still = np.zeros_like(u)
        return self.warmed(factor).inner(self.elastic(factor), self._nothing, u, still, still)

    def warmed(self, factor: float) -> System:
        """Return the bodies at their temperatures at a load factor."""
        return self.loads.warmed(self.system, self.time, factor)

    def reactions(self, q: Floats, u: Floats, factor: float) -> Floats:
        """Return the forces of the supports (N, d), N, zero where nothing is held."""
        found = self.inside(u, factor) + self.exerted(q, u) - factor * self.acting(u)
        return np.where(self.system.map.constrained, found, 0.0)

    def residual(self, q: Floats, u: Floats, factor: float) -> tuple[Floats, float]:
        """Return r (n,) at displacements (N, d), and the norm of the forces that balance, N.

        These are the forces inside, of loads and of supports: of a body that is strained by its
        supports alone there is nothing else to compare with.
        """
        inside, acting = self.inside(u, factor), factor * self.acting(u)
        size = float(np.linalg.norm(inside) + np.linalg.norm(acting))
        return self.system.restrict(acting - inside - self.exerted(q, u)), size

    def at(self, u: Floats, factor: float = 1.0) -> System:
        """Return the bodies with their stiffness at nodal displacements (N, d) and a load factor.

        Parameters
        ----------
        u : ndarray, (N, d)
            Nodal displacements, m.
        factor : float
            The load factor, by default that of the whole loads.
        """
        return deformed(self.warmed(factor), u, self.elastic(factor))

    def tangent(self, at: System, q: Floats, u: Floats, factor: float) -> csr_matrix:
        """Return ``-dr/dq``, (n, n), of bodies at displacements u (N, d)."""
        del q
        found = at.matrix(self.elastic(factor))
        if self.loads.followers:
            found = found - factor * at.map.reduce(self.loads.following_slope(self.time, u))
        if self.is_symmetric and (self.system.turning.size or self.loads.followers):
            found = (0.5 * (found + found.T)).tocsr()
        return found

    def by_factor(self, at: System, q: Floats, u: Floats, factor: float) -> Floats:
        """Return ``dr/dfactor``, (n,), of bodies at displacements u (N, d)."""
        del q
        still = np.zeros_like(u)
        rates = [replace(c, stiffness=0.0) for c in self.elastic(1.0)]
        inertia = self.system.inner(rates, self._nothing, u, still, still)
        moved = at.apply(self.elastic(factor), self.given)
        if self.loads.followers and self.given.any():
            slope = self.loads.following_slope(self.time, u)
            moved -= factor * (slope @ self.given.ravel()).reshape(u.shape)
        moved -= self._warming(at, u)
        return self.system.restrict(self.acting(u) - inertia - moved)

    def _warming(self, at: System, u: Floats) -> Floats:
        """Return the loads (N, d) of the whole temperatures on bodies at a load factor."""
        found = np.zeros_like(u)
        for body in at.bodies:
            change = self.loads.temperature(body.name, self.time)
            if change is not None and isinstance(body, LargeBody):
                found[body.nodes] += body.warming_load(u[body.nodes], change)
        return found

    def extent(self, u: Floats) -> float:
        """Return the size of what forces are computed from, m: their round-off is of it."""
        own = [body.extent for body in self.system.bodies if isinstance(body, LargeBody)]
        return float(np.linalg.norm([float(np.linalg.norm(u)), *own]))

    def fault(self, u: Floats) -> str:
        """Return what displacements (N, d) do to an element that it cannot bear, or nothing."""
        for body in self.system.bodies:
            if isinstance(body, LargeBody) and (found := body.fault(u[body.nodes])):
                return found
        return ""

    def strain_energy(self, u: Floats, factor: float = 1.0) -> float:
        """Return the energy of the bodies that have one, J."""
        bodies = [body for body in self.warmed(factor).bodies if isinstance(body, LargeBody)]
        return sum(body.strain_energy(u[body.nodes]) for body in bodies)

    @property
    def size(self) -> int:
        """Number of unknowns, n."""
        return self.system.unknowns

    @property
    def multipliers(self) -> int:
        """How many of them are multipliers: each is a negative eigenvalue of a stable tangent."""
        return 0

    def moved(self, q: Floats, change: Floats) -> Floats:
        """Return the unknowns (n,) after a change (n,)."""
        return self.system.moved(q, change)

    def change(self, q: Floats, start: Floats) -> Floats:
        """Return the change (n,) that leads from unknowns ``start`` to others, (n,) each."""
        return self.system.change(q, start)

    def exerted(self, q: Floats, u: Floats) -> Floats:
        """Return the forces (N, d), N, that nodes need beside those of elements and motion."""
        del q
        return np.zeros_like(u)

    @property
    def _nothing(self) -> list[Combination]:
        """No matrices of velocities."""
        d = self.system.dimension
        return [Combination(0.0, np.zeros((d, d)), np.zeros(0)) for _ in self.system.bodies]

    def elastic(self, factor: float) -> list[Combination]:
        """Return the matrices of displacements of every body at a load factor."""
        return [one.in_part(factor) for one in elastic_of(self._spins)]
