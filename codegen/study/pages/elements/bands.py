# SPDX-License-Identifier: BSD-3-Clause
"""Values on a face as bands of color between contours at intervals of one tenth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from flexforge.codegen.study.pages.elements.svg import Drawing, Spot

Place = tuple[float, ...]
#: Cells of the grid along the side of a face.
GRID = 8
#: Contours per unit.
STEPS = 10
_ABOVE = ((255, 255, 255), (253, 208, 132), (232, 110, 50), (150, 20, 30))
_BELOW = ((255, 255, 255), (120, 175, 220), (25, 85, 160))


def color(band: int) -> str:
    """Return the color of the values from ``band`` to ``band + 1`` steps."""
    middle = (band + 0.5) / STEPS
    stops = _ABOVE if middle > 0 else _BELOW
    # Negative values of shape functions are small: their colors are spent on half a unit.
    place = min(abs(middle) * (1 if middle > 0 else 2), 1.0) * (len(stops) - 1)
    first = min(int(place), len(stops) - 2)
    share = place - first
    mixed = [
        round(a + share * (b - a)) for a, b in zip(stops[first], stops[first + 1], strict=True)
    ]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def paint(
    drawing: Drawing,
    corners: Sequence[Place],
    value: Callable[..., float],
    to: Callable[[Place], Spot],
) -> set[int]:
    """Paint a face and return its bands.

    Parameters
    ----------
    drawing : Drawing
        The drawing.
    corners : sequence of tuple
        Reference coordinates of the three or four corners of the face.
    value : callable
        The function of the reference coordinates.
    to : callable
        Maps reference coordinates to the picture.
    """
    pieces: dict[int, list[list[Spot]]] = {}
    for patch in _patches(corners):
        here = [_sample(place, value, to) for place in patch]
        low = min(v for _, v in here)
        high = max(v for _, v in here)
        if math.floor(low) == math.ceil(high) - 1 or low == high:
            pieces.setdefault(min(math.floor(low), STEPS - 1), []).append([s for s, _ in here])
            continue
        for triangle in _triangles(here, _sample(_middle(patch), value, to)):
            for band, spots in _bands(triangle):
                pieces.setdefault(band, []).append(spots)
    for band in sorted(pieces):
        drawing.area(pieces[band], color(band))
    return set(pieces)


def _sample(
    place: Place, value: Callable[..., float], to: Callable[[Place], Spot]
) -> tuple[Spot, float]:
    return to(place), _clean(value(*place))


def _middle(places: Sequence[Place]) -> Place:
    return tuple(sum(column) / len(places) for column in zip(*places, strict=True))


def _triangles(
    patch: list[tuple[Spot, float]], middle: tuple[Spot, float]
) -> list[list[tuple[Spot, float]]]:
    """Return a triangle unchanged, and a quadrilateral as four triangles around its centre."""
    if len(patch) == 3:
        return [patch]
    return [[a, b, middle] for a, b in zip(patch, patch[1:] + patch[:1], strict=True)]


def _clean(value: float) -> float:
    """Return a value in steps, snapped to a contour within rounding."""
    scaled = value * STEPS
    return float(round(scaled)) if abs(scaled - round(scaled)) < 1e-7 else scaled


def _patches(corners: Sequence[Place]) -> Iterator[list[Place]]:
    """Yield the small cells of a face."""
    shares = [k / GRID for k in range(GRID + 1)]
    steps = range(GRID)
    if len(corners) == 4:
        for i in steps:
            for j in steps:
                at = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
                yield [_inside(corners, _bilinear(shares[a], shares[b])) for a, b in at]
        return
    for i in steps:
        for j in range(GRID - i):
            halves = [((i, j), (i + 1, j), (i, j + 1))]
            if i + j < GRID - 1:
                halves.append(((i + 1, j), (i + 1, j + 1), (i, j + 1)))
            for half in halves:
                yield [_inside(corners, _linear(a, b)) for a, b in half]


def _bilinear(a: float, b: float) -> tuple[float, ...]:
    return (1 - a) * (1 - b), a * (1 - b), a * b, (1 - a) * b


def _linear(i: int, j: int) -> tuple[float, ...]:
    return (GRID - i - j) / GRID, i / GRID, j / GRID


def _inside(corners: Sequence[Place], shares: tuple[float, ...]) -> Place:
    columns = zip(*corners, strict=True)
    return tuple(sum(s * x for s, x in zip(shares, column, strict=True)) for column in columns)


def _bands(triangle: list[tuple[Spot, float]]) -> Iterator[tuple[int, list[Spot]]]:
    """Yield the parts of a triangle between neighbouring contours."""
    low = math.floor(min(v for _, v in triangle))
    high = math.ceil(max(v for _, v in triangle))
    for band in range(low, max(high, low + 1)):
        part = _cut(_cut(triangle, float(band), 1.0), float(band + 1), -1.0)
        if len(part) > 2:
            yield min(band, STEPS - 1), [spot for spot, _ in part]


def _cut(part: list[tuple[Spot, float]], level: float, sign: float) -> list[tuple[Spot, float]]:
    """Return the part of a polygon above a level (sign 1) or below it (-1)."""
    kept: list[tuple[Spot, float]] = []
    for (spot, v), (after, w) in zip(part, part[1:] + part[:1], strict=True):
        here, there = sign * (v - level), sign * (w - level)
        if here >= 0:
            kept.append((spot, v))
        if here * there < 0:
            share = here / (here - there)
            x = spot[0] + share * (after[0] - spot[0])
            y = spot[1] + share * (after[1] - spot[1])
            kept.append(((x, y), level))
    return kept
