# SPDX-License-Identifier: BSD-3-Clause
"""What can be seen of a body: its facets cut into small triangles, and its edges into short lines.

Curved facets are followed as the cell's shape functions curve them. Normals are averaged over
facets that meet smoothly and kept apart where they meet at an angle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.facets import boundary_facets
from flexforge.runtime.mesh.shape import shape_functions, shape_gradients
from flexforge.runtime.results.data import Floats, Ints
from numpy.typing import NDArray

_CREASE = float(np.cos(np.radians(32.0)))  # facets that meet at a sharper angle make an edge
_TRIANGLES = 120_000  # about how many triangles are worth drawing


@dataclass(frozen=True, slots=True)
class Skin:
    """The facets of a body, and how to refine them.

    Parameters
    ----------
    cell : str
        Name of the facets' cell (of the cells themselves for a plane body).
    facets : ndarray of int, (n_facets, n_nodes)
        Rows of the body's points.
    refinement : int
        Into how many pieces each of their edges is cut.
    closed : bool
        Whether they enclose a volume, so that those facing away cannot be seen.
    """

    cell: str
    facets: Ints
    refinement: int
    closed: bool

    def triangles(self, values: Floats) -> Floats:
        """Interpolate node values (n,) or (n, k) to the corners of the triangles: (m, 3[, k])."""
        reference, cut = _pattern(self.cell, self.refinement)
        return self._spread(values[self.facets], reference, cut)

    def normals(self, points: Floats) -> Floats:
        """Return unit normals at the corners of the triangles: (m, 3, 3)."""
        cell = CELLS[self.cell]
        own = _normals(self.cell, np.array(cell.reference), points[self.facets])
        total = np.zeros_like(points)
        for i in range(cell.nodes):  # a handful of nodes a facet
            for axis in range(3):
                total[:, axis] += np.bincount(
                    self.facets[:, i], own[:, i, axis], minlength=len(points)
                )
        smooth = _unit(total)[self.facets]
        agrees = np.einsum("fnc,fnc->fn", smooth, own) > _CREASE
        reference, cut = _pattern(self.cell, self.refinement)
        return _unit(self._spread(np.where(agrees[..., None], smooth, own), reference, cut))

    def lines(self, points: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the facets' edges as short lines, and which of them are edges of the body.

        Returns
        -------
        lines : ndarray, (n_lines, 2, 3)
        sharp : ndarray of bool, (n_lines,)
        """
        cell = CELLS[self.cell]
        line = cell.facet
        ends = np.sort(self.facets[:, np.array(cell.edges)], axis=2).reshape(-1, 2)
        order = np.lexsort(ends.T)
        same = (ends[order[1:]] == ends[order[:-1]]).all(axis=1)
        middles = np.array([np.mean(np.array(cell.reference)[list(e)], axis=0) for e in cell.edges])
        normals = _normals(self.cell, middles, points[self.facets]).reshape(-1, 3)
        # Of each pair the second is dropped; an edge of one facet only bounds a plane body.
        keep = np.concatenate([[True], ~same])
        number = keep.cumsum() - 1
        count = np.bincount(number)
        smooth = np.zeros(len(count), dtype=bool)
        pairs = np.einsum("ec,ec->e", normals[order[1:]], normals[order[:-1]]) > _CREASE
        smooth[number[1:][same & pairs]] = True
        chosen = order[keep]
        facet, local = np.divmod(chosen, len(cell.edges))
        nodes = self.facets[facet[:, None], np.array(cell.facets)[local]]
        along = np.linspace(-1.0, 1.0, self.refinement + 1)[:, None]
        curve = shape_functions(line, along) @ points[nodes]
        short = np.stack([curve[:, :-1], curve[:, 1:]], axis=2).reshape(-1, 2, 3)
        return short, np.repeat(~smooth, self.refinement)

    def _spread(self, at_nodes: Floats, reference: Floats, cut: Ints) -> Floats:
        fine = np.einsum("pn,fn...->fp...", shape_functions(self.cell, reference), at_nodes)
        return np.asarray(fine[:, cut].reshape(-1, *cut.shape[1:], *fine.shape[2:]))


def skin(cell: str, connectivity: Ints) -> Skin:
    """Find the facets of a body that can be seen.

    Parameters
    ----------
    cell : str
        Name of the body's cell.
    connectivity : ndarray of int, (n_cells, n_nodes)
        Its cells.

    Returns
    -------
    Skin
    """
    plane = CELLS[cell].dim == 2
    kind, facets = cell, connectivity
    if not plane:
        kind, facets, _ = boundary_facets(cell, connectivity)
    per_facet = 1 if CELLS[kind].corners == 3 else 2
    most = int(np.sqrt(_TRIANGLES / max(1, per_facet * len(facets))))
    wanted = 6 if CELLS[kind].quadratic else (1 if kind == "tri3" else 4)
    return Skin(kind, facets, max(1, min(wanted, most)), not plane)


def _pattern(cell: str, n: int) -> tuple[Floats, Ints]:
    """Cut the reference facet: points (p, 2) and triangles (t, 3)."""
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


def _normals(cell: str, reference: Floats, x: Floats) -> Floats:
    """Return unit normals of facets with node positions (f, n, 3): (f, points, 3)."""
    tangents = np.einsum("pdn,fnc->fpdc", shape_gradients(cell, reference), x)
    return _unit(np.cross(tangents[:, :, 0], tangents[:, :, 1]))


def _unit(vectors: Floats) -> Floats:
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(size > 0, size, 1.0))
