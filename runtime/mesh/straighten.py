# SPDX-License-Identifier: BSD-3-Clause
"""Straightening of inverted cells with curved edges, which meshers may create.

Meshers create second-order cells by moving mid-edge nodes onto curved surfaces. Where a cell is
flat or thin compared with the curvature, this folds it. With its mid-edge nodes on straight edges
it is as valid as the first-order cell that it came from; the surface has a facet there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.check import FLAT, lowest_jacobians, straightened
from flexforge.runtime.mesh.mesh import Mesh

_ROUND_OFF = 1e-14  # of a coordinate, relative to the largest one


def straighten(mesh: Mesh) -> Mesh:
    """Return the mesh with the middle nodes of inverted cells in the middle of their edges.

    A moved node also belongs to neighbouring cells, which may become inverted: they are checked
    again, until none is inverted, or all inverted ones are straight. Cells that are not inverted
    keep their curves. A remark states how many nodes were moved, and how far.

    Parameters
    ----------
    mesh : Mesh
        As read from the file.

    Returns
    -------
    Mesh
    """
    points = mesh.points
    curved = [one for one in mesh.blocks if CELLS[one.cell].dim == mesh.dim > 1]
    curved = [one for one in curved if CELLS[one.cell].quadratic]
    repaired = [np.zeros(len(block.nodes), dtype=bool) for block in curved]
    changed = True
    while changed:
        changed = False
        for block, done in zip(curved, repaired, strict=True):
            lowest, _ = lowest_jacobians(points, block.cell, block.nodes)
            rows = np.flatnonzero(~(lowest >= FLAT) & ~done)
            if rows.size:
                points = straightened(points, block.cell, block.nodes[rows])
                done[rows] = changed = True
    cells = sum(int(done.sum()) for done in repaired)
    distance = np.linalg.norm(points - mesh.points, axis=1)
    moved = int(np.count_nonzero(distance > _ROUND_OFF * np.abs(mesh.points).max(initial=0.0)))
    if not moved:
        return mesh.with_remarks([f"{mesh.source}: no cell was straightened"])
    text = (
        f"{mesh.source}: {moved} middle nodes of {cells} inverted cells were put where straight "
        f"edges have them, the farthest by {distance.max():.3g} (in the unit of the file)"
    )
    return replace(mesh, points=points).with_remarks([text])
