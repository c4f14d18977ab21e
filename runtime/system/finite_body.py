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

    def material_stresses(self, displacement: Floats, temperature: Floats | None = None) -> Floats:
        """Return the second Piola-Kirchhoff stresses at the points, (E Q, 6), Pa."""
        kernel = self.further("point_second_piola_stress")
        state = np.ascontiguousarray(displacement)
        found = evaluate(kernel, self.graph.cells, self.points, self.values, state=state)
        return self._all_stresses(found.reshape(-1, found.shape[2]), temperature)

    def _all_stresses(self, found: Floats, temperature: Floats | None) -> Floats:
        """Return all six stresses xx yy zz xy yz zx from those of the kernels, (n, k)."""
        assert temperature is None  # refused
        if self.dimension == 3:
            return found[:, [0, 1, 2, 5, 3, 4]]
        plane = found[:, [0, 1, 3, 2]] if self.revolved else found  # xx yy zz xy
        return np.pad(plane, ((0, 0), (0, 2)))
