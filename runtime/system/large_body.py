# SPDX-License-Identifier: BSD-3-Clause
"""A body whose element has an energy: its forces are those of any displacement.

Its matrices are those of a linear body, with the stiffness at the displacement that it was put at,
at first the undeformed one: what solves with matrices, or vibrates about a state, knows no other
bodies. The mass of its nodes needs no displacement.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.action import Action, build_action
from flexforge.runtime.assembly.assemble import assemble_matrix, assemble_vector, evaluate
from flexforge.runtime.system.body import Body, Combination


class LargeBody(Body):
    """What bodies with an energy have in common; a continuum and a rod are two kinds of them."""

    is_linear: ClassVar[bool] = False

    def at(self, u: Floats, acting: Combination) -> Self:
        """Return the body with the stiffness at a state, its tangent.

        Parameters
        ----------
        u : ndarray, (P, d)
            Nodal displacements, and rotation vectors of a body that has them.
        acting : Combination
            Matrices of displacements there; inertia forces of turning sections have a tangent.
        """
        del acting
        return self._changed(stiffness=self._tangent(u))

    def _tangent(self, u: Floats) -> Floats:
        kernel = self.kernels["tangent"]
        return assemble_matrix(
            kernel, self.graph, self.points, self.values, state=self._nodal_state(u)
        )

    def warmed(self, temperature: Floats) -> Self:
        """Return the body at changes of temperature of its nodes (P,), K."""
        raise NotImplementedError

    def warming_load(self, u: Floats, change: Floats) -> Floats:
        """Return the load of a change of temperature at nodes (P,), K, at displacements (P, d)."""
        raise NotImplementedError

    def _nodal_state(self, u: Floats) -> Floats:
        """Return the nodal vectors that kernels read at displacements (P, d)."""
        return u

    def internal_forces(self, u: Floats) -> Floats:
        """Return the derivative of the energy by nodal displacements (P, d), N."""
        kernel = self.kernels["internal_forces"]
        state = self._nodal_state(u)
        return assemble_vector(kernel, self.graph.cells, self.points, self.values, state=state)

    def forces_between(self, begin: Floats, end: Floats) -> Floats:
        """Return forces (P, d) whose work from one displacement to another is that of the energy.

        Parameters
        ----------
        begin, end : ndarray, (P, d)
            Nodal displacements, m.
        """
        return self._between(np.stack([begin, end]), self.values)

    @cached_property
    def _between(self) -> Action:
        return build_action(self.further("conserving_action"), self.graph, self.points)

    def energies(self, u: Floats) -> Floats:
        """Return the energy of every element at nodal displacements (P, d), (E,), J."""
        kernel = self.kernels["strain_energy"]
        state = self._nodal_state(u)
        return evaluate(kernel, self.graph.cells, self.points, self.values, state=state).ravel()

    def strain_energy(self, u: Floats) -> float:
        """Return the energy at nodal displacements (P, d), J."""
        return float(self.energies(u).sum())

    @property
    def extent(self) -> float:
        """Size of what forces are computed from besides displacements, m."""
        return 0.0

    def fault(self, u: Floats) -> str:
        """Return what displacements (P, d) do to an element that it cannot bear, or nothing."""
        raise NotImplementedError

    def inner(
        self, elastic: Combination, viscous: Combination, q: Floats, v: Floats, a: Floats
    ) -> Floats:
        """Return its forces for displacements, velocities and accelerations, (P, d) each, N."""
        found = Body.mass_times(self, a + q @ elastic.inertia.T + v @ viscous.inertia.T)
        if elastic.stiffness:
            found += elastic.stiffness * self.internal_forces(q)
        return found
