# SPDX-License-Identifier: BSD-3-Clause
"""A body of solid or plane elements with an energy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime import _kernels
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.assemble import evaluate
from flexforge.runtime.system.large_body import LargeBody


@dataclass(frozen=True, eq=False)
class FiniteBody(LargeBody):
    """A continuum at any deformation; its attributes are those of ``Body``."""

    def fault(self, u: Floats) -> str:
        """Return which element displacements (P, d) invert, in words; empty if none."""
        moved = np.ascontiguousarray((self.points + u)[self.graph.cells])
        geometry = self.kernels["tangent"].geometry
        bad, first, *_ = _kernels.check(geometry, moved.reshape(len(moved), -1))
        if not bad:
            return ""
        return f"element {int(self.part.labels[first])} of body '{self.name}' is inverted"

    def at_points_of(self, quantity: str, u: Floats) -> Floats:
        """Return Green's strain or the density of the energy at the points of its elements.

        Parameters
        ----------
        quantity : str
            ``strain`` or ``energy_density``.
        u : ndarray, (P, d)
            Nodal displacements, m.

        Returns
        -------
        ndarray, (E Q, 6 or 1)
            Components xx yy zz xy yz zx of the tensor; J/m^3 of the undeformed body.
        """
        kernel = self.further("point_strain" if quantity == "strain" else "point_energy")
        found = evaluate(kernel, self.graph.cells, self.points, self.values, state=u)
        flat = found.reshape(-1, found.shape[2])
        return self._all_stresses(flat, None) if quantity == "strain" else flat

    def _all_stresses(self, found: Floats, temperature: Floats | None) -> Floats:
        """Return all six stresses xx yy zz xy yz zx from those of the kernels, (n, k)."""
        assert temperature is None  # refused
        if self.dimension == 3:
            return found[:, [0, 1, 2, 5, 3, 4]]
        plane = found[:, [0, 1, 3, 2]] if self.revolved else found  # xx yy zz xy
        return np.pad(plane, ((0, 0), (0, 2)))
