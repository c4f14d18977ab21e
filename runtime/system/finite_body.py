# SPDX-License-Identifier: BSD-3-Clause
"""A body of solid or plane elements with an energy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from flexforge.runtime import _kernels
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.assemble import assemble_vector, evaluate
from flexforge.runtime.assembly.graph import Graph
from flexforge.runtime.system.large_body import LargeBody
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class FiniteBody(LargeBody):
    """A continuum at any deformation.

    Attributes are those of ``Body``, and

    Attributes
    ----------
    temperature : ndarray, (P,), optional
        Change of temperature of its nodes, K; none of a body that does not expand.
    """

    temperature: Floats | None = None

    @property
    def grows(self) -> bool:
        """Whether temperatures expand it, so that its kernels read them."""
        return bool(getattr(getattr(self.declared, "energy", None), "grows", False))

    def warmed(self, temperature: Floats) -> Self:
        """Return the body at changes of temperature of its nodes (P,), K."""
        return self._changed(temperature=temperature)

    def warming_load(self, u: Floats, change: Floats) -> Floats:
        """Return the load of a change of temperature at nodes (P,), K, at displacements (P, d)."""
        state = np.concatenate([self._nodal_state(u), self._warmth(change)[None]])
        kernel = self.further("thermal_load")
        return assemble_vector(kernel, self.graph.cells, self.points, self.values, state=state)

    def _nodal_state(self, u: Floats) -> Floats:
        if not self.grows:
            return u
        warmth = np.zeros(len(u)) if self.temperature is None else self.temperature
        return np.stack([u, self._warmth(warmth)])

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
        state = self._nodal_state(u)
        found = evaluate(kernel, self.graph.cells, self.points, self.values, state=state)
        flat = found.reshape(-1, found.shape[2])
        return self._all_stresses(flat, None) if quantity == "strain" else flat

    def _without_held(
        self,
        compute: Callable[..., Floats],
        where: Graph | NDArray[np.integer],
        term: str,
        displacement: Floats,
        temperature: Floats | None,
    ) -> Floats:
        """Return the result of a term, whose kernel reads temperatures where the body grows.

        Parameters are those of ``Stressed``.
        """
        there = self if temperature is None else self.warmed(temperature)
        return super()._without_held(compute, where, term, there._nodal_state(displacement), None)

    def _all_stresses(self, found: Floats, temperature: Floats | None) -> Floats:
        """Return all six stresses xx yy zz xy yz zx from those of the kernels, (n, k)."""
        del temperature  # which kernels read
        if self.dimension == 3:
            return found[:, [0, 1, 2, 5, 3, 4]]
        plane = found[:, [0, 1, 3, 2]] if self.revolved else found  # xx yy zz xy
        return np.pad(plane, ((0, 0), (0, 2)))
