# SPDX-License-Identifier: BSD-3-Clause
"""A mass, spring, damper or bushing: a body of one element, at nodes shared with others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.body import Combination, some_blocks
from flexforge.runtime.system.field_body import FieldBody, combine
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class LumpedBody(FieldBody):
    """A mass or a connector. Terms that its element does not have are zero.

    Attributes
    ----------
    dampers : mapping
        Damping coefficients by the names of the corresponding stiffnesses; empty without damping.
    """

    lumped: ClassVar[bool] = True
    dampers: Mapping[str, float] = field(default_factory=dict)

    @property
    def stiffens_itself(self) -> bool:
        """Whether it is a rigid body: stiffened by its own inertia forces, without elasticity."""
        return "geometric" in self.kernels and "stiffness" not in self.kernels

    @property
    def is_connector(self) -> bool:
        """Whether it connects nodes without being part of a body."""
        return "stiffness" in self.kernels

    @property
    def is_damped(self) -> bool:
        """Whether it has any damping."""
        return bool(self.dampers)

    @cached_property
    def stiffness(self) -> Floats:
        """Values of the stiffness matrix, block by block, N/m; none for a mass."""
        return self._matrix("stiffness", {})

    @cached_property
    def damping(self) -> Floats:
        """Values of the damping matrix, block by block, N s/m."""
        return self._matrix("stiffness", self.dampers)

    def _some(self, entries: NDArray[np.int64]) -> dict[str, Any]:
        """Return some entries of the matrices, by matrix name."""
        damping = some_blocks(self.damping, entries, self.dimension)
        return {**super()._some(entries), "damping": damping}

    def assemble(self) -> None:
        """Assemble all constant matrices."""
        super().assemble()
        self.damping  # noqa: B018 (computed on first use)

    def prestress(
        self,
        displacement: Floats,
        temperature: Floats | None = None,
        block: Floats | None = None,
        acceleration: Floats | None = None,
    ) -> Floats:
        """Return the geometric stiffness matrix of a state.

        Parameters and result are those of ``Stressed.prestress``.
        """
        if not self.stiffens_itself:
            return super().prestress(displacement)
        total = np.zeros_like(self.stiffness)
        if block is not None:
            factors = combine(self._load_blocks[0], block, "load")
            for factor, (_, motion) in zip(factors, self._load_blocks[1], strict=True):
                total += factor * self._stiffened("geometric", motion)
        if acceleration is not None:
            for i, component in enumerate(acceleration):
                total += component * self._stiffened("geometric", {f"a_O{i + 1}": 1.0})
        return total

    def _matrix(self, term: str, motion: Mapping[str, float]) -> Floats:
        if term in self.kernels:
            return super()._matrix(term, motion)
        return np.zeros(self.graph.nnz * self.dimension**2)

    def _vector(self, term: str, motion: Mapping[str, float]) -> Floats:
        if term in self.kernels:
            return super()._vector(term, motion)
        return np.zeros_like(self.points)

    def _combined(self, c: Combination) -> Floats:
        total = super()._combined(c)
        if c.damping and self.is_damped:
            total += c.damping * self.damping
        return total
