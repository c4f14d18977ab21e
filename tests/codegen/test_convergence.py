# SPDX-License-Identifier: BSD-3-Clause
"""physics.md section 4, check 6: convergence rates of every element.

The exact field is the gradient of a harmonic function, which satisfies Navier's equation without
body force for every material; its values are prescribed on the boundary of a smoothly distorted
mesh. The error goes down as h^(p+1) in the displacements and h^p in their gradient (Strang and Fix,
An Analysis of the Finite Element Method, theorem 3.7), p = 1 for linear, 2 for quadratic cells.
Meshes that stay distorted as they are refined cost serendipity cells an order (Arnold, Boffi and
Falk, Mathematics of Computation 71, 2002, theorem 3); these do not.
"""

from __future__ import annotations

import handwritten
import numpy as np
import pytest
from specimens import ALL_ELEMENTS, cell_of, heavy_are_slow
from test_patch import QUADRATIC, mesh_of, solve


def _exact(p):
    """Return u = grad phi, phi = exp(x) cos(y) or exp(x) cos(0.6 y) cos(0.8 z)."""
    if p.shape[-1] == 2:
        x, y = p[..., 0], p[..., 1]
        return np.exp(x)[..., None] * np.stack([np.cos(y), -np.sin(y)], axis=-1)
    x, y, z = p[..., 0], 0.6 * p[..., 1], 0.8 * p[..., 2]
    parts = [np.cos(y) * np.cos(z), -0.6 * np.sin(y) * np.cos(z), -0.8 * np.cos(y) * np.sin(z)]
    return np.exp(x)[..., None] * np.stack(parts, axis=-1)


def _gradient(p):
    """Return du_i/dx_j by central differences of the closed form (error 1e-10)."""
    step = 1e-5
    columns = [
        (_exact(p + step * e) - _exact(p - step * e)) / (2 * step) for e in np.eye(p.shape[-1])
    ]
    return np.stack(columns, axis=-1)


def _errors(name, divisions):
    """Return the L2 error of displacements and of their gradient."""
    points, cells = mesh_of(name, divisions, bend=0.1)
    u = solve(name, points, cells, _exact)
    cell = cell_of(name)
    xis, weights = handwritten.collapsed(cell, 3)
    square = slopes = 0.0
    for xi, weight in zip(xis, weights, strict=True):
        N, dN = handwritten.shape(cell, xi), handwritten.shape_derivatives(cell, xi)
        X = points[cells]
        J = np.einsum("cai,aj->cij", X, dN)
        volume = weight * np.abs(np.linalg.det(J))
        position = np.einsum("a,cai->ci", N, X)
        G = np.einsum("aj,cji->cai", dN, np.linalg.inv(J))
        error = np.einsum("a,cai->ci", N, u[cells]) - _exact(position)
        slope = np.einsum("cai,caj->cij", u[cells], G) - _gradient(position)
        square += volume @ (error**2).sum(axis=1)
        slopes += volume @ (slope**2).sum(axis=(1, 2))
    return np.sqrt(square), np.sqrt(slopes)


@pytest.mark.parametrize("name", heavy_are_slow(*ALL_ELEMENTS, more=("hex8i",)))
def test_rates(name):
    """Halving h divides the errors by 2^(p+1) and 2^p, within a fifth of an order."""
    order = 2 if cell_of(name) in QUADRATIC else 1
    coarse, fine = (4, 8) if ALL_ELEMENTS[name].components == 3 and order == 1 else (3, 6)
    if ALL_ELEMENTS[name].components == 2:
        coarse, fine = 6, 12
    if cell_of(name) in ("wedge15", "hex20", "hex27"):
        coarse, fine = 2, 4
    rates = np.log2(np.array(_errors(name, coarse)) / np.array(_errors(name, fine)))
    assert rates[0] > order + 1 - 0.2
    assert rates[1] > order - 0.2
    assert rates[0] < order + 2
