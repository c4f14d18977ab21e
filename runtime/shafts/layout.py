# SPDX-License-Identifier: BSD-3-Clause
"""Where a shaft has nodes along its axis, and what its sections are between them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_shaft import SegmentSpec, ShaftSpec

_SAME = 1e-9  # of the length of a shaft: distance of two places that are one


@dataclass(frozen=True, slots=True)
class Cone:
    """A piece of a shaft along which diameters change.

    Attributes
    ----------
    begin, length : float
        Distance of its beginning from that of the shaft, and its length, m.
    outer, hole : tuple of float
        Diameters at its beginning and at its end, m.
    """

    begin: float
    length: float
    outer: tuple[float, float]
    hole: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Slice:
    """An element of a shaft along its axis.

    Attributes
    ----------
    begin, end : float
        Distances from the beginning of the shaft, m.
    outer, hole : float
        Diameters in its middle, m.
    material : str
        Name of its material.
    disc : tuple of (float, str), optional
        Diameter, m, and material of a disc around it, of a shaft of solids.
    cone : Cone, optional
        The piece of the shaft that it belongs to, where diameters change along it.
    """

    begin: float
    end: float
    outer: float
    hole: float
    material: str
    disc: tuple[float, str] | None = None
    cone: Cone | None = None


def slices(shaft: ShaftSpec) -> list[Slice]:
    """Return the elements of a shaft, one after the other."""
    breaks = _breaks(shaft)
    found = []
    begin = 0.0
    for segment in shaft.segments:
        end = begin + segment.length
        changes = len({*segment.diameter}) > 1 or len({*segment.hole}) > 1
        cone = Cone(begin, segment.length, segment.diameter, segment.hole) if changes else None
        places = np.array([begin, *(b for b in breaks if begin < b < end), end])
        for one, other in zip(places, places[1:], strict=False):
            middle = 0.5 * (one + other)
            if other - one <= _SAME * shaft.length:
                continue
            part = (middle - begin) / segment.length
            outer, hole = (_at(ends, part) for ends in (segment.diameter, segment.hole))
            for low, high in _cut(one, other, segment, outer):
                part = (0.5 * (low + high) - begin) / segment.length
                outer, hole = (_at(ends, part) for ends in (segment.diameter, segment.hole))
                disc = _disc(shaft, 0.5 * (low + high))
                material = segment.material or shaft.material
                found.append(Slice(low, high, outer, hole, material, disc, cone))
        begin = end
    return found


def nodes(each: list[Slice]) -> Floats:
    """Return the places of the nodes between elements, m."""
    return np.array([each[0].begin, *(one.end for one in each)])


def node_at(places: Floats, place: float) -> int:
    """Return the number of the node at a place, m."""
    return int(np.argmin(np.abs(places - place)))


def _breaks(shaft: ShaftSpec) -> list[float]:
    """Return places where there must be nodes: stations, discs and, of solids, their sides."""
    found = [*shaft.stations.values(), *(disc.at for disc in shaft.discs)]
    if shaft.made_of == "solids":
        for disc in shaft.discs:
            if disc.width is not None:
                found += [disc.at - 0.5 * disc.width, disc.at + 0.5 * disc.width]
    ends = np.cumsum([0.0, *(one.length for one in shaft.segments)])
    apart = [b for b in sorted(found) if np.abs(ends - b).min() > _SAME * shaft.length]
    kept: list[float] = []
    for one in apart:
        if not kept or one - kept[-1] > _SAME * shaft.length:
            kept.append(one)
    return kept


def _cut(begin: float, end: float, segment: SegmentSpec, outer: float) -> list[tuple[float, float]]:
    """Return the elements of a piece between two nodes."""
    count = math.ceil((end - begin) / outer * (1.0 - _SAME))
    if segment.elements is not None:
        count = math.ceil(segment.elements * (end - begin) / segment.length * (1.0 - _SAME))
    ends = np.linspace(begin, end, max(count, 1) + 1).tolist()
    return list(zip(ends, ends[1:], strict=False))


def _at(ends: tuple[float, float], part: float) -> float:
    return ends[0] + part * (ends[1] - ends[0])


def _disc(shaft: ShaftSpec, place: float) -> tuple[float, str] | None:
    """Return diameter and material of the disc at a place of a shaft of solids."""
    if shaft.made_of != "solids":
        return None
    around = [
        (disc.diameter, disc.material or shaft.material)
        for disc in shaft.discs
        if disc.diameter is not None
        and disc.width is not None
        and abs(place - disc.at) < 0.5 * disc.width
    ]
    return max(around, default=None)
