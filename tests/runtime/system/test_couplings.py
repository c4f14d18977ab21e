# SPDX-License-Identifier: BSD-3-Clause
"""Points coupled with the nodes of a face: rigid motions, uniform stress, bolt groups."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mesh import structured
from flexforge.runtime.run import run_model

E, NU = 2e11, 0.3
CORNERS = [[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [0, 0, 1], [2, 0, 1], [2, 1, 1], [0, 1, 1]]


def block(kind: str, point: list[float], **changes: Any) -> dict[str, Any]:
    """Return a block of unit cubes along x, clamped at x = 0, with a point coupled with x = 2."""
    return {
        "mesh": {"block": {"cell": "hex8", "corners": CORNERS, "divisions": [2, 1, 1]},
                 "points": {"hub": point}},
        "materials": {"steel": {"young": E, "poisson": NU, "density": 7800.0}},
        "bodies": [{"name": "block", "element": "hex8", "material": "steel"}],
        "supports": [{"group": "xmin"}],
        "couplings": [{"name": "cap", "kind": kind, "group": "xmax", "point": "hub"}],
        "loads": [{"kind": "force", "group": "hub", "total": [1e6, 0, 0]}],
        "tables": [{"group": "xmax", "quantity": "nodal_force", "name": "f"},
                   {"group": "xmax", "quantity": "displacement", "name": "u"}],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    } | changes  # fmt: skip


def run(tables: dict[str, Any], folder: Path) -> dict[str, np.ndarray]:
    """Run a model and return its tables: x, y, z of the nodes of the face, by number."""
    run_model(model_from_dict(tables), output=folder)
    found = {}
    for name in ("f", "u"):
        with (folder / "tables" / f"{name}.csv").open() as file:
            found[name] = np.array(list(csv.reader(file))[1:], dtype=float)[:, 2:]
    return found


FACE = np.array([[2, y, z] for z in (0, 1) for y in (0, 1)], dtype=float)


def test_a_point_that_turns_carries_a_rigid_face(tmp_path: Path) -> None:
    """Of a small rotation t about the point p: u = t x (x - p), to the last digit."""
    turn, point = np.array([1e-3, -2e-3, 3e-3]), [3.0, 0.3, 0.2]
    given = {"rx": 1e-3, "ry": -2e-3, "rz": 3e-3}
    supports = [{"group": "xmin"}, {"group": "hub", "displacement": given}]
    found = run(block("rigid", point, supports=supports, loads=[]), tmp_path)
    expected = np.cross(turn, FACE - point)
    assert np.allclose(np.sort(found["u"], axis=0), np.sort(expected, axis=0), atol=1e-17)
    assert np.allclose(found["u"].sum(axis=0), expected.sum(axis=0), rtol=1e-12)


@pytest.mark.parametrize("kind", ["rigid", "distributing"])
def test_a_central_pull_stretches_as_a_bar(tmp_path: Path, kind: str) -> None:
    """Without contraction a cap of either kind has the strain of a bar: F L / (E A)."""
    steel = {"steel": {"young": E, "poisson": 0.0, "density": 7800.0}}
    found = run(block(kind, [2.0, 0.5, 0.5], materials=steel), tmp_path)
    assert np.allclose(found["u"], [2 * 1e6 / E, 0, 0], rtol=1e-12, atol=1e-18)
    assert np.allclose(found["f"], [2.5e5, 0, 0], rtol=1e-9, atol=1e-4)


def test_a_distributed_moment_is_that_of_a_bolt_group(tmp_path: Path) -> None:
    """Forces M x r / sum r^2 on the four corners of a square, of arms sqrt(1/2)."""
    load = {"kind": "moment", "group": "hub", "total": [1e5, 0, 0]}
    found = run(block("distributing", [2.0, 0.5, 0.5], loads=[load]), tmp_path)
    sizes = np.linalg.norm(found["f"], axis=1)
    assert np.allclose(sizes, 1e5 * np.sqrt(0.5) / 2.0, rtol=1e-9)
    assert np.abs(found["f"].sum(axis=0)).max() < 1e-6 * 1e5


def test_a_mean_has_no_levers(tmp_path: Path) -> None:
    """A force at a point far off acts on all nodes alike; a moment as on a bolt group."""
    load = {"kind": "force", "group": "hub", "total": [0, 1e5, 0]}
    found = run(block("mean", [5.0, 3.0, 0.5], loads=[load]), tmp_path / "force")
    assert np.allclose(found["f"], [0, 2.5e4, 0], rtol=1e-9, atol=1e-4)
    moment = {"kind": "moment", "group": "hub", "total": [1e5, 0, 0]}
    found = run(block("mean", [5.0, 3.0, 0.5], loads=[moment]), tmp_path / "moment")
    sizes = np.linalg.norm(found["f"], axis=1)
    assert np.allclose(sizes, 1e5 * np.sqrt(0.5) / 2.0, rtol=1e-9)


def test_a_force_beside_the_centre_brings_its_moment(tmp_path: Path) -> None:
    """At (5, 0.5, 0.5), 3 from the face: a force along y with the moment 3 F about z."""
    load = {"kind": "force", "group": "hub", "total": [0, 1e5, 0]}
    for kind in ("rigid", "distributing"):
        tables = block(kind, [5.0, 0.5, 0.5], loads=[load])
        tables["tables"] = [{"group": "xmin", "quantity": "reaction_force", "name": "r"}]
        run_model(model_from_dict(tables), output=tmp_path / kind)
        with (tmp_path / kind / "tables" / "r.csv").open() as file:
            rows = np.array(list(csv.reader(file))[1:], dtype=float)
        forces, nodes = rows[:, 2:], structured("hex8", CORNERS, [2, 1, 1])
        places = nodes.points[nodes.select("xmin").nodes]
        assert np.allclose(forces.sum(axis=0), [0, -1e5, 0], atol=1e-4)
        moment = np.cross(places, forces).sum(axis=0)
        assert np.allclose(moment, -np.cross([5.0, 0.5, 0.5], [0, 1e5, 0]), atol=1e-3)


def test_a_block_that_a_point_carries_is_a_rigid_body(tmp_path: Path) -> None:
    """A free block that a point carries as a whole: six frequencies that are zero."""
    tables = block("rigid", [1.0, 0.5, 0.5], supports=[], loads=[], tables=[])
    tables["couplings"][0]["group"] = "all"
    tables |= {"analysis": {"kind": "modes", "count": 6}}
    outcome = run_model(model_from_dict(tables), output=tmp_path)
    # The first wave of such a block has some kHz.
    assert max(outcome.figures[f"mode {i}"][0] for i in range(1, 7)) < 1e-4


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"group": "hub"}, "couplings[0].group: found no node but the point"),
        ({"point": "xmax"}, "couplings[0].point: group 'xmax' has 4 nodes; expected one"),
        ({"group": "zmin_xmax"}, "found nodes in a line, which hold no rotation"),
        ({"kind": "elastic"}, "couplings[0].kind: found 'elastic'"),
        ({"name": "block"}, "the name of bodies[0] too"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    tables = block("distributing", [2.0, 0.5, 0.5], tables=[])
    tables["couplings"][0] |= change
    with pytest.raises(InputError) as error:
        run_model(model_from_dict(tables), output=tmp_path)
    assert said in str(error.value)
