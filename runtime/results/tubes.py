# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of lines as drawable surfaces: thin round tubes, or ribbons in the plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.results.picture import Shown

#: Angle between neighbouring faces is 30 degrees, which pictures shade as smooth.
_SIDES = 12
#: Radius as a fraction of the diagonal of the whole picture.
SHARE = 0.006
#: Length of a vector, relative to one, that counts as zero.
_LEAST = 1e-3


def tube(body: Shown, radius: float, *, flat: bool) -> Shown:
    """Return the surface that represents a body of lines.

    Parameters
    ----------
    body : Shown
        Lines of two nodes, or of three with the middle one last.
    radius : float
        Radius of the tube, or half the width of the ribbon, m.
    flat : bool
        Whether all bodies are in the plane z = 0.
    """
    pieces = body.connectivity
    if pieces.shape[1] == 3:
        pieces = np.concatenate([pieces[:, [0, 2]], pieces[:, [2, 1]]])
    lines = chains(pieces)
    around = _ribbon if flat else _round
    rings = [around(body.points[line], radius) for line in lines]
    moved = [around(body.deformed[line], radius) for line in lines]
    width = rings[0].shape[1]
    nodes = np.repeat(np.concatenate(lines), width)
    starts = np.cumsum([0, *(len(line) * width for line in lines[:-1])])
    quads = [
        _quads(len(line), width, closed=not flat) + start
        for line, start in zip(lines, starts, strict=True)
    ]
    return Shown(
        "quad4",
        np.concatenate(quads),
        np.concatenate(rings).reshape(-1, 3),
        np.concatenate(moved).reshape(-1, 3),
        body.values[nodes],
        None if flat else body.points[pieces],  # the edges of tubes are only their ends
    )


def chains(pieces: Ints) -> list[Ints]:
    """Return lines of nodes through pieces of two nodes each, every piece once.

    A line continues through a node of two pieces and ends at any other.
    """
    at: dict[int, list[int]] = {}
    for number, piece in enumerate(pieces.tolist()):
        for node in piece:
            at.setdefault(node, []).append(number)
    ends = [node for node, numbers in at.items() if len(numbers) != 2]
    left = set(range(len(pieces)))
    return [
        np.array(_follow(start, number, pieces, at, left))
        for start in (*ends, *at)  # rings have no ends: they start anywhere
        for number in at[start]
        if number in left
    ]


def _follow(
    node: int, piece: int, pieces: Ints, at: dict[int, list[int]], left: set[int]
) -> list[int]:
    """Return the nodes of a line that starts with a piece, and remove its pieces."""
    line = [node]
    while True:
        left.discard(piece)
        first, second = pieces[piece].tolist()
        node = second if node == first else first
        line.append(node)
        further = [number for number in at[node] if number in left]
        if len(at[node]) != 2 or not further:
            return line
        piece = further[0]


def _tangents(points: Floats) -> Floats:
    """Return unit tangents of a line at its nodes, along the sum of the adjacent pieces.

    Where the line turns back on itself, the tangent is along the preceding piece.
    """
    along = _unit(np.diff(points, axis=0))
    padded = np.concatenate([along[:1], along, along[-1:]])
    total = padded[:-1] + padded[1:]
    back = np.linalg.norm(total, axis=1, keepdims=True) < _LEAST
    return _unit(np.where(back, padded[:-1], total))


def _round(points: Floats, radius: float) -> Floats:
    """Return rings about the nodes of a line, (n, sides, 3), without twist along it."""
    tangents = _tangents(points)
    across = np.empty_like(tangents)
    axis = np.eye(3)[np.argmin(np.abs(tangents[0]))]
    for k, tangent in enumerate(tangents):
        before = across[k - 1] if k else axis
        sideways = before - before @ tangent * tangent
        if np.linalg.norm(sideways) < _LEAST:  # the line turns by a right angle
            sideways = np.cross(tangent, np.eye(3)[np.argmin(np.abs(tangent))])
        across[k] = sideways / np.linalg.norm(sideways)
    third = np.cross(tangents, across)
    angles = 2 * np.pi * np.arange(_SIDES) / _SIDES
    around = np.cos(angles)[:, None] * across[:, None] + np.sin(angles)[:, None] * third[:, None]
    return np.asarray(points[:, None] + radius * around)


def _ribbon(points: Floats, radius: float) -> Floats:
    """Return the two edges of a ribbon in the plane, (n, 2, 3)."""
    tangents = _tangents(points)
    across = np.stack([-tangents[:, 1], tangents[:, 0], np.zeros(len(points))], axis=1)
    return np.stack([points - radius * across, points + radius * across], axis=1)


def _quads(count: int, width: int, *, closed: bool) -> Ints:
    """Return quadrilaterals between ``count`` rings of nodes."""
    corner = np.arange(width if closed else width - 1)
    following = (corner + 1) % width
    one = np.stack([corner, corner + width, following + width, following], axis=1)
    each = one[None] + width * np.arange(count - 1)[:, None, None]
    return np.asarray(each.reshape(-1, 4), dtype=np.int64)


def radius_of(points: Sequence[Floats]) -> float:
    """Return a suitable radius for the picture, m."""
    return SHARE * float(np.linalg.norm(np.ptp(np.concatenate(points), axis=0)))


def _unit(vectors: Floats) -> Floats:
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(size > 0, size, 1.0))
