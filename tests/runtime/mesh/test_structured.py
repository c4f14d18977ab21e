# SPDX-License-Identifier: BSD-3-Clause
"""Structured blocks: sizes, volumes, groups, speed."""

from __future__ import annotations

import time

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh import CELLS, check_part, orphan_remarks, structured
from flexforge.runtime.mesh.shape import shape_gradients

CUBE = 0.5 * (np.array(CELLS["hex8"].reference) + 1)
SIZES = {  # nodes and cells of a 3 x 2 (x 2) block, counted by hand
    "tri3": (12, 12), "quad4": (12, 6), "tri6": (35, 12), "quad8": (29, 6),
    "tet4": (36, 72), "hex8": (36, 12), "tet10": (175, 72), "hex20": (36 + 75, 12),
    "quad9": (7 * 5, 6), "hex27": (7 * 5 * 5, 12), "pyramid5": (36 + 12, 72), "wedge6": (36, 24),
    # edges of the cuts: a diagonal in each of the 3 x 2 squares of 3 layers
    "wedge15": (36 + 75 + 18, 24),
}  # fmt: skip


@pytest.mark.parametrize("cell", SIZES)
def test_sizes_and_soundness(cell: str) -> None:
    """A block has the nodes and cells that counting gives; all cells sound, no node left over."""
    dim = CELLS[cell].dim
    mesh = structured(cell, CUBE if dim == 3 else CUBE[:4, :2], [3, 2, 2][:dim])
    assert (len(mesh.points), len(mesh.blocks[0].nodes)) == SIZES[cell]
    check_part(mesh.part("all"))
    assert not orphan_remarks(mesh)
    assert len({tuple(row) for row in np.round(mesh.points, 9)}) == len(mesh.points)


@pytest.mark.parametrize("cell", SIZES)
def test_midsides_lie_on_straight_edges(cell: str) -> None:
    """Middle nodes halve straight edges, in a warped block too, so its volume is the sum."""
    dim = CELLS[cell].dim
    corners = (CUBE if dim == 3 else CUBE[:4]) * [2.0, 1.0, 1.5]
    corners[2] += [0.4, 0.3, 0.0]
    mesh = structured(cell, corners, [3, 2, 2][:dim])
    x = mesh.points[mesh.blocks[0].nodes]
    for i, (a, b) in enumerate(CELLS[cell].edges, start=CELLS[cell].corners):
        if CELLS[cell].quadratic:
            assert np.allclose(x[:, i], 0.5 * (x[:, a] + x[:, b]), atol=1e-14)
    assert np.ptp(mesh.points[mesh.select("xmin").nodes, 0]) == 0


@pytest.mark.parametrize("cell", ["hex20", "hex27"])
def test_groups(cell: str) -> None:
    """Sides, edges and corners carry the nodes that their coordinates say."""
    mesh = structured(cell, CUBE * [3, 2, 1], [3, 2, 1])
    for axis, name in enumerate("xyz"):
        for end, value in (("min", 0.0), ("max", [3.0, 2.0, 1.0][axis])):
            group = mesh.select(f"{name}{end}")
            expected = np.flatnonzero(np.isclose(mesh.points[:, axis], value))
            assert group.dim == 2 and np.array_equal(group.nodes, expected)
            facets = mesh.blocks[1].nodes[group.cells[1]]
            assert np.array_equal(np.unique(facets), expected)
    edge = np.flatnonzero((mesh.points[:, 0] == 0) & (mesh.points[:, 2] == 0))
    assert np.array_equal(mesh.select("zmin_xmin").nodes, edge)
    assert np.array_equal(mesh.select("xmin_zmin").nodes, edge)
    for i, corner in enumerate(CUBE * [3, 2, 1], start=1):
        assert np.allclose(mesh.points[mesh.select(f"corner{i}").nodes], corner)


def test_tetrahedra_of_neighbours_share_faces() -> None:
    """Cut hexahedra fit together: no boundary inside, so the boundary has the block's area."""
    mesh = structured("tet4", CUBE, [3, 3, 3])
    triangles = mesh.points[mesh.blocks[1].nodes]
    area = 0.5 * np.linalg.norm(
        np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1
    )
    assert len(triangles) == 6 * 2 * 9 and area.sum() == pytest.approx(6.0)


def test_hexahedra_of_a_million_unknowns_in_no_time() -> None:
    """40 x 40 x 40 hexahedra with groups take no Python loop: well below two seconds."""
    start = time.perf_counter()
    mesh = structured("hex8", CUBE, [40, 40, 40])
    check_part(mesh.part("all"))
    assert time.perf_counter() - start < 2.0
    assert 3 * len(mesh.points) == 206_763  # 3 * 41^3
    gradients = shape_gradients("hex8", np.zeros((1, 3)))[0]
    volume = 8 * np.linalg.det(gradients @ mesh.points[mesh.blocks[0].nodes]).sum()
    assert volume == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize(
    ("cell", "corners", "divisions", "message"),
    [
        ("hex9", CUBE, [1, 1, 1], "cell 'hex9'"),
        ("point1", CUBE, [1], "cell 'point1'"),
        ("line2", CUBE, [1], "line2 expects 2 corners with 2 or 3 coordinates"),
        ("hex8", CUBE[:4], [1, 1, 1], "corners of shape"),
        ("hex8", CUBE, [1, 1], "divisions"),
        ("hex8", CUBE, [1, 0, 1], "divisions"),
        ("quad4", CUBE[:4, :2], [1.5, 2.0], "divisions"),
    ],
)
def test_wrong_blocks(cell: str, corners: np.ndarray, divisions: list[int], message: str) -> None:
    """Cell, corners and divisions that do not fit are refused in one line."""
    with pytest.raises(InputError, match=message) as error:
        structured(cell, corners, divisions)
    assert "\n" not in str(error.value)
