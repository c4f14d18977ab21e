# SPDX-License-Identifier: BSD-3-Clause
"""Displacements of quadratic elements that are linear between their corners.

They are a coarse level of multigrid (p-multigrid): a matrix on an eighth of the nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.check import corner_shares
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix, csr_matrix

_NO_SHARE = 1e-12


def linear_displacements(system: System) -> bsr_matrix | None:
    """Return what the displacements of corners make of those of all nodes, in blocks of nodes.

    Rows and columns are all nodes here, in the axes in which supports hold them. Corners, and nodes
    of anything else than continua, have a unit block on the diagonal; columns of others are empty.

    Parameters
    ----------
    system : System
        The bodies.

    Returns
    -------
    bsr_matrix, (P d, P d), or None
        None without quadratic elements.
    """
    from scipy.sparse import csr_matrix

    kept, curved = np.zeros(system.size, dtype=bool), []
    for body in system.bodies:
        if _is_quadratic(body):
            cells = body.nodes[body.part.connectivity]
            kept[cells[:, : CELLS[body.part.cell].corners]] = True
            curved.append((body.part.cell, cells))
        else:
            kept[body.nodes] = True
    if not system.ranks.any(bool(curved)):
        return None
    rows, columns, shares = [np.zeros(0, dtype=int)], [np.zeros(0, dtype=int)], [np.zeros(0)]
    for cell, cells in curved:
        node, corner, share = _middles(cell, cells, kept)
        kept[node] = True  # another body may have it too
        rows.append(node)
        columns.append(corner)
        shares.append(share)
    middle = np.zeros(system.size, dtype=bool)
    middle[np.concatenate(rows)] = True
    others = np.flatnonzero(~middle)
    places = np.concatenate([*rows, others]), np.concatenate([*columns, others])
    values = np.concatenate([*shares, np.ones(len(others))])
    return _in_blocks(csr_matrix((values, places), shape=(system.size,) * 2), system)


def _is_quadratic(body: Body) -> bool:
    """Whether it is a continuum of elements with nodes besides their corners."""
    if body.has_field or body.is_connector:
        return False
    kind = CELLS[body.part.cell]
    return kind.quadratic and kind.dim == body.ambient


def _middles(cell: str, cells: Ints, kept: NDArray[np.bool_]) -> tuple[Ints, Ints, Floats]:
    """Return nodes besides corners, a corner, and its share in each, for every share there is."""
    table, corners = corner_shares(cell), CELLS[cell].corners
    nodes, first = np.unique(cells[:, corners:], return_index=True)
    wanted = ~kept[nodes]
    nodes, first = nodes[wanted], first[wanted]
    element, place = np.divmod(first, len(table))
    share = table[place]
    there = np.abs(share) > _NO_SHARE
    corner = cells[element, :corners][there]
    return np.repeat(nodes, there.sum(axis=1)), corner, share[there]


def _in_blocks(shares: csr_matrix, system: System) -> bsr_matrix:
    """Return shares as blocks, between the axes of their nodes."""
    from scipy.sparse import bsr_matrix

    d, triads = system.dimension, system.map.triads
    blocks = shares.data[:, None, None] * np.eye(d)
    if triads is not None:
        row = np.repeat(np.arange(system.size), np.diff(shares.indptr))
        blocks = triads[row].transpose(0, 2, 1) @ blocks @ triads[shares.indices]
    return bsr_matrix((blocks, shares.indices, shares.indptr), shape=(system.size * d,) * 2)
