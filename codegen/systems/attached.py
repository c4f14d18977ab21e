# SPDX-License-Identifier: BSD-3-Clause
"""What moves like a rigid body in a system, to be drawn: points at rest in a frame."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from flexforge.codegen.systems.declaration import GROUND, System


@dataclass(frozen=True, slots=True)
class Attached:
    """Points at rest in a frame, seen from one point.

    Attributes
    ----------
    name : str
        Of the frame; of the point if there is one alone.
    origin, frame : str
        Point and frame that they move with.
    places : tuple of sympy.ImmutableMatrix
        Components from the origin, in constants; none for the origin alone.
    """

    name: str
    origin: str
    frame: str
    places: tuple[sympy.ImmutableMatrix, ...]


def attached(system: System) -> tuple[Attached, ...]:
    """Return what a system is drawn as.

    A point at rest in a turning frame is joined to the point it is seen from; a point that moves
    in its frame, or belongs to the ground, is drawn alone.
    """
    groups: dict[tuple[str, str], list[sympy.ImmutableMatrix]] = {}
    alone: list[tuple[str, str]] = []
    for name, point in system.points.items():
        place = sympy.ImmutableMatrix(point.place)
        if point.frame == GROUND or not place.free_symbols <= set(system.constants):
            alone.append((name, point.frame))
        else:
            groups.setdefault((point.origin, point.frame), []).append(place)
    taken: set[str] = set()
    found = []
    for (origin, frame), places in groups.items():
        name = frame if frame not in taken else f"{frame}_{origin}"
        taken.add(name)
        found.append(Attached(name, origin, frame, tuple(places)))
    for name, frame in alone:
        found.append(Attached(f"{name}_point" if name in taken else name, name, frame, ()))
    return tuple(found)
