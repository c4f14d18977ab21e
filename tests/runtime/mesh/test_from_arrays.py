# SPDX-License-Identifier: BSD-3-Clause
"""Meshes from arrays: the same model as from a block, and what is refused."""

from __future__ import annotations

import flexforge as ff
import numpy as np
import pytest
from flexforge.runtime.mesh import structured

CORNERS = [[x, y, z] for z in (0, 0.1) for x, y in ((0, 0), (1, 0), (1, 0.1), (0, 0.1))]
SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]


def model(mesh):
    return {
        "mesh": mesh,
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
        "bodies": [{"name": "beam", "element": "hex20", "material": "steel"}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "pressure", "group": "zmax", "value": 1e4}],
        "probes": [{"name": "tip", "group": "xmax", "component": "z"}],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    }


def test_arrays_and_a_block_are_the_same_model(tmp_path):
    block = {"cell": "hex20", "corners": CORNERS, "divisions": [4, 1, 1]}
    made = structured(**block)
    faces = made.groups["zmax"].cells
    arrays = ff.mesh_from_arrays(
        1e3 * made.points,
        {one.cell: one.nodes for one in made.blocks},
        {
            "xmin": made.points[:, 0] == 0,
            "xmax": np.flatnonzero(made.points[:, 0] == 1),
            "zmax": {made.blocks[i].cell: rows for i, rows in faces.items()},
        },
    )
    meshes = {"block": {"block": block}, "arrays": {"arrays": arrays, "scale": 1e-3}}
    tips = [
        ff.load_model(model(mesh)).run(tmp_path / name).probes["tip"].values[-1]
        for name, mesh in meshes.items()
    ]
    assert tips[0] < 0
    assert tips[1] == pytest.approx(tips[0], rel=1e-9)


def test_a_file_read_before_is_a_mesh_too(tmp_path):
    file = tmp_path / "square.vtk"
    file.write_text(
        "# vtk DataFile Version 3.0\nsquare\nASCII\nDATASET UNSTRUCTURED_GRID\n"
        "POINTS 4 double\n0 0 0 1 0 0 1 1 0 0 1 0\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n9\n"
    )
    mesh = ff.read_mesh(file)
    assert repr(mesh) == f"{file}: 4 nodes, 1 quad4; no groups"


def test_repeated_in_several_models_and_never_changed():
    mesh = ff.mesh_from_arrays(SQUARE, {"quad4": [[0, 1, 2, 3]]}, {"left": [0, 3]})
    before = mesh.points.copy()
    tables = {
        "mesh": {"arrays": mesh, "scale": 2.0, "points": {"hub": [0, 0, 0]}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
        "bodies": [{"name": "b", "element": "quad4", "material": "steel", "thickness": 1.0}],
        "supports": [{"group": "left"}],
        "analysis": {"kind": "static"},
    }
    for _ in range(2):
        assert ff.load_model(tables).check().mass == pytest.approx(4 * 7800)
    assert np.array_equal(mesh.points, before)


@pytest.mark.parametrize(
    ("points", "cells", "groups", "text"),
    [
        (SQUARE, {"quad": [[0, 1, 2, 3]]}, {}, "unknown type 'quad'; did you mean 'quad4'"),
        (SQUARE, {"triangle": [[0, 1, 2]]}, {}, "unknown type 'triangle'; did you mean 'tri3'"),
        (SQUARE, {"tri3": [[0, 1, 4]]}, {}, r"cells\['tri3'\]: found 4; .* 0 to 3"),
        (SQUARE, {"tri3": [[0, 1, -1]]}, {}, r"cells\['tri3'\]: found -1"),
        (SQUARE, {"tri3": [0, 1, 2]}, {}, r"found shape \(3,\); expected \(n_cells, 3\)"),
        (SQUARE, {"tri3": [[0, 1, "b"]]}, {}, r"cells\['tri3'\]: .*whole numbers"),
        (SQUARE, {}, {}, "no cells found"),
        ([[0, np.inf], *SQUARE[1:]], {"tri3": [[0, 1, 2]]}, {}, "node 0: a coordinate is inf"),
        ([0, 1], {"tri3": [[0, 1, 2]]}, {}, r"points: found shape \(2,\)"),
        (SQUARE, {"tri3": [[0, 1, 2]]}, {"a": [7]}, r"groups\['a'\]: found 7; .* 0 to 3"),
        (SQUARE, {"tri3": [[0, 1, 2]]}, {"a": []}, r"groups\['a'\]: found an empty group"),
        (SQUARE, {"tri3": [[0, 1, 2]]}, {"a": [True]}, r"mask of shape \(1,\); expected \(4,\)"),
        (SQUARE, {"tri3": [[0, 1, 2]]}, {"a": {"tri6": [0]}}, r"found cells 'tri6'.*tri3"),
        (SQUARE, {"tri3": [[0, 1, 2]]}, {"a": {"tri3": [1]}}, r"found 1; expected rows of cells"),
        (SQUARE, {"tri3": [[0, 1, 2]]}, {3: [1]}, "groups: found the name 3; expected a text"),
    ],
)
def test_bad_arrays_are_named(points, cells, groups, text):
    with pytest.raises(ff.InputError, match=text):
        ff.mesh_from_arrays(points, cells, groups)


def test_other_things_are_no_mesh():
    with pytest.raises(ff.InputError, match=r"mesh\.arrays: .*mesh_from_arrays"):
        ff.load_model(model({"arrays": [[0, 1, 2]]}))
    mesh = ff.mesh_from_arrays(SQUARE, {"quad4": [[0, 1, 2, 3]]})
    with pytest.raises(ff.InputError, match="mesh: found both file and arrays"):
        ff.load_model(model({"arrays": mesh, "file": "a.msh"}))
