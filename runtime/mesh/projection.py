# SPDX-License-Identifier: BSD-3-Clause
"""The points of facets that are closest to given points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.shape import shape_functions, shape_gradients

_NEAREST = 12  # facets whose centres are closest, of which one is the closest
_TURNS = 25  # of Gauss and Newton's iteration
_ON = 1e-13  # distance of a point on a facet, relative to its size
_STILL = 1e-13  # change of reference coordinates at its end


@dataclass(frozen=True, slots=True)
class Projected:
    """A point on a facet.

    Attributes
    ----------
    nodes : ndarray of int64, (k,)
        Nodes of the facet.
    weights : ndarray, (k,)
        Shape functions there.
    distance : float
        Distance of the given point, m.
    """

    nodes: Ints
    weights: Floats
    distance: float


def project(
    points: Floats, mesh_points: Floats, facets: Sequence[tuple[str, Ints]]
) -> list[Projected]:
    """Return for every point the closest one on some facets.

    Parameters
    ----------
    points : ndarray, (n, 3)
        Points.
    mesh_points : ndarray, (N, 3)
        Coordinates of the nodes of the facets.
    facets : sequence of (str, ndarray of int64)
        Cell types of facets, and their nodes (m, k).

    Returns
    -------
    list of Projected
    """
    from scipy.spatial import cKDTree

    numbered = [(kind, row) for kind, rows in enumerate(facets) for row in range(len(rows[1]))]
    centres = np.concatenate([mesh_points[nodes].mean(axis=1) for _, nodes in facets])
    count = min(_NEAREST, len(centres))
    near = cKDTree(centres).query(points, count)[1].reshape(len(points), count)
    found = []
    for point, candidates in zip(points, near, strict=True):
        best: Projected | None = None
        for number in candidates:
            kind, row = numbered[number]
            cell, nodes = facets[kind][0], facets[kind][1][row]
            one = _closest(cell, nodes, mesh_points[nodes], point)
            if best is None or one.distance < best.distance:
                best = one
            if best.distance <= _ON * float(np.ptp(mesh_points[nodes], axis=0).max()):
                break  # on it: none is closer
        assert best is not None
        found.append(best)
    return found


def _closest(cell: str, nodes: Ints, corners: Floats, point: Floats) -> Projected:
    """Return the point of a facet that is closest: within its reference domain."""
    dim = CELLS[cell].dim
    triangle = CELLS[cell].corners == 3
    at = np.full(dim, 1.0 / 3.0 if triangle else 0.0)
    for _ in range(_TURNS):
        away = point - (shape_functions(cell, at[None]) @ corners)[0]
        along = shape_gradients(cell, at[None])[0] @ corners  # (dim, 3)
        step = np.linalg.lstsq(along.T, away, rcond=None)[0]
        moved = _inside(at + step, triangle=triangle)
        change = float(np.abs(moved - at).max())
        at = moved
        if change <= _STILL:
            break
    weights = shape_functions(cell, at[None])[0]
    return Projected(nodes, weights, float(np.linalg.norm(point - weights @ corners)))


def _inside(at: Floats, *, triangle: bool) -> Floats:
    """Return the nearest reference coordinates within a triangle, a square or a line."""
    if not triangle:
        return np.clip(at, -1.0, 1.0)
    x, y = at
    if x + y > 1.0:  # beyond the long side
        excess = 0.5 * (x + y - 1.0)
        x, y = x - excess, y - excess
        x, y = (0.0, min(y + x, 1.0)) if x < 0.0 else (x, y)
        x, y = (min(x + y, 1.0), 0.0) if y < 0.0 else (x, y)
    return np.array([min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)])
