# SPDX-License-Identifier: BSD-3-Clause
"""Cells across a shaft of solids: a square in the middle, rings around it, all with curved sides.

Every step of the shaft takes some of them, so that neighbours share nodes whatever their diameters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints

_SQUARE = 0.55  # distance of the corners of the square from the axis, relative to the first circle


@dataclass(frozen=True, slots=True)
class CrossSection:
    """Quadratic cells of a plane around the axis.

    Attributes
    ----------
    points : ndarray, (n, 2)
        Nodes, m.
    cells : ndarray, (c, 8)
        Corners, then the middles of the sides after each of them.
    reach : ndarray, (c, 2)
        Least and largest radius of every cell; of those within the first circle 0 and its radius.
    """

    points: Floats
    cells: Ints
    reach: Floats


def cross_section(radii: Floats, around: int) -> CrossSection:
    """Return the cells between the axis and the largest of some circles.

    Parameters
    ----------
    radii : ndarray, (r,)
        Radii of circles that are sides of cells, ascending, m.
    around : int
        Number of cells around the axis, a multiple of 4.
    """
    circles = [radii[0]]
    for inner, outer in zip(radii, radii[1:], strict=False):
        count = max(1, round((outer - inner) * around / (np.pi * (inner + outer))))
        circles += np.linspace(inner, outer, count + 1)[1:].tolist()
    corners, quads, reach = _core(radii[0], around // 4)
    first = len(corners) - around
    rings = [corners[first:] * (radius / radii[0]) for radius in circles[1:]]
    step = np.arange(around)
    for number, (inner, outer) in enumerate(zip(circles, circles[1:], strict=False)):
        low = first + number * around + step
        high = low + around
        then = np.roll(np.arange(around), -1) - step
        quads.append(np.column_stack([low, high, high + then, low + then]))
        reach += [(inner, outer)] * around
    points = np.concatenate([corners, *rings])
    cells = np.concatenate(quads)
    return CrossSection(*_with_middles(points, cells, radii[0]), np.array(reach))


def _core(radius: float, side: int) -> tuple[Floats, list[Ints], list[tuple[float, float]]]:
    """Return nodes and cells within the first circle; the last nodes are those on it."""
    places = np.linspace(-1.0, 1.0, side + 1)
    half = _SQUARE * radius / np.sqrt(2.0)
    square = half * np.stack(np.meshgrid(places, places, indexing="ij"), axis=-1).reshape(-1, 2)
    number = np.arange((side + 1) ** 2).reshape(side + 1, side + 1)
    inner = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1)
    # Anticlockwise from the corner at -45 degrees.
    edge = np.concatenate([number[-1, :-1], number[:0:-1, -1], number[0, :0:-1], number[:-1, 0]])
    count = 4 * side
    layers = max(1, round(side / 2))
    angles = -0.25 * np.pi + 2.0 * np.pi * np.arange(count) / count
    circle = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    points, quads, low = [square], [inner.reshape(-1, 4)], edge
    for layer in range(1, layers + 1):
        part = layer / layers
        points.append((1.0 - part) * square[edge] + part * circle)
        high = len(square) + (layer - 1) * count + np.arange(count)
        quads.append(np.column_stack([low, high, np.roll(high, -1), np.roll(low, -1)]))
        low = high
    reach = [(0.0, radius)] * sum(map(len, quads))
    return np.concatenate(points), quads, reach


def _with_middles(points: Floats, cells: Ints, core: float) -> tuple[Floats, Ints]:
    """Return nodes and cells with the middles of sides, from the first circle on along circles."""
    ends = np.sort(np.stack([cells, np.roll(cells, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    sides, which = np.unique(ends, axis=0, return_inverse=True)
    both = points[sides]
    middles = both.mean(axis=1)
    distances = np.linalg.norm(both, axis=2)
    outside = (distances >= core * (1.0 - 1e-9)).all(axis=1)
    wanted, found = distances[outside].mean(axis=1), np.linalg.norm(middles[outside], axis=1)
    middles[outside] *= (wanted / found)[:, None]
    further = len(points) + which.reshape(cells.shape)
    return np.concatenate([points, middles]), np.hstack([cells, further])
