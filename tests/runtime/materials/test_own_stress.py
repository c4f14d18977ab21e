# SPDX-License-Identifier: BSD-3-Clause
"""Stresses of undeformed bodies, beside temperatures and closed forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge import mesh_from_arrays
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mesh import structured
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model

YOUNG, POISSON, ALPHA = 2e11, 0.3, 1e-5


def block(**changes: Any) -> dict[str, Any]:
    """Return a slender block whose ends are held.

    Not so slender that round-off of the stiffness is seen: of a side of 0.02 m it is some 1e-9 of
    the lowest frequency.
    """
    corners = [[x, y, z] for z in (0, 0.05) for x, y in ((0, 0), (1, 0), (1, 0.05), (0, 0.05))]
    return {
        "mesh": {"block": {"cell": "hex20", "corners": corners, "divisions": [8, 1, 1]}},
        "materials": {"steel": {"young": YOUNG, "poisson": POISSON, "density": 7800.0,
                                "expansion": ALPHA}},
        "bodies": [{"name": "bar", "element": "hex20", "material": "steel"}],
        "supports": [{"group": "xmin"}, {"group": "xmax"}],
        "output": {"formats": ["csv"]},
        "analysis": {"kind": "modes", "count": 2},
    } | changes  # fmt: skip


def run(folder: Path, **changes: Any) -> Outcome:
    """Run a block."""
    return run_model(model_from_dict(block(**changes)), output=folder)


def test_a_stress_of_all_directions_is_a_temperature(tmp_path: Path) -> None:
    """A stress of -E alpha T/(1 - 2 nu) has the modes of a temperature T: those of a column."""
    heat = {"kind": "temperature", "change": 125.0}
    size = -YOUNG * ALPHA * 125.0 / (1.0 - 2.0 * POISSON)
    stress = {"kind": "stress", "stress": [size] * 3 + [0.0] * 3}
    first, *others = (
        run(tmp_path / name, loads=loads).figures["mode 1"][0]
        for name, loads in (("heat", [heat]), ("stress", [stress]), ("none", []))
    )
    assert others[0] == pytest.approx(first, rel=1e-9)
    assert others[1] > 1.05 * first


def test_a_plane_stress_bends_what_is_cut(tmp_path: Path) -> None:
    """The lower half of a strip is under a stress s: it curves as a bimetal does.

    Halves of equal moduli with free strains s/E apart have the curvature 3/2 (s/E)/h (Timoshenko
    1925), and the tip of a cantilever moves by that times L^2/2.
    """
    mesh = structured("quad8", [[0, 0], [1, 0], [1, 0.1], [0, 0.1]], [20, 2])
    (cells,) = [one.nodes for one in mesh.blocks if one.cell == "quad8"]
    below = mesh.points[cells[:, :4], 1].mean(axis=1) < 0.05
    numbers = {"low": np.flatnonzero(below), "high": np.flatnonzero(~below)}
    groups = {name: mesh.select(name).nodes for name in ("xmin", "xmax")}
    bodies = [{"name": name, "cells": "#" + ", ".join(map(str, own)), "element": "quad8",
               "material": "steel", "hypothesis": "plane_stress", "thickness": 0.01}
              for name, own in numbers.items()]  # fmt: skip
    stress = {"kind": "stress", "stress": [1e6, 0, 0, 0, 0, 0], "body": "low", "amplitude": 2.0}
    probe = {"name": "v", "point": [1.0, 0.05, 0.0], "component": "y"}
    found = run(tmp_path, mesh=mesh_from_arrays(mesh.points, {"quad8": cells}, groups),
                bodies=bodies, loads=[stress], probes=[probe], supports=[{"group": "xmin"}],
                analysis={"kind": "static"})  # fmt: skip
    curvature = 1.5 * (2e6 / YOUNG) / 0.1
    assert found.probes["v"][-1] == pytest.approx(-0.5 * curvature, rel=5e-3)


@pytest.mark.parametrize(
    ("loads", "body", "said"),
    [
        ([{"kind": "temperature", "change": 1.0}], {}, r"loads\[0\]: found a stress of body 'bar'"),
        ([{"kind": "stress", "stress": [1.0] * 6}], {}, "expected one stress of it, and no tempe"),
        ([], {"energy": "st_venant_kirchhoff", "parameters": {"lame": 1.0, "mu": 1.0}},
         "found a stress of body 'bar' of hex20; expected a solid"),
    ],
)  # fmt: skip
def test_what_has_no_stress_is_told(
    tmp_path: Path, loads: list[dict[str, Any]], body: dict[str, Any], said: str
) -> None:
    tables = block(analysis={"kind": "static"})
    tables["bodies"][0] |= body
    tables["loads"] = [{"kind": "stress", "stress": [1.0] * 6}, *loads]
    with pytest.raises(InputError, match=said):
        run_model(model_from_dict(tables), output=tmp_path)
