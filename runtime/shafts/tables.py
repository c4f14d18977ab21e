# SPDX-License-Identifier: BSD-3-Clause
"""Bodies, masses and couplings of a shaft as tables of a model file."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from flexforge.runtime.model.schema_shaft import DiscSpec, ShaftSpec
from flexforge.runtime.shafts.layout import Cone, Slice, slices

#: Density by the name of a material, where it has one.
Densities = Mapping[str, float]


def tables(
    shaft: ShaftSpec, spin: Mapping[str, Any], densities: Densities
) -> dict[str, list[dict[str, Any]]]:
    """Return ``bodies``, ``masses`` and ``couplings`` of a shaft.

    Parameters
    ----------
    shaft : ShaftSpec
        The shaft.
    spin : mapping
        Its table ``spin``, as it is in the model file.
    densities : mapping
        Of discs that are given by their size, kg/m^3.
    """
    each = slices(shaft)
    motion = {**spin, "axis": list(shaft.axis), "point": list(shaft.start)}
    if shaft.made_of == "beams":
        bodies = [_beams(shaft, name, one, motion) for name, one in parts(each).items()]
        couplings = []
    else:
        bodies = [
            {
                "name": f"{shaft.name}.{material}", "cells": f"{shaft.name}.{material}",
                "element": "hex20", "material": material, "frame": motion,
            }
            for material in materials(each)
        ]  # fmt: skip
        couplings = [
            {
                "name": f"{shaft.name}.{name}.section", "kind": "distributing",
                "group": f"{shaft.name}.{name}.section", "point": f"{shaft.name}.{name}",
            }
            for name in points(shaft)
        ]  # fmt: skip
    masses = [_mass(shaft, i, disc, densities) for i, disc in enumerate(shaft.discs)]
    found = {"bodies": bodies, "masses": [one for one in masses if one], "couplings": couplings}
    return {key: some for key, some in found.items() if some}


def parts(each: list[Slice]) -> dict[str, Slice]:
    """Return one of the elements of every section and material, by the name of their group."""
    found: dict[tuple[object, ...], Slice] = {}
    for one in each:
        found.setdefault(alike(one), one)
    return {f"part{number}": one for number, one in enumerate(found.values(), start=1)}


def alike(one: Slice) -> tuple[object, ...]:
    """Return what elements of one body have in common: section and material."""
    section = (one.outer, one.hole) if one.cone is None else (one.cone,)
    return (*section, one.material)


def materials(each: list[Slice]) -> list[str]:
    """Return the names of the materials of a shaft and of discs around it."""
    named = [one.material for one in each] + [one.disc[1] for one in each if one.disc]
    return list(dict.fromkeys(named))


def points(shaft: ShaftSpec) -> dict[str, float]:
    """Return the nodes on the axis that have names: stations, and places of discs as masses."""
    lumped = shaft.made_of == "beams"
    discs = {
        f"disc{i + 1}": disc.at
        for i, disc in enumerate(shaft.discs)
        if lumped or disc.mass is not None
    }
    return discs | dict(shaft.stations)


def _beams(shaft: ShaftSpec, name: str, one: Slice, motion: dict[str, Any]) -> dict[str, Any]:
    """Return the body of beams of one section, or of one cone."""
    section: dict[str, Any] = {"shape": "round", "diameter": one.outer}
    if one.hole:
        section = {"shape": "tube", "diameter": one.outer, "wall": 0.5 * (one.outer - one.hole)}
    if one.cone is not None:
        cone = one.cone
        walls = tuple(0.5 * (a - b) for a, b in zip(cone.outer, cone.hole, strict=True))
        section["diameter"] = _changing(cone.outer, cone, shaft)
        if one.hole:
            section["wall"] = _changing(walls, cone, shaft)
    section["orientation"] = np.eye(3)[int(np.argmin(np.abs(shaft.axis)))].tolist()
    return {
        "name": f"{shaft.name}.{name}",
        "cells": f"{shaft.name}.{name}",
        "element": "timoshenko_beam",
        "material": one.material,
        "section": section,
        "spin": motion,
    }


def _changing(ends: tuple[float, ...], cone: Cone, shaft: ShaftSpec) -> str | float:
    """Return a dimension of a cone as a formula of the place, or a number where it is constant."""
    begin, end = ends
    if begin == end:
        return begin
    parts = [
        f"({float(n)!r})*({letter} - ({float(s)!r}))"
        for n, s, letter in zip(shaft.axis, shaft.start, "xyz", strict=True)
        if n
    ]
    along = " + ".join(parts)
    return f"{begin!r} + ({(end - begin) / cone.length!r})*({along} - {cone.begin!r})"


def _mass(
    shaft: ShaftSpec, number: int, disc: DiscSpec, densities: Densities
) -> dict[str, Any] | None:
    """Return the mass of a disc; none of one that is made of solids, or without a density."""
    across, about = disc.inertia or (0.0, 0.0)
    mass = disc.mass
    if mass is None:
        if shaft.made_of == "solids":
            return None
        assert disc.width is not None and disc.diameter is not None
        density = densities.get(disc.material or shaft.material, 0.0)
        if not density > 0.0:  # statics need none, and what is wrong with it is told elsewhere
            return None
        outer, inner = disc.diameter, shaft.outer(disc.at)
        mass = density * 0.25 * math.pi * (outer**2 - inner**2) * disc.width
        about = mass * (outer**2 + inner**2) / 8.0
        across = 0.5 * about + mass * disc.width**2 / 12.0
    n = np.array(shaft.axis)
    tensor = across * np.eye(3) + (about - across) * np.outer(n, n)
    found = {"name": f"{shaft.name}.disc{number + 1}", "group": f"{shaft.name}.disc{number + 1}"}
    weight: dict[str, Any] = {"mass": mass}
    if about or across:
        products = -tensor[[1, 0, 0], [2, 2, 1]]
        weight["inertia"] = [*tensor.diagonal().tolist(), *products.tolist()]
    return found | weight
