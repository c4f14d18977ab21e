# SPDX-License-Identifier: BSD-3-Clause
"""Pictures: what is in front hides what is behind, everything fits, edges are edges."""

from __future__ import annotations

import io

import numpy as np
import pytest
from flexforge.runtime.mesh import CELLS, structured
from flexforge.runtime.results.camera import look_at
from flexforge.runtime.results.data import spatial
from flexforge.runtime.results.picture import Shown, deformation_scale, draw, view_of
from flexforge.runtime.results.plots import curve, extremes
from flexforge.runtime.results.raster import Canvas
from flexforge.runtime.results.surface import skin
from flexforge.runtime.results.units import prefix
from samples import CUBE, bar, bent


def test_nearer_triangle_hides_the_farther() -> None:
    """Depth decides, not the order of drawing, also where triangles cut through each other."""
    near = [[10.0, 10, 1], [90, 10, 1], [10, 90, 1]]
    far = [[0.0, 0, 2], [99, 0, 2], [0, 99, 2]]
    slanted = [[0.0, 0, 0], [99, 0, 3], [0, 99, 3]]
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2]):
        canvas = Canvas(100, 100)
        canvas.draw(np.array([near, far, slanted])[order])
        shown = np.array(order + [-1])[canvas.triangle].reshape(100, 100)
        assert shown[60, 15] == 0 and shown[2, 2] == 2 and shown[95, 2] == 1
        assert shown[99, 99] == -1


def test_a_flat_shell_that_bends_is_seen_from_a_side() -> None:
    """From straight above its deflection would not show; a plate that is stretched is seen so."""
    points = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])
    cells, values = np.array([[0, 1, 2, 3]]), np.zeros(4)
    stretched = points * [1.1, 1, 1] + [0, 0, 1e-17]
    lifted = points + np.array([0, 0, 0.2]) * points[:, :1]
    for deformed, plane in ((stretched, True), (lifted, False)):
        view = view_of([[Shown("quad4", cells, points, deformed, values)]])
        assert view.plane is plane
        assert np.allclose(view.camera.axes[2], [0, 0, 1]) is plane


def test_triangles_cover_their_area_once() -> None:
    """A mesh of triangles of all sizes leaves no gap and fills the pixels its area says."""
    rng = np.random.default_rng(3)
    corner = np.array([[20.0, 20], [380, 40], [350, 300], [30, 280]])
    unit = rng.random((200, 2))
    unit = np.vstack([unit, [[0, 0], [1, 0], [1, 1], [0, 1]]])
    from scipy.spatial import Delaunay

    shape = np.column_stack([(1 - unit[:, 0]) * (1 - unit[:, 1]), unit[:, 0] * (1 - unit[:, 1]),
                             unit[:, 0] * unit[:, 1], (1 - unit[:, 0]) * unit[:, 1]])  # fmt: skip
    points = np.column_stack([shape @ corner, np.zeros(len(unit))])
    canvas = Canvas(400, 320)
    canvas.draw(points[Delaunay(unit).simplices])
    x, y = corner.T
    area = 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert canvas.shown().sum() == pytest.approx(area, rel=2e-3)
    inside = np.flatnonzero(canvas.shown())
    values = canvas.interpolate(inside, points[Delaunay(unit).simplices][..., 0])
    assert np.allclose(values, inside % 400 + 0.5, atol=1e-3)


@pytest.mark.parametrize("cell", [n for n, kind in CELLS.items() if kind.dim == 3])
def test_skin_of_a_cube(cell: str) -> None:
    """The skin of a cube has area 6, normals out of its faces, and twelve edges of length 1."""
    part = structured(cell, CUBE, [3, 3, 3]).part()
    one = skin(cell, part.connectivity)
    triangles = one.triangles(part.points)
    out = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    assert 0.5 * np.linalg.norm(out, axis=1).sum() == pytest.approx(6.0)
    normals = one.normals(part.points)
    assert (np.einsum("tc,tic->ti", out, normals) > 0).all()
    assert np.allclose(np.abs(normals).max(axis=2), 1.0)  # no rounding over the edges
    lines, sharp = one.lines(part.points)
    length = np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)
    assert length[sharp].sum() == pytest.approx(12.0)


@pytest.mark.parametrize("cell", ["tri6", "quad4"])
def test_skin_of_a_plane_part(cell: str) -> None:
    """The edges of a plane part are its outline."""
    part = structured(cell, CUBE[:4, :2] * [2, 1], [4, 2]).part()
    one = skin(cell, part.connectivity)
    lines, sharp = one.lines(part.points)
    assert np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)[sharp].sum() == pytest.approx(6.0)


def test_smooth_surface_has_no_edges() -> None:
    """On a bent quadratic surface normals vary smoothly, and no edge is drawn across it."""
    part = structured("hex20", CUBE * [1, 1, 0.1], [8, 8, 1]).part()
    x = part.points.copy()
    x[:, 2] += 0.3 * np.sin(2 * x[:, 0]) * np.cos(x[:, 1])
    lines, sharp = skin("hex20", part.connectivity).lines(x)
    inner = (lines[..., :2] > 0.01).all(axis=(1, 2)) & (lines[..., :2] < 0.99).all(axis=(1, 2))
    assert inner.sum() > 100 and not sharp[inner].any()


@pytest.mark.parametrize("stretch", [[1, 1, 1], [10, 1, 1], [1, 10, 1], [1, 1, 10], [5, 5, 0.1]])
def test_everything_fits(stretch: list[float]) -> None:
    """Whatever its proportions, the part lies within the picture and fills it one way."""
    points = CUBE * stretch
    part = structured("hex8", points, [2, 2, 2]).part()
    camera = look_at(points, skin("hex8", part.connectivity).triangles(part.points), False, 800)
    flat = camera.project(points)[:, :2]
    assert (flat > 0).all() and (flat < camera.size).all()
    assert (np.ptp(flat, axis=0) / camera.size).max() > 0.9
    nearer = camera.project(camera.centre + 0.1 * camera.axes[2])
    assert nearer[2] < camera.project(camera.centre)[2]


@pytest.mark.parametrize("cell", [name for name, kind in CELLS.items() if kind.dim > 1])
def test_picture_of_every_cell(cell: str) -> None:
    """Every cell is drawn: a PNG file with the part's colours on white."""
    from PIL import Image

    body = bar(cell)
    u = spatial(bent(body, 0.5).displacement)
    shown = Shown(cell, body.connectivity, body.points, body.points + 5 * u, u[:, 1] + u[:, 2])
    data = draw([shown], "displacement", "m", "t = 0.5 s", width=500)
    image = np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)
    assert 500 < image.shape[1] < 800 and (image[0, 0] == 255).all()
    coloured = np.ptp(image[:, :500], axis=2) > 60
    assert 0.02 < coloured.mean() < 0.9


def test_picture_of_nothing_moving() -> None:
    """A part at rest is drawn too: one colour, true scale, the same file every time."""
    body = bar("hex8")
    shown = Shown("hex8", body.connectivity, body.points, body.points, np.zeros(len(body.points)))
    assert draw([shown], "d", "m", width=500) == draw([shown], "d", "m", width=500)
    assert deformation_scale(body.points, np.zeros_like(body.points)) == 1.0


def test_deformation_scale() -> None:
    """Small deformations are enlarged by 1, 2 or 5 times a power of ten to about a tenth."""
    points = np.array([[0.0, 0, 0], [1, 0, 0]])
    for u, scale in ((1e-5, 1e4), (3e-3, 20.0), (0.015, 5.0), (0.2, 1.0)):
        assert deformation_scale(points, np.array([[0.0, 0, 0], [0, u, 0]])) == scale


def test_prefix() -> None:
    """Prefixes are those that are customary: mm, MPa, never ks or km."""
    assert prefix(0.0132, "m") == (1e-3, "mm") and prefix(2.1e11, "Pa") == (1e9, "GPa")
    assert prefix(5e3, "s") == (1.0, "s") and prefix(5e3, "m") == (1.0, "m")
    assert prefix(3.0, "rad/s") == (1.0, "rad/s") and prefix(0.0, "m") == (1.0, "m")


def test_long_curves_keep_their_peaks() -> None:
    """Thinning out a long curve loses neither its ends nor its extremes."""
    t = np.linspace(0, 1, 100_003)
    y = np.sin(300 * t)
    y[54_321] = 7.0
    x, thin = extremes(t, y)
    assert len(x) < 3000 and thin.max() == 7.0 and thin.min() == y.min()
    assert x[0] == t[0] and x[-1] == t[-1] and (np.diff(x) > 0).all()
    drawn = curve(t, y, "tip <&>", "m")
    assert drawn.startswith(b"<?xml") and drawn == curve(t, y, "tip <&>", "m")
