# SPDX-License-Identifier: BSD-3-Clause
"""The visible surface of a body as triangles between its nodes, and its edges.

A node has several vertices where facets meet at an angle, so that shading shows the edge there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.facets import boundary_facets
from flexforge.runtime.mesh.shape import shape_gradients
from numpy.typing import NDArray

_CREASE = float(np.cos(np.radians(32.0)))  # facets that meet at a larger angle form an edge

#: Triangles of a facet, as local nodes.
_CUT = {
    "tri3": ((0, 1, 2),),
    "tri6": ((0, 3, 5), (3, 1, 4), (5, 4, 2), (3, 4, 5)),
    "quad4": ((0, 1, 2), (0, 2, 3)),
    "quad8": ((0, 4, 7), (4, 1, 5), (5, 2, 6), (6, 3, 7), (4, 5, 6), (4, 6, 7)),
    "quad9": ((0, 4, 8), (0, 8, 7), (4, 1, 5), (4, 5, 8), (8, 5, 2), (8, 2, 6), (7, 8, 6),
              (7, 6, 3)),
}  # fmt: skip
_LINEAR = {"tri6": "tri3", "quad8": "quad4", "quad9": "quad4"}


@dataclass(frozen=True, slots=True)
class Surface:
    """Triangles and lines between vertices that move with nodes.

    Parameters
    ----------
    rest : ndarray, (v, 3)
        Undeformed vertices, m.
    node : ndarray of int, (v,)
        Row of the body's points whose displacement moves the vertex.
    triangles : ndarray of int, (t, 3)
        Vertices; anticlockwise from outside for a solid body.
    edges : ndarray of int, (e, 2)
        Vertices of the lines that outline the body.
    """

    rest: Floats
    node: Ints
    triangles: Ints
    edges: Ints


@dataclass(frozen=True, slots=True)
class _Patch:
    """Facets of one kind: the name of their cell type, and rows of the body's points."""

    cell: str
    facets: Ints

    def normals(self, reference: Floats, points: Floats) -> Floats:
        """Return unit normals at reference points: (facets, n, 3)."""
        gradients = shape_gradients(self.cell, reference)
        tangents = np.einsum("pdn,fnc->fpdc", gradients, points[self.facets], optimize=True)
        return _unit(np.cross(tangents[:, :, 0], tangents[:, :, 1]))


def surface(cell: str, connectivity: Ints, points: Floats, *, corners: bool = False) -> Surface:
    """Return the outer surface of a solid body, or the whole of a plane body or a shell.

    Parameters
    ----------
    cell : str
        Name of the cell type of the body.
    connectivity : ndarray of int, (n_cells, n_nodes)
        Its cells.
    points : ndarray, (n, 3)
        Its undeformed points, m.
    corners : bool
        Use only the corners of facets: about a quarter of the vertices of a quadratic mesh.
    """
    patches = [_Patch(cell, connectivity)]
    if CELLS[cell].dim == 3:
        found = boundary_facets(cell, connectivity)
        patches = [_Patch(one.cell, one.nodes) for one in found if len(one.nodes)]
    if corners:
        patches = [_with_corners_only(one) for one in patches]
    keys = _keys(patches, points)
    distinct, number = np.unique(np.concatenate([k.ravel() for k in keys]), return_inverse=True)
    node = distinct // _SIDES
    triangles, first = [], 0
    for patch, key in zip(patches, keys, strict=True):
        vertices = number[first : first + key.size].reshape(key.shape)
        triangles.append(vertices[:, np.array(_CUT[patch.cell])].reshape(-1, 3))
        first += key.size
    some_vertex = np.zeros(len(points), dtype=np.int64)
    some_vertex[node] = np.arange(len(node))
    lines = some_vertex[_edges(patches, points)]
    return Surface(points[node], node, np.concatenate(triangles), lines)


_SIDES = 7  # vertices that a node may have: one for smooth facets, one for each of +-x, +-y, +-z


def _with_corners_only(patch: _Patch) -> _Patch:
    linear = _LINEAR.get(patch.cell, patch.cell)
    return _Patch(linear, patch.facets[:, : CELLS[linear].nodes])


def _keys(patches: list[_Patch], points: Floats) -> list[Ints]:
    """Return a number for every node of every facet: equal where facets share a vertex."""
    own = [one.normals(np.array(CELLS[one.cell].reference), points) for one in patches]
    total = np.zeros_like(points)
    for patch, normals in zip(patches, own, strict=True):
        for axis in range(3):
            total[:, axis] += np.bincount(
                patch.facets.ravel(), normals[..., axis].ravel(), minlength=len(points)
            )
    mean = _unit(total)
    found = []
    for patch, normals in zip(patches, own, strict=True):
        smooth = np.einsum("fnc,fnc->fn", mean[patch.facets], normals) > _CREASE
        axis = np.abs(normals).argmax(axis=2)
        positive = np.take_along_axis(normals, axis[..., None], axis=2)[..., 0] > 0
        found.append(_SIDES * patch.facets + np.where(smooth, 0, 1 + 2 * axis + positive))
    return found


def _edges(patches: list[_Patch], points: Floats) -> Ints:
    """Return the outline as pairs of nodes: edges of one facet only, and where two form an angle.

    Lines of three nodes are cut in two.
    """
    ends, middles, normals = [], [], []
    for patch in patches:
        cell = CELLS[patch.cell]
        pairs = np.array(cell.edges)
        at = np.array(cell.reference)[pairs].mean(axis=1)
        normals.append(patch.normals(at, points).reshape(-1, 3))
        ends.append(patch.facets[:, pairs].reshape(-1, 2))
        places = cell.corners + np.arange(len(pairs)) if cell.quadratic else pairs[:, 0]
        middles.append(patch.facets[:, places].ravel())
    pair, middle, normal = np.concatenate(ends), np.concatenate(middles), np.concatenate(normals)
    key = np.sort(pair, axis=1)
    order = np.lexsort(key.T)
    same = (key[order[1:]] == key[order[:-1]]).all(axis=1)
    keep = np.concatenate([[True], ~same])
    number = keep.cumsum() - 1
    smooth: NDArray[np.bool_] = np.zeros(number[-1] + 1, dtype=bool)
    agree = np.einsum("ec,ec->e", normal[order[1:]], normal[order[:-1]]) > _CREASE
    smooth[number[1:][same & agree]] = True
    chosen = order[keep][~smooth]
    first, half, last = pair[chosen, 0], middle[chosen], pair[chosen, 1]
    pieces = np.concatenate([np.stack([first, half], axis=1), np.stack([half, last], axis=1)])
    return np.asarray(pieces[pieces[:, 0] != pieces[:, 1]])


def coarse(given: Surface, most: int) -> Surface:
    """Return a surface with about a given number of vertices: those of a cell of a grid merge.

    Vertices on opposite sides of a thin body stay apart. The vertices that remain are some of
    those given, so that values there are exact.

    Parameters
    ----------
    given : Surface
        The surface.
    most : int
        Number of vertices wanted at most.
    """
    size = np.ptp(given.rest, axis=0).max()
    side = _side_of(given)
    for cells in np.unique(np.geomspace(512, 2, 40).astype(int))[::-1]:
        grid = np.floor((given.rest - given.rest.min(axis=0)) / size * cells).astype(np.int64)
        grid = np.minimum(grid, cells - 1)
        key = ((grid[:, 0] * cells + grid[:, 1]) * cells + grid[:, 2]) * 8 + side
        _, chosen, number = np.unique(key, return_index=True, return_inverse=True)
        if len(chosen) <= most:
            break
    merged = number[given.triangles]
    a, b, c = merged.T
    triangles = merged[(a != b) & (b != c) & (c != a)]
    _, first = np.unique(np.sort(triangles, axis=1), axis=0, return_index=True)
    edges = np.unique(np.sort(number[given.edges], axis=1), axis=0)
    return Surface(
        given.rest[chosen],
        given.node[chosen],
        triangles[np.sort(first)],
        edges[edges[:, 0] != edges[:, 1]],
    )


def _side_of(given: Surface) -> Ints:
    """Return which of -x, +x, -y, +y, -z, +z, 0 to 5, the mean normal of each vertex is next to."""
    corners = given.rest[given.triangles]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    total = np.zeros_like(given.rest)
    for i in range(3):
        for axis in range(3):
            total[:, axis] += np.bincount(
                given.triangles[:, i], normal[:, axis], minlength=len(total)
            )
    axis = np.abs(total).argmax(axis=1)
    positive = np.take_along_axis(total, axis[:, None], axis=1)[:, 0] > 0
    return np.asarray(2 * axis + positive, dtype=np.int64)


def _unit(vectors: Floats) -> Floats:
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(size > 0, size, 1.0))
