# SPDX-License-Identifier: BSD-3-Clause
"""Second-order strains: the work of stress on them stiffens an element.

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
    """Second-order strains and the stress that does work on them.

    Attributes
    ----------
    rates : sympy.ImmutableMatrix
        Matrix of g, in local components: one column per nodal coordinate.
    quadratic : tuple of sympy.ImmutableMatrix
        Symmetric matrix Q of each strain.
    law : sympy.ImmutableMatrix
        Law from the linear strains to the stresses, at a point.
    linear : sympy.ImmutableMatrix, optional
        Matrix from g to the linear strains that give the stress.
    strain : sympy.ImmutableMatrix, optional
        Matrix of these strains over the same columns, where they do not depend on g alone. A rigid
        body has neither: its stress is that of its own inertia forces.
    warmed : tuple of int, optional
        Numbers of the strains of the element with which these strains coincide on the axis, so that
        a change of temperature causes the same; None where one coincides with none.
    """

    rates: sympy.ImmutableMatrix
    quadratic: tuple[sympy.ImmutableMatrix, ...]
    law: sympy.ImmutableMatrix
    linear: sympy.ImmutableMatrix | None = None
    strain: sympy.ImmutableMatrix | None = None
    warmed: tuple[int, ...] | None = ()


def green(axes: int, components: int) -> tuple[sympy.ImmutableMatrix, ...]:
    """Return Q of the Green strains along axes, in Voigt order.

    Parameters
    ----------
    axes : int
        Number of axes; g are the displacement derivatives along one axis after the other.
    components : int
        Components of the displacement.

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
