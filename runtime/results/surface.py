# SPDX-License-Identifier: BSD-3-Clause
"""The visible surface of a body: its facets cut into small triangles, its edges into short lines.

Curved facets follow the shape functions of the cell. Normals are averaged over facets that meet
smoothly and kept separate where they meet at an angle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.facets import boundary_facets
from flexforge.runtime.mesh.shape import shape_functions, shape_gradients
from numpy.typing import NDArray

_CREASE = float(np.cos(np.radians(32.0)))  # facets that meet at a larger angle form an edge
_TRIANGLES = 120_000  # approximate number of triangles in a picture


@dataclass(frozen=True, slots=True)
class Patch:
    """Facets of one kind.

    Parameters
    ----------
    cell : str
        Name of the facets' cell type (of the cells themselves for a plane body).
    facets : ndarray of int, (n_facets, n_nodes)
        Rows of the body's points.
    """

    cell: str
    facets: Ints

    def normals(self, reference: Floats, points: Floats) -> Floats:
        """Return unit normals at reference points: (n_facets, n, 3)."""
        tangents = np.einsum(
            "pdn,fnc->fpdc", shape_gradients(self.cell, reference), points[self.facets]
        )
        return _unit(np.cross(tangents[:, :, 0], tangents[:, :, 1]))

    def spread(self, at_nodes: Floats, refinement: int) -> Floats:
        """Interpolate values at the nodes of facets to the corners of their triangles."""
        reference, cut = _pattern(self.cell, refinement)
        fine = np.einsum("pn,fn...->fp...", shape_functions(self.cell, reference), at_nodes)
        return np.asarray(fine[:, cut].reshape(-1, *cut.shape[1:], *fine.shape[2:]))


@dataclass(frozen=True, slots=True)
class Skin:
    """The facets of a body, and their refinement.

    Parameters
    ----------
    patches : tuple of Patch
        One per kind of facet.
    refinement : int
        Number of pieces into which each of their edges is cut.
    closed : bool
        Whether they enclose a volume, so that those facing away are invisible.
    """

    patches: tuple[Patch, ...]
    refinement: int
    closed: bool

    @property
    def nodes(self) -> Ints:
        """Return the nodes on the surface, each once."""
        return np.unique(np.concatenate([one.facets.ravel() for one in self.patches]))

    def triangles(self, values: Floats) -> Floats:
        """Interpolate node values (n,) or (n, k) to the corners of the triangles: (m, 3[, k])."""
        return np.concatenate(
            [one.spread(values[one.facets], self.refinement) for one in self.patches]
        )

    def normals(self, points: Floats) -> Floats:
        """Return unit normals at the corners of the triangles: (m, 3, 3)."""
        own = [one.normals(np.array(CELLS[one.cell].reference), points) for one in self.patches]
        total = np.zeros_like(points)
        for patch, normals in zip(self.patches, own, strict=True):
            for i in range(patch.facets.shape[1]):  # few nodes per facet
                for axis in range(3):
                    total[:, axis] += np.bincount(
                        patch.facets[:, i], normals[:, i, axis], minlength=len(points)
                    )
        found = []
        for patch, normals in zip(self.patches, own, strict=True):
            smooth = _unit(total)[patch.facets]
            agrees = np.einsum("fnc,fnc->fn", smooth, normals) > _CREASE
            chosen = np.where(agrees[..., None], smooth, normals)
            found.append(_unit(patch.spread(chosen, self.refinement)))
        return np.concatenate(found)

    def lines(self, points: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the facets' edges as short lines, and which of them are edges of the body.

        Returns
        -------
        lines : ndarray, (n_lines, 2, 3)
        sharp : ndarray of bool, (n_lines,)
        """
        edges, normals = [], []
        for patch in self.patches:
            cell = CELLS[patch.cell]
            corners = [np.array(cell.reference)[list(edge)] for edge in cell.edges]
            middles = np.array([np.mean(pair, axis=0) for pair in corners])
            normals.append(patch.normals(middles, points).reshape(-1, 3))
            local = np.array(cell.facets)
            edges.append(patch.facets[:, local].reshape(-1, local.shape[1]))
        nodes, normal = np.concatenate(edges), np.concatenate(normals)
        ends = np.sort(nodes[:, :2], axis=1)
        order = np.lexsort(ends.T)
        same = (ends[order[1:]] == ends[order[:-1]]).all(axis=1)
        # The second of each pair is dropped; an edge of a single facet bounds a plane body only.
        keep = np.concatenate([[True], ~same])
        number = keep.cumsum() - 1
        count = np.bincount(number)
        smooth = np.zeros(len(count), dtype=bool)
        pairs = np.einsum("ec,ec->e", normal[order[1:]], normal[order[:-1]]) > _CREASE
        smooth[number[1:][same & pairs]] = True
        along = np.linspace(-1.0, 1.0, self.refinement + 1)[:, None]
        line = CELLS[self.patches[0].cell].facet_cells[0]
        curve = shape_functions(line, along) @ points[nodes[order[keep]]]
        short = np.stack([curve[:, :-1], curve[:, 1:]], axis=2).reshape(-1, 2, 3)
        return short, np.repeat(~smooth, self.refinement)


def skin(cell: str, connectivity: Ints) -> Skin:
    """Find the visible facets of a body.

    Parameters
    ----------
    cell : str
        Name of the cell type of the body.
    connectivity : ndarray of int, (n_cells, n_nodes)
        Its cells.

    Returns
    -------
    Skin
    """
    plane = CELLS[cell].dim == 2
    patches: tuple[Patch, ...] = (Patch(cell, connectivity),)
    if not plane:
        found = boundary_facets(cell, connectivity)
        patches = tuple(Patch(one.cell, one.nodes) for one in found if len(one.nodes))
    pieces = sum((1 if CELLS[p.cell].corners == 3 else 2) * len(p.facets) for p in patches)
    most = int(np.sqrt(_TRIANGLES / max(1, pieces)))
    flat = all(patch.cell == "tri3" for patch in patches)
    wanted = 6 if CELLS[cell].quadratic else (1 if flat else 4)
    return Skin(patches, max(1, min(wanted, most)), not plane)


def _pattern(cell: str, n: int) -> tuple[Floats, Ints]:
    """Cut the reference facet into points (p, 2) and triangles (t, 3)."""
    i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    number = np.full((n + 2, n + 2), -1)
    inside = i + j <= n if CELLS[cell].corners == 3 else np.ones_like(i, dtype=bool)
    number[: n + 1, : n + 1][inside] = np.arange(inside.sum())
    points = np.column_stack([i[inside], j[inside]]) / n
    a, b = number[:-1, :-1].ravel(), number[1:, :-1].ravel()
    c, d = number[1:, 1:].ravel(), number[:-1, 1:].ravel()
    cut = np.concatenate([np.column_stack([a, b, d]), np.column_stack([b, c, d])])
    cut = cut[(cut >= 0).all(axis=1)]
    return (points if CELLS[cell].corners == 3 else 2 * points - 1), cut


def _unit(vectors: Floats) -> Floats:
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(size > 0, size, 1.0))
