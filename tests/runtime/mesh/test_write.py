# SPDX-License-Identifier: BSD-3-Clause
"""Meshes written and read again are what they were: points, cells with their numbers, groups."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flexforge import mesh_from_arrays, read_mesh, write_mesh
from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh import structured
from flexforge.runtime.mesh.mesh import Mesh

PLANE = [[0, 0], [2, 0], [2.5, 1], [0, 1]]
SOLID = [[*p, z] for z in (0.0, 1.5) for p in PLANE]


def top(mesh: Mesh) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Return the cells of the highest dimension: type, numbers, positions of their nodes."""
    blocks = [one for one in mesh.blocks if one.cell.startswith(("hex", "quad", "wedge", "t"))]
    solid = [one for one in blocks if one.cell.startswith(("hex", "tet", "wedge"))] or blocks
    return [(one.cell, one.labels, mesh.points[one.nodes]) for one in solid]


@pytest.mark.parametrize("suffix", [".inp", ".vtu"])
@pytest.mark.parametrize(
    "cell", ["tri3", "tri6", "quad4", "quad8", "tet4", "tet10", "wedge6", "wedge15", "hex8",
             "hex20", "hex27"]
)  # fmt: skip
def test_cells_and_groups_come_back(tmp_path: Path, cell: str, suffix: str) -> None:
    corners, divisions = (PLANE, [2, 3]) if cell[0] in "q" or "tri" in cell else (SOLID, [2, 1, 2])
    mesh = structured(cell, corners, divisions)
    found = read_mesh(write_mesh(mesh, tmp_path / f"mesh{suffix}"))
    for (kind, labels, places), (other, numbers, there) in zip(top(mesh), top(found), strict=True):
        assert kind == other
        np.testing.assert_allclose(places, there, rtol=0, atol=1e-12)
        if suffix == ".inp":
            np.testing.assert_array_equal(labels, numbers)
    for side in ("xmin", "ymax"):
        here, there = (one.points[one.select(side).nodes] for one in (mesh, found))
        assert {*map(tuple, here.round(12))} == {*map(tuple, there.round(12))}


def test_groups_of_cells_are_sets_of_elements(tmp_path: Path) -> None:
    points = [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]]
    cells = {"quad4": [[0, 1, 4, 3], [1, 2, 5, 4]]}
    mesh = mesh_from_arrays(points, cells, {"right": {"quad4": [1]}})
    found = read_mesh(write_mesh(mesh, tmp_path / "two.inp"))
    assert found.part("right").points[:, 0].min() == 1.0
    assert found.part("right").labels.tolist() == [2]  # rows of arrays are numbered from zero
    assert found.node_labels.tolist() == [1, 2, 3, 4, 5, 6]
    with pytest.raises(InputError, match="exists; expected a new file, or overwrite=True"):
        write_mesh(mesh, tmp_path / "two.inp")
    write_mesh(mesh, tmp_path / "two.inp", overwrite=True)


def test_numbers_fit_the_fields_of_calculix(tmp_path: Path) -> None:
    """At most 20 characters, with as many digits as fit."""
    numbers = [[-1.0 / 3e-150, 1.0 / 3.0, 2.0], [1.0, -2e-16 / 3.0, 0.1], [0.0, 1.0, 1e20 / 7.0]]
    mesh = mesh_from_arrays(numbers, {"tri3": [[0, 1, 2]]})
    path = write_mesh(mesh, tmp_path / "far.inp")
    fields = [x for line in path.read_text().splitlines()[1:4] for x in line.split(", ")[1:]]
    assert max(map(len, fields)) <= 20
    np.testing.assert_allclose(np.array(fields, float), np.ravel(numbers), rtol=1e-13)


def test_formats_and_cells_that_there_are_not(tmp_path: Path) -> None:
    mesh = structured("quad9", PLANE, [1, 1])
    with pytest.raises(InputError, match=r"found a file '.stl'; expected one of .inp, .vtu"):
        write_mesh(mesh, tmp_path / "mesh.stl")
    with pytest.raises(InputError, match="decks have no cells quad9; expected tet4"):
        write_mesh(mesh, tmp_path / "mesh.inp")
    assert not [*tmp_path.iterdir()]
