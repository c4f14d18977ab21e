# SPDX-License-Identifier: BSD-3-Clause
"""A frame that turns about an axis through a point: the same body with the mesh moved elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.motion.build import build_motion
from flexforge.runtime.run import run_model

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, 0.1, 0], [0, 0.1, 0],
                    [0, 0, 0.2], [1, 0, 0.2], [1, 0.1, 0.2], [0, 0.1, 0.2]])  # fmt: skip
AWAY = np.array([0.3, 0.2, -0.4])
RUN_UP = {"ramp": {"to": 100.0, "duration": 0.004}}
MOTION = {"kind": "transient", "duration": 0.02, "steps": 100}
CASES: dict[str, tuple[dict[str, Any], Any]] = {
    "static": ({"kind": "static"}, 100.0),
    "modes": ({"kind": "modes", "count": 3}, 100.0),
    "campbell": ({"kind": "modes", "count": 3, "speeds": [0.0, 50.0, 200.0]}, 100.0),
    "native": (MOTION, RUN_UP),
    "hamilton": (MOTION | {"method": "midpoint"}, 100.0),
    "explicit": (
        MOTION | {"method": "central_difference", "steps": 1000, "duration": 2.5e-4},
        RUN_UP,
    ),
}


def model(where: np.ndarray, analysis: dict[str, Any], velocity: Any) -> dict[str, Any]:
    """Return a blade that turns about an axis through a point, with its mesh beside that point."""
    axis = [0.0, 0.6, 0.8]
    frame = {"axis": axis, "velocity": velocity, "point": where.tolist()}
    push = {"kind": "force", "group": "xmax", "total": [0, -100, 30]}
    block = {"cell": "hex8", "corners": (CORNERS + where).tolist(), "divisions": [6, 1, 1]}
    return {
        "mesh": {"block": block},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
        "bodies": [{"name": "blade", "element": "hex8i", "material": "steel", "frame": frame}],
        "supports": [{"group": "xmin"}],
        "loads": [push],
        "probes": [{"name": one, "group": "xmax", "quantity": "displacement", "component": one}
                   for one in "xyz"],
        "analysis": analysis,
        "output": {"formats": ["csv"]},
    }  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_mesh_beside_the_point_is_one_at_the_origin(case: str, tmp_path: Path) -> None:
    found = []
    for number, where in enumerate((np.zeros(3), AWAY)):
        tables = model_from_dict(model(where, *CASES[case]))
        found.append(run_model(tables, output=tmp_path / f"{number}"))
    for name, value in found[0].figures.items():
        if name.startswith(("mode ", "largest displacement")):
            assert found[1].figures[name][0] == pytest.approx(value[0], rel=1e-8), name
    if CASES[case][0]["kind"] != "modes":
        here, there = (np.array([one.probes[c] for c in "xyz"]) for one in found)
        np.testing.assert_allclose(there, here, rtol=0, atol=1e-7 * np.abs(here).max())


def test_points_of_the_axis_stay(tmp_path: Path) -> None:
    """Positions, velocities and accelerations of the frame, by differences in time."""
    tables = model(AWAY, *CASES["native"])
    motion = build_motion(model_from_dict(tables).bodies[0].frame, 1.0)  # type: ignore[arg-type]
    state, step = motion.at(0.004), 1e-6
    on_axis = AWAY + 2.5 * np.array([0.0, 0.6, 0.8])
    np.testing.assert_allclose(state.r_O + state.R @ on_axis, on_axis, rtol=0, atol=1e-15)
    near = [motion.at(0.004 + s * step) for s in (-1.0, 0.0, 1.0)]
    velocity = state.R.T @ (near[2].r_O - near[0].r_O) / (2.0 * step)
    acceleration = state.R.T @ (near[2].r_O - 2.0 * near[1].r_O + near[0].r_O) / step**2
    np.testing.assert_allclose(state.v_O, velocity, rtol=1e-6)
    np.testing.assert_allclose(state.a_O, acceleration, rtol=1e-3)
    where, turn = motion.poses(np.array([0.004]))
    np.testing.assert_allclose(where[0] + turn[0] @ on_axis, on_axis, rtol=0, atol=1e-15)
    np.testing.assert_allclose(motion.over(np.array([0.004])).a_O[0], state.a_O, rtol=1e-14)


def test_a_point_needs_an_axis() -> None:
    tables = model(AWAY, {"kind": "static"}, [0.0, 0.0, 10.0])
    del tables["bodies"][0]["frame"]["axis"]
    with pytest.raises(InputError, match=r"frame.point: found a point without a rotation about a"):
        model_from_dict(tables)
