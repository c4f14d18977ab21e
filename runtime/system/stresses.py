# SPDX-License-Identifier: BSD-3-Clause
"""Stresses of a body by displacements and temperature changes, at nodes and at points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.assemble import Scalars, assemble_matrix, assemble_vector, evaluate
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.assembly.graph import Graph
from flexforge.runtime.assembly.kernels import kernels_of
from flexforge.runtime.elasticity import ReducedLaw
from numpy.typing import NDArray

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement


class Stressed:
    """The stress computations of a body; a base class of every ``Body``."""

    element: str
    kernels: Mapping[str, CompiledKernel]
    values: Scalars
    graph: Graph
    law: ReducedLaw
    declared: AnyElement | None

    if TYPE_CHECKING:

        @property
        def points(self) -> Floats:
            """Undeformed positions of its nodes."""

    @property
    def source(self) -> AnyElement | str:
        """The source of its kernels: the declaration of its element, or the full name."""
        return self.element if self.declared is None else self.declared

    @cached_property
    def _further(self) -> dict[str, CompiledKernel]:
        """Kernels made on request, by term."""
        return {}

    def further(self, term: str) -> CompiledKernel:
        """Return a kernel that is made on request."""
        if term not in self._further:
            self._further[term] = kernels_of(self.source, (term,))[term]
        return self._further[term]

    def thermal_load(self, temperature: Floats) -> Floats:
        """Return ``int (bN)^T H eps_0``, (P, d), N, for temperatures at the nodes (P,), K."""
        return assemble_vector(
            self.further("thermal_load"),
            self.graph.cells,
            self.points,
            self.values,
            state=self._warmth(temperature),
        )

    def _warmth(self, temperature: Floats) -> Floats:
        """Return temperatures in the form that kernels read: first component of nodal vectors."""
        state = np.zeros_like(self.points)
        state[: len(temperature), 0] = temperature
        return state

    def prestress(
        self,
        displacement: Floats,
        temperature: Floats | None = None,
        block: Floats | None = None,
        acceleration: Floats | None = None,
    ) -> Floats:
        """Return the geometric stiffness matrix of a state; scalar for continua.

        Parameters
        ----------
        displacement : ndarray, (P, d)
            Nodal displacements, m.
        temperature : ndarray, (P,), optional
            Temperature change, whose strain causes no stress, K.
        block, acceleration : ndarray, (d, d) and (d,), optional
            Of the inertia forces ``- rho (block x + acceleration)`` in that state, which stiffen
            rigid parts such as beam sections, 1/s^2 and m/s^2; none by default.
        """
        where = self.graph
        return self._without_held(assemble_matrix, where, "geometric", displacement, temperature)

    def _without_held(
        self,
        compute: Callable[..., Floats],
        where: Graph | NDArray[np.integer],
        term: str,
        displacement: Floats,
        temperature: Floats | None,
    ) -> Floats:
        """Return the result of a term for displacements, minus that of the thermal strain.

        Parameters
        ----------
        compute : callable
            A loop over all elements.
        where : Graph or ndarray of int, (E, nodes)
            What it takes the elements from.
        term : str
            The kernel; its counterpart for temperatures has the prefix ``thermal_``.
        displacement, temperature
            As for :meth:`stress`.
        """
        each = (where, self.points, self.values)
        found = compute(self.kernels.get(term) or self.further(term), *each, state=displacement)
        if temperature is not None:
            warmth = self._warmth(temperature)
            found -= compute(self.further(f"thermal_{term}"), *each, state=warmth)
        return found

    def stress(self, displacement: Floats, temperature: Floats | None = None) -> Floats:
        """Return nodal stresses (P, 6), Pa: xx yy zz xy yz zx, averaged over the elements.

        Parameters
        ----------
        displacement : ndarray, (P, d)
            Nodal displacements, m.
        temperature : ndarray, (P,), optional
            Temperature change, whose strain causes no stress, K.
        """
        cells = self.graph.cells
        sums = self._without_held(assemble_vector, cells, "stress", displacement, temperature)
        mean = sums / np.bincount(cells.ravel(), minlength=len(sums))[:, None]
        return self._all_stresses(mean, temperature)

    @cached_property
    def stations(self) -> Floats:
        """Undeformed positions of the points of its elements at which stresses are computed.

        (E, Q, d), m.
        """
        return evaluate(self.further("points"), self.graph.cells, self.points, self.values)

    def station_values(self, displacement: Floats, temperature: Floats | None = None) -> Floats:
        """Return the stresses of its constitutive law at these points, (E, Q, k).

        Parameters
        ----------
        displacement : ndarray, (P, d)
            Nodal displacements, m.
        temperature : ndarray, (P,), optional
            Temperature change, whose strain causes no stress, K.
        """
        cells = self.graph.cells
        return self._without_held(evaluate, cells, "point_stress", displacement, temperature)

    def at_stations(
        self, displacement: Floats, temperature: Floats | None = None
    ) -> dict[str, Floats]:
        """Return the values at these points in the results, by name: (E Q, 6) stresses.

        Parameters
        ----------
        displacement, temperature
            As for :meth:`station_values`.
        """
        found = self.station_values(displacement, temperature)
        warmth = None if temperature is None else self._at_stations(temperature)
        return {"stress": self._all_stresses(found.reshape(-1, found.shape[2]), warmth)}

    def _at_stations(self, nodal: Floats) -> Floats:
        """Return nodal values at the stations, (E Q,), interpolated like positions."""
        kernel = self.further("points")
        return evaluate(kernel, self.graph.cells, self._warmth(nodal), self.values)[..., 0].ravel()

    def _all_stresses(self, found: Floats, temperature: Floats | None) -> Floats:
        """Return all six stresses xx yy zz xy yz zx from those of the kernels, (n, k)."""
        full = found @ self.law.spread.T
        if temperature is not None:
            full += np.outer(temperature, self.law.held)
        return full[:, [0, 1, 2, 5, 3, 4]]
