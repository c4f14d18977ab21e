# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of lines as surfaces: true sections along every piece."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.results.surface import Surface
from flexforge.runtime.results.tubes import chains, outline, radius_of, tube

#: A quarter of a circle of radius 1 in the plane z = 0, 40 pieces of equal length.
ARC = np.linspace(0, np.pi / 2, 41)
POINTS = np.stack([np.cos(ARC), np.sin(ARC), 0 * ARC], axis=1)
PIECES = np.stack([np.arange(40), np.arange(1, 41)], axis=1)
#: Of the circumference and of the area of a circle, what twelve sides have.
SIDES = 12 / np.pi * np.sin(np.pi / 12)
INSIDE = 6 / np.pi * np.sin(np.pi / 6)


def _area(shape: Surface) -> float:
    a, b, c = (shape.rest[shape.triangles[:, i]] for i in range(3))
    return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def _volume(shape: Surface) -> float:
    a, b, c = (shape.rest[shape.triangles[:, i]] for i in range(3))
    return float(np.einsum("tc,tc->", a, np.cross(b, c)) / 6)


@pytest.mark.parametrize("turned", [False, True])
def test_a_tube_along_an_arc(turned: bool) -> None:
    """Area and volume are those of a torus' quarter with ends, less what twelve sides miss.

    Whichever way the pieces run.
    """
    radius = 0.02
    pieces = PIECES[::-1, ::-1] if turned else PIECES
    found = tube(POINTS, pieces, {"shape": "round", "diameter": 2 * radius}, 1.0)
    mantle = SIDES * 2 * np.pi * radius * np.pi / 2
    assert _area(found) == pytest.approx(mantle + 2 * INSIDE * np.pi * radius**2, rel=1e-3)
    assert abs(_volume(found)) == pytest.approx(INSIDE * np.pi * radius**2 * np.pi / 2, rel=1e-3)
    np.testing.assert_allclose(np.linalg.norm(found.rest - POINTS[found.node], axis=1), radius)


@pytest.mark.parametrize(
    ("section", "area", "around"),
    [
        ({"shape": "rectangle", "width": 0.02, "height": 0.06}, 12e-4, 0.16),
        (
            {"shape": "I", "width": 0.05, "height": 0.08, "flange": 0.005, "web": 0.004},
            7.8e-4,  # 2 * 50 * 5 + 70 * 4 mm^2
            0.352,  # 4 * 50 + 2 * 80 - 2 * 4 mm
        ),
    ],
)
def test_sections_with_corners(section: dict[str, float], area: float, around: float) -> None:
    """A straight rod of 2 m has the volume and the surface of its section."""
    points = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0]])
    found = tube(points, PIECES[:2], section, 1.0)
    assert _volume(found) == pytest.approx(2 * area)
    assert _area(found) == pytest.approx(2 * around + 2 * area)
    low, high = found.rest.min(axis=0), found.rest.max(axis=0)
    assert high[1] - low[1] == pytest.approx(section["width"])  # y, in the plane of orientation
    assert high[2] - low[2] == pytest.approx(section["height"])


def test_sections_are_turned_and_offset() -> None:
    """The orientation is the local y; the centroid is where the offset says."""
    points = np.array([[0.0, 0, 0], [1, 0, 0]])
    section = {"shape": "rectangle", "width": 0.02, "height": 0.06, "offset": [0.1, 0.0]}
    found = tube(points, PIECES[:1], {**section, "orientation": [0, 0, 1]}, 1.0)
    assert found.rest[:, 2].mean() == pytest.approx(0.1)
    assert np.ptp(found.rest[:, 2]) == pytest.approx(0.02)
    along = tube(points, PIECES[:1], {**section, "orientation": [1, 0, 0]}, 1.0)
    assert np.isfinite(along.rest).all() and _volume(along) == pytest.approx(12e-4)


def test_a_section_of_given_area_is_a_circle() -> None:
    """Of the same area; without any section, of the radius that suits the picture."""
    for section, radius in (({"area": np.pi * 4e-4}, 0.02), (None, 0.5), ({}, 0.5)):
        flat, smooth = outline(section, 0.5)
        assert smooth
        np.testing.assert_allclose(np.linalg.norm(flat, axis=1), radius)


def test_a_section_that_varies_is_drawn_at_every_node() -> None:
    """A cone along an oblique line; of diameters by groups the mean; where there is none, a tip."""
    points = np.linspace(0.0, 1.0, 5)[:, None] * [0.6, 0.0, 0.8]
    for given, scale in (("0.2 - 0.25*x", 1.0), ({"a": "0.1 - 0.125*x", "b": 0.05}, None)):
        found = tube(points, PIECES[:4], {"shape": "round", "diameter": given}, 1.0)
        radius = np.linalg.norm(found.rest - points[found.node], axis=1)
        wanted = 0.1 - 0.125 * points[found.node, 0]
        if scale is None:
            wanted = (0.05 - 0.0625 * points[found.node, 0] + 0.025) / 2
        np.testing.assert_allclose(radius, wanted, rtol=1e-12)
    pointed = tube(points, PIECES[:4], {"shape": "round", "diameter": "0.1 - x"}, 1.0)
    assert np.ptp(pointed.rest[pointed.node == 4], axis=0).max() == 0.0


def test_lines_go_through_every_piece_once() -> None:
    """A fork has three lines, a ring one, and a line that folds back on itself has its radius."""
    fork = np.array([[0, 1], [2, 1], [1, 3], [3, 4]])
    ring = np.array([[5, 6], [7, 6], [7, 5]])
    lines = chains(np.concatenate([fork, ring]))
    assert sorted(len(line) for line in lines) == [2, 2, 3, 4]
    pairs = [frozenset(pair) for line in lines for pair in zip(line, line[1:], strict=False)]
    assert sorted(map(sorted, pairs)) == sorted(sorted(one) for one in [*fork, *ring])
    points = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 0]])
    folded = tube(points, PIECES[:2], None, 0.1)
    np.testing.assert_allclose(np.linalg.norm(folded.rest - points[folded.node], axis=1), 0.1)


def test_pieces_of_three_nodes() -> None:
    """They are cut in two at the middle node, which is their last."""
    ordered = np.stack([np.arange(0, 40, 2), np.arange(2, 41, 2), np.arange(1, 40, 2)], axis=1)
    three, two = tube(POINTS, ordered, None, 0.02), tube(POINTS, PIECES, None, 0.02)
    np.testing.assert_allclose(three.rest, two.rest)


def test_pieces_of_four_nodes() -> None:
    """Three pieces: the two nodes between the ends come last, in order."""
    first = np.arange(0, 39, 3)
    ordered = np.stack([first, first + 3, first + 1, first + 2], axis=1)
    four, two = tube(POINTS[:40], ordered, None, 0.02), tube(POINTS[:40], PIECES[:39], None, 0.02)
    np.testing.assert_allclose(four.rest, two.rest)


def test_the_radius_follows_the_extent() -> None:
    """It is 0.006 of the diagonal of all bodies together."""
    assert radius_of([np.zeros((1, 3)), np.array([[3.0, 4.0, 0.0]])]) == pytest.approx(0.03)
