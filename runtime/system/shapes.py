# SPDX-License-Identifier: BSD-3-Clause
"""Mode shapes of the unknowns of a system, and modal coordinates of a state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True)
class Shapes:
    """Shapes of a system.

    Attributes
    ----------
    matrix : ndarray, (n, r)
        Phi: first the shapes for unit values of the kept coordinates, in each of which the other
        kept coordinates are zero; in all other shapes, all kept coordinates are zero.
    kept : csr_matrix, (k, n)
        The kept coordinates as linear forms of the unknowns.
    """

    matrix: Floats
    kept: csr_matrix

    def coordinates(self, system: System, unknowns: Floats) -> Floats:
        """Return the coordinates (r,) of a state: kept values as given, the others by mass norm.

        Parameters
        ----------
        system : System
            The system of the shapes.
        unknowns : ndarray, (n,)
            Displacements and rotations, or their rates.
        """
        found = np.zeros(self.matrix.shape[1])
        if not unknowns.any():
            return found
        count = self.kept.shape[0]
        found[:count] = self.kept @ unknowns
        free = self.matrix[:, count:]
        heavy = np.stack([_inertia(system, shape) for shape in free.T], axis=1)
        rest = unknowns - self.matrix[:, :count] @ found[:count]
        found[count:] = np.linalg.solve(free.T @ heavy, heavy.T @ rest)
        return found

    def lost(self, system: System, unknowns: Floats) -> float:
        """Return the fraction of a state outside the span of the shapes, in the mass norm.

        Parameters are those of :meth:`coordinates`.
        """
        rest = unknowns - self.matrix @ self.coordinates(system, unknowns)
        whole, left = (float(one @ _inertia(system, one)) for one in (unknowns, rest))
        if whole <= 0.0:  # rotations without inertia, or a zero state
            whole, left = float(unknowns @ unknowns), float(rest @ rest)
        return float(np.sqrt(left / whole)) if whole else 0.0


def _inertia(system: System, unknowns: Floats) -> Floats:
    """Return the mass matrix times values of the unknowns, (n,)."""
    return system.restrict(system.mass_times(system.expand(unknowns)))
