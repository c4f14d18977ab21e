# SPDX-License-Identifier: BSD-3-Clause
"""A short cantilever of twelve-node quadrilaterals, compared with quad9: python3 cantilever.py."""

from __future__ import annotations

import tempfile
from pathlib import Path

import flexforge as ff
import numpy as np

HERE = Path(__file__).parent
LENGTH, HEIGHT = 1.0, 0.2


def corners(across: int) -> ff.Mesh:
    """Return quadrilaterals with corners alone, twice as many along the beam as across it."""
    along = 2 * across
    x, y = np.meshgrid(np.linspace(0, LENGTH, along + 1), np.linspace(0, HEIGHT, across + 1))
    first = np.arange(along) + (along + 1) * np.arange(across)[:, None]
    rows = first.reshape(-1, 1) + [0, 1, along + 2, along + 1]
    points = np.column_stack([x.ravel(), y.ravel()])
    groups = {"root": x.ravel() == 0, "tip": x.ravel() == LENGTH}
    return ff.mesh_from_arrays(points, {"quad4": rows}, groups)


def run(named: str, across: int) -> None:
    """Print the deflection under the weight, and the first frequencies."""
    element = ff.element(named)
    tables = {
        "mesh": ff.mesh_for_element(corners(across), element),
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
        "bodies": [{"name": "beam", "element": named, "material": "steel", "thickness": 0.01}],
        "supports": [{"group": "root"}],
        "loads": [{"kind": "gravity", "acceleration": [0, -9.81, 0]}],
        "probes": [{"name": "tip", "group": "tip", "component": "y"}],
        "analysis": {"kind": "static"},
    }
    with tempfile.TemporaryDirectory() as folder:
        model = ff.load_model(tables)
        tip = model.run(Path(folder) / "static").probes["tip"].values[-1]
        frequencies = model.modes(3, output=Path(folder) / "modes").results.modes()[0]
    shown = ", ".join(f"{one:.2f}" for one in frequencies)
    print(f"{element.name:20} {tables['mesh'].blocks[0].nodes.shape[0]:3} cells, "
          f"{len(tables['mesh'].points):4} nodes: tip {1e6 * tip:.4f} um, {shown} Hz")  # fmt: skip


own = str(HERE / "quad12.toml")
for across in (1, 2, 4):
    run(own, across)
for across in (1, 2, 4, 16):
    run("quad9", across)
