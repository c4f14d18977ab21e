# SPDX-License-Identifier: BSD-3-Clause
"""Small models for the tests of the runtime."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.statics.prestress import prestressed
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.name_table import NameTable

CASES = Path(__file__).parents[2] / "examples" / "cases"
SQUARE = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
CUBE = [[x, y, z] for z in (0.0, 1.0) for x, y in SQUARE]
DISTORTED = [
    [0.0, 0.0, 0.0], [1.1, 0.1, 0.0], [1.0, 0.9, 0.1], [-0.1, 1.0, 0.0],
    [0.1, 0.0, 0.8], [1.0, 0.0, 1.1], [1.2, 1.1, 1.0], [0.0, 0.9, 1.0],
]  # fmt: skip
STEEL = {"young": 2e11, "poisson": 0.3, "density": 7800.0}
SOLID = ("tet4", "tet10", "pyramid5", "wedge6", "wedge15", "hex8", "hex20", "hex27")
PLANE = ("tri3", "tri6", "quad4", "quad8", "quad9")
ALL = (*PLANE, *SOLID)


def model(cell: str, divisions: list[int] | None = None, **tables: Any) -> ModelSpec:
    """Return a model of one block; tables replace or add to what it has, ``body`` to its body."""
    plane = cell in PLANE
    corners = SQUARE if plane else CUBE
    body = {"name": "block", "element": cell, "material": "steel"}
    if plane:
        body["thickness"] = 0.1
    body |= tables.pop("body", {})
    data = {
        "mesh": {
            "block": {
                "cell": cell,
                "corners": tables.pop("corners", corners),
                "divisions": divisions or [2] * len(corners[0]),
            }
        },
        "materials": {"steel": STEEL},
        "bodies": [body],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    } | tables
    return model_from_dict(copy.deepcopy(data), folder=Path())


def build(spec: ModelSpec) -> NameTable:
    """Return a model's mesh and system."""
    return build_system(spec, build_mesh(spec))


def stressed(spec: ModelSpec) -> NameTable:
    """Return a model's mesh and system, its bodies under the stresses of their rotation."""
    places = build(spec)
    return replace(places, system=prestressed(places.system, "auto").system)
