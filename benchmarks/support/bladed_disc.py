# SPDX-License-Identifier: BSD-3-Clause
"""A disc with blades of quadratic bricks, as one sector or with all of them, of one mesh."""

from __future__ import annotations

from itertools import product
from typing import Any

import flexforge as ff
import numpy as np

Node = tuple[int, int, int]

#: Radii of bore and rim, length of the blades, thickness, m.
BORE, RIM, BLADE, THICKNESS = 0.1, 0.3, 0.12, 0.03
_CORNERS: tuple[Node, ...] = ((0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0),
                              (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2))  # fmt: skip
_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6),
          (3, 7))  # fmt: skip


def model(sectors: int, cells: Node, count: int, *, whole: bool, speed: float) -> dict[str, Any]:
    """Return the model of a disc whose bore is held, with its lowest modes.

    Parameters
    ----------
    sectors : int
        Number of sectors.
    cells : tuple of int
        Bricks of the disc along radius, circumference (of a sector) and axis.
    count : int
        Number of modes, of the sector at each nodal diameter.
    whole : bool
        All sectors instead of one.
    speed : float
        Of the frame, rad/s.
    """
    radial, around, high = cells
    shown = sectors if whole else 1
    numbers: dict[Node, int] = {}
    points: list[list[float]] = []
    turn = 2.0 * np.pi / sectors

    def number(key: Node) -> int:
        r, a, z = key
        a = a % (2 * around * sectors) if whole else a
        if (r, a, z) not in numbers:
            numbers[r, a, z] = len(points)
            beyond = max(r / (2 * radial) - 1.0, 0.0) * radial / _blade(cells)
            radius = BORE + (RIM - BORE) * min(r / (2 * radial), 1.0) + BLADE * beyond
            angle = turn * (a / (2 * around) + 0.15 * beyond * (z / high - 1.0))  # twisted
            height = THICKNESS * (z / (2 * high) - 0.5) * (1.0 - 0.3 * beyond)
            points.append([radius * np.cos(angle), radius * np.sin(angle), height])
        return numbers[r, a, z]

    mids = [tuple((p + q) // 2 for p, q in zip(_CORNERS[i], _CORNERS[j], strict=True))
            for i, j in _EDGES]  # fmt: skip
    first = [(r, a, z) for a, r, z in product(range(shown * around), range(radial), range(high))]
    first += [(radial + r, k * around + around // 2, z)
              for k, r, z in product(range(shown), range(_blade(cells)), range(high))]  # fmt: skip
    bricks = [
        [number((2 * r + i, 2 * a + j, 2 * z + k)) for i, j, k in (*_CORNERS, *mids)]
        for r, a, z in first
    ]
    disc = {key: one for key, one in numbers.items() if key[0] <= 2 * radial}
    groups = {"bore": [one for key, one in disc.items() if key[0] == 0]}
    if not whole:
        ends = {"first": 0, "last": 2 * around}
        groups |= {n: [one for key, one in disc.items() if key[1] == a] for n, a in ends.items()}
    tables: dict[str, Any] = {
        "mesh": ff.mesh_from_arrays(points, {"hex20": bricks}, groups),
        "materials": {"steel": {"young": 2.1e11, "poisson": 0.3, "density": 7850.0}},
        "bodies": [{"name": "disc", "element": "hex20", "material": "steel",
                    "frame": {"velocity": speed}}],
        "supports": [{"group": "bore"}],
        "analysis": {"kind": "modes", "count": count},
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    if not whole:
        tables["cyclic"] = {"from": "first", "to": "last", "sectors": sectors}
    return tables


def _blade(cells: Node) -> int:
    """Return the bricks along a blade."""
    return max(1, cells[0] // 2)
