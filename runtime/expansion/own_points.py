# SPDX-License-Identifier: BSD-3-Clause
"""Points of solids of beams and plies, which fill a part of their cells or are in single rows.

The cell fills the outline of a hollow section. A cell of 20 nodes along a line has two of Gauss's
points in each fibre of the section. Fibres of a tube are eight on the circle with the radius of
gyration of its wall about a diameter, times the square root of two, which gives area and second
moments exactly. Those of a box are five in each wall, on its middle line from the middle line of
one neighbour to that of the other, with the weights of Simpson's rule twice. A ply has two points
along every direction. The cells of other beams are in rows, in which two points across would leave
motions without strain: there are five by Kronrod's extension of Gauss's two, which come first.
Source: CalculiX CrunchiX 2.20, its user's manual on beam and shell sections, with the same points.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_section import SectionSpec

_FIBRES = 8
_SIMPSON = np.array([1.0, 4.0, 2.0, 4.0, 1.0]) / 12.0
_GAUSS = float(1.0 / np.sqrt(3.0))
#: Kronrod's five points that contain Gauss's two, with their weights, exact to degree 7.
_OUTER = float(np.sqrt(6.0 / 7.0))
_KRONROD = {-_OUTER: 98.0 / 495.0, -_GAUSS: 27.0 / 55.0, 0.0: 28.0 / 45.0, _GAUSS: 27.0 / 55.0,
            _OUTER: 98.0 / 495.0}  # fmt: skip


def own_points(body: BodySpec) -> tuple[str, Floats, Floats] | None:
    """Return the points of the cells of a body that has its own, and their weights.

    Parameters
    ----------
    body : BodySpec
        Solids of beams and plies; others have the points of their element.

    Returns
    -------
    word : str
        What the body is.
    points : ndarray, (q, 3)
        Reference coordinates of a hexahedron.
    weights : ndarray, (q,)
        Their sum is 8 times the share of the cell that is filled.
    """
    if body.layer is not None:
        return "ply", *_of_ply(*body.layer)
    if body.hollow is not None:
        return str(body.hollow.shape), *_of_section(body.hollow)
    return ("row", *_of_row()) if body.in_rows else None


def _of_row() -> tuple[Floats, Floats]:
    """Return two points along a row and five by five across: first Gauss's, then the others."""
    gauss = [-_GAUSS, _GAUSS]
    inner = [(x, y, z) for z in gauss for y in gauss for x in gauss]
    outer = [(x, y, z) for x in gauss for z in _KRONROD for y in _KRONROD
             if not {y, z} <= {-_GAUSS, _GAUSS}]  # fmt: skip
    points = np.array([*inner, *outer])
    weights = [_KRONROD[y] * _KRONROD[z] for _, y, z in (*inner, *outer)]
    return points, np.array(weights)


def _of_ply(begin: float, end: float) -> tuple[Floats, Floats]:
    """Return the points of a ply between two shares of the thickness, the last axis fastest.

    Shares that differ by round-off are one, so that equal plies have one element between them.
    """
    begin, end = round(begin, 12), round(end, 12)
    points = np.array(list(product([-_GAUSS, _GAUSS], repeat=3)))
    points[:, 2] = begin + end - 1.0 + points[:, 2] * (end - begin)
    return points, np.full(len(points), end - begin)


def _of_section(section: SectionSpec) -> tuple[Floats, Floats]:
    """Return the points of a hollow section, fibre by fibre, first those of the beginning.

    They are along the line, against the local z, along the local y.
    """
    y, z, area = _tube(section) if section.shape == "tube" else _box(section)
    ends = np.repeat([-_GAUSS, _GAUSS], len(y))
    points = np.column_stack([ends, np.tile(-z, 2), np.tile(y, 2)])
    return points, np.tile(4.0 * area, 2)


def _tube(section: SectionSpec) -> tuple[Floats, Floats, Floats]:
    """Return the places of fibres in halves of the outline, and their shares of its area."""
    diameter, wall = (float(section.sizes[name]) for name in ("diameter", "wall"))
    inner = ((diameter - 2.0 * wall) / diameter) ** 2
    # The first fibre is at -z, the next one towards +y.
    angle = np.arange(_FIBRES) * 2.0 * np.pi / _FIBRES
    radius = np.sqrt(0.5 * (1.0 + inner))
    area = np.full(_FIBRES, 0.25 * np.pi * (1.0 - inner) / _FIBRES)
    return radius * np.sin(angle), -radius * np.cos(angle), area


def _box(section: SectionSpec) -> tuple[Floats, Floats, Floats]:
    """Return the same of a box: walls from the corner at +y and -z on, corners in two walls."""
    width, height = (float(section.sizes[name]) for name in ("width", "height"))
    assert section.walls is not None
    right, top, left, bottom = section.walls
    y = np.array([1.0 - right / width, left / width - 1.0])
    z = np.array([1.0 - top / height, bottom / height - 1.0])
    corners = np.array([[y[0], z[1]], [y[0], z[0]], [y[1], z[0]], [y[1], z[1]]])
    lengths = 0.5 * np.array([height, width, height, width])
    thickness = np.array([right, top, left, bottom])
    places, shares = np.zeros((16, 2)), np.zeros(16)
    for side in range(4):
        begin, end = corners[side], corners[(side + 1) % 4]
        own = 4 * side + np.arange(5)
        places[own % 16] = begin + np.linspace(0.0, 1.0, 5)[:, None] * (end - begin)
        length = np.abs(end - begin).max() * lengths[side]
        shares[own % 16] += _SIMPSON * length * thickness[side] / (width * height)
    return places[:, 0], places[:, 1], shares
