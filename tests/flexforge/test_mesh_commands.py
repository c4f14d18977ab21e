# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge mesh`` and ``flexforge init``: figures of known meshes, models that check and run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flexforge.runtime.mesh import structured
from flexforge.runtime.mesh.describe import describe
from flexforge.runtime.mesh.from_arrays import mesh_from_arrays

ROOT = Path(__file__).resolve().parents[2]
BOX = [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (2, 0), (2, 1), (0, 1))]


def msh(path: Path, points, elements) -> Path:
    """Write a Gmsh file of version 2: elements are (type, physical group, nodes)."""
    dims = {1: 1, 2: 2, 3: 2, 5: 3}  # line, triangle, quadrilateral, hexahedron
    names = {tag: dims[kind] for kind, tag, _ in elements}
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", str(len(names))]
    lines += [f'{dim} {tag} "group {tag}"' for tag, dim in names.items()]
    lines += ["$EndPhysicalNames", "$Nodes", str(len(points))]
    lines += [f"{i} {' '.join(map(str, x))}" for i, x in enumerate(points, 1)]
    lines += ["$EndNodes", "$Elements", str(len(elements))]
    lines += [
        f"{i} {kind} 2 {tag} {tag} {' '.join(map(str, nodes))}"
        for i, (kind, tag, nodes) in enumerate(elements, 1)
    ]
    path.write_text("\n".join([*lines, "$EndElements", ""]))
    return path


@pytest.mark.parametrize("cell", ["tet4", "tet10", "wedge6", "wedge15", "hex8", "hex20", "hex27"])
def test_boxes_have_equal_jacobians(cell: str) -> None:
    """Cells of a straight block are parallelepipeds or simplices."""
    report = describe(structured(cell, BOX, [2, 1, 1]))
    first = report.cells[0]
    assert first.cell == cell and first.ratio == pytest.approx((1.0, 1.0)) and not first.poor
    assert report.box == ((0, 0, 0), (2, 1, 1))
    assert first.edges[0] == pytest.approx(1.0)


def test_a_trapezoid_and_a_folded_cell() -> None:
    """The Jacobian of a bilinear trapezoid is proportional to the width at that height."""
    points = [[0, 0], [3, 0], [2, 1], [1, 1], [4, 0], [5, 0], [4.4, 0.2], [4, 1]]
    report = describe(mesh_from_arrays(points, {"quad4": [[0, 1, 2, 3]]}))
    assert report.cells[0].ratio[0] == pytest.approx(1 / 3)
    report = describe(mesh_from_arrays(points, {"quad4": [[0, 1, 2, 3], [4, 5, 6, 7]]}))
    assert report.cells[0].ratio[0] < 0 and report.cells[0].worst == 1
    assert report.cells[0].poor == 1


def test_facets_in_space() -> None:
    """A shell is judged against its own normal, wherever it points; a warped one has less."""
    flat = np.array([[0, 0, 0], [1, 0, 1], [1, 1, 1], [0, 1, 0.0]])
    assert describe(mesh_from_arrays(flat, {"quad4": [[0, 3, 2, 1]]})).cells[0].ratio[0] == 1
    flat[2, 2] += 0.5
    assert 0.5 < describe(mesh_from_arrays(flat, {"quad4": [[0, 1, 2, 3]]})).cells[0].ratio[0] < 1


def test_mesh_shows_the_blade(flexforge) -> None:
    said = flexforge("mesh", ROOT / "examples" / "blade" / "blade.msh", "--json")
    assert said.code == 0
    assert {"root", "tip"} & set(said.json["groups"])
    said = flexforge("mesh", ROOT / "examples" / "blade" / "blade.msh")
    assert "Jacobian ratio" in said.out and "groups:" in said.out


def test_init_begins_a_model_that_runs(flexforge, tmp_path: Path) -> None:
    """A block in millimetres: the scale is noticed, the model checks and gives modes."""
    points = [[1000 * x, 100 * y, 100 * z] for x, y, z in BOX]
    file = msh(tmp_path / "my block.msh", points, [(5, 1, range(1, 9)), (3, 2, (1, 5, 8, 4))])
    said = flexforge("init", file, "-o", tmp_path / "models.toml")
    assert said.code == 0, said.err
    text = (tmp_path / "models.toml").read_text()
    assert 'file = "my block.msh"' in text and "scale = 1e-3" in text
    assert flexforge("check", tmp_path / "models.toml").code == 0
    done = flexforge("run", tmp_path / "models.toml", "-o", tmp_path / "out", "--json")
    assert done.code == 0, done.err
    again = flexforge("init", file, "-o", tmp_path / "models.toml")
    assert again.code == 2 and "exists" in again.err
    assert (tmp_path / "models.toml").read_text() == text


SHEET = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
BENT = [[0, 0, 0], [1, 0, 0.2], [1, 1, 0.2], [0, 1, 0]]


@pytest.mark.parametrize(
    ("points", "elements", "element"),
    [
        (SHEET, [(3, 1, (1, 2, 3, 4)), (1, 2, (1, 4))], "quad4"),
        (BENT, [(3, 1, (1, 2, 3, 4)), (1, 2, (1, 4))], "mitc4"),
        (BENT, [(2, 1, (1, 2, 3)), (2, 1, (1, 3, 4)), (1, 2, (1, 4))], "dkt3"),
        (BENT, [(1, 1, (1, 2)), (1, 1, (2, 3))], "timoshenko_beam"),
        (SHEET, [(1, 1, (1, 2)), (1, 1, (2, 3))], "timoshenko_beam_plane"),
        ([*SHEET, [0.5, 2, 0]], [(3, 1, (1, 2, 3, 4)), (2, 3, (4, 3, 5)), (1, 2, (1, 4))], "tri3"),
    ],
)
def test_every_kind_of_mesh(flexforge, tmp_path: Path, points, elements, element: str) -> None:
    file = msh(tmp_path / "part.msh", points, elements)
    assert flexforge("init", file).code == 0
    assert f'element = "{element}"' in (tmp_path / "part.toml").read_text()
    said = flexforge("check", tmp_path / "part.toml")
    assert said.code == 0, said.err


def test_what_init_refuses(flexforge, tmp_path: Path) -> None:
    mixed = tmp_path / "mixed.vtk"
    mixed.write_text(
        "# vtk DataFile Version 3.0\nmixed\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n"
        "0 0 0 1 0 0 1 1 0 0 1 0 2 0 0\nCELLS 2 9\n4 0 1 2 3\n3 1 4 2\nCELL_TYPES 2\n9\n5\n"
    )
    said = flexforge("init", mixed)
    assert said.code == 2 and "mixes quad4 and tri3" in said.err
    assert not (tmp_path / "mixed.toml").exists()
    said = flexforge("init", tmp_path / "none.msh")
    assert said.code == 2 and "none.msh" in said.err
