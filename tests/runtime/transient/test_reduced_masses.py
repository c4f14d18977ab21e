# SPDX-License-Identifier: BSD-3-Clause
"""Motions of elements whose masses by reduced integration are singular."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

YOUNG, DENSITY, LENGTH, SIDE = 2e11, 7800.0, 1.0, 0.05


@pytest.mark.parametrize("large", [False, True])
def test_a_cantilever_swings_about_its_deflection(tmp_path: Path, large: bool) -> None:
    """A small force that begins at once: the tip turns back near twice the static deflection.

    Accelerations at the start are those of a full rule, with an energy too.
    """
    corners = [[0, 0], [LENGTH, 0], [LENGTH, SIDE], [0, SIDE]]
    moment, area = SIDE**4 / 12.0, SIDE**2
    period = 2.0 * np.pi * LENGTH**2 / (3.51602 * np.sqrt(YOUNG * moment / (DENSITY * area)))
    tables: dict[str, Any] = {
        "mesh": {"block": {"cell": "quad8", "corners": corners, "divisions": [8, 2]}},
        "materials": {"steel": {"young": YOUNG, "poisson": 0.0, "density": DENSITY}},
        "bodies": [{"name": "bar", "element": "quad8rm", "hypothesis": "plane_strain",
                    "thickness": SIDE, "material": "steel"}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "total": [0, 10.0, 0]}],
        "probes": [{"name": "y", "point": [LENGTH, 0, 0], "component": "y"}],
        "output": {"formats": ["csv"]},
        "analysis": {"kind": "transient", "duration": period, "steps": 40, "method": "hht",
                     "alpha": -0.1},
    }  # fmt: skip
    if large:
        tables["bodies"][0] |= {"energy": "st_venant_kirchhoff",
                                "parameters": {"lame": 0.0, "mu": YOUNG / 2}}  # fmt: skip
    found = run_model(model_from_dict(tables), output=tmp_path).probes["y"]
    static = 10.0 * LENGTH**3 / (3.0 * YOUNG * moment)
    assert found.max() == pytest.approx(2.0 * static, rel=4e-2)
    assert abs(found[-1]) < 0.06 * static
