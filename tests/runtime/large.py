# SPDX-License-Identifier: BSD-3-Clause
"""Models of bodies with an energy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model

MU, LAME, DENSITY = 1e6, 4e6, 1000.0
RUBBER = {"mu": MU, "lame": LAME, "density": DENSITY}
ROLLERS = [{"group": f"{axis}min", "components": [axis]} for axis in "xyz"]
BAR = [[0, 0, 0], [10, 0, 0], [10, 1, 0], [0, 1, 0], [0, 0, 1], [10, 0, 1], [10, 1, 1], [0, 1, 1]]
CUBE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]


def body(energy: str = "neo_hookean", **parameters: float) -> dict[str, Any]:
    """Return a body of hex8 with an energy."""
    values = parameters or RUBBER
    return {"name": "block", "element": "hex8", "energy": energy, "parameters": values}


def block(corners: list[list[float]], divisions: list[int], **tables: Any) -> dict[str, Any]:
    """Return the tables of a block of hex8."""
    mesh = {"block": {"cell": "hex8", "corners": corners, "divisions": divisions}}
    quiet = {"output": {"formats": ["csv"]}}
    return {"mesh": mesh, "bodies": [body()], **quiet, **tables}


def run(tables: Mapping[str, Any], folder: Path, **options: Any) -> Outcome:
    """Run a model and return its outcome."""
    return run_model(model_from_dict(dict(tables)), output=folder, **options)


def bent(analysis: dict[str, Any], force: float = 2e3, **tables: Any) -> dict[str, Any]:
    """Return a clamped bar with a dead force at its tip, whose deflection is a fourth of it."""
    soft = {"mu": 1e6, "lame": 1e6, "density": DENSITY}
    return (
        block(
            BAR,
            [8, 2, 2],
            bodies=[body(**soft)],
            supports=[{"group": "xmin", "components": ["x", "y", "z"]}],
            loads=[{"kind": "force", "group": "xmax", "total": [0, 0, force]}],
            probes=[
                {"name": "tip", "group": "xmax", "component": "z"},
                {"name": "hold", "body": "block", "quantity": "reaction_force", "component": "z"},
            ],
            analysis=analysis,
        )
        | tables
    )


#: Half of a shallow arch of a strip in plane strain that a force pushes through: its rise, depth.
RISE, DEPTH = 0.05, 0.02


def arch(analysis: dict[str, Any], **tables: Any) -> dict[str, Any]:
    """Return half an arch that snaps through."""
    corners = [[-1, 0], [0, RISE], [0, RISE + DEPTH], [-1, DEPTH]]
    steel = {"lame": 1.2e11, "mu": 0.8e11, "density": 7800.0}
    strip = {"name": "strip", "element": "quad8", "energy": "st_venant_kirchhoff",
             "thickness": 0.1, "parameters": steel}  # fmt: skip
    return {
        "mesh": {"block": {"cell": "quad8", "corners": corners, "divisions": [10, 1]}},
        "bodies": [strip],
        "supports": [
            {"group": "xmin", "components": ["x", "y"]}, {"group": "xmax", "components": ["x"]},
        ],
        "loads": [{"kind": "force", "group": "xmax", "total": [0, -1e5, 0]}],
        "probes": [
            {"name": "top", "group": "xmax", "component": "y"},
            {"name": "hold", "body": "strip", "quantity": "reaction_force", "component": "y"},
        ],
        "analysis": analysis,
        "output": {"formats": ["csv"]},
    } | tables  # fmt: skip
