# SPDX-License-Identifier: BSD-3-Clause
"""The C text of a large system: its tables, and the kernels of its elements."""

from __future__ import annotations

from pathlib import Path

from flexforge.codegen.locations import get_include
from flexforge.codegen.version import VERSION
from flexforge.runtime.export.identifiers import identifiers
from flexforge.runtime.export.mesh_constants import GEOMETRIC, LANES, STIFFNESS, MeshConstants
from flexforge.runtime.tables.text import c_numbers
from flexforge.templates import render


def mesh_sources(name: str, mesh: MeshConstants) -> dict[str, str]:
    """Return the C files of a large system by name: ``ff_my_mesh.h`` includes the others.

    Parameters
    ----------
    name : str
        Name of the solver.
    mesh : MeshConstants
        The system.
    """
    elements = list(dict.fromkeys(one.element for one in mesh.cells))
    short = dict(zip(elements, identifiers(elements), strict=True))
    files = {"ff_my_mesh.h": _tables(name, mesh, short)}
    for (element, lanes), text in mesh.kernels.items():
        files[f"ff_{short[element]}_x{lanes}.h"] = text
    header = Path(get_include()) / "flexforge.h"
    return files | {"flexforge.h": header.read_text(encoding="utf-8")}


def _tables(name: str, mesh: MeshConstants, short: dict[str, str]) -> str:
    """Return the tables of nodes, elements, masses and loads."""
    bodies = [
        {
            "file": short[one.element],
            "corners": one.cells.shape[1],
            "elements": len(one.cells),
            "points": len(one.nodes),
            "cells": one.cells.ravel().tolist(),
            "nodes": one.nodes.tolist(),
            "masses": one.masses.tolist(),
            "stiffness": one.parameters[STIFFNESS].tolist(),
            "geometric": one.parameters[GEOMETRIC].tolist() if GEOMETRIC in one.parameters else [],
        }
        for one in mesh.cells
    ]
    forces = [
        {
            "count": len(load.nodes),
            "nodes": mesh.system.bodies[load.body].nodes[load.nodes].tolist() or [0],
            "force": load.force.ravel().tolist() or [0.0],
        }
        for load in mesh.loads.nodal
    ]
    return render(
        "export/mesh.h.jinja",
        name=name,
        version=VERSION,
        lanes=LANES,
        elements=[{"name": element, "file": file} for element, file in short.items()],
        points=mesh.points.ravel().tolist(),
        free=mesh.system.map.places.tolist(),
        patterns=len(mesh.stressing),
        stressing=mesh.stressing.ravel().tolist(),
        bodies=bodies,
        forces=forces,
        nodes=len(mesh.points),
        numbers=c_numbers,
    )
