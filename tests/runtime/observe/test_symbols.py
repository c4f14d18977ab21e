# SPDX-License-Identifier: BSD-3-Clause
"""Supports and loads in pictures are where the model has them, and point where it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.runtime.results.scene_building import scene_of

BOX = [[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [0, 0, 1], [2, 0, 1], [2, 1, 1], [0, 1, 1]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> ff.Results:
    """A block of 6 x 6 x 6 cells, held, pushed, pressed and pulled down."""
    tables: dict[str, Any] = {
        "mesh": {"block": {"cell": "hex8", "corners": BOX, "divisions": [6, 6, 6]}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
        "bodies": [{"name": "block", "element": "hex8", "material": "steel",
                    "frame": {"angle": "90 deg"}}],
        "supports": [{"group": "xmin"}, {"group": "xmax", "components": ["y"]}],
        "loads": [
            {"kind": "force", "group": "xmax", "total": [0, 0, -5]},
            {"kind": "force", "group": "xmax", "total": [3, 0, 0], "frame": "global"},
            {"kind": "pressure", "group": "zmax", "value": 10.0},
            {"kind": "gravity", "acceleration": [0, 0, -9.81]},
        ],
        "analysis": {"kind": "static"},
    }  # fmt: skip
    folder = tmp_path_factory.mktemp("symbols")
    return ff.load_model(tables).run(folder / "block.results").results


def test_they_are_on_their_groups(results: ff.Results) -> None:
    """Nodes of the groups, at most 24 of 49; gravity acts everywhere and has no symbol."""
    scene = scene_of(results)
    points = {
        name: np.array([scene.pieces[0].points[s.row] for s in scene.symbols if s.name == name])
        for name in dict.fromkeys(one.name for one in scene.symbols)
    }
    sides = {
        "support xmin: all": (0, 0.0),
        "support xmax: y": (0, 2.0),
        "force on xmax": (0, 2.0),
        "pressure on zmax": (2, 1.0),
    }
    assert set(points) == set(sides)
    for name, (axis, place) in sides.items():
        assert points[name][:, axis] == pytest.approx(place, abs=1e-12)
    assert len(points["support xmin: all"]) == 24


def test_forces_have_directions(results: ff.Results) -> None:
    """A force in global components keeps them while the frame turns."""
    forces = {(one.direction, one.fixed) for one in scene_of(results).symbols if one.direction}
    assert forces == {((0.0, 0.0, -5.0), False), ((3.0, 0.0, 0.0), True)}


@pytest.mark.parametrize(
    "wrong",
    [{"nodes": [10**6]}, {"body": "other"}],
)
def test_symbols_that_fit_nothing_are_left_out(
    results: ff.Results, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    """A summary from elsewhere does not break the picture."""
    summary = json.loads((results.folder / "summary.json").read_text("utf-8"))
    summary["symbols"] = [summary["symbols"][0] | wrong]
    for path in results.folder.glob("*.h5"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "summary.json").write_text(json.dumps(summary), "utf-8")
    assert scene_of(ff.Results(tmp_path)).symbols == ()
