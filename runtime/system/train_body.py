# SPDX-License-Identifier: BSD-3-Clause
"""Gears that couple the torsion of shafts, as a connector: one spring between rotations."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.gear_trains import TrainLaw
from flexforge.runtime.system.lumped_body import LumpedBody


@dataclass(frozen=True, eq=False)
class TrainBody(LumpedBody):
    """A spring and a damper between the rotations of two or three nodes.

    Attributes
    ----------
    train : TrainLaw
        Its law.
    """

    train: TrainLaw = field(default_factory=lambda: TrainLaw(np.zeros((2, 3)), 0.0, 0.0))

    @property
    def is_connector(self) -> bool:
        """Whether it connects nodes without being part of a body: it does."""
        return True

    @property
    def has_mass(self) -> bool:
        """Whether it has weight: it has none."""
        return False

    @property
    def is_damped(self) -> bool:
        """Whether it has any damping."""
        return self.train.damping > 0.0

    @cached_property
    def stiffness(self) -> Floats:
        """Values of the stiffness matrix, block by block, N m."""
        return self.train.stiffness * self._square

    @cached_property
    def damping(self) -> Floats:
        """Values of the damping matrix, block by block, N m s."""
        return self.train.damping * self._square

    @cached_property
    def _square(self) -> Floats:
        """Product of the elongation's factors with themselves, block by block."""
        count = len(self.points)
        factors = np.zeros((count, 3))
        factors[len(self.part.points) + self.part.connectivity[0]] = self.train.weights
        whole = np.einsum("ik,jl->ijkl", factors, factors)
        return np.ascontiguousarray(whole).ravel()
