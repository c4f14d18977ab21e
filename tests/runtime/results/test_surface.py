# SPDX-License-Identifier: BSD-3-Clause
"""Surfaces of bodies: their area, their edges, and what remains of a coarser one."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.mesh import CELLS, structured
from flexforge.runtime.results.surface import Surface, coarse, surface
from samples import CUBE


def area(shape: Surface) -> float:
    """Return the area of all triangles."""
    a, b, c = (shape.rest[shape.triangles[:, i]] for i in range(3))
    return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def length(shape: Surface) -> float:
    """Return the length of all edges."""
    return float(np.linalg.norm(np.diff(shape.rest[shape.edges], axis=1)[:, 0], axis=1).sum())


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("cell", [n for n, kind in CELLS.items() if kind.dim == 3])
def test_surface_of_a_cube(cell: str, corners: bool) -> None:
    """It has area 6, twelve edges of length 1, normals outward, no vertex of two faces."""
    part = structured(cell, CUBE, [3, 3, 3]).part()
    found = surface(cell, part.connectivity, part.points, corners=corners)
    assert area(found) == pytest.approx(6.0)
    assert length(found) == pytest.approx(12.0)
    a, b, c = (found.rest[found.triangles[:, i]] for i in range(3))
    out = np.cross(b - a, c - a)
    assert (np.einsum("tc,tc->t", out, (a + b + c) / 3 - 0.5) > 0).all()
    # Every vertex belongs to one face only: shading does not round the edges.
    normals = np.round(out / np.linalg.norm(out, axis=1, keepdims=True), 6)
    for vertex in range(len(found.node)):
        mine = normals[(found.triangles == vertex).any(axis=1)]
        assert len(np.unique(mine, axis=0)) == 1
    np.testing.assert_array_equal(found.rest, part.points[found.node])


@pytest.mark.parametrize("cell", [n for n, kind in CELLS.items() if kind.dim == 2])
def test_surface_of_a_plane_part(cell: str) -> None:
    """All of it is seen, and its edges are its outline."""
    part = structured(cell, CUBE[:4, :2] * [2, 1], [4, 2]).part()
    found = surface(cell, part.connectivity, part.points)
    assert area(found) == pytest.approx(2.0)
    assert length(found) == pytest.approx(6.0)


def test_a_smooth_surface_has_no_edges() -> None:
    """On a bent quadratic surface no edge is drawn across it, and nodes have one vertex."""
    part = structured("hex20", CUBE * [1, 1, 0.1], [8, 8, 1]).part()
    x = part.points.copy()
    x[:, 2] += 0.3 * np.sin(2 * x[:, 0]) * np.cos(x[:, 1])
    found = surface("hex20", part.connectivity, x)
    inside = ((x[:, :2] > 0.01) & (x[:, :2] < 0.99)).all(axis=1)
    assert inside.sum() > 100 and not inside[found.node[found.edges]].all(axis=1).any()
    assert np.bincount(found.node)[inside].max() == 1


def test_a_coarser_surface_keeps_its_shape() -> None:
    """It has the vertices asked for at most, of those given; a plate keeps two sides."""
    part = structured("hex8", CUBE * [1, 1, 0.01], [40, 40, 1]).part()
    fine = surface("hex8", part.connectivity, part.points)
    found = coarse(fine, 900)
    assert 300 < len(found.node) <= 900 < len(fine.node)
    np.testing.assert_array_equal(found.rest, part.points[found.node])
    assert area(found) == pytest.approx(area(fine), rel=0.15)
    assert set(np.unique(found.rest[:, 2].round(9))) == {0.0, 0.01}
    assert (found.triangles < len(found.node)).all() and (found.edges < len(found.node)).all()


def ring(divisions: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Return cells and points of a quarter of a ring of quad8, radii 1 and 2, all nodes on arcs."""
    corners = [[1, 0], [2, 0], [2, np.pi / 2], [1, np.pi / 2]]
    part = structured("quad8", corners, divisions).part()
    radius, angle = part.points[:, 0], part.points[:, 1]
    points = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), 0 * radius])
    return part.connectivity, points


def test_a_curved_outline_keeps_its_middle_nodes() -> None:
    """Four cells along a quarter: eight chords, between which are 8 sin(pi/16) (R^2 - r^2)/2.

    With corners alone there were four, and 4 sin(pi/8) (R^2 - r^2)/2.
    """
    cells, points = ring([1, 4])
    found = surface("quad8", cells, points, corners=True)
    assert area(found) == pytest.approx(8 * 3 * np.sin(np.pi / 16) / 2, rel=1e-12)
    fine = surface("quad8", cells, points)
    assert len(found.edges) == len(fine.edges)
    inner = set(fine.node.tolist()) - set(found.node.tolist())
    assert len(inner) == 3  # the middle nodes between the cells


def test_a_coarser_outline_stays_on_its_curve() -> None:
    """Vertices of the outline are some of its own: on the arcs, or on the straight sides."""
    cells, points = ring([12, 40])
    fine = surface("quad8", cells, points)
    found = coarse(fine, 150)
    at = found.rest[found.edges].reshape(-1, 3)
    radius = np.linalg.norm(at, axis=1)
    off = np.stack([abs(radius - 1), abs(radius - 2), abs(at[:, 0]), abs(at[:, 1])]).min(axis=0)
    assert len(found.node) <= 150 and off.max() < 1e-12
