# SPDX-License-Identifier: BSD-3-Clause
"""The manifold of the unknowns of nodes that turn by any angle about any axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.rotation_vectors import slopes
from flexforge.runtime.system.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Nodal:
    """Displacements, which are added up, and rotation vectors, whose increments are spins.

    Parameters
    ----------
    system : System
        The bodies.
    """

    is_flat: ClassVar[bool] = False

    def __init__(self, system: System) -> None:
        self._system = system

    @property
    def size(self) -> int:
        """Numbers of a point."""
        return self._system.unknowns

    @property
    def dimension(self) -> int:
        """Numbers of a tangent vector."""
        return self._system.unknowns

    def origin(self) -> Floats:
        """Return no displacement."""
        return np.zeros(self.size)

    def retract(self, q: Floats, dz: Floats) -> Floats:
        """Return the unknowns after displacements and spins."""
        return self._system.moved(q, dz)

    def difference(self, q1: Floats, q0: Floats) -> Floats:
        """Return the displacements and spins from q0 to q1."""
        return self._system.change(q1, q0)

    def tangent(self, dz: Floats) -> csr_matrix:
        """Return T, (n, n): of every node that turns a block, one elsewhere."""
        from scipy.sparse import coo_matrix

        turning = self._system.turning
        others = np.setdiff1d(np.arange(self.size), turning)
        blocks = slopes(dz[turning])
        rows, columns = (np.broadcast_to(one, blocks.shape) for one in
                         (turning[:, :, None], turning[:, None, :]))  # fmt: skip
        entries = np.concatenate([np.ones(len(others)), blocks.ravel()])
        places = [np.concatenate([others, one.ravel()]) for one in (rows, columns)]
        return coo_matrix((entries, places), shape=(self.size, self.size)).tocsr()
