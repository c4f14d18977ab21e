# SPDX-License-Identifier: BSD-3-Clause
"""The part of the bodies beside what constraints tie: all that motion of tied coordinates reaches.

Rates of A move tied coordinates and no others, so what they cost is a product with few columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.assembly.graph import Graph
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, slots=True)
class _Part:
    """What is tied of one body, with its neighbours, and where their vectors are among all."""

    number: int
    body: Body
    rows: slice


class ConstrainedColumns:
    """The columns of the bodies' matrices that belong to tied coordinates.

    Parameters
    ----------
    system : System
        The bodies.
    columns : ndarray of int
        Tied unknowns.
    """

    def __init__(self, system: System, columns: Ints) -> None:
        d = system.dimension
        tied = np.zeros(system.size, dtype=bool)
        reached = system.map.sparse[:, columns].tocoo().row
        tied[reached // d] = True
        self._parts, places, end = [], [np.zeros(0, dtype=np.int64)], 0
        for number, body in enumerate(system.bodies):
            if tied[body.nodes].any():
                part, nodes = _beside(body, tied[body.nodes])
                places.append((body.nodes[nodes][:, None] * d + np.arange(d)).ravel())
                begin, end = end, end + len(places[-1])
                self._parts.append(_Part(number, part, slice(begin, end)))
        # T of the vectors of all parts, and its transpose: one product each, however many parts.
        self._moved: csr_matrix = system.map.sparse[np.concatenate(places)]
        self._pulled: csr_matrix = self._moved.T.tocsr()

    def add(self, forces: Floats, viscous: Sequence[Combination], v: Floats, a: Floats) -> None:
        """Add to forces (n,) what velocities and accelerations of tied unknowns cost.

        Parameters
        ----------
        forces : ndarray, (n,)
            Changed in place, N.
        viscous : sequence of Combination
            Matrices of velocities, one a body.
        v, a : ndarray, (n,)
            Zero but for tied unknowns.
        """
        speeds, rates = self._moved @ v, self._moved @ a
        found = np.empty_like(speeds)
        for part in self._parts:
            speed, rate = (x[part.rows].reshape(-1, part.body.dimension) for x in (speeds, rates))
            force = part.body.apply(viscous[part.number], speed) + part.body.mass_times(rate)
            found[part.rows] = force.ravel()
        forces += self._pulled @ found


def _beside(body: Body, tied: NDArray[np.bool_]) -> tuple[Body, Ints]:
    """Return what of a body some of its nodes reach, and the nodes of that."""
    graph = body.graph
    rows = np.repeat(np.arange(graph.nodes), np.diff(graph.pointers))
    entries = np.flatnonzero(tied[graph.columns])
    nodes = np.unique(rows[entries])
    place = np.zeros(graph.nodes, dtype=np.int32)
    place[nodes] = np.arange(len(nodes))
    counts = np.bincount(place[rows[entries]], minlength=len(nodes))
    pointers = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    none = np.zeros(0, dtype=np.int32)
    small = Graph(
        none.reshape(0, 1),
        pointers,
        place[graph.columns[entries]],
        np.zeros((0, 1, 1), dtype=np.uint16),
        none,
        none,
        np.zeros(2, dtype=np.int64),
    )
    return body.among(small, entries), nodes
