# SPDX-License-Identifier: BSD-3-Clause
"""Pressures that stay normal to a surface that turns and stretches.

The force of a pressure is that of its kernel at the deformed positions of the nodes. It is a
polynomial of the second order in them, so that differences between two places are its derivative
but for round-off, however far these are apart:

    f(x + s e) - f(x - s e) = 2 s df/dx e
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.assembly.assemble import assemble_vector, evaluate
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.motion.profiles import Profile

if TYPE_CHECKING:
    from scipy.sparse import coo_matrix


@dataclass(frozen=True, slots=True)
class Follower:
    """A pressure on facets of a body, for displacements of any size.

    Attributes
    ----------
    body : int
        Number of the body.
    facets : sequence of (CompiledKernel, ndarray)
        Kernels of the pressure, with the nodes of their facets (F, n) among those of the body.
    values : mapping
        Arguments of the kernels, of a pressure of 1 Pa.
    amplitude : Profile
        The pressure in time, Pa.
    """

    body: int
    facets: Sequence[tuple[CompiledKernel, Ints]]
    values: Mapping[str, float]
    amplitude: Profile

    def forces(self, positions: Floats) -> Floats:
        """Return the forces (P, d), N, of 1 Pa at deformed positions (P, d)."""
        total = np.zeros_like(positions)
        for kernel, nodes in self.facets:
            total += assemble_vector(kernel, nodes, positions, self.values)
        return total

    def slope(self, positions: Floats) -> coo_matrix:
        """Return the derivative of the forces by positions, (P d, P d), N/m."""
        from scipy.sparse import coo_matrix

        d, rows, columns, entries = positions.shape[1], [], [], []
        for kernel, nodes in self.facets:
            x, n = positions[nodes], nodes.shape[1]
            size = float(np.ptp(x, axis=1).max(initial=0.0)) or 1.0
            alone = np.arange(nodes.size).reshape(nodes.shape)  # every facet with nodes of its own
            places = (d * nodes[:, :, None] + np.arange(d)).reshape(len(nodes), n * d)
            for column in range(n * d):
                moved = [x.copy(), x.copy()]
                for one, step in zip(moved, (size, -size), strict=True):
                    one[:, column // d, column % d] += step
                up, down = (
                    evaluate(kernel, alone, one.reshape(-1, d), self.values) for one in moved
                )
                rows.append(places)
                columns.append(np.broadcast_to(places[:, column, None], places.shape))
                entries.append((up - down).reshape(places.shape) / (2.0 * size))
        shape = (positions.size, positions.size)
        joined = [np.concatenate([one.ravel() for one in each]) for each in (rows, columns)]
        return coo_matrix((np.concatenate([e.ravel() for e in entries]), joined), shape=shape)
