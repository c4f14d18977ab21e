# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of lines as surfaces: their sections drawn along them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.results.surface import Surface

#: Sides of the polygon that stands for a round section.
_SIDES = 12
#: Radius of lines without a section, as a fraction of the diagonal of the whole picture.
SHARE = 0.006
#: Corners of an I: of its lower flange, its web and its upper flange.
_I_PARTS = ((0, 1, 10, 11), (2, 3, 8, 9), (4, 5, 6, 7))
#: Length of a vector, relative to one, that counts as zero.
_LEAST = 1e-3


def outline(section: Mapping[str, Any] | None, radius: float) -> tuple[Floats, bool]:
    """Return the outline of a section.

    Parameters
    ----------
    section : mapping, optional
        As in the model file.
    radius : float
        Of the circle for a body without a section, m.

    Returns
    -------
    points : ndarray, (k, 2)
        Local y and z, m.
    smooth : bool
        Whether it is round.
    """
    section = section or {}
    shape = section.get("shape")
    offset = np.asarray(section.get("offset", (0.0, 0.0)), dtype=float)
    if shape == "rectangle":
        w, h = 0.5 * section["width"], 0.5 * section["height"]
        return offset + np.array([[w, h], [-w, h], [-w, -h], [w, -h]]), False
    if shape == "I":
        w, h = 0.5 * section["width"], 0.5 * section["height"]
        t, f = 0.5 * section["web"], h - section["flange"]
        right = [[w, -h], [w, -f], [t, -f], [t, f], [w, f], [w, h]]
        return offset + np.array([*right, *([-y, -z] for y, z in right)]), False
    if "diameter" in section:
        radius = 0.5 * section["diameter"]
    elif "area" in section:  # a circle of the same area: the shape is unknown
        radius = float(np.sqrt(section["area"] / np.pi))
    angles = 2 * np.pi * np.arange(_SIDES) / _SIDES
    return offset + radius * np.column_stack([np.cos(angles), np.sin(angles)]), True


def outlines(
    section: Mapping[str, Any] | None, radius: float, points: Floats
) -> tuple[Floats, bool]:
    """Return the outlines of a section at points, (1, k, 2) or (n, k, 2), and whether it is round.

    Of dimensions that groups of cells have, the picture shows the mean.

    Parameters
    ----------
    section, radius
        As of :func:`outline`.
    points : ndarray, (n, 3)
        The points, m.
    """
    given = section or {}
    varying = {
        key: _along(value, points)
        for key, value in given.items()
        if key != "shape" and isinstance(value, str | dict)
    }
    each = [
        outline({**given, **{key: float(value[n]) for key, value in varying.items()}}, radius)
        for n in range(len(points) if varying else 1)
    ]
    return np.stack([flat for flat, _ in each]), each[0][1]


def _along(given: str | float | Mapping[str, Any], points: Floats) -> Floats:
    """Return a dimension at points, (n,), m; zero where a formula is below it, off its cells."""
    if isinstance(given, Mapping):
        return np.asarray(np.mean([_along(one, points) for one in given.values()], axis=0))
    x, y, z = points.T
    try:
        found = parse_expression(str(given), ("x", "y", "z"))(x=x, y=y, z=z)
    except InputError:  # it has no value somewhere, perhaps off the cells of its group
        return np.zeros(len(points))
    return np.maximum(np.broadcast_to(found, x.shape), 0.0)


def tube(
    points: Floats,
    connectivity: Ints,
    section: Mapping[str, Any] | None,
    radius: float,
) -> Surface:
    """Return the surface of a body of lines.

    Parameters
    ----------
    points : ndarray, (n, 3)
        Undeformed points, m.
    connectivity : ndarray of int, (n_cells, nodes)
        Lines of two or more nodes, with those between the ends last.
    section : mapping, optional
        Its section, as in the model file; its orientation is a direction in the plane of the axis
        and the local axis y.
    radius : float
        Of the circle for a body without a section, m.
    """
    along = [0, *range(2, connectivity.shape[1]), 1]
    pieces = np.concatenate([connectivity[:, pair] for pair in pairwise(along)])
    flat, smooth = outlines(section, radius, points)
    size = flat.shape[1]
    corner, sides = np.arange(size), np.roll(np.arange(size), -1)
    if not smooth:  # two vertices per corner, so that shading shows it
        flat, size = np.repeat(flat, 2, axis=1), 2 * size
        corner, sides = 2 * corner + 1, 2 * sides
    across = np.asarray((section or {}).get("orientation", (0.0, 1.0, 0.0)), dtype=float)
    rest, node, triangles, edges, first = [], [], [], [], 0
    for line in chains(pieces):
        ring = _rings(points[line], flat[line] if len(flat) > 1 else flat, across)
        rest.append(ring.reshape(-1, 3))
        node.append(np.repeat(line, size))
        triangles.append(first + _triangles(len(line), size, corner, sides))
        start = first + size * (len(line) - 1)
        caps = [first + _cap(corner)[:, ::-1], start + _cap(corner)]
        if line[0] != line[-1]:
            triangles += caps
            edges += [np.stack([at + corner, at + sides], axis=1) for at in (first, start)]
        first += ring.shape[0] * ring.shape[1]
    none = np.empty((0, 2), dtype=np.int64)
    return Surface(
        np.concatenate(rest), np.concatenate(node), np.concatenate(triangles),
        np.concatenate([none, *edges]),
    )  # fmt: skip


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


def _rings(points: Floats, flat: Floats, orientation: Floats) -> Floats:
    """Return outlines (1, k, 2) or (n, k, 2) about the nodes of a line, (n, k, 3)."""
    tangents = _tangents(points)
    sideways = orientation - (tangents @ orientation)[:, None] * tangents
    along = np.linalg.norm(sideways, axis=1) < _LEAST * (np.linalg.norm(orientation) or 1.0)
    other = np.eye(3)[np.abs(tangents).argmin(axis=1)]  # where the orientation is along the axis
    other = other - np.einsum("nc,nc->n", other, tangents)[:, None] * tangents
    y = _unit(np.where(along[:, None], other, sideways))
    z = np.cross(tangents, y)
    spread = flat[:, :, :1] * y[:, None] + flat[:, :, 1:] * z[:, None]
    return np.asarray(points[:, None] + spread)


def _triangles(count: int, width: int, corner: Ints, side: Ints) -> Ints:
    """Return triangles between ``count`` rings of vertices."""
    both = [corner, side, side + width], [corner, side + width, corner + width]
    one = np.concatenate([np.stack(part, axis=1) for part in both])
    each = one[None] + width * np.arange(count - 1)[:, None, None]
    return np.asarray(each.reshape(-1, 3), dtype=np.int64)


def _cap(corner: Ints) -> Ints:
    """Return the triangles of a section at the end; of an I, which is concave, part by part."""
    smooth = corner[0] == 0
    parts = [corner] if smooth or len(corner) == 4 else [corner[list(one)] for one in _I_PARTS]
    fans = [[(p[0], p[i], p[i + 1]) for i in range(1, len(p) - 1)] for p in parts]
    return np.concatenate([np.array(fan, dtype=np.int64) for fan in fans])


def radius_of(points: Sequence[Floats]) -> float:
    """Return a suitable radius for the picture, m."""
    return SHARE * float(np.linalg.norm(np.ptp(np.concatenate(points), axis=0)))


def _unit(vectors: Floats) -> Floats:
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(size > 0, size, 1.0))
