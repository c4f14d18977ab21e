# SPDX-License-Identifier: BSD-3-Clause
"""Poses of many links, in space or in the plane, as one manifold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from flexforge.runtime import _multibody
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.transient.manifold import SE3, Product

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_IN_PLANE = (0, 1, 5)


@dataclass(frozen=True)
class RigidMotions:
    """A product of rigid motions; in the plane increments are (u_x, u_y, turn about z) of each.

    Attributes
    ----------
    count : int
        Number of links.
    planar : bool
        Whether they move in the plane x, y.
    """

    is_flat: ClassVar[bool] = False
    count: int
    planar: bool = False

    @property
    def size(self) -> int:
        """Numbers of a point: origin and quaternion of each."""
        return 7 * self.count

    @property
    def dimension(self) -> int:
        """Numbers of a tangent vector."""
        return len(self._kept) * self.count

    @cached_property
    def _kept(self) -> tuple[int, ...]:
        return _IN_PLANE if self.planar else tuple(range(6))

    @cached_property
    def numbers(self) -> Ints:
        """Number of every increment among the six of all links."""
        numbers = 6 * np.arange(self.count)[:, None] + np.array(self._kept)
        return np.asarray(numbers.ravel())

    @cached_property
    def _spatial(self) -> Product:
        return Product((SE3(),) * self.count)

    def origin(self) -> Floats:
        """Return no motion."""
        return self._spatial.origin()

    def retract(self, q: Floats, dz: Floats) -> Floats:
        """Return the poses that increments lead to."""
        found = np.empty(self.size)
        _multibody.retract(np.ascontiguousarray(q), self._whole(dz), found)
        return found

    def difference(self, q1: Floats, q0: Floats) -> Floats:
        """Return the increments from q0 to q1."""
        return np.asarray(self._spatial.difference(q1, q0)[self.numbers])

    def tangent(self, dz: Floats) -> csr_matrix:
        """Return T."""
        whole = self._spatial.tangent(self._whole(dz))
        assert whole is not None
        return whole[self.numbers][:, self.numbers]

    def _whole(self, dz: Floats) -> Floats:
        found = np.zeros(6 * self.count, dtype=dz.dtype)
        found[self.numbers] = dz
        return found
