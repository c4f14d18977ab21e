# SPDX-License-Identifier: BSD-3-Clause
"""Meshes of meshio: sets, arrays, formats that only meshio reads, and what is wrong with some."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flexforge as ff
import meshio
import numpy as np
import pytest

BAR = [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (4, 0), (4, 1), (0, 1))]


def tables(mesh: Any) -> dict[str, Any]:
    """Return a clamped bar."""
    return {
        "mesh": mesh,
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
        "bodies": [{"name": "bar", "element": "hex8i", "material": "steel"}],
        "supports": [{"group": "root"}],
        "analysis": {"kind": "modes", "count": 3},
        "output": {"formats": []},
    }


def bar() -> tuple[np.ndarray, np.ndarray]:
    """Return the points and cells of a bar of eight cells."""
    from flexforge.runtime.mesh.structured import structured

    made = structured("hex8", BAR, [8, 1, 1])
    return made.points, made.blocks[0].nodes


def frequencies(mesh: ff.Mesh, folder: Path) -> list[float]:
    """Return the three lowest, Hz."""
    outcome = ff.load_model(tables(mesh)).run(output=folder)
    return [outcome.figures[f"mode {k}"][0] for k in (1, 2, 3)]


def test_a_mesh_of_nastran_vibrates_as_its_arrays(tmp_path: Path) -> None:
    """Written and read by meshio; the group is that of its points."""
    points, cells = bar()
    meshio.Mesh(points, [("hexahedron", cells)]).write(tmp_path / "bar.bdf", file_format="nastran")
    read = meshio.read(tmp_path / "bar.bdf")
    read.point_sets["root"] = np.flatnonzero(read.points[:, 0] == 0.0)
    found = frequencies(ff.mesh_from_meshio(read), tmp_path / "1")
    given = ff.mesh_from_arrays(points, {"hex8": cells}, groups={"root": points[:, 0] == 0.0})
    # Eight digits are written.
    assert found == pytest.approx(frequencies(given, tmp_path / "2"), rel=1e-5)


def test_sets_and_arrays_are_groups() -> None:
    """Sets of cells over several blocks, integer arrays by value, masks of points."""
    points = [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]]
    made = meshio.Mesh(
        points,
        [("quad", [[0, 1, 4, 3]]), ("triangle", [[1, 2, 5], [1, 5, 4]]), ("line", [[0, 3]])],
        cell_sets={"right": [[], [0, 1], []], "left": [[0], [], [0]]},
        cell_data={"part": [[7], [7, 8], [9]]},
        point_data={"held": np.array([1, 0, 0, 1, 0, 0])},
        point_sets={"end": [2, 5]},
    )
    mesh = ff.mesh_from_meshio(made)
    parts = {"part:7", "part:8", "part:9"}
    assert {*mesh.groups} == {"right", "left:surface", "left:curve", "held", "end", *parts}
    assert mesh.select("right").nodes.tolist() == [1, 2, 4, 5]
    assert mesh.select("part:7").nodes.tolist() == [0, 1, 2, 3, 4, 5]
    assert mesh.select("held").nodes.tolist() == [0, 3]
    assert mesh.select("end").nodes.tolist() == [2, 5]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"cells": [("quad", [[0, 1, 2, 9]])]}, "mesh: cells quad: found row 9; expected rows fro"),
        ({"cells": [("quad16", [[0, 1, 2, 3] * 4])]}, "mesh: has cells quad16, which"),
        ({"point_sets": {"a": [-1]}}, "mesh: set 'a': found row -1; expected rows from 0 to 3"),
        ({"cell_sets": {"a": [[3]]}}, "mesh: set 'a': found row 3; expected rows from 0 to 0"),
        ({"points": [[0, 0], [1, np.nan], [1, 1], [0, 1]]}, "mesh: node 1: a coordinate is nan"),
    ],
)
def test_what_is_wrong_is_told(changes: dict[str, Any], said: str) -> None:
    square = {"points": [[0.0, 0], [1, 0], [1, 1], [0, 1]], "cells": [("quad", [[0, 1, 2, 3]])]}
    with pytest.raises(ff.InputError, match=said):
        ff.mesh_from_meshio(meshio.Mesh(**(square | changes)))


def test_other_objects_are_refused() -> None:
    with pytest.raises(ff.InputError, match="found dict without points; expected a mesh of meshio"):
        ff.mesh_from_meshio({"points": []})
