# SPDX-License-Identifier: BSD-3-Clause
"""Modes of a slender column with an energy, whose digits round-off affects, under its load."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from large import run

YOUNG, DENSITY, LENGTH, WIDTH = 2e11, 7800.0, 200.0, 0.5
CORNERS = [[x, y, z] for z in (0, WIDTH) for x, y in ((0, 0), (LENGTH, 0), (LENGTH, 1), (0, 1))]


def test_a_compressed_column_slows_down(tmp_path: Path) -> None:
    """Its squares fall with the load, nearly as f^2 = f_0^2 (1 - P/P_cr) of a cantilever."""
    inertia = WIDTH**3 / 12.0
    critical = np.pi**2 * YOUNG * inertia / (4.0 * LENGTH**2)
    first = 1.8751**2 / (2 * np.pi) * np.sqrt(YOUNG * inertia / (DENSITY * WIDTH * LENGTH**4))
    squares = []
    for share in (0.0, 0.4, 0.8):
        tables = {
            "mesh": {"block": {"cell": "hex20", "corners": CORNERS, "divisions": [40, 1, 1]}},
            "materials": {"steel": {"young": YOUNG, "poisson": 0.0, "density": DENSITY}},
            "bodies": [{"name": "column", "element": "hex20", "energy": "st_venant_kirchhoff",
                        "material": "steel", "parameters": {"lame": 0.0, "mu": YOUNG / 2}}],
            "supports": [{"group": "xmin"}],
            "loads": [{"kind": "force", "group": "xmax", "total": [-share * critical, 0, 0]}],
            "analysis": {"kind": "modes", "count": 2},
            "output": {"formats": ["csv"]},
        }  # fmt: skip
        found = run(tables, tmp_path / str(share))
        squares.append((found.figures["mode 1"][0] / first) ** 2)
    assert squares == pytest.approx([1.0, 0.6, 0.2], abs=0.03)
