# SPDX-License-Identifier: BSD-3-Clause
"""The matrices of the bake-off problems on a box, in closed form."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix, kron

from support.bakeoff import LENGTHS

#: Of one element of unit length, mass and stiffness of the nodes from left to right.
#: They are integrals of products of Lagrange polynomials and of their slopes.
MASS = {1: np.array([[2, 1], [1, 2]]) / 6, 2: np.array([[4, 2, -1], [2, 16, 2], [-1, 2, 4]]) / 30}
STIFFNESS = {
    1: np.array([[1.0, -1], [-1, 1]]),
    2: np.array([[7, -8, 1], [-8, 16, -8], [1, -8, 7]]) / 3,
}


def along(element: np.ndarray, divisions: int) -> csr_matrix:
    """Return the matrix of a line of elements."""
    degree = len(element) - 1
    found = np.zeros((degree * divisions + 1,) * 2)
    for k in range(divisions):
        part = slice(degree * k, degree * (k + 1) + 1)
        found[part, part] += element
    return csr_matrix(found)


def matrix(diffusion: bool, degree: int, divisions: int) -> csr_matrix:
    """Return mass or diffusion of a scalar field, nodes along x outermost and z innermost."""
    sizes = [length / divisions for length in LENGTHS]
    masses = [along(MASS[degree], divisions) * size for size in sizes]
    slopes = [along(STIFFNESS[degree], divisions) / size for size in sizes]
    if not diffusion:
        return csr_matrix(kron(kron(masses[0], masses[1]), masses[2]))
    found = None
    for axis in range(3):
        parts = [slopes[k] if k == axis else masses[k] for k in range(3)]
        term = kron(kron(parts[0], parts[1]), parts[2])
        found = term if found is None else found + term
    return csr_matrix(found)
