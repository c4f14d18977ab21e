# SPDX-License-Identifier: BSD-3-Clause
"""Strain operators: the vector eps of a displacement u and its gradient, in Voigt order."""

from __future__ import annotations

from collections.abc import Callable

import sympy

Operator = Callable[[sympy.Matrix, sympy.Matrix], sympy.Matrix]

#: Voigt order of the strain and stress components, by dimension of the space.
VOIGT = {
    1: ((0, 0),),
    2: ((0, 0), (1, 1), (0, 1)),
    3: ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)),
}


def small_strain(u: sympy.Matrix, gradient: sympy.Matrix) -> sympy.Matrix:
    """Return the linearised strain; shear components are engineering strains.

    Parameters
    ----------
    u : sympy.Matrix
        Displacement, unused.
    gradient : sympy.Matrix
        ``gradient[i, j] = du_i / dx_j``.
    """
    return sympy.Matrix(
        [
            gradient[i, j] if i == j else gradient[i, j] + gradient[j, i]
            for i, j in VOIGT[gradient.rows]
        ]
    )


def displacement(u: sympy.Matrix, gradient: sympy.Matrix) -> sympy.Matrix:
    """Return the displacement itself: the elongation of springs to the moving frame."""
    return u


def axial(u: sympy.Matrix, gradient: sympy.Matrix) -> sympy.Matrix:
    """Return ``du_1 / dx_1``: the strain of a bar along the first axis."""
    return sympy.Matrix([gradient[0, 0]])


OPERATORS: dict[str, Operator] = {
    "small_strain": small_strain,
    "displacement": displacement,
    "axial": axial,
}


def green_lagrange_quadratic(left: sympy.Matrix, right: sympy.Matrix) -> sympy.Matrix:
    """Return the quadratic part ``1/2 grad u^T grad u`` of the Green-Lagrange strain, polarized.

    Work of an initial stress on it is what makes the geometric stiffness (physics.md: k_geo);
    shear components are doubled as in :func:`small_strain`.

    Parameters
    ----------
    left, right : sympy.Matrix
        Displacement gradients, a column an axis; the same one twice gives the quadratic strain, and
        twice the value of two different ones is the variation of one in the direction of the other.
    """
    full = (left.T * right + right.T * left) / 4
    return sympy.Matrix([full[i, j] if i == j else 2 * full[i, j] for i, j in VOIGT[left.cols]])
