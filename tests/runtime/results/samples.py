# SPDX-License-Identifier: BSD-3-Clause
"""Small made-up results for the tests of this folder."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from flexforge.runtime.mesh import CELLS, structured
from flexforge.runtime.results import BodyGeometry, BodyState

CUBE = 0.5 * (np.array(CELLS["hex8"].reference) + 1)


def bar(cell: str = "hex20", name: str = "bar") -> BodyGeometry:
    """Return a bar (a strip, for a plane cell) of length 1."""
    dim = CELLS[cell].dim
    corners = CUBE * [1.0, 0.12, 0.08] if dim == 3 else CUBE[:4, :2] * [1.0, 0.12]
    # meshio (5.3.5) mixes up the arrays of a VTU file if an offset among the raw data is also one
    # in base64: with 6 divisions it does so for the pyramids.
    length = 5 if cell == "pyramid5" else 6
    part = structured(cell, corners, [length, 2, 2][:dim]).part()
    return BodyGeometry(name, part.cell, part.points, part.connectivity)


def bent(body: BodyGeometry, t: float, stress: bool = True, frame: bool = True) -> BodyState:
    """Return a state of a bar that swings and turns."""
    dim = CELLS[body.cell].dim
    u = np.zeros((len(body.points), dim))
    u[:, dim - 1] = 0.01 * np.sin(3 * t) * body.points[:, 0] ** 2
    v = u * 3.0
    sigma = np.zeros((len(u), 6))
    sigma[:, 0] = 1e8 * np.sin(3 * t) * (1 - body.points[:, 0])
    cos, sin = np.cos(t), np.sin(t)
    turned = SimpleNamespace(
        w=np.array([0.0, 0.0, 1.0]), e=np.zeros(3), v_O=np.zeros(3), a_O=np.zeros(3),
        R=np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]]),
        r_O=np.array([0.1, 0.2, 0.3]),
    )  # fmt: skip
    return BodyState(u, v, sigma if stress else None, turned if frame else None)
