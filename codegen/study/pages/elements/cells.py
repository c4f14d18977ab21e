# SPDX-License-Identifier: BSD-3-Clause
"""Reference cells for pictures: corners, edges, faces, and their projection.

The corners are the first nodes of every element on the cell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from flexforge.codegen.elements.field import AnyElement, FieldElement

Place = tuple[float, ...]
Rows = tuple[tuple[int, ...], ...]

_FACES: dict[str, Rows] = {
    "triangle": ((0, 1, 2),),
    "quadrilateral": ((0, 1, 2, 3),),
    "tetrahedron": ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)),
    "pyramid": ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)),
    "wedge": ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
    "hexahedron": (
        (0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7),
    ),
}  # fmt: skip
#: Azimuth and elevation of the view in degrees, chosen to show as many faces as possible.
_EYE = {"tetrahedron": (-22, 22), "wedge": (-22, 32), "pyramid": (-58, 24), "hexahedron": (-58, 22)}


@dataclass(frozen=True)
class View:
    """A view of a cell.

    Attributes
    ----------
    corners : tuple of tuple of float
        Reference coordinates.
    edges : tuple of (int, int)
        The two corners of each edge.
    faces : tuple of tuple of int
        The corners of each face.
    seen : tuple of bool
        Whether each face is visible.
    hidden : tuple of bool
        Whether each edge is hidden.
    axes : tuple of tuple of float
        Directions of the reference axes in the picture, y upwards.
    """

    corners: tuple[Place, ...]
    edges: Rows
    faces: Rows
    seen: tuple[bool, ...]
    hidden: tuple[bool, ...]
    axes: tuple[tuple[float, float], ...]

    def flat(self, place: Sequence[float]) -> tuple[float, float]:
        """Return the position of a point in the picture, y upwards."""
        return (
            sum(x * axis[0] for x, axis in zip(place, self.axes, strict=True)),
            sum(x * axis[1] for x, axis in zip(place, self.axes, strict=True)),
        )

    def part(self, place: Sequence[float]) -> str:
        """Return the kind of a point in words: corner, middle of an edge, face or cell."""
        if any(_near(place, corner) for corner in self.corners):
            return "corner"
        for name, rows in (("middle of an edge", self.edges), ("centre of a face", self.faces)):
            for row in rows:
                if len(row) < len(self.corners) and _near(place, self._middle(row)):
                    return name
        return "centre"

    def _middle(self, row: tuple[int, ...]) -> Place:
        columns = zip(*(self.corners[i] for i in row), strict=True)
        return tuple(sum(column) / len(row) for column in columns)


def _near(one: Sequence[float], other: Sequence[float]) -> bool:
    return max(abs(x - y) for x, y in zip(one, other, strict=True)) < 1e-9


def places_of(element: AnyElement) -> tuple[Place, ...]:
    """Return the reference coordinates of the nodes of the mesh."""
    found = element.places if isinstance(element, FieldElement) else element.nodes
    return tuple(tuple(float(x) for x in place) for place in found)


def view_of(element: AnyElement) -> View:
    """Return the view of the reference cell of an element.

    Parameters
    ----------
    element : Element or FieldElement
        An element of one to three dimensions.
    """
    faces = _FACES.get(element.cell, ())
    count = len({i for face in faces for i in face}) or 2
    corners = places_of(element)[:count]
    edges = ((0, 1),) if not faces else _edges(faces)
    if element.dimension < 3:
        axes = ((1.0, 0.0), (0.0, 1.0))[: element.dimension]
        return View(corners, edges, faces, (True,) * len(faces), (False,) * len(edges), axes)
    azimuth, elevation = (math.radians(angle) for angle in _EYE[element.cell])
    right = (-math.sin(azimuth), math.cos(azimuth), 0.0)
    eye = (
        math.cos(elevation) * math.cos(azimuth),
        math.cos(elevation) * math.sin(azimuth),
        math.sin(elevation),
    )
    up = _cross(eye, right)
    seen = tuple(_dot(_normal(corners, face), eye) > 0 for face in faces)
    hidden = tuple(
        not any(s for face, s in zip(faces, seen, strict=True) if set(edge) <= set(face))
        for edge in edges
    )
    return View(corners, edges, faces, seen, hidden, tuple(zip(right, up, strict=True)))


def _edges(faces: Rows) -> Rows:
    found: dict[tuple[int, ...], None] = {}
    for face in faces:
        for pair in pairwise((*face, face[0])):
            found.setdefault(tuple(sorted(pair)))
    return tuple(found)


def _normal(corners: Sequence[Place], face: tuple[int, ...]) -> Place:
    """Return the outward normal of a face; faces are oriented that way."""
    a, b, c = (corners[i] for i in face[:3])
    return _cross(
        [y - x for x, y in zip(a, b, strict=True)], [y - x for x, y in zip(a, c, strict=True)]
    )


def _cross(a: Sequence[float], b: Sequence[float]) -> Place:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))
