# SPDX-License-Identifier: BSD-3-Clause
"""Facets: they close the body and point out of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh import CELLS, boundary_facets, facets_of_group, read_mesh, structured
from flexforge.runtime.mesh.shape import shape_functions, shape_gradients

DATA = Path(__file__).parent / "data"
CORNERS = {
    2: np.array([[0, 0], [2, 0.2], [1.9, 1.1], [0.3, 1.4]]),
    3: np.array(
        [[0, 0, 0], [2, 0.2, 0.1], [1.9, 1.1, 0], [0.3, 1.4, -0.2],
         [0.1, 0, 1.2], [2, 0, 1], [2.2, 1.3, 0.9], [0, 1, 1.1]]
    ),
}  # fmt: skip
GAUSS = 1 / np.sqrt(3.0)
RULES = {
    "line": ([[-GAUSS], [GAUSS]], [1.0, 1.0]),
    "tri": ([[1 / 6, 1 / 6], [2 / 3, 1 / 6], [1 / 6, 2 / 3]], [1 / 6] * 3),
    "quad": ([[i * GAUSS, j * GAUSS] for i in (-1, 1) for j in (-1, 1)], [1.0] * 4),
    "tet": ([[0.25, 0.25, 0.25]], [1 / 6]),
    "hex": ([[i * GAUSS, j * GAUSS, k * GAUSS] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)],
            [1.0] * 8),
}  # fmt: skip


def outward(cell: str, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions (facet, point, 3) and weighted normals n dA of facets (facet, node, 3)."""
    points, weights = RULES[cell.rstrip("0123456789")]
    tangents = np.einsum("pdn,fnc->fpdc", shape_gradients(cell, points), x)
    if CELLS[cell].dim == 1:
        t = tangents[:, :, 0]
        normal = np.stack([t[..., 1], -t[..., 0], np.zeros_like(t[..., 0])], axis=-1)
    else:
        normal = np.cross(tangents[:, :, 0], tangents[:, :, 1])
    return shape_functions(cell, points) @ x, normal * np.array(weights)[:, None]


@pytest.mark.parametrize("cell", [name for name, kind in CELLS.items() if kind.dim > 1])
def test_divergence_theorem(cell: str) -> None:
    """The outward normals of a closed surface sum to zero, and 1/dim sum x.n dA is the volume."""
    dim = CELLS[cell].dim
    mesh = structured(cell, CORNERS[dim], [3, 2, 2][:dim])
    cells = mesh.blocks[0].nodes
    facet_cell, facets, parent = boundary_facets(cell, cells)
    assert facet_cell == CELLS[cell].facet and len(parent) == len(facets)
    x, normal = outward(facet_cell, mesh.points[facets])
    assert np.allclose(normal.sum(axis=(0, 1)), 0, atol=1e-13)
    points, weights = RULES[cell.rstrip("0123456789")]
    jacobian = np.einsum("pdn,enc->epdc", shape_gradients(cell, points), mesh.points[cells])
    volume = np.linalg.det(jacobian[..., :dim]) @ np.array(weights)
    assert np.einsum("fpc,fpc->", x, normal) / dim == pytest.approx(volume.sum(), rel=1e-12)
    assert (cells[parent][:, :, None] == facets[:, None, :]).any(axis=1).all()


@pytest.mark.parametrize("cell", [name for name, kind in CELLS.items() if kind.dim > 1])
def test_each_facet_points_out_of_its_own_cell(cell: str) -> None:
    """Each facet's normal points away from the centre of the cell it belongs to."""
    dim = CELLS[cell].dim
    mesh = structured(cell, CORNERS[dim], [2, 2, 1][:dim])
    facet_cell, facets, parent = boundary_facets(cell, mesh.blocks[0].nodes)
    x, normal = outward(facet_cell, mesh.points[facets])
    centre = mesh.points[mesh.blocks[0].nodes[parent]].mean(axis=1)
    assert (np.einsum("fpc,fpc->fp", x - centre[:, None], normal) > 0).all()


@pytest.mark.parametrize("name", ["root", "77"])
@pytest.mark.parametrize("cell", ["tri3", "quad8", "quad9", "tet10", "hex20", "hex27"])
def test_facets_of_a_group(cell: str, name: str) -> None:
    """A group of facets and a bare set of the same nodes both name the same boundary facets."""
    mesh = read_mesh(DATA / f"{cell}_41.msh")
    cells = mesh.part().nodes[mesh.part().connectivity]
    facet_cell, facets, parent = facets_of_group(mesh, mesh.select(name), cell, cells)
    group = mesh.select(name)
    assert len(facets) == sum(rows.size for rows in group.cells.values())
    assert set(facets.ravel()) == set(group.nodes)
    bare = type(group)(name, 0, {}, group.nodes)
    assert np.array_equal(facets_of_group(mesh, bare, cell, cells)[1], facets)


def test_inner_facets_are_no_boundary() -> None:
    """A surface inside the body is refused as a place for surface loads, in one line."""
    mesh = structured("hex8", CORNERS[3], [2, 1, 1])
    inner = type(mesh.select("xmin"))(
        "cut", 0, {}, np.unique(mesh.blocks[0].nodes[0, [1, 2, 5, 6]])
    )
    with pytest.raises(InputError, match="group 'cut'.*no facet on the boundary"):
        facets_of_group(mesh, inner, "hex8", mesh.blocks[0].nodes)
