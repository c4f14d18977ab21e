# SPDX-License-Identifier: BSD-3-Clause
"""Edges of blocks that are arcs, and what they move within the block."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mesh.cells import CELLS

#: Arcs of a block: the place of a point on each, by its edge, whose corners count from 0.
Arcs = Mapping[tuple[int, int], Floats]

#: The cell type of the unit line, square or cube.
CUBES = {1: "line2", 2: "quad4", 3: "hex8"}


def bent_by(arcs: Arcs, corner: Floats, unit: Floats, key: str) -> Floats:
    """Return how far arcs move the points of a block from where straight edges have them.

    The distance of an arc from its chord is blended linearly with the distance from the edge
    (transfinite interpolation: Gordon and Hall, Int. J. Numer. Methods Eng. 7, 1973), so that the
    faces of two blocks with the same edges are the same.

    Parameters
    ----------
    arcs : mapping
        The arcs.
    corner : ndarray, (2 or 4, 2 or 3) or (8, 3)
        Corners of the block.
    unit : ndarray, (n, dim)
        Places in the unit line, square or cube.
    key : str
        Key of the block, for messages.

    Returns
    -------
    ndarray, (n, 3)

    Raises
    ------
    InputError
        If two corners have no edge between them, or no circle goes through the three points.
    """
    reference = 0.5 * (np.array(CELLS[CUBES[unit.shape[1]]].reference) + 1.0)
    placed = _spatial(corner)
    moved = np.zeros((len(unit), 3))
    for number, ((a, b), through) in enumerate(arcs.items()):
        where = f"{key}.arcs[{number}]"
        along = np.flatnonzero(reference[a] != reference[b])
        if len(along) != 1:
            raise InputError(
                f"{where}.corners: found {a + 1} and {b + 1}, which have no edge between them; "
                f"expected one of {', '.join(_edges(reference))}"
            )
        axis = int(along[0])
        t = unit[:, axis] if reference[b, axis] == 1.0 else 1.0 - unit[:, axis]
        others = [other for other in range(unit.shape[1]) if other != axis]
        near = np.abs(1.0 - reference[a, others] - unit[:, others]).prod(axis=1)
        arc = _arc(placed[a], _spatial(through[None])[0], placed[b], t, where)
        chord = placed[a] + t[:, None] * (placed[b] - placed[a])
        moved += near[:, None] * (arc - chord)
    return moved


def _spatial(points: Floats) -> Floats:
    """Return points of a plane or of space in space, (n, 3)."""
    return np.pad(points, ((0, 0), (0, 3 - points.shape[1])))


def _edges(reference: Floats) -> list[str]:
    """Return the edges of a block in words."""
    count = len(reference)
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    return [f"{a + 1}-{b + 1}" for a, b in pairs if abs(reference[a] - reference[b]).sum() == 1.0]


def _arc(begin: Floats, through: Floats, end: Floats, t: Floats, where: str) -> Floats:
    """Return points of the arc from begin to end at shares t of its angle, (n, 3)."""
    first, last = through - begin, end - begin
    normal = np.cross(first, last)
    area = normal @ normal
    if area <= 1e-20 * (first @ first) * (last @ last):
        raise InputError(
            f"{where}.through: found {through.tolist()}, which is on the straight line through its "
            "corners; expected a point beside it"
        )
    # The centre of the circle through three points, from the first of them.
    centre = begin + np.cross((last @ last) * normal, first) / (2.0 * area)
    centre -= np.cross((first @ first) * normal, last) / (2.0 * area)
    ahead = begin - centre
    aside = np.cross(normal / np.sqrt(area), ahead)
    angle = np.arctan2((end - centre) @ aside, (end - centre) @ ahead) % (2.0 * np.pi)
    return centre + np.cos(angle * t)[:, None] * ahead + np.sin(angle * t)[:, None] * aside
