# SPDX-License-Identifier: BSD-3-Clause
"""Small elastic problems of one element: meshes, equilibrium, errors against a known field."""

from __future__ import annotations

import numpy as np
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.library import VARIANTS
from flexforge.codegen.elements.quadrature import rule
from flexforge.runtime.assembly.assemble import assemble_matrix
from flexforge.runtime.assembly.graph import build_graph
from flexforge.runtime.assembly.kernels import kernels_of
from flexforge.runtime.mesh import Mesh, structured
from flexforge.runtime.mesh.shape import shape_functions, shape_gradients
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix
from scipy.sparse.linalg import spsolve

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MATERIAL = {"young": 2.1, "poisson": 0.29, "thickness": 1.0}
_DEGREE = {"triangle": 4, "tetrahedron": 5, "wedge": 4, "pyramid": 5}


def cell_of(full: str) -> str:
    """Return the mesh's cell of an element by its full name."""
    name = full.split("_")[0]
    return VARIANTS.get(name, name)


def block(full: str, dimension: int, corners: Floats, divisions: list[int]) -> Mesh:
    """Return a mesh of a rectangle or a box given by the corners of the rectangle and a height."""
    if dimension == 3:
        low, high = np.column_stack([corners, np.zeros(4)]), np.column_stack([corners, np.ones(4)])
        corners = np.vstack([low, high])
    return structured(cell_of(full), corners, divisions)


def solve(
    full: str, points: Floats, cells: Ints, values: dict[str, float], load: Floats, held: Floats
) -> Floats:
    """Return the displacements (n, d); ``held`` has the prescribed ones, NaN where free."""
    kernel = kernels_of(full, ("stiffness",))["stiffness"]
    graph = build_graph(points, cells, 1)
    d = points.shape[1]
    data = assemble_matrix(kernel, graph, points, values).reshape(-1, d, d)
    size = (points.size, points.size)
    K = bsr_matrix((data, graph.columns, graph.pointers), shape=size).tocsr()
    free = np.isnan(held.ravel())
    u = np.where(free, 0.0, held.ravel())
    right = load.ravel() - K @ u
    u[free] = spsolve(K[free][:, free].tocsc(), right[free])
    return u.reshape(points.shape)


def exact(x: Floats) -> Floats:
    """Return grad phi, phi = exp(x) cos(y) or exp(x) cos(0.6 y) cos(0.8 z): in equilibrium."""
    if x.shape[-1] == 2:
        first, y = np.exp(x[..., :1]), x[..., 1:]
        return np.asarray(first * np.concatenate([np.cos(y), -np.sin(y)], axis=-1))
    first, y, z = np.exp(x[..., 0]), 0.6 * x[..., 1], 0.8 * x[..., 2]
    parts = [np.cos(y) * np.cos(z), -0.6 * np.sin(y) * np.cos(z), -0.8 * np.cos(y) * np.sin(z)]
    return np.asarray(first[..., None] * np.stack(parts, axis=-1))


def slopes(x: Floats) -> Floats:
    """Return du_i / dx_j of that field, by central differences (error about 1e-10)."""
    step = 1e-5
    columns = [
        (exact(x + step * e) - exact(x - step * e)) / (2 * step) for e in np.eye(x.shape[-1])
    ]
    return np.stack(columns, axis=-1)


def errors(subject: Element, divisions: int) -> tuple[float, float]:
    """Return the relative errors of displacement (L2) and energy of an element on a mesh."""
    d = subject.components
    mesh = block(subject.name, d, np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]), [divisions] * d)
    points, cells = mesh.points[:, :d].copy(), mesh.blocks[0].nodes
    outside = ((points < 1e-9) | (points > 1 - 1e-9)).any(axis=1)
    points += 0.1 * np.sin(np.pi * points).prod(axis=1)[:, None]
    held = np.where(outside[:, None], exact(points), np.nan)
    u = solve(subject.name, points, cells, MATERIAL, np.zeros_like(points), held)
    return _norms(subject, points[cells], u[cells])


def _norms(subject: Element, X: Floats, u: Floats) -> tuple[float, float]:
    """Return the errors of nodal displacements (elements, nodes, d)."""
    cell = cell_of(subject.name)
    xi, weights = (np.array(part) for part in rule(subject.cell, _DEGREE.get(subject.cell, 7)))
    N, dN = shape_functions(cell, xi), shape_gradients(cell, xi)
    J = np.einsum("pjn,eni->epij", dN, X)
    volume = weights * np.linalg.det(J)
    G = np.einsum("pjn,epji->epni", dN, np.linalg.inv(J))
    place = np.einsum("pn,eni->epi", N, X)
    true, gradient = exact(place), slopes(place)
    off = np.einsum("pn,eni->epi", N, u) - true
    steep = np.einsum("eni,epnj->epij", u, G) - gradient
    square = np.einsum("ep,epi->", volume, off**2) / np.einsum("ep,epi->", volume, true**2)
    energy = _energy(subject, steep, volume) / _energy(subject, gradient, volume)
    return float(np.sqrt(square)), float(np.sqrt(energy))


def _energy(subject: Element, gradient: Floats, volume: Floats) -> float:
    """Return ``int lambda (tr eps)^2 + 2 mu eps:eps`` with the lambda of the hypothesis."""
    young, nu = MATERIAL["young"], MATERIAL["poisson"]
    mu = young / (2 * (1 + nu))
    lame = young * nu / ((1 + nu) * (1 - 2 * nu))
    if subject.name.endswith("plane_stress"):
        lame = young * nu / (1 - nu**2)
    strain = (gradient + np.swapaxes(gradient, -1, -2)) / 2
    trace = np.trace(strain, axis1=-2, axis2=-1)
    density = lame * trace**2 + 2 * mu * (strain**2).sum(axis=(-2, -1))
    return float((volume * density).sum())
