# SPDX-License-Identifier: BSD-3-Clause
"""Strains of second order, on which stress does work: what stiffens an element under stress.

At a point ``eps_n = (linear) + 1/2 g^T Q_n g``, with rates g of the displacement that are linear in
the nodal coordinates. A stress sigma does the work ``sum sigma_n 1/2 g^T Q_n g`` beyond that of the
linear strains, and the second derivative of this work is the geometric stiffness
(docs/physics.md: k_geo). An element that states no such strain is not stiffened by its stress.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from flexforge.codegen.elements.strain import VOIGT, green_lagrange_quadratic


@dataclass(frozen=True)
class Stiffening:
    """What stress does work on.

    Attributes
    ----------
    rates : sympy.ImmutableMatrix
        Matrix of g, in local components: a column for every nodal coordinate.
    quadratic : tuple of sympy.ImmutableMatrix
        Q of every strain, symmetric.
    law : sympy.ImmutableMatrix
        From the linear strains to the stresses, at a point.
    linear : sympy.ImmutableMatrix, optional
        From g to the linear strains that make the stress.
    strain : sympy.ImmutableMatrix, optional
        Matrix of these strains in the columns of the rates, where they are not made of g. Of a
        rigid body there is neither: its stress is that of its own inertia forces.
    warms : bool
        Whether a temperature strains them as the first strains of the element: on the axis they are
        the same.
    """

    rates: sympy.ImmutableMatrix
    quadratic: tuple[sympy.ImmutableMatrix, ...]
    law: sympy.ImmutableMatrix
    linear: sympy.ImmutableMatrix | None = None
    strain: sympy.ImmutableMatrix | None = None
    warms: bool = True


def green(axes: int, components: int) -> tuple[sympy.ImmutableMatrix, ...]:
    """Return Q of Green's strains along axes, in Voigt order.

    Parameters
    ----------
    axes : int
        How many; g are the derivatives of the displacement along one after the other.
    components : int
        Of the displacement.

    Examples
    --------
    >>> green(1, 2)
    (Matrix([
    [1, 0],
    [0, 1]]),)
    """
    g = sympy.symbols(f"g1:{axes * components + 1}", real=True)
    gradient = sympy.Matrix(axes, components, g).T
    strains = green_lagrange_quadratic(gradient, gradient, VOIGT[axes])
    return tuple(sympy.ImmutableMatrix(sympy.hessian(strain, g)) for strain in strains)


def stacked(slopes: Sequence[sympy.MatrixBase]) -> sympy.ImmutableMatrix:
    """Return derivatives along several axes as rates, one axis after the other."""
    return sympy.ImmutableMatrix(sympy.Matrix.vstack(*slopes))
