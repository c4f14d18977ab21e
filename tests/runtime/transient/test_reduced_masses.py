# SPDX-License-Identifier: BSD-3-Clause
"""Motions of elements whose masses by reduced integration are singular."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from marks import slow

YOUNG, DENSITY, LENGTH, SIDE = 2e11, 7800.0, 1.0, 0.05


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("cell", ["quad8", slow("hex20")])
def test_a_cantilever_swings_about_its_deflection(tmp_path: Path, cell: str, large: bool) -> None:
    """A small force that begins at once: the tip turns back near twice the static deflection.

    Accelerations at the start are those of a full rule, with an energy too.
    """
    flat = [[0, 0], [LENGTH, 0], [LENGTH, SIDE], [0, SIDE]]
    planar = cell == "quad8"
    corners = flat if planar else [[*one, z] for z in (0, SIDE) for one in flat]
    moment, area = SIDE**4 / 12.0, SIDE**2
    period = 2.0 * np.pi * LENGTH**2 / (3.51602 * np.sqrt(YOUNG * moment / (DENSITY * area)))
    body: dict[str, Any] = {"name": "bar", "element": f"{cell}rm", "material": "steel"}
    if planar:
        body |= {"hypothesis": "plane_strain", "thickness": SIDE}
    if large:
        body |= {"energy": "st_venant_kirchhoff", "parameters": {"lame": 0.0, "mu": YOUNG / 2}}
    divisions = [8, 2] if planar else [8, 2, 2]
    tables = {
        "mesh": {"block": {"cell": cell, "corners": corners, "divisions": divisions}},
        "materials": {"steel": {"young": YOUNG, "poisson": 0.0, "density": DENSITY}},
        "bodies": [body],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "total": [0, 10.0, 0]}],
        "probes": [{"name": "y", "point": [LENGTH, 0, 0], "component": "y"}],
        "output": {"formats": ["csv"]},
        "analysis": {"kind": "transient", "duration": period, "steps": 40, "method": "hht",
                     "alpha": -0.1},
    }  # fmt: skip
    found = run_model(model_from_dict(tables), output=tmp_path).probes["y"]
    static = 10.0 * LENGTH**3 / (3.0 * YOUNG * moment)
    assert found.max() == pytest.approx(2.0 * static, rel=4e-2)
    assert abs(found[-1]) < 0.06 * static


def test_a_ring_with_an_energy_breathes(tmp_path: Path) -> None:
    """A thin ring that is pressed at once: its radius grows to twice the static one and returns.

    The static one is p R^2/(E t), the frequency sqrt(E/rho)/R.
    """
    radius, thick, pressure = 1.0, 0.01, 1e5
    corners = [[radius, 0], [radius + thick, 0], [radius + thick, 0.02], [radius, 0.02]]
    period = 2.0 * np.pi * (radius + thick / 2) / np.sqrt(YOUNG / DENSITY)
    tables = {
        "mesh": {"block": {"cell": "quad8", "corners": corners, "divisions": [1, 2]}},
        "materials": {"steel": {"young": YOUNG, "poisson": 0.0, "density": DENSITY}},
        "bodies": [{"name": "ring", "element": "quad8rm", "hypothesis": "axisymmetric",
                    "material": "steel", "energy": "st_venant_kirchhoff",
                    "parameters": {"lame": 0.0, "mu": YOUNG / 2}}],
        "supports": [{"group": "ymin", "components": ["y"]}],
        "loads": [{"kind": "pressure", "group": "xmin", "value": pressure}],
        "probes": [{"name": "r", "point": [radius, 0, 0], "component": "x"}],
        "output": {"formats": ["csv"]},
        "analysis": {"kind": "transient", "duration": period, "steps": 80, "method": "hht",
                     "alpha": -0.1},
    }  # fmt: skip
    found = run_model(model_from_dict(tables), output=tmp_path).probes["r"]
    static = pressure * radius**2 / (YOUNG * thick)
    assert found.max() == pytest.approx(2.0 * static, rel=2e-2)
    assert abs(found[-1]) < 0.03 * static
