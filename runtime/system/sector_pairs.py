# SPDX-License-Identifier: BSD-3-Clause
"""Which nodes of the two boundaries of a sector match after the turn to the next one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh import group_at
from flexforge.runtime.mesh.projection import Projected, project
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_cyclic import CyclicSpec
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.sector import Pairs, Sector, turned_by
from flexforge.runtime.system.tie_rows import APART, facets_of, vectors_of

#: Distance of nodes that match, relative to that of the closest ones on a boundary: coordinates in
#: files may have six digits.
_SAME = 1e-4
_FITS = 0.02  # of a sector: the angle between boundaries that a number of sectors fits
_ALONG = 1e-9  # sine of an angle that is none


@dataclass(frozen=True, slots=True)
class _Boundary:
    """Nodes of a boundary: their numbers in the mesh, and their places, m."""

    nodes: Ints
    points: Floats

    def turned(self, sector: Sector, sense: int) -> Floats:
        """Return its points after the turn to the next sector, or to the one before."""
        turn = turned_by(sector.axis, sense * sector.angle)
        return np.asarray(sector.point + (self.points - sector.point) @ turn.T)


def find_sector(model: ModelSpec, places: NameTable, frames: Ints) -> Sector | None:
    """Return how the boundaries of the sector of a model match; None where it has none.

    Parameters
    ----------
    model : ModelSpec
        The model.
    places : NameTable
        Its names in a system without supports.
    frames : ndarray of int64, (N,)
        Number of the frame of every node.

    Raises
    ------
    InputError
        For groups that are missing, boundaries that do not match, and frames that move otherwise
        than around the axis.
    """
    spec = model.cyclic
    if spec is None:
        return None
    if places.system.dimension == 2 and any(spec.axis[:2]):
        raise InputError(
            f"cyclic.axis: found {[*spec.axis]} in a planar model; expected [0, 0, 1], across it"
        )
    _require_around(spec, model, places)
    vector = vectors_of(places)
    first, last = (
        _boundary(name, key, places, vector)
        for name, key in ((spec.first, "cyclic.from"), (spec.last, "cyclic.to"))
    )
    if len(np.unique(frames[vector[np.concatenate([first.nodes, last.nodes])]])) > 1:
        raise InputError("cyclic: found boundaries in different frames; expected one frame")
    axis = np.array(spec.axis) / np.linalg.norm(spec.axis)
    empty = Sector(spec.sectors, axis, np.array(spec.point), 1, (), places.system.dimension)
    senses = (1, -1)
    apart = [np.median(_nearest(last.turned(empty, -one), first)[0]) for one in senses]
    sense = senses[int(np.argmin(apart))]
    back = last.turned(empty, -sense)
    same, number = _same(back, first)
    _require_match(spec, first, last, empty, sense, places)
    pairs = [Pairs(last.nodes[same], first.nodes[number[same], None], np.ones((same.sum(), 1)))]
    pairs += _between(spec, "to", last.nodes[~same], back[~same], places)
    found = [_in_system(one, vector) for one in pairs]
    found += [_in_system(one, _rotations(places)) for one in pairs]
    return Sector(
        spec.sectors, axis, empty.point, sense, [one for one in found if len(one.nodes)],
        empty.dimension,
    )  # fmt: skip


def _boundary(name: str, key: str, places: NameTable, vector: Ints) -> _Boundary:
    nodes = group_at(places.mesh, name, key).nodes
    nodes = nodes[vector[nodes] >= 0]
    if not len(nodes):
        raise InputError(f"{key}: found no node of a body in '{name}'; expected some")
    return _Boundary(nodes, places.mesh.points[nodes])


def _nearest(points: Floats, boundary: _Boundary) -> tuple[Floats, Ints]:
    from scipy.spatial import cKDTree

    distance, number = cKDTree(boundary.points).query(points)
    return distance, number


def _nearest_two(boundary: _Boundary) -> tuple[Floats, Ints]:
    """Return distance and number of the node of a boundary that is closest to each of its own."""
    from scipy.spatial import cKDTree

    count = min(2, len(boundary.points))
    distance, number = cKDTree(boundary.points).query(boundary.points, count)
    return distance.reshape(-1, count)[:, -1], number.reshape(-1, count)[:, -1]


def _same(points: Floats, boundary: _Boundary) -> tuple[np.ndarray, Ints]:
    """Return which points are nodes of a boundary, and the number of the nearest one for each."""
    distance, number = _nearest(points, boundary)
    return distance <= _SAME * _nearest_two(boundary)[0][number], number


def _require_match(
    spec: CyclicSpec,
    first: _Boundary,
    last: _Boundary,
    sector: Sector,
    sense: int,
    places: NameTable,
) -> None:
    """Refuse a first boundary of which some part is not on the last one after the turn."""
    there = first.turned(sector, sense)
    same, _ = _same(there, last)
    for _ in _between(spec, "from", first.nodes[~same], there[~same], places):
        pass


def _between(
    spec: CyclicSpec, key: str, nodes: Ints, points: Floats, places: NameTable
) -> Iterator[Pairs]:
    """Yield nodes of a boundary that lie between those of the other one, whose facets they are on.

    Raises
    ------
    InputError
        For nodes that are not on these facets.
    """
    if not len(nodes):
        return
    mesh = places.mesh
    other, where = (spec.first, "from") if key == "to" else (spec.last, "to")
    found = _projected(points, other, f"cyclic.{where}", places)
    sizes = np.array([np.ptp(mesh.points[one.nodes], axis=0).max() for one in found])
    distance = np.array([one.distance for one in found])
    allowed = APART * sizes if spec.within is None else np.full(len(found), spec.within)
    worst = int(np.argmax(distance - allowed))
    if distance[worst] > allowed[worst]:
        turned = f"'{other}' turned by {360.0 / spec.sectors:g} degrees"
        raise InputError(
            f"cyclic.{key}: node {mesh.node_labels[nodes[worst]]} is {distance[worst]:.4g} m away "
            f"from {turned}; expected at most {allowed[worst]:.4g} m{_hint(spec, places)}"
        )
    for size in np.unique([len(one.nodes) for one in found]):
        yield _stacked(nodes, [(i, one) for i, one in enumerate(found) if len(one.nodes) == size])


def _projected(points: Floats, name: str, key: str, places: NameTable) -> list[Projected]:
    """Return the closest points of the facets of a boundary; without facets, its nodes."""
    mesh = places.mesh
    try:
        facets = facets_of(name, key, places)
    except InputError:  # the edges of shells, ends of beams
        nodes = group_at(mesh, name, key).nodes
        boundary = _Boundary(nodes, mesh.points[nodes])
        distance, number = _nearest(points, boundary)
        _, beside = _nearest_two(boundary)
        return [
            Projected(nodes[[i, beside[i]]], np.array([1.0, 0.0]), float(d))
            for d, i in zip(distance, number, strict=True)
        ]
    return project(points, mesh.points, facets)


def _stacked(nodes: Ints, some: Sequence[tuple[int, Projected]]) -> Pairs:
    chosen = [i for i, _ in some]
    others = np.array([one.nodes for _, one in some])
    return Pairs(nodes[chosen], others, np.array([one.weights for _, one in some]))


def _hint(spec: CyclicSpec, places: NameTable) -> str:
    """Return what number of sectors the angle between the boundaries fits, if not the given one."""
    axis = np.array(spec.axis) / np.linalg.norm(spec.axis)
    arms = []
    for name in (spec.first, spec.last):
        nodes = places.mesh.select(name).nodes
        arm = (places.mesh.points[nodes] - np.array(spec.point)).mean(axis=0)
        arms.append(arm - (arm @ axis) * axis)
    across = float(np.cross(arms[0], arms[1]) @ axis)
    angle = abs(float(np.arctan2(across, float(arms[0] @ arms[1]))))
    if not angle:
        return ""
    sectors = 2.0 * np.pi / angle
    if abs(sectors - spec.sectors) <= _FITS * spec.sectors:
        return ""
    many = round(sectors)
    fits = f", as for {many} sectors" if abs(sectors - many) <= _FITS * many else ""
    return f"; the boundaries are {np.degrees(angle):.4g} degrees apart{fits}"


def _in_system(pairs: Pairs, vector: Ints) -> Pairs:
    """Return pairs of nodes of the mesh as pairs of vectors of the system, where it has them."""
    acting = pairs.weights != 0.0
    there = (vector[pairs.nodes] >= 0) & ((vector[pairs.others] >= 0) | ~acting).all(axis=1)
    others = np.where(acting, vector[pairs.others], vector[pairs.nodes][:, None])
    return Pairs(vector[pairs.nodes][there], others[there], pairs.weights[there])


def _rotations(places: NameTable) -> Ints:
    """Return the number of the rotation of every node of the mesh in the system, or -1."""
    found = np.full(len(places.mesh.points), -1)
    for body in places.system.bodies:
        if not body.lumped and body.turns:
            found[body.part.nodes] = body.rotations[: len(body.part.points)]
    return found


def _require_around(spec: CyclicSpec, model: ModelSpec, places: NameTable) -> None:
    """Refuse frames whose motion is not around the axis: sectors would differ from each other."""
    axis = np.array(spec.axis) / np.linalg.norm(spec.axis)
    point = np.array(spec.point)
    times = np.linspace(0.0, model.span, 17) if model.analysis.kind == "transient" else [model.span]
    for body in places.system.bodies:
        for time in times:
            frame = body.motion.at(time)
            told = f"the frame of body '{body.name}'"
            for vector in (frame.w, frame.e):
                if np.linalg.norm(np.cross(axis, vector)) > _ALONG * np.linalg.norm(vector):
                    raise InputError(
                        f"cyclic.axis: found [{axis[0]:g}, {axis[1]:g}, {axis[2]:g}] with {told}, "
                        "which turns about another axis; expected the same"
                    )
            parts = (
                frame.a_O,
                np.cross(frame.e, point),
                np.cross(frame.w, np.cross(frame.w, point)),
            )
            size = sum(float(np.linalg.norm(one)) for one in parts)
            if np.linalg.norm(np.cross(axis, sum(parts))) > _ALONG * size:
                raise InputError(
                    f"cyclic.point: found {[*spec.point]} with {told}, in which it is accelerated "
                    "across the axis; expected a point of the axis about which the frame turns, "
                    "or a frame that moves along it"
                )
