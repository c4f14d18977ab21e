# SPDX-License-Identifier: BSD-3-Clause
"""Reduced elements in a single row, some of whose motions meet no stiffness."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mesh import structured
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model

CORNERS = [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (4, 0), (4, 1), (0, 1))]
MESH = structured("hex20", CORNERS, [4, 1, 1])


def node(*place: float) -> str:
    """Return the group of the node at a place."""
    return f"#{MESH.node_labels[(MESH.points == place).all(axis=1)][0]}"


ROLLERS = [{"group": "xmin", "components": ["x"]}, {"group": node(0, 0, 0),
           "components": ["y", "z"]}, {"group": node(0, 1, 0), "components": ["z"]}]  # fmt: skip


def run(folder: Path, load: dict[str, Any]) -> Outcome:
    """Run a bar of hex20r that slides at one end, under a load."""
    tables = {
        "mesh": {"block": {"cell": "hex20", "corners": CORNERS, "divisions": [4, 1, 1]}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
        "bodies": [{"name": "bar", "element": "hex20r", "material": "steel"}],
        "supports": ROLLERS,
        "loads": [load],
        "probes": [{"name": "tip", "group": "xmax", "component": "x"},
                   {"name": "pull", "group": "xmax", "quantity": "stress", "component": "xx"}],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    return run_model(model_from_dict(tables), output=folder)


def test_motions_in_which_no_load_does_work_are_left_out(tmp_path: Path) -> None:
    """A pull has the displacement and the stress of a bar, and a warning says what is free."""
    found = run(tmp_path, {"kind": "pressure", "group": "xmax", "value": -1e6})
    assert found.probes["tip"].values[-1] == pytest.approx(4.0 * 1e6 / 2e11, rel=1e-6)
    assert found.probes["pull"].values[-1] == pytest.approx(1e6, rel=1e-6)
    (said,) = [text for text in found.warnings if "no stiffness" in text]
    assert "bar" in said
    assert "reduced integration" in said


def test_a_load_that_moves_them_is_refused(tmp_path: Path) -> None:
    load = {"kind": "force", "group": node(2, 0.5, 1), "total": [1e3, -2e3, 3e3]}
    with pytest.raises(AnalysisError, match="is not held"):
        run(tmp_path, load)
