# SPDX-License-Identifier: BSD-3-Clause
"""The two problems of MacNeal and Harder (1985) that show locking: bending, and no compression."""

from __future__ import annotations

import numpy as np
from flexforge.codegen.elements.library import element
from flexforge.runtime.mesh import boundary_facets
from flexforge.runtime.mesh.shape import shape_functions, shape_gradients
from numpy.typing import NDArray

from support.problem import Floats, Ints, block, cell_of, solve

LENGTH, HEIGHT, WIDTH = 6.0, 0.2, 0.1
TIP = (3e-5, 0.1081, 0.4321)
POISSON = (0.3, 0.49, 0.4999)
_GAUSS = np.sqrt(0.6)


def bending(full: str) -> tuple[float | None, ...] | None:
    """Return the share of the tip displacement, along, in the plane and across; six elements.

    None for plane strain, which the printed figures are not for.
    """
    subject = element(full)
    if full.endswith("plane_strain"):
        return None
    d = subject.components
    corners = np.array([[0.0, 0.0], [LENGTH, 0], [LENGTH, HEIGHT], [0, HEIGHT]])
    mesh = block(full, d, corners, [6, 1, 1][:d])
    points, cells = mesh.points[:, :d].copy(), mesh.blocks[0].nodes
    points[:, 2:] *= WIDTH
    held = np.full(points.shape, np.nan)
    held[np.isclose(points[:, 0], 0)] = 0.0
    tip = np.isclose(points[:, 0], LENGTH)
    area = HEIGHT * (WIDTH if d == 3 else 1.0)
    values = {"young": 1e7, "poisson": 0.3, "thickness": WIDTH}
    found: list[float | None] = [None] * 3
    for axis in range(d):
        unit = np.eye(d)[axis]
        load = _traction(full, points, cells, tip, lambda n, e=unit: np.linalg.norm(n) / area * e)
        u = solve(full, points, cells, values, load, held)
        found[axis] = float(u[tip, axis].mean() / TIP[axis])
    return tuple(found)


def compressing(full: str) -> tuple[float, ...] | None:
    """Return the share of the bore's displacement of a thick cylinder for three Poisson's ratios.

    None for plane stress: there nothing hinders a change of volume.
    """
    if full.endswith("plane_stress"):
        return None
    d = element(full).components
    mesh = block(full, d, np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]), [5, 9, 1][:d])
    unit, cells = mesh.points[:, :d], mesh.blocks[0].nodes
    radius = np.interp(unit[:, 0], np.linspace(0, 1, 6), [3, 3.5, 4.2, 5.2, 6.75, 9])
    angle = unit[:, 1] * np.pi / 2
    points = unit.copy()
    points[:, 0], points[:, 1] = radius * np.cos(angle), radius * np.sin(angle)
    held = np.full(points.shape, np.nan)
    start, bore = np.isclose(unit[:, 1], 0), np.isclose(unit[:, 0], 0)
    held[start, 1] = held[np.isclose(unit[:, 1], 1), 0] = 0.0
    held[:, 2:] = 0.0
    load = _traction(full, points, cells, bore, lambda n: -n)
    found = []
    for nu in POISSON:
        values = {"young": 1000.0, "poisson": nu, "thickness": 1.0}
        u = solve(full, points, cells, values, load, held)
        exact = (1 + nu) * 9 / (1000 * 72) * (27 + (1 - 2 * nu) * 3)
        found.append(float(u[bore & start, 0].mean() / exact))
    return tuple(found)


def _traction(
    full: str, points: Floats, cells: Ints, where: NDArray[np.bool_], force: object
) -> Floats:
    """Return the nodal forces of ``force(n dA)`` on the facets all of whose nodes are marked."""
    total = np.zeros_like(points)
    assert callable(force)
    for kind in boundary_facets(cell_of(full), cells):
        xi, weights = _facet_rule(kind.cell, points.shape[1] - 1)
        N, dN = shape_functions(kind.cell, xi), shape_gradients(kind.cell, xi)
        for facet in kind.nodes[where[kind.nodes].all(axis=1)]:
            for shape, slopes, weight in zip(N, dN, weights, strict=True):
                tangents = slopes @ points[facet]
                normal = np.array([tangents[0, 1], -tangents[0, 0]])
                if points.shape[1] == 3:
                    normal = np.cross(*tangents)
                total[facet] += weight * np.outer(shape, force(normal))
    return total


def _facet_rule(cell: str, dimension: int) -> tuple[Floats, Floats]:
    """Return points and weights for the loads of a facet."""
    if cell.startswith("tri"):
        from flexforge.codegen.elements.quadrature import rule

        points, weights = rule("triangle", 4)
        return np.array(points), np.array(weights)
    line, share = np.array([-_GAUSS, 0.0, _GAUSS]), np.array([5, 8, 5]) / 9
    grid = np.stack(np.meshgrid(*[line] * dimension, indexing="ij"), axis=-1)
    weight = share if dimension == 1 else np.outer(share, share)
    return grid.reshape(-1, dimension), weight.ravel()
