# SPDX-License-Identifier: BSD-3-Clause
"""Decks of any size, made here: a beam, a sector of a disc, and a disc on a shaft."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from flexforge import mesh_from_arrays, write_mesh
from flexforge.runtime.mesh import structured
from flexforge.runtime.mesh.mesh import Mesh

_STEEL = """\
*MATERIAL, NAME=STEEL
*ELASTIC
210000., .3
*DENSITY
7.8E-9
*SOLID SECTION, ELSET=Eall, MATERIAL=STEEL
"""
_MODES = "*STEP{}\n*FREQUENCY\n10\n*END STEP\n"
_PULL = "*STEP\n*STATIC\n*CLOAD\ntip, 2, -1.\n*NODE PRINT, NSET=tip\nU\n*END STEP\n"
_SPIN = "*STEP\n*STATIC\n*DLOAD\nEall, CENTRIF, 1.E5, 0., 0., 0., 0., 0., 1.\n*END STEP\n"


def unknowns(mesh: Mesh) -> int:
    """Return three for each node."""
    return 3 * len(mesh.points)


def beam(cells: int) -> Mesh:
    """Return a beam of square section, its sides cut into some cells, 12 times as long."""
    side, length = 10.0, 120.0
    flat = ((0, 0), (length, 0), (length, side), (0, side))
    corners = [[x, y, z] for z in (0, side) for x, y in flat]
    return structured("hex20", corners, [6 * cells, cells, cells])


def ring(cells: int, turn: float) -> Mesh:
    """Return a disc with a rim, or a sector of one, from a radius of 20 to 100."""
    count = max(4, round(10 * cells * turn / (2.0 * np.pi)))
    corners = [[x, y, z] for z in (0.0, 1.0) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    flat = structured("hex20", corners, [2 * cells, count, cells])
    r, angle = 20.0 + 80.0 * flat.points[:, 0], turn * flat.points[:, 1]
    thick = 6.0 + 10.0 * flat.points[:, 0] ** 4
    points = np.stack([r * np.cos(angle), r * np.sin(angle), thick * (flat.points[:, 2] - 0.5)], 1)
    rows = next(block.nodes for block in flat.blocks if block.cell == "hex20")
    inner = np.flatnonzero(flat.points[:, 0] == 0.0)
    # Of a whole disc the ends meet: nodes at one place are one node.
    _, kept, which = np.unique(np.round(points, 6), axis=0, return_index=True, return_inverse=True)
    which = which.ravel()
    groups = {"root": np.unique(which[inner]), "tip": [int(which[flat.points[:, 0].argmax()])]}
    return mesh_from_arrays(points[kept], {"hex20": which[rows]}, groups)


#: By name: the mesh for a number of cells, and the steps.
CASES: dict[str, tuple[Callable[[int], Mesh], str]] = {
    "beam, ten modes": (beam, _MODES.format("")),
    "beam, static": (beam, _PULL),
    "sector, static and ten modes": (
        lambda cells: ring(cells, np.pi / 9.0),
        _SPIN + _MODES.format(", PERTURBATION"),
    ),
    "rotor, static and ten modes": (
        lambda cells: ring(cells, 2.0 * np.pi),
        _SPIN + _MODES.format(", PERTURBATION"),
    ),
}


def written(case: str, wanted: int, path: Path) -> int:
    """Write a deck of about some unknowns; return how many it has.

    Parameters
    ----------
    case : str
        One of CASES.
    wanted : int
        Number of unknowns.
    path : Path
        The deck.
    """
    make, steps = CASES[case]
    cells = 2
    mesh = make(cells)
    while unknowns(mesh) < wanted:
        cells += 1
        mesh = make(cells)
    write_mesh(mesh, path, overwrite=True)
    root = "xmin" if "xmin" in mesh.groups else "root"
    tip = "" if "tip" in mesh.groups else "*NSET, NSET=tip\nxmax\n"
    path.write_text(f"{path.read_text()}{tip}*BOUNDARY\n{root}, 1, 3\n{_STEEL}{steps}")
    return unknowns(mesh)
