# SPDX-License-Identifier: BSD-3-Clause
"""A model file to begin with, from what a mesh holds."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from flexforge.codegen.elements.facts import FACTS
from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.describe import describe
from flexforge.runtime.mesh.mesh import Mesh
from flexforge.templates import render

#: Extent above which lengths are taken for millimetres: few models are longer than 20 m.
_MILLIMETRES = 20.0
_FIRST = {"rod": {"line2": "timoshenko_beam", "line3": "bar3"},
          "shell": {"tri3": "dkt3", "quad4": "mitc4"}}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Body:
    """A body of the file."""

    name: str
    group: str
    cell: str
    element: str
    others: tuple[str, ...]
    thickness: bool = False
    section: bool = False
    orientation: str = ""


def starter(mesh: Mesh, file: Path, target: Path) -> str:
    """Return the text of a commented model file for a mesh.

    Parameters
    ----------
    mesh : Mesh
        The mesh, in the unit of its file.
    file : Path
        The mesh file.
    target : Path
        The model file to be written; the path of the mesh is relative to its folder.

    Raises
    ------
    InputError
        When cells of several types are not separated by groups, or no element has such cells.
    """
    report = describe(mesh)
    extent = max(high - low for low, high in zip(*report.box, strict=True))
    flat = not np.ptp(mesh.points[:, 2])
    bodies = _bodies(mesh, flat=flat)
    # Surfaces of a solid before its edges and points: bodies are held and loaded there.
    groups = sorted(mesh.groups.items(), key=lambda item: -item[1].dim)
    free = [name for name, group in groups if group.dim < mesh.dim]
    loaded = [name for name in free if mesh.groups[name].dim == mesh.groups[free[0]].dim]
    lines = report.lines()
    return render(
        "model/model.toml.jinja",
        source=file.name,
        name=target.name,
        title=_plain(file.stem),
        file=_plain(os.path.relpath(file.absolute(), target.absolute().parent)),
        nodes=report.nodes,
        size=lines[0].rsplit(", ", 1)[1],
        scale="1e-3" if extent > _MILLIMETRES else "1.0",
        cells=[line.strip() for line in lines[1 : 1 + len(report.cells)]],
        groups=[one.strip() for one in lines[2 + len(report.cells) :] if one.startswith("  ")],
        bodies=bodies,
        spatial=not flat,
        support=_plain(free[0]) if free else "",
        load=_plain(loaded[-1]) if free else "NAME",
    )


def _plain(text: str) -> str:
    """Return a text as it stands between the quotes of TOML."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _bodies(mesh: Mesh, *, flat: bool) -> list[_Body]:
    """Return a body per group of cells, or one of the whole mesh."""
    top = mesh.dim
    kinds = [block.cell for block in mesh.blocks if CELLS[block.cell].dim == top]
    family = {3: "solid", 2: "plane" if flat else "shell", 1: "rod"}.get(top)
    if family is None:
        raise InputError(f"{mesh.source}: found points only; expected cells of a body")
    if len(kinds) == 1:
        return [_body("body", "", kinds[0], family, mesh, flat=flat)]
    groups = [group for group in mesh.groups.values() if group.dim == top]
    found = []
    for group in groups:
        inside = [mesh.blocks[i].cell for i in group.cells]
        if len(inside) == 1:
            found.append(_body(group.name, group.name, inside[0], family, mesh, flat=flat))
    if not found:
        raise InputError(
            f"{mesh.source}: mixes {' and '.join(kinds)}; expected a group of each, since a body "
            "has one kind of cell"
        )
    return found


def _body(name: str, group: str, cell: str, family: str, mesh: Mesh, *, flat: bool) -> _Body:
    known = [one for one, facts in FACTS.items() if facts.family == family and facts.cell == cell]
    if not known:
        raise InputError(
            f"{mesh.source}: no element of flexforge is a {family} of {cell} cells; "
            "expected others, or a model with your own element"
        )
    end = "_plane" if family == "rod" and flat else ""
    first = _FIRST.get(family, {}).get(cell, known[0])
    others = tuple(f"{one}{end}" for one in known if one != first)
    return _Body(
        "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)[:64],
        _plain(group),
        cell,
        f"{first}{end}",
        others,
        thickness=family in ("plane", "shell"),
        section=family == "rod",
        orientation=_across(mesh, cell) if family == "rod" else "",
    )


def _across(mesh: Mesh, cell: str) -> str:
    """Return the axis that the lines of a mesh are least along, as a direction."""
    block = next(block for block in mesh.blocks if block.cell == cell)
    along = np.abs(mesh.points[block.nodes[:, 1]] - mesh.points[block.nodes[:, 0]]).sum(axis=0)
    return str([int(i == int(np.argmin(along))) for i in range(3)])
