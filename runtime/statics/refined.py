# SPDX-License-Identifier: BSD-3-Clause
"""Iterative refinement of solutions by factors of a rounded matrix, with precise products.

The two matrices differ in their softest modes only, so a few iterations suffice. Iteration stops by
the energy of the corrections, because the residual is dominated by the round-off in the stiffest
modes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.ranks import ONE, Ranks
from flexforge.runtime.solvers import Factorization, gmres

_ENERGY = 1e-24  # of a change, relative to the solution
_MOST = 50  # iterations
_TOLERANCE = 1e-12  # residual where the operator is not symmetric


class Refined:
    """A factorization whose solutions are those of another, nearly equal operator.

    Parameters
    ----------
    factors : Factorization
        Of the rounded matrix; closed together with this object.
    times : callable
        Product of the operator with a vector (n,).
    symmetric : bool
        Whether it is symmetric.
    ranks : Ranks
        Who share the vectors.

    Attributes
    ----------
    name : str
        Backend of the factorization.
    bytes : int or None
        Memory of the factors.
    """

    def __init__(
        self,
        factors: Factorization,
        times: Callable[[Floats], Floats],
        *,
        symmetric: bool,
        ranks: Ranks = ONE,
    ) -> None:
        self._factors, self._times = factors, times
        self._symmetric, self._ranks = symmetric, ranks
        self.name, self.bytes = factors.name, factors.bytes

    def solve(self, rhs: Floats) -> Floats:
        """Solve for one right-hand side (n,) or several (n, k)."""
        if rhs.ndim > 1:
            return np.column_stack([self.solve(column) for column in rhs.T])
        found = self._conjugate(rhs) if self._symmetric else None
        if found is not None:
            return found
        found = gmres(
            self._times,
            rhs,
            self._factors.solve,
            tolerance=_TOLERANCE,
            most_iterations=_MOST,
            ranks=self._ranks,
        ).solution
        # Nearly singular, as at a critical speed: only the direction is known.
        return found if self._ranks.any(found.any()) else self._factors.solve(rhs)

    def close(self) -> None:
        """Release the memory."""
        self._factors.close()

    def _conjugate(self, rhs: Floats) -> Floats | None:
        """Solve by conjugate gradients; None if operator or factors are not definite."""
        solution = np.zeros_like(rhs)
        residual = rhs
        direction = np.zeros_like(rhs)
        before, total = 1.0, 0.0
        for _ in range(_MOST):
            step = self._factors.solve(residual)
            power = self._dot(residual, step)
            if power == 0.0:
                return solution
            direction = step + (power / before if total else 0.0) * direction
            image = self._times(direction)
            curvature = self._dot(direction, image)
            if not (0.0 < power < np.inf and 0.0 < curvature < np.inf):
                return None
            solution = solution + power / curvature * direction
            residual = residual - power / curvature * image
            change = power * (power / curvature)  # twice the energy of the step
            total += change
            if change <= _ENERGY * total:
                return solution
            before = power
        return solution

    def _dot(self, x: Floats, y: Floats) -> float:
        return self._ranks.total(float(np.vdot(x, y).real))
