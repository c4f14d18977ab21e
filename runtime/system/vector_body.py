# SPDX-License-Identifier: BSD-3-Clause
"""A body whose element declares its field: its nodes carry vectors, and its sections have forces.

Its points, graph and nodes are those of the vectors: the displacements of the nodes of its part, in
order, then their rotations if they have any.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from flexforge.codegen.elements.sections import forces_of
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.assemble import Scalars
from flexforge.runtime.model.schema_mesh import SHELLS
from flexforge.runtime.model.section_shapes import GIVEN
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.face_stresses import face_stresses
from flexforge.runtime.system.section_forces import largest_normal_stress, section_forces

#: Factor of moments of inertia that are not to have any mass: less than round-off of the others.
_NEARLY_NONE = 1e-20
#: Section properties that only describe the distance of its mass from the centroid.
_SPREAD = ("inertia_y", "inertia_z", "gyration_y", "gyration_z")


@dataclass(frozen=True, eq=False)
class VectorBody(Body):
    """A body of bars, beams or shells.

    Attributes
    ----------
    carried : int
        Vectors per node.
    round : bool
        Whether the section is round, so that its bending moments add as vectors.
    """

    has_field: ClassVar[bool] = True
    carried: int = 1
    round: bool = False

    @property
    def turns(self) -> bool:
        """Whether its nodes have rotations."""
        return self.carried > 1

    @cached_property
    def points(self) -> Floats:
        """Undeformed position of every vector, (V, d), m."""
        return np.tile(self.part.points[:, : self.dimension], (self.carried, 1))

    @property
    def without_spread(self) -> Scalars:
        """Scalar arguments of kernels, with the mass of sections at their centroids."""
        given = self._given_at_points
        return {
            # Shape functions of a tapered beam divide by its moments of inertia.
            name: (_NEARLY_NONE * value if name in given else 0.0) if stem in _SPREAD else value
            for name, value in self.values.items()
            for stem in (given.get(name, name),)
        }

    @property
    def _given_at_points(self) -> dict[str, str]:
        """Properties of the section by names of arguments that are given at points: ``area1``."""
        stems = {name: name.rstrip("0123456789") for name in self.values}
        return {name: stem for name, stem in stems.items() if stem != name and stem in GIVEN}

    @cached_property
    def section(self) -> dict[str, float | Floats]:
        """Properties of the section by name, of one that varies at all stations (E, Q)."""
        given = self._given_at_points
        if not given:
            return {name: self.values[name] for name in GIVEN if name in self.values}
        return {
            stem: np.stack(
                [
                    np.broadcast_to(self.values[name], len(self.graph.cells))
                    for name, own in given.items()
                    if own == stem
                ],
                axis=1,
            )
            for stem in dict.fromkeys(given.values())
        }

    def largest_normal_stress(self, forces: Mapping[str, Floats]) -> Floats | None:
        """Return the largest magnitude of the normal stress at the stations; None if unknown.

        Parameters
        ----------
        forces : mapping
            Forces of the sections by name, (E Q,) or (E, Q) each.
        """
        alike = self.section["area"]
        each = {name: np.reshape(f, np.shape(alike) or np.shape(f)) for name, f in forces.items()}
        found = largest_normal_stress(each, self.section, self.reach, round=self.round)
        return None if found is None else found.reshape(np.shape(forces["N"]))

    @property
    def generalized(self) -> tuple[str, ...]:
        """Names of the forces at its stations."""
        if self.declared is None:
            return forces_of(self.element)
        return getattr(self.declared, "generalized", ())

    def at_stations(
        self, displacement: Floats, temperature: Floats | None = None
    ) -> dict[str, Floats]:
        """Return the forces of the sections at the stations by name, (E Q,) each, N and N m.

        For shells they are per unit length, and a plate of one material also has its stresses.

        Parameters
        ----------
        displacement : ndarray, (V, d)
            Nodal vectors.
        temperature : ndarray, (P,), optional
            Temperature change at the nodes of the part, K.
        """
        values = np.moveaxis(self.station_values(displacement, temperature), 2, 0)
        found = {
            name.removeprefix("-"): -value if name.startswith("-") else value
            for name, value in zip(self.generalized, values, strict=True)
            if name
        }
        if "N" not in found or self.declared is not None:
            forces = {name: value.ravel() for name, value in found.items()}
            if self.element in SHELLS:
                return forces | face_stresses(forces, float(self.values["thickness"]))
            return forces
        if temperature is not None and self._given_at_points:
            found["N"] = self._mean_tension(found["N"])
        return section_forces(found, self.stations, self.largest_normal_stress)

    def _mean_tension(self, tension: Floats) -> Floats:
        """Return the tension of an element of varying section, the same at its stations, (E, Q).

        The strain of a temperature is none that its shape functions have: the stress of the one
        less the other is only right in the mean over the compliance ``1 / A``.
        """
        compliance = np.polynomial.legendre.leggauss(tension.shape[1])[1] / self.section["area"]
        mean = (compliance * tension).sum(axis=1) / compliance.sum(axis=1)
        return np.repeat(mean[:, None], tension.shape[1], axis=1)
