# SPDX-License-Identifier: BSD-3-Clause
"""Which directions of joints reach the same bodies: those of others never meet without a joint.

The matrix of the bodies alone falls into parts, a link each as a rule. A solve with one direction
of every part is as good as one with each of them, and what it finds has entries of one part only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.system.system import System

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix, csr_matrix


@dataclass(frozen=True, slots=True)
class ConnectedPart:
    """Unknowns that hang together in the bodies, and the directions that are made of them.

    ``unknowns`` are a slice where they follow each other.
    """

    unknowns: Ints | slice
    directions: Ints


@dataclass(frozen=True, slots=True)
class Apart:
    """Directions, part by part.

    Attributes
    ----------
    parts : tuple of ConnectedPart
        Those that have directions.
    packing : csr_matrix, (p, most)
        Which directions are solved for together: the k-th ones of all parts.
    """

    parts: tuple[ConnectedPart, ...]
    packing: csr_matrix

    @property
    def most(self) -> int:
        """Directions of a part, at most."""
        return int(self.packing.shape[1])


def apart_of(system: System, directions: csc_matrix) -> Apart:
    """Return which directions (n, p) of a system's unknowns are coupled."""
    from scipy.sparse import csr_matrix

    label = _parts_of_nodes(system, directions)
    of_unknown = label[system.map.places // system.dimension]
    of_direction = of_unknown[directions.indices[directions.indptr[:-1]]]
    parts, slots = [], np.zeros(len(of_direction), dtype=np.int64)
    for number in np.unique(of_direction):
        own = np.flatnonzero(of_direction == number)
        slots[own] = np.arange(len(own))
        parts.append(ConnectedPart(_sliced(np.flatnonzero(of_unknown == number)), own))
    p = len(slots)
    shape = (p, int(slots.max(initial=-1)) + 1)
    return Apart(tuple(parts), csr_matrix((np.ones(p), (np.arange(p), slots)), shape=shape))


def _parts_of_nodes(system: System, directions: csc_matrix) -> Ints:
    """Return the part of every node: what a body or a direction reaches is one."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    sets = [body.nodes for body in system.bodies]
    for reached in (system.map.sparse @ directions, system.map.matrix):
        if reached is not None:
            moved = reached.tocsc()
            sets += np.split(moved.indices // system.dimension, moved.indptr[1:-1])
    columns = np.concatenate(sets)
    rows = np.repeat(np.arange(len(sets)), [len(one) for one in sets])
    size = len(sets) + system.size
    ones = np.ones(len(rows), dtype=np.int8)
    graph = coo_matrix((ones, (rows, len(sets) + columns)), shape=(size, size))
    _, label = connected_components(graph, directed=False)
    found: Ints = label[len(sets) :].astype(np.int64)
    return found


def _sliced(places: Ints) -> Ints | slice:
    """Return places as a slice where they follow each other."""
    first, last = int(places[0]), int(places[-1])
    return slice(first, last + 1) if last - first + 1 == len(places) else places
