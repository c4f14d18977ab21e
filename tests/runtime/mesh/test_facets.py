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
    # The Jacobian of a wedge is quadratic along its axis, that of a pyramid linear across its rays.
    "wedge": ([[x, y, k * GAUSS] for x, y in ((1 / 6, 1 / 6), (2 / 3, 1 / 6), (1 / 6, 2 / 3))
               for k in (-1, 1)], [1 / 6] * 6),
    "pyramid": ([[0.75 * i * GAUSS, 0.75 * j * GAUSS, 0.25] for i in (-1, 1) for j in (-1, 1)],
                [1 / 3] * 4),
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
    kinds = boundary_facets(cell, cells)
    assert [one.cell for one in kinds] == list(dict.fromkeys(CELLS[cell].facet_cells))
    total, moment = np.zeros(3), 0.0
    for one in kinds:
        x, normal = outward(one.cell, mesh.points[one.nodes])
        total += normal.sum(axis=(0, 1))
        moment += np.einsum("fpc,fpc->", x, normal)
        held = cells[one.parent][:, :, None] == one.nodes[:, None, :]
        assert len(one.parent) == len(one.nodes) and held.any(axis=1).all()
    assert np.allclose(total, 0, atol=1e-13)
    points, weights = RULES[cell.rstrip("0123456789")]
    jacobian = np.einsum("pdn,enc->epdc", shape_gradients(cell, points), mesh.points[cells])
    volume = np.linalg.det(jacobian[..., :dim]) @ np.array(weights)
    assert moment / dim == pytest.approx(volume.sum(), rel=1e-12)


@pytest.mark.parametrize("cell", [name for name, kind in CELLS.items() if kind.dim > 1])
def test_each_facet_points_out_of_its_own_cell(cell: str) -> None:
    """Each facet's normal points away from the centre of the cell it belongs to."""
    dim = CELLS[cell].dim
    mesh = structured(cell, CORNERS[dim], [2, 2, 1][:dim])
    for one in boundary_facets(cell, mesh.blocks[0].nodes):
        x, normal = outward(one.cell, mesh.points[one.nodes])
        centre = mesh.points[mesh.blocks[0].nodes[one.parent]].mean(axis=1)
        assert (np.einsum("fpc,fpc->fp", x - centre[:, None], normal) > 0).all()


@pytest.mark.parametrize("name", ["root", "77"])
@pytest.mark.parametrize(
    "cell", ["tri3", "quad8", "quad9", "tet10", "pyramid5", "wedge6", "wedge15", "hex20", "hex27"]
)
def test_facets_of_a_group(cell: str, name: str) -> None:
    """A group of facets and a bare set of the same nodes both name the same boundary facets."""
    mesh = read_mesh(DATA / f"{cell}_41.msh")
    cells = mesh.part().nodes[mesh.part().connectivity]
    group = mesh.select(name)
    kinds = facets_of_group(mesh, group, cell, cells)
    assert sum(len(one.nodes) for one in kinds) == sum(r.size for r in group.cells.values())
    assert {node for one in kinds for node in one.nodes.ravel()} == set(group.nodes)
    bare = facets_of_group(mesh, type(group)(name, 0, {}, group.nodes), cell, cells)
    for one, other in zip(kinds, bare, strict=True):
        assert one.cell == other.cell and np.array_equal(one.nodes, other.nodes)


def test_facets_of_two_kinds() -> None:
    """A group over triangles and quadrilaterals names both; all of a wedge mesh's boundary."""
    mesh = structured("wedge6", CORNERS[3], [2, 1, 1])
    cells = mesh.blocks[0].nodes
    sides = {n: mesh.select(n) for n in ("xmin", "zmax")}
    merged = type(sides["xmin"])(
        "both",
        2,
        {b: rows for side in sides.values() for b, rows in side.cells.items()},
        np.union1d(*(side.nodes for side in sides.values())),
    )
    triangles, quadrilaterals = facets_of_group(mesh, merged, "wedge6", cells)
    assert (triangles.cell, len(triangles.nodes)) == ("tri3", 4)
    assert (quadrilaterals.cell, len(quadrilaterals.nodes)) == ("quad4", 1)


def test_inner_facets_are_no_boundary() -> None:
    """A surface inside the body is refused as a place for surface loads, in one line."""
    mesh = structured("hex8", CORNERS[3], [2, 1, 1])
    inner = type(mesh.select("xmin"))(
        "cut", 0, {}, np.unique(mesh.blocks[0].nodes[0, [1, 2, 5, 6]])
    )
    with pytest.raises(InputError, match="group 'cut'.*no facet on the boundary"):
        facets_of_group(mesh, inner, "hex8", mesh.blocks[0].nodes)
