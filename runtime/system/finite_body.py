# SPDX-License-Identifier: BSD-3-Clause
"""A body whose element has an energy: its forces are those of any displacement.

Its matrices are those of a linear body, with the stiffness at the displacement that it was put at,
at first the undeformed one: what solves with matrices, or vibrates about a state, knows no other
bodies. Inertia is that of the undeformed body, and needs no displacement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from flexforge.runtime import _kernels
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.assemble import assemble_matrix, assemble_vector, evaluate
from flexforge.runtime.system.body import Body, Combination


@dataclass(frozen=True, eq=False)
class FiniteBody(Body):
    """A body of solid or plane elements with an energy."""

    is_linear: ClassVar[bool] = False

    def at(self, u: Floats) -> Self:
        """Return the body with the stiffness at nodal displacements (P, d), its tangent."""
        tangent = assemble_matrix(
            self.kernels["tangent"], self.graph, self.points, self.values, state=u
        )
        return self._changed(stiffness=tangent)

    def internal_forces(self, u: Floats) -> Floats:
        """Return the derivative of the energy by nodal displacements (P, d), N."""
        kernel = self.kernels["internal_forces"]
        return assemble_vector(kernel, self.graph.cells, self.points, self.values, state=u)

    def strain_energy(self, u: Floats) -> float:
        """Return the energy at nodal displacements (P, d), J."""
        kernel = self.kernels["strain_energy"]
        each = evaluate(kernel, self.graph.cells, self.points, self.values, state=u)
        return float(each.sum())

    def inverted(self, u: Floats) -> int | None:
        """Return the label of an element that displacements (P, d) invert, if there is one."""
        moved = np.ascontiguousarray((self.points + u)[self.graph.cells])
        geometry = self.kernels["tangent"].geometry
        bad, first, *_ = _kernels.check(geometry, moved.reshape(len(moved), -1))
        return int(self.part.labels[first]) if bad else None

    def _all_stresses(self, found: Floats, temperature: Floats | None) -> Floats:
        """Return all six stresses xx yy zz xy yz zx from those of the kernels, (n, k)."""
        assert temperature is None  # refused
        if self.dimension == 3:
            return found[:, [0, 1, 2, 5, 3, 4]]
        return np.pad(found, ((0, 0), (0, 2)))  # xx yy zz xy

    def inner(
        self, elastic: Combination, viscous: Combination, q: Floats, v: Floats, a: Floats
    ) -> Floats:
        """Return its forces for displacements, velocities and accelerations, (P, d) each, N."""
        found = self.mass_times(a + q @ elastic.inertia.T + v @ viscous.inertia.T)
        if elastic.stiffness:
            found += elastic.stiffness * self.internal_forces(q)
        return found
