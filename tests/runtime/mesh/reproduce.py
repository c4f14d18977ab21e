# SPDX-License-Identifier: BSD-3-Clause
"""Whether cells that were read carry the fields they must: only if each node is in its place."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.mesh import CELLS, Mesh, check_part
from flexforge.runtime.mesh.shape import shape_functions, shape_gradients


def assert_reproduces(mesh: Mesh, cell: str) -> float:
    """Check that the cells carry a quadratic field exactly; return their volume.

    The cells are affine images of the reference cell, so quadratic elements (serendipity ones too)
    reproduce any quadratic, linear ones the position, only if each node is in its place. Cells with
    a node in the centre reproduce products of quadratics of each reference coordinate.
    """
    part = mesh.part(cell=cell)
    check_part(part)
    kind = CELLS[cell]
    rng = np.random.default_rng(7)
    xi = rng.dirichlet(np.ones(kind.dim + 1), 20)[:, 1:]  # inside the simplex, and inside the cube
    shape, coordinates = shape_functions(cell, xi), part.points[part.connectivity]
    corners = np.array(kind.reference)[: kind.corners]
    basis = np.column_stack([np.ones(len(corners)), corners])
    affine = np.linalg.pinv(basis) @ coordinates[:, : kind.corners]
    assert np.allclose(basis @ affine, coordinates[:, : kind.corners], atol=1e-7)
    place = np.einsum("pi,eic->epc", np.column_stack([np.ones(len(xi)), xi]), affine)
    assert np.allclose(shape @ coordinates, place, atol=1e-7)
    if kind.quadratic:
        a, b, c = rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal()

        def field(x: np.ndarray) -> np.ndarray:
            return np.einsum("...i,ij,...j->...", x, a, x) + x @ b + c

        assert np.allclose(field(coordinates) @ shape.T, field(place), atol=1e-7)
        for i, (p, q) in enumerate(kind.edges, start=kind.corners):
            middle = 0.5 * (coordinates[:, p] + coordinates[:, q])
            assert np.allclose(coordinates[:, i], middle, atol=1e-7)
    if kind.centres:
        polynomials = rng.normal(size=(kind.dim, 3))

        def product(x: np.ndarray) -> np.ndarray:
            powers = np.stack([np.ones_like(x), x, x * x], axis=-1)
            return np.prod(np.einsum("...ik,ik->...i", powers, polynomials), axis=-1)

        # The reference coordinates of the nodes as read, from their positions.
        linear = np.linalg.pinv(affine[:, 1:])
        found = np.einsum("eni,eij->enj", coordinates - affine[:, :1], linear)
        assert np.allclose(product(found) @ shape.T, product(xi), atol=1e-6)
    centre = corners.mean(axis=0)
    jacobian = shape_gradients(cell, centre)[0] @ coordinates[..., : kind.dim]
    reference = {
        "tri": 0.5, "quad": 4.0, "tet": 1 / 6, "pyramid": 4 / 3, "wedge": 1.0, "hex": 8.0,
    }[cell.rstrip("0123456789")]  # fmt: skip
    return float(np.linalg.det(jacobian).sum() * reference)
