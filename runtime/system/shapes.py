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
        Phi: first the shapes of unit values of what is kept, in which nothing else that is kept
        moves; in the others nothing that is kept does.
    kept : csr_matrix, (k, n)
        What is kept, of the unknowns.
    """

    matrix: Floats
    kept: csr_matrix

    def coordinates(self, system: System, unknowns: Floats) -> Floats:
        """Return the coordinates (r,) of a state: what is kept as it is, the rest by mass.

        Parameters
        ----------
        system : System
            Whose shapes they are.
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
        """Return the share of a state that is in no shape, by the root of its mass.

        Parameters are those of :meth:`coordinates`.
        """
        rest = unknowns - self.matrix @ self.coordinates(system, unknowns)
        whole, left = (float(one @ _inertia(system, one)) for one in (unknowns, rest))
        if whole <= 0.0:  # rotations without inertia, or nothing at all
            whole, left = float(unknowns @ unknowns), float(rest @ rest)
        return float(np.sqrt(left / whole)) if whole else 0.0


def _inertia(system: System, unknowns: Floats) -> Floats:
    """Return the mass matrix times values of the unknowns, (n,)."""
    return system.restrict(system.mass_times(system.expand(unknowns)))
