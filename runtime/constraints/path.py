# SPDX-License-Identifier: BSD-3-Clause
"""Maggi's ``q' = A z + b`` of all constraints of a system at one state, with constraint forces.

Constraints of positions leave ``q = A y - D c``; those of velocities leave ``y' = A z + b`` of
that. What does not depend on the speeds z is taken at the state the path was made for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.null_space import NullSpace
from flexforge.runtime.constraints.rates import Allowed, Rates

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Path:
    """What the constraints leave free at one state.

    Parameters
    ----------
    reduction : NullSpace
        Of the constraints of positions.
    q, v : ndarray, (n,)
        The state.
    rates : Rates, optional
        Constraints of velocities there, if any.
    allowed : Allowed, optional
        What those leave.
    """

    def __init__(
        self,
        reduction: NullSpace,
        q: Floats,
        v: Floats,
        rates: Rates | None = None,
        allowed: Allowed | None = None,
    ) -> None:
        self.reduction, self.rates, self.allowed = reduction, rates, allowed
        if rates is not None and allowed is not None:
            given = reduction.given_velocity(q)
            self._slide = -(allowed.fixed @ rates.velocity_left(given))
            given = reduction.given_acceleration(q, v)
            self._pull = -(allowed.fixed @ rates.acceleration_left(given))

    @cached_property
    def free(self) -> csr_matrix:
        """A of all constraints, (n, s): for what has to know its entries."""
        if self.allowed is None:
            return self.reduction.free
        return (self.reduction.free @ self.allowed.free).tocsr()

    def along(self, z: Floats) -> Floats:
        """Return A times speeds (s,), (n,)."""
        return self.reduction.along(z if self.allowed is None else self.allowed.free @ z)

    def onto(self, forces: Floats) -> Floats:
        """Return ``A^T`` times forces (n,), (s,)."""
        found = self.reduction.onto(forces)
        return found if self.allowed is None else self.allowed.free.T @ found

    @property
    def size(self) -> int:
        """Number of speeds, s."""
        kept = self.reduction.basis.speeds if self.allowed is None else self.allowed.speeds
        return int(kept.shape[0])

    def speeds(self, v: Floats) -> Floats:
        """Return the speeds of velocities (n,), or the like of accelerations, (s,)."""
        y: Floats = self.reduction.basis.speeds @ v
        return y if self.allowed is None else self.allowed.speeds @ y

    def coordinates_velocity(self, z: Floats) -> Floats:
        """Return y' (r,) of speeds (s,)."""
        return z if self.allowed is None else self.allowed.free @ z + self._slide

    def coordinates_acceleration(self, z_rate: Floats) -> Floats:
        """Return y'' (r,) of the rates of the speeds (s,)."""
        return z_rate if self.allowed is None else self.allowed.free @ z_rate + self._pull

    def acceleration(self, q: Floats, v: Floats, z_rate: Floats) -> Floats:
        """Return q'' (n,) of the rates of the speeds (s,) at a state."""
        return self.reduction.acceleration(q, v, self.coordinates_acceleration(z_rate))

    def forces(self, left: Floats) -> Floats:
        """Return the multipliers (m + k,) that balance what is left of the forces (n,).

        ``J^T lambda + W^T mu = -left``; ``D^T J^T = 1``, and ``A^T`` of it all is zero.
        """
        if self.rates is None or self.allowed is None:
            return -self.reduction.ties(left)
        mu = -(self.allowed.fixed.T @ self.reduction.onto(left))
        left = left + self.rates.transposed(mu, len(left))
        return np.concatenate([-self.reduction.ties(left), mu])
