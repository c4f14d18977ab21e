# SPDX-License-Identifier: BSD-3-Clause
"""Seams that stay open: facets of the boundary that lie on each other without common nodes."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Flags, Floats, Ints
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.mesh import Mesh

#: Distance of facets that lie on each other, relative to the diagonal of the mesh.
_ON = 1e-6
#: Of a facet by its number of corners: its parts, and which barycentric coordinate of each is zero
#: on an edge inside the facet.
_PARTS: dict[int, tuple[tuple[tuple[int, ...], int | None], ...]] = {
    2: (((0, 1), None),),
    3: (((0, 1, 2), None),),
    4: (((0, 1, 2), 1), ((0, 2, 3), 2)),
}


def overlap_remarks(mesh: Mesh) -> list[str]:
    """Return what to say of facets that lie on each other but are not the same.

    The middle of one is within another: of two sides that touch with other divisions, or of a long
    side beside two short ones. Curved facets are taken as flat.

    Parameters
    ----------
    mesh : Mesh
        With its nodes merged.
    """
    from scipy.spatial import cKDTree

    corners, labels = _boundary(mesh)
    if not len(corners):
        return []
    sizes = (corners >= 0).sum(axis=1)
    places = np.where((corners >= 0)[..., None], mesh.points[corners], 0.0)
    middles = places.sum(axis=1) / sizes[:, None]
    reach = np.linalg.norm(places - middles[:, None], axis=2)
    radii = np.where(corners >= 0, reach, 0.0).max(axis=1)
    around = cKDTree(middles).query_ball_point(middles, radii)
    facets = np.repeat(np.arange(len(corners)), [len(one) for one in around])
    others = np.concatenate(around).astype(np.int64)
    facets, others = facets[facets != others], others[facets != others]
    near = _ON * float(np.linalg.norm(np.ptp(mesh.points, axis=0)))
    within = np.zeros(len(facets), dtype=bool)
    for size, parts in _PARTS.items():
        chosen = np.flatnonzero(sizes[facets] == size)
        for part, inner in parts:
            found = _within(places[facets[chosen]][:, part], middles[others[chosen]], near, inner)
            within[chosen] |= found
    if not within.any():
        return []
    facet, other = facets[within][0], others[within][0]
    x, y, z = middles[other]
    return [
        f"{mesh.source}: {len(np.unique(others[within]))} facets lie on others without sharing "
        f"their nodes, as of cells {labels[facet]} and {labels[other]} at ({x:g}, {y:g}, {z:g}), "
        "and are not joined; expected the same divisions on both sides, or [[ties]]"
    ]


def _within(parts: Floats, points: Floats, near: float, inner: int | None) -> Flags:
    """Whether points are within lines or triangles, (n, corners, 3), off their outer edges."""
    sides = parts[:, 1:] - parts[:, :1]
    gram = sides @ sides.transpose(0, 2, 1)
    offset = points - parts[:, 0]
    # A part without an area has a point in no part of it.
    flat = np.linalg.det(gram) <= 1e-20 * np.trace(gram, axis1=1, axis2=2) ** sides.shape[1]
    gram[flat] = np.eye(sides.shape[1])
    along = np.linalg.solve(gram, (sides @ offset[..., None]))[..., 0]
    shares = np.column_stack([1.0 - along.sum(axis=1), along])
    apart = np.linalg.norm(offset - (along[:, None] @ sides)[:, 0], axis=1)
    least = np.full(shares.shape[1], _ON)
    if inner is not None:
        least[inner] = -_ON
    return np.asarray((shares > least).all(axis=1) & (apart < near) & ~flat)


def _boundary(mesh: Mesh) -> tuple[Ints, Ints]:
    """Return the corners of facets of one cell only, (n, 4), -1 for none, and their cells."""
    corners, labels = [np.zeros((0, 4), dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for block in mesh.blocks:
        kind = CELLS[block.cell]
        if kind.dim != mesh.dim or kind.dim < 2:
            continue
        for facet, cell in zip(kind.facets, kind.facet_cells, strict=True):
            size = CELLS[cell].corners
            some = block.nodes[:, facet[:size]]
            corners.append(np.pad(some, ((0, 0), (0, 4 - size)), constant_values=-1))
            labels.append(block.labels)
    rows = np.concatenate(corners)
    _, first, times = np.unique(
        np.sort(rows, axis=1), axis=0, return_index=True, return_counts=True
    )
    alone = np.sort(first[times == 1])
    return rows[alone], np.concatenate(labels)[alone]
