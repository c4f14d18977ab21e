# SPDX-License-Identifier: BSD-3-Clause
"""Displacements prescribed as functions of time: g(t) of ``d = T y + g(t)``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.motion.coordinate import Coordinate
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]
Given = tuple[Floats, Floats, Floats]


@dataclass(frozen=True, eq=False)
class Prescribed:
    """g(t) of a system.

    Attributes
    ----------
    shape : tuple of int
        Nodes and coordinates per node, (N, d).
    matrix : csr_matrix, (N d, f)
        Displacements for a unit of every function.
    functions : tuple of Coordinate
        Displacements (m) and rotations (rad) over time.
    """

    shape: tuple[int, int]
    matrix: csr_matrix
    functions: tuple[Coordinate, ...]

    @cached_property
    def is_constant(self) -> bool:
        """Whether nothing ever moves."""
        return all(one.profile.is_constant for one in self.functions)

    @property
    def units(self) -> Floats:
        """Nodal displacements for a unit of every function, (f, N, d)."""
        return np.asarray(self.matrix.T.toarray()).reshape(-1, *self.shape)

    def at(self, time: float) -> Given:
        """Return g, g' and g'' at a time, s, (N, d) each; zero of what is not given."""
        g, g1, g2 = np.ascontiguousarray((self.matrix @ self.values(time).T).T).reshape(
            3, *self.shape
        )
        return g, g1, g2

    def values(self, time: float) -> Floats:
        """Return the functions and their first two rates at a time, s, (3, f)."""
        return np.array([one.at(time) for one in self.functions]).T
