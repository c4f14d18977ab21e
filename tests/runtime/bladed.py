# SPDX-License-Identifier: BSD-3-Clause
"""Wheels with blades, as one sector and as a whole, of one mesh."""

from __future__ import annotations

from itertools import product
from typing import Any

import flexforge as ff
import numpy as np
from flexforge.runtime.mesh.mesh import Mesh

STEEL = {"young": 2e11, "poisson": 0.3, "density": 7800.0}
#: Inner and outer radius of the disc, tip of the blades, thickness, m.
RADII = (0.05, 0.2, 0.3)
THICKNESS = 0.02

Cell = tuple[int, int, int]


def _point(cell: tuple[float, float, float], sectors: int, divisions: Cell) -> list[float]:
    """Return the place of a node by radius, angle and height; blades lean to one side."""
    radial, around, high = cell
    count, wide, tall = divisions
    hub = RADII[0] + (RADII[1] - RADII[0]) * min(radial / count, 1.0)
    beyond = max(radial - count, 0.0)
    radius = hub + beyond * (RADII[2] - RADII[1])
    angle = 2.0 * np.pi / sectors * around / wide + 0.1 * beyond
    z = THICKNESS * (high / tall - 0.5) * (1.0 - 0.3 * beyond) + 0.03 * beyond
    return [radius * np.cos(angle), radius * np.sin(angle), z]


def _mesh(sectors: int, divisions: Cell, shown: int) -> Mesh:
    """Return the mesh of some sectors, of eight-node bricks."""
    count, wide, tall = divisions
    closed = shown == sectors
    numbers: dict[Cell, int] = {}
    points: list[list[float]] = []

    def number(radial: int, around: int, high: int) -> int:
        key = (radial, around % (sectors * wide), high)
        if key not in numbers:
            numbers[key] = len(points)
            points.append(_point(key, sectors, divisions))
        return numbers[key]

    def brick(r: int, a: int, z: int) -> list[int]:
        corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
        return [number(r + i, a + j, z + k) for k in (0, 1) for i, j in corners]

    cells = [brick(r, a, z) for r, a, z in product(range(count), range(shown * wide), range(tall))]
    cells += [brick(count, k * wide + 1, z) for k, z in product(range(shown), range(tall))]
    rows = {key: row for key, row in numbers.items() if key[0] <= count}
    disc = count * shown * wide * tall
    groups: dict[str, Any] = {"disc": {"hex8": range(disc)}}
    for k in range(shown):
        name = f"blade{k + 1}" if closed else "blade"
        groups[name] = {"hex8": range(disc + k * tall, disc + (k + 1) * tall)}
    groups |= {"bore": [row for key, row in rows.items() if key[0] == 0],
              "tip": [row for key, row in numbers.items() if key[0] == count + 1]}  # fmt: skip
    if not closed:
        groups |= {
            "first": [row for key, row in rows.items() if key[1] == 0],
            "last": [row for key, row in rows.items() if key[1] == shown * wide],
        }
    return ff.mesh_from_arrays(points, {"hex8": cells}, groups)


def wheel(
    sectors: int, *, whole: bool, divisions: Cell = (3, 3, 1), element: str = "hex8i", **more: Any
) -> dict[str, Any]:
    """Return the model of a wheel clamped at its bore: a sector, or all of them."""
    mesh = _mesh(sectors, divisions, sectors if whole else 1)
    tables = {
        "mesh": mesh,
        "materials": {"steel": STEEL},
        "bodies": [{"name": "wheel", "element": element, "material": "steel"}],
        "supports": [{"group": "bore"}],
        "analysis": {"kind": "modes", "count": 4},
        "output": {"formats": ["csv"]},
    } | more
    if not whole:
        tables["cyclic"] = {"from": "first", "to": "last", "sectors": sectors} | more.get(
            "cyclic", {}
        )
    return tables
