# SPDX-License-Identifier: BSD-3-Clause
"""A body of beams or cables with an energy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.assemble import Scalars, assemble_matrix
from flexforge.runtime.system.rotation_vectors import between
from flexforge.runtime.system.turning_body import TurningBody


@dataclass(frozen=True, eq=False)
class FiniteRod(TurningBody):
    """Beams and cables with an energy; its attributes are those of ``VectorBody``."""

    most_bent: ClassVar[float] = 3.0  # between its ends: half a turn has no direction

    @cached_property
    def mass(self) -> Floats:
        """Values of the scalar mass matrix of the vectors, (nnz,), kg; rotations have none."""
        return np.ascontiguousarray(self._masses(self.without_spread)[:, 0, 0])

    @cached_property
    def second_moments(self) -> Floats:
        """Second moments of the mass beside the centroids, of the nodes (P, 3, 3), kg m^2.

        Those of an element at rest are the sums of the rows of its mass matrix.
        """
        count = len(self.part.points)
        if not (self.turns and self.rotary_inertia):
            return np.zeros((count if self.turns else 0, 3, 3))
        spread = self._masses(self.values)
        rows = np.repeat(np.arange(self.graph.nodes), np.diff(self.graph.pointers))
        turned = (rows >= count) & (self.graph.columns >= count)
        total = np.zeros((count, self.dimension, self.dimension))
        np.add.at(total, rows[turned] - count, spread[turned])
        if self.dimension == 2:
            return 0.5 * total[:, :1, :1] * np.eye(3)
        half = 0.5 * np.trace(total, axis1=1, axis2=2)
        return np.asarray(half[:, None, None] * np.eye(3) - total)

    def _masses(self, values: Scalars) -> Floats:
        d = self.dimension
        found = assemble_matrix(self.kernels["mass"], self.graph, self.points, values)
        return found.reshape(-1, d, d)

    def _bends(self, u: Floats) -> Floats:
        turns, cells = u[len(self.part.points) :], self.part.connectivity
        return np.asarray(np.linalg.norm(between(turns[cells[:, 1]], turns[cells[:, 0]]), axis=1))
