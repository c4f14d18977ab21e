# SPDX-License-Identifier: BSD-3-Clause
"""The mesh of a shaft: lines along its axis, or solids around it with points on the axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.from_arrays import mesh_from_arrays
from flexforge.runtime.mesh.mesh import Mesh
from flexforge.runtime.model.schema_shaft import ShaftSpec
from flexforge.runtime.motion.rotation import across
from flexforge.runtime.shafts.layout import Slice, node_at, nodes, slices
from flexforge.runtime.shafts.section import CrossSection, cross_section
from flexforge.runtime.shafts.tables import alike, materials, parts, points

_CLOSE = 1e-9  # relative distance of two radii that are one


def shaft_mesh(shaft: ShaftSpec) -> Mesh:
    """Return the mesh of a shaft, whose groups are named without the name of the shaft."""
    each = slices(shaft)
    return _lines(shaft, each) if shaft.made_of == "beams" else _solids(shaft, each)


def _lines(shaft: ShaftSpec, each: list[Slice]) -> Mesh:
    places = nodes(each)
    cells = np.column_stack([np.arange(len(each)), np.arange(1, len(each) + 1)])
    groups: dict[str, Any] = {
        name: np.array([node_at(places, place)]) for name, place in points(shaft).items()
    }
    for name, like in parts(each).items():
        of = alike(like)
        groups[name] = {"line2": np.array([alike(other) == of for other in each])}
    axis = np.array(shaft.start) + places[:, None] * np.array(shaft.axis)
    return mesh_from_arrays(axis, {"line2": cells}, groups)


def _solids(shaft: ShaftSpec, each: list[Slice]) -> Mesh:
    """Return quadratic hexahedra: the cells across, from every place along the axis to the next."""
    across_ = cross_section(_radii(each), shaft.around)
    places = nodes(each)
    count, corners = len(across_.points), across_.cells[:, :4].max() + 1
    level = count + corners  # nodes of a place along the axis, and those halfway to the next
    cells, named = [], []
    for number, one in enumerate(each):
        for chosen, material in _chosen(across_, one):
            flat = across_.cells[chosen]
            low, middle = number * level, number * level + count
            high = low + level
            cells.append(
                np.hstack(
                    [
                        flat[:, :4] + low,
                        flat[:, :4] + high,
                        flat[:, 4:] + low,
                        flat[:, 4:] + high,
                        flat[:, :4] + middle,
                    ]
                )  # fmt: skip
            )
            named += [material] * len(flat)
    connectivity = np.concatenate(cells)
    used, renumbered = np.unique(connectivity, return_inverse=True)
    heights = np.concatenate([places, 0.5 * (places[1:] + places[:-1])])
    z = np.empty(len(each) * level + count)
    flat_points = np.empty((len(z), 2))
    for number in range(len(places)):
        at = slice(number * level, number * level + count)
        z[at], flat_points[at] = heights[number], across_.points
        if number < len(each):
            at = slice(number * level + count, (number + 1) * level)
            z[at], flat_points[at] = heights[len(places) + number], across_.points[:corners]
    solid = _placed(shaft, flat_points[used], z[used])
    named_points = points(shaft)
    on_axis = np.array(list(named_points.values())).reshape(-1, 1) * np.array(shaft.axis)
    groups: dict[str, Any] = {}
    for i, (name, place) in enumerate(named_points.items()):
        outer = 0.5 * shaft.outer(place) * (1.0 + _CLOSE)
        within = np.hypot(*flat_points[used].T) <= outer
        groups[name] = np.array([len(solid) + i])
        groups[f"{name}.section"] = np.flatnonzero(
            within & (np.abs(z[used] - place) <= _CLOSE * shaft.length)
        )
    kinds = np.array(named)
    for material in materials(each):
        groups[material] = {"hex20": kinds == material}
    return mesh_from_arrays(
        np.concatenate([solid, np.array(shaft.start) + on_axis]),
        {"hex20": renumbered.reshape(connectivity.shape)},
        groups,
    )


def _radii(each: list[Slice]) -> Floats:
    """Return the radii of all steps and holes, ascending, none twice."""
    given = [0.5 * d for one in each for d in (one.outer, one.hole, *(one.disc or ())[:1]) if d]
    found: list[float] = []
    for radius in sorted(given):
        if not found or radius - found[-1] > _CLOSE * radius:
            found.append(radius)
    return np.array(found)


def _chosen(section: CrossSection, one: Slice) -> list[tuple[Ints, str]]:
    """Return the cells across of an element along the axis, and of a disc around it."""
    low, high = section.reach.T
    shaft = (low >= 0.5 * one.hole * (1.0 - _CLOSE)) & (high <= 0.5 * one.outer * (1.0 + _CLOSE))
    found = [(np.flatnonzero(shaft), one.material)]
    if one.disc is not None:
        outside = low >= 0.5 * one.outer * (1.0 - _CLOSE)
        disc = outside & (high <= 0.5 * one.disc[0] * (1.0 + _CLOSE))
        found.append((np.flatnonzero(disc), one.disc[1]))
    return found


def _placed(shaft: ShaftSpec, flat: Floats, z: Floats) -> Floats:
    """Return positions in space of points across and along the axis."""
    n = np.array(shaft.axis)
    x = np.array(across(shaft.axis))
    x = x - (x @ n) * n
    x /= np.linalg.norm(x)
    y = np.cross(n, x)
    return np.asarray(np.array(shaft.start) + flat @ np.array([x, y]) + z[:, None] * n)
