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
from flexforge.runtime.model.schema_mesh import SHELLS
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.face_stresses import face_stresses
from flexforge.runtime.system.section_forces import section_forces

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
    def without_spread(self) -> Mapping[str, float]:
        """Scalar arguments of kernels, with the mass of sections at their centroids."""
        return {name: 0.0 if name in _SPREAD else value for name, value in self.values.items()}

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
                return forces | face_stresses(forces, self.values["thickness"])
            return forces
        return section_forces(found, self.stations, self.values, self.reach, round=self.round)
