# SPDX-License-Identifier: BSD-3-Clause
"""A body whose element has an energy: its forces are those of any displacement.

Its matrices are those of a linear body, with the stiffness at the displacement that it was put at,
at first the undeformed one: what solves with matrices, or vibrates about a state, knows no other
bodies. The mass of its nodes needs no displacement.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.action import Action, build_action
from flexforge.runtime.assembly.assemble import assemble_matrix, assemble_vector, evaluate
from flexforge.runtime.system.body import Body, Combination

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class LargeBody(Body):
    """What bodies with an energy have in common; a continuum and a rod are two kinds of them."""

    is_linear: ClassVar[bool] = False
    #: Whether loads that follow it, which its stiffness has, have a potential.
    conserves: bool = True

    @property
    def is_symmetric(self) -> bool:
        """Whether its stiffness is symmetric."""
        return self.conserves

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

    @property
    def leaning(self) -> Self:
        """The body, whose stiffness is not symmetric as it is."""
        return self._changed(conserves=False)

    def under_followers(self, slope: csr_matrix, *, conserves: bool) -> Self:
        """Return the body with a stiffness less that of loads that follow it.

        Parameters
        ----------
        slope : csr_matrix, (V d, V d)
            Derivative of the loads by displacements, between vectors that share an element, N/m.
        conserves : bool
            Whether the loads have a potential: the stiffness then has the symmetric part alone.
        """
        from scipy.sparse import csr_matrix

        if conserves:
            slope = (0.5 * (slope + slope.T)).tocsr()
        d, graph, own = self.dimension, self.graph, slope.tocoo()
        places = csr_matrix((np.arange(graph.nnz) + 1, graph.columns, graph.pointers))
        (i, r), (j, c) = (np.divmod(one, d) for one in (own.row, own.col))
        at = np.asarray(places[i, j]).ravel() - 1
        assert at.min(initial=0) >= 0  # facets are those of elements
        stiffness = self.stiffness.copy()
        np.subtract.at(stiffness, (at * d + r) * d + c, own.data)
        return self._changed(stiffness=stiffness, conserves=conserves)

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
