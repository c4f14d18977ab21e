# SPDX-License-Identifier: BSD-3-Clause
"""Faces of meshes that do not match: uniform stress passes through, and what is wrong is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mesh.projection import project
from flexforge.runtime.run import run_model

E, NU = 2e11, 0.3


def box(x0: float, x1: float) -> list[list[float]]:
    """Return the corners of a box of unit section along x."""
    section = [(0, 0), (1, 0), (1, 1), (0, 1)]
    low = [[x0, 0, 0], [x1, 0, 0], [x1, 1, 0], [x0, 1, 0]]
    assert len(section) == len(low)
    return [*low, *([x, y, 1] for x, y, _ in low)]


def bar(cell: str = "hex8", **changes: Any) -> dict[str, Any]:
    """Return a bar of two blocks, of 2 x 2 and 4 x 4 cells in section, pulled along x."""
    blocks = {
        "left": {"cell": cell, "corners": box(0, 1), "divisions": [2, 2, 2]},
        "right": {"cell": cell, "corners": box(1, 3), "divisions": [2, 4, 4]},
    }
    slides = [{"group": f"{side}.{face}", "components": [face[0]]}
              for side in ("left", "right") for face in ("ymin", "zmin")]  # fmt: skip
    return {
        "mesh": {"blocks": blocks},
        "materials": {"steel": {"young": E, "poisson": NU, "density": 7800.0}},
        "bodies": [{"name": n, "cells": n, "element": cell, "material": "steel"} for n in blocks],
        "supports": [{"group": "left.xmin", "components": ["x"]}, *slides],
        "ties": [{"nodes": "right.xmin", "facets": "left.xmax"}],
        "loads": [{"kind": "pressure", "group": "right.xmax", "value": -1e6}],
        "tables": [{"group": n, "quantity": "stress", "name": n} for n in blocks],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    } | changes  # fmt: skip


def test_other_meshes_disturb_a_tie_little(tmp_path: Path) -> None:
    """3 x 3 cells on 2 x 2 lack functions of the other side: the bar is as long to 0.5 %."""
    tables = bar()
    tables["mesh"]["blocks"]["right"]["divisions"] = [8, 3, 3]
    tables["probes"] = [{"name": "end", "group": "right.xmax", "component": "x"}]
    outcome = run_model(model_from_dict(tables), output=tmp_path)
    assert outcome.figures["end"][0] == pytest.approx(3e6 / E, rel=5e-3)


@pytest.mark.parametrize("cell", ["hex8", "hex20"])
def test_uniform_stress_passes_through_a_tie(tmp_path: Path, cell: str) -> None:
    """Where the tied side is finer: then it has all functions of the other, and moves alike."""
    run_model(model_from_dict(bar(cell)), output=tmp_path)
    for name in ("left", "right"):
        rows = np.loadtxt(tmp_path / "tables" / f"{name}.csv", delimiter=",", skiprows=1)
        assert np.allclose(rows[:, 3:], [1e6, 0, 0, 0, 0, 0], atol=1e-3)


def test_nodes_beyond_a_distance_stay_free_or_are_told(tmp_path: Path) -> None:
    tables = bar()
    tables["mesh"]["blocks"]["right"]["corners"] = box(1.2, 3)
    with pytest.raises(InputError, match=r"ties\[0\].nodes: node \d+ is 0.2 m away from the facet"):
        run_model(model_from_dict(tables), output=tmp_path)
    tables["ties"][0]["within"] = 0.1
    with pytest.raises(InputError, match="body 'right' is free to move"):
        run_model(model_from_dict(tables), output=tmp_path)
    tables["ties"][0]["within"] = 0.3
    run_model(model_from_dict(tables), output=tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"nodes": "left.xmax"}, "ties[0].nodes: found no node of a body beside the facets"),
        ({"facets": "left.corner1"}, "ties[0].facets"),
        ({"nodes": "right.xmni"}, "did you mean 'right.xmin'?"),
        ({"within": -1.0}, "ties[0].within: found -1.0"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    tables = bar()
    tables["ties"][0] |= change
    with pytest.raises(InputError) as error:
        run_model(model_from_dict(tables), output=tmp_path)
    assert said in str(error.value)


def test_the_closest_points_of_facets_are_those_of_geometry() -> None:
    """A square in x, y and a triangle beside it: inside, beyond a side, beyond a corner."""
    points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 0]], dtype=float)
    facets = [("quad4", np.array([[0, 1, 2, 3]])), ("tri3", np.array([[1, 4, 2]]))]
    asked = np.array([[0.25, 0.5, 0.3], [-1, 0.5, 0], [-3, -4, 0], [1.2, 0.3, -1], [2, 1, 0]])
    found = project(asked, points, facets)
    places = np.array([one.weights @ points[one.nodes] for one in found])
    expected = [[0.25, 0.5, 0], [0, 0.5, 0], [0, 0, 0], [1.2, 0.3, 0], [1.5, 0.5, 0]]
    assert np.allclose(places, expected, atol=1e-12)
    distances = np.linalg.norm(asked - np.array(expected), axis=1)
    assert np.allclose([one.distance for one in found], distances)
    assert np.allclose([one.weights.sum() for one in found], 1.0)
