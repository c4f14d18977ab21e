# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of lines in pictures: tubes and ribbons of the radius asked for, along every piece."""

from __future__ import annotations

import io

import numpy as np
import pytest
from flexforge.runtime.results.data import BodyGeometry, BodyState, Frame
from flexforge.runtime.results.picture import Shown
from flexforge.runtime.results.surface import skin
from flexforge.runtime.results.tubes import chains, radius_of, tube
from flexforge.runtime.results.views import deformed, drawable, mode

#: A quarter of a circle of radius 1 in the plane z = 0, 40 pieces of equal length.
ARC = np.linspace(0, np.pi / 2, 41)
POINTS = np.stack([np.cos(ARC), np.sin(ARC), 0 * ARC], axis=1)
PIECES = np.stack([np.arange(40), np.arange(1, 41)], axis=1)


def _area(shown: Shown) -> float:
    corners = skin(shown.cell, shown.connectivity).triangles(shown.deformed)
    sides = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return float(np.linalg.norm(sides, axis=1).sum() / 2)


@pytest.mark.parametrize("turned", [False, True])
def test_a_tube_along_an_arc(turned: bool) -> None:
    """Its area is that of a torus' quarter, 2 pi r (pi/2), less what twelve sides and chords miss.

    Whichever way the pieces run.
    """
    radius = 0.02
    pieces = PIECES[::-1, ::-1] if turned else PIECES
    found = tube(Shown("line2", pieces, POINTS, POINTS, ARC), radius, flat=False)
    sides = 12 / np.pi * np.sin(np.pi / 12)
    assert _area(found) == pytest.approx(sides * 2 * np.pi * radius * np.pi / 2, rel=1e-3)
    axis = POINTS[np.round(found.values / ARC[1]).astype(int)]
    np.testing.assert_allclose(np.linalg.norm(found.points - axis, axis=1), radius)
    assert len(found.connectivity) == 12 * 40
    assert found.before is not None and found.before.shape == (40, 2, 3)


def test_a_ribbon_along_an_arc() -> None:
    """It stays in the plane and has the area 2 r (pi/2); pieces of three nodes are cut in two."""
    ordered = np.stack([np.arange(0, 40, 2), np.arange(2, 41, 2), np.arange(1, 40, 2)], axis=1)
    found = tube(Shown("line3", ordered, POINTS, POINTS, ARC), 0.02, flat=True)
    assert not found.deformed[:, 2].any()
    assert _area(found) == pytest.approx(0.04 * np.pi / 2, rel=1e-3)
    assert len(found.connectivity) == 40


def test_lines_go_through_every_piece_once() -> None:
    """A fork has three lines, a ring one, and a line that folds back on itself has its radius."""
    fork = np.array([[0, 1], [2, 1], [1, 3], [3, 4]])
    ring = np.array([[5, 6], [7, 6], [7, 5]])
    lines = chains(np.concatenate([fork, ring]))
    assert sorted(len(line) for line in lines) == [2, 2, 3, 4]
    pairs = [frozenset(pair) for line in lines for pair in zip(line, line[1:], strict=False)]
    assert sorted(map(sorted, pairs)) == sorted(sorted(one) for one in [*fork, *ring])
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 0]])
    folded = tube(Shown("line2", PIECES[:2], points, points, np.zeros(3)), 0.1, flat=False)
    middle = points.repeat(12, axis=0)
    np.testing.assert_allclose(np.linalg.norm(folded.points - middle, axis=1), 0.1)


@pytest.mark.parametrize("components", [2, 3])
def test_a_picture_of_a_beam(components: int) -> None:
    """Beams are drawn, alone and beside plates, deformed and as modes; points are not."""
    from PIL import Image

    rod = BodyGeometry("rod", "line2", POINTS, PIECES)
    bodies = drawable([rod, BodyGeometry("mass", "point1", POINTS[:1], np.zeros((1, 1), int))])
    assert [body.name for body in bodies] == ["rod"]
    short = BodyGeometry("spring", "line2", POINTS[[0, 0]], PIECES[:1])  # of no length
    assert not drawable([short])
    move = np.zeros((41, components))
    move[:, -1] = 0.1 * ARC
    pictures = [deformed(bodies, Frame(0.0, {"rod": BodyState(move)}))[0]]
    pictures.append(mode(bodies, {"rod": move}, 1, 2.0)[0])
    for picture in pictures:
        image = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")).astype(int)
        coloured = np.ptp(image[:, :1180], axis=2) > 60
        assert 0.002 < coloured.mean() < 0.1  # a thin line: 0.012 of the diagonal


def test_the_radius_follows_the_extent() -> None:
    """It is 0.006 of the diagonal of all bodies together."""
    assert radius_of([np.zeros((1, 3)), np.array([[3.0, 4.0, 0.0]])]) == pytest.approx(0.03)
