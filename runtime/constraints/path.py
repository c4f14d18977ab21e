# SPDX-License-Identifier: BSD-3-Clause
"""Maggi's ``q' = A z + b`` of all constraints of a system at one state, forces of constraints too.

Constraints of positions leave ``q = A y``; those of velocities leave ``y' = A z + b`` of that. What
does not depend on the speeds z is taken at the state the path was made for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.constraints.rates import Allowed, Rates
from flexforge.runtime.constraints.reduction import Reduction
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]


class Path:
    """What the constraints leave free at one state.

    Parameters
    ----------
    reduction : Reduction
        Of the constraints of positions.
    q, v : ndarray, (n,)
        The state.
    rates : Rates, optional
        Constraints of velocities there, if any.
    allowed : Allowed, optional
        What those leave.
    """

    def __init__(
        self, reduction: Reduction, q: Floats, v: Floats, rates: Rates | None = None,
        allowed: Allowed | None = None,
    ) -> None:  # fmt: skip
        self.reduction, self.rates, self.allowed = reduction, rates, allowed
        if rates is not None and allowed is not None:
            none = np.zeros(reduction.free.shape[1])
            given = reduction.velocity(q, none)
            self._slide = -(allowed.fixed @ rates.velocity_left(given))
            given = reduction.acceleration(q, v, none)
            self._pull = -(allowed.fixed @ rates.acceleration_left(given))

    @cached_property
    def free(self) -> csr_matrix:
        """A of all constraints, (n, s)."""
        if self.allowed is None:
            return self.reduction.free
        return (self.reduction.free @ self.allowed.free).tocsr()

    @cached_property
    def transposed(self) -> csr_matrix:
        """Its transpose, row by row, (s, n)."""
        return self.free.T.tocsr()

    @property
    def size(self) -> int:
        """Number of speeds, s."""
        return int(self.free.shape[1])

    def speeds(self, v: Floats) -> Floats:
        """Return the speeds of velocities (n,), or the like of accelerations, (s,)."""
        y: Floats = self.reduction.speeds @ v
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
            found: Floats = -(self.reduction.fixed.T @ left)
            return found
        mu = -(self.allowed.fixed.T @ (self.reduction.free.T @ left))
        left = left + self.rates.transposed(mu, len(left))
        return np.concatenate([-(self.reduction.fixed.T @ left), mu])
