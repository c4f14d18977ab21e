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
    """Facets of one kind: their cell type, rows of the body's points, triangles of local nodes."""

    cell: str
    facets: Ints
    cut: Ints

    @property
    def drawn(self) -> Ints:
        """Local nodes of the triangles, ascending."""
        return np.unique(self.cut)

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
        Use the corners of facets alone, except on the outline, where curves would become jagged:
        about a quarter of the vertices of a quadratic mesh.
    """
    facets = [(cell, connectivity)]
    if CELLS[cell].dim == 3:
        found = boundary_facets(cell, connectivity)
        facets = [(one.cell, one.nodes) for one in found if len(one.nodes)]
    patches = [_Patch(kind, nodes, np.array(_CUT[kind])) for kind, nodes in facets]
    outline = _edges(patches, points)
    if corners:
        on_outline = np.zeros(len(points), dtype=bool)
        on_outline[outline] = True
        patches = [part for patch in patches for part in _thinned(patch, on_outline)]
    keys = [key[:, patch.drawn] for patch, key in zip(patches, _keys(patches, points), strict=True)]
    distinct, number = np.unique(np.concatenate([k.ravel() for k in keys]), return_inverse=True)
    node = distinct // _SIDES
    triangles, first = [], 0
    for patch, key in zip(patches, keys, strict=True):
        vertices = number[first : first + key.size].reshape(key.shape)
        triangles.append(vertices[:, np.searchsorted(patch.drawn, patch.cut)].reshape(-1, 3))
        first += key.size
    some_vertex = np.zeros(len(points), dtype=np.int64)
    some_vertex[node] = np.arange(len(node))
    return Surface(points[node], node, np.concatenate(triangles), some_vertex[outline])


_SIDES = 7  # vertices that a node may have: one for smooth facets, one for each of +-x, +-y, +-z


def _thinned(patch: _Patch, on_outline: NDArray[np.bool_]) -> list[_Patch]:
    """Return facets cut without their middle nodes, except those on the outline."""
    cell = CELLS[patch.cell]
    if not cell.quadratic:
        return [patch]
    sides = len(cell.edges)
    kept = on_outline[patch.facets[:, cell.corners : cell.corners + sides]]
    patterns, number = np.unique(kept, axis=0, return_inverse=True)
    return [
        _Patch(patch.cell, patch.facets[number.ravel() == k], _fan(pattern.tolist()))
        for k, pattern in enumerate(patterns)
    ]


def _fan(kept: list[bool]) -> Ints:
    """Return the triangles between the corners of a facet and the middle nodes of some sides.

    They share one of the middle nodes, if there is one: no triangle then has all of its corners on
    one side.
    """
    corners = len(kept)
    ring = [one for k in range(corners) for one in (k, corners + k) if one < corners or kept[k]]
    first = next((place for place, one in enumerate(ring) if one >= corners), 0)
    apex, *others = ring[first:] + ring[:first]
    return np.array([(apex, *pair) for pair in zip(others, others[1:], strict=False)])


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
    those given, so that values there are exact; those of the outline come first, so that it stays
    on its curve.

    Parameters
    ----------
    given : Surface
        The surface.
    most : int
        Number of vertices wanted at most.
    """
    size = np.ptp(given.rest, axis=0).max()
    side = _side_of(given)
    inner = np.ones(len(given.rest), dtype=bool)
    inner[given.edges] = False
    order = np.argsort(inner, kind="stable")
    for cells in np.unique(np.geomspace(512, 2, 40).astype(int))[::-1]:
        grid = np.floor((given.rest - given.rest.min(axis=0)) / size * cells).astype(np.int64)
        grid = np.minimum(grid, cells - 1)
        key = ((grid[:, 0] * cells + grid[:, 1]) * cells + grid[:, 2]) * 8 + side
        _, first, place = np.unique(key[order], return_index=True, return_inverse=True)
        if len(first) <= most:
            break
    chosen, number = order[first], np.empty_like(order)
    number[order] = place
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
