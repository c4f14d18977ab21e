# SPDX-License-Identifier: BSD-3-Clause
"""Narrow shells that bend in their plane, where their elements are too stiff.

The membrane strain of dkt3 is constant: it locks when a narrow part bends in its plane, most of all
where that part is curved. MacNeal and Harder's curved beam (Finite Elements in Analysis and Design
1, 1985), loaded in its plane, reaches 59 % of its deflection with 48 x 4 x 2 elements dkt3. mitc4
and dkt3d represent such bending.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.system.body import Body

_STIFF = ("dkt3", "dkt3_laminate")
_NARROW = 8  # number of elements across below which a part is a strip
_CORNER = np.radians(40.0)  # change of direction from which on two edges form a corner
_CURVED = np.radians(20.0)  # total change of direction in the plane from which on a strip is curved


def strip_remark(body: Body) -> str | None:
    """Return the warning for a curved strip of shells; None for other bodies.

    Parameters
    ----------
    body : Body
        Any body.
    """
    if body.element not in _STIFF:
        return None
    cells, points = np.asarray(body.part.connectivity), body.part.points
    edges, inner = _boundary(cells)
    across = _across(cells, np.unique(edges))
    turned = _turned(edges, points, _normals(cells, points), cells, inner)
    if across >= _NARROW or turned < _CURVED:
        return None
    return (
        f"body '{body.name}': a strip of {across} elements across, curved in its plane by "
        f"{np.degrees(turned):.0f} degrees: bending in its plane comes out too stiff; expected "
        f"{_NARROW} elements across or more, dkt3d, mitc4, or beams"
    )


def _boundary(cells: Ints) -> tuple[Ints, Ints]:
    """Return the edges that belong to one cell only, (B, 2), and the cell of each."""
    n = cells.shape[1]
    edges = np.stack([cells, np.roll(cells, -1, axis=1)], axis=2).reshape(-1, 2)
    _, first, counts = np.unique(
        np.sort(edges, axis=1), axis=0, return_index=True, return_counts=True
    )
    alone = np.sort(first[counts == 1])
    return edges[alone], alone // n


def _across(cells: Ints, border: Ints) -> int:
    """Return the largest number of elements from border to border."""
    near = np.zeros(int(cells.max()) + 1, dtype=bool)
    near[border] = True
    rings = 0
    while not near[cells].all():
        near[np.unique(cells[near[cells].any(axis=1)])] = True
        rings += 1
    return max(2 * rings, 1)


def _normals(cells: Ints, points: Floats) -> Floats:
    """Return the unit normals of cells."""
    normal = np.cross(
        points[cells[:, 2]] - points[cells[:, 0]], points[cells[:, -1]] - points[cells[:, 1]]
    )
    return np.asarray(normal / np.linalg.norm(normal, axis=1, keepdims=True))


def _turned(edges: Ints, points: Floats, normals: Floats, cells: Ints, inner: Ints) -> float:
    """Return the rotation of a border about the normal of its shell, without corners, rad.

    The mean of left and right turns: a strip has both.
    """
    tangent = points[edges[:, 1]] - points[edges[:, 0]]
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    ends = {int(node): i for i, node in enumerate(edges[:, 0])}
    following = np.array([ends.get(int(node), -1) for node in edges[:, 1]])
    known = following >= 0
    here, there = tangent[known], tangent[following[known]]
    about = normals[inner[known]]
    sine = np.einsum("ij,ij->i", np.cross(here, there), about)
    angle = np.arctan2(sine, np.einsum("ij,ij->i", here, there))
    smooth = angle[np.abs(angle) < _CORNER]
    left, right = smooth[smooth > 0.0].sum(), -smooth[smooth < 0.0].sum()
    return float(0.5 * (left + right))
