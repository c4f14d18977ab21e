# SPDX-License-Identifier: BSD-3-Clause
"""The worked example: a bar of two nodes along the first axis of a planar frame.

It stretches in its direction only, but its nodes move in the plane, so that all terms of the
equations occur. It is small enough to integrate by hand, and integrated exactly here.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.constitutive import YOUNG, Constitutive
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.interpolation import REFERENCE, complete
from flexforge.codegen.mechanics.equations import ElementEquations
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.shape_symbols import gradient_symbols, shape_symbol

LENGTH = sympy.Symbol("l", positive=True)
#: Not A, which is the constraint matrix in Maggi's equations.
AREA = sympy.Symbol("A_0", positive=True)

BAR = Element(
    name="bar2",
    cell="interval",
    nodes=((sympy.Integer(0),), (sympy.Integer(1),)),
    monomials=complete(1, 1),
    components=2,
    strain="axial",
    constitutive=Constitutive("uniaxial", ("young",), (), sympy.ImmutableMatrix([[YOUNG]])),
    degree={"stiffness": 0, "mass": 2},
    section="area",
    description="bar of two nodes",
)
NODES = ("1", "2")


def over_bar(value: sympy.Expr, point: MaterialPoint) -> sympy.Expr:
    """Return the integral of a density over the volume of the bar.

    Parameters
    ----------
    value : sympy.Expr
        Density in the shape symbols of the point.
    point : MaterialPoint
        Point of the bar, with its nodes 1 and 2.
    """
    xi = REFERENCE[0]
    here = dict(zip(point.position, (LENGTH * xi, sympy.Integer(0)), strict=True))
    for node, shape, (slope,) in zip(NODES, BAR.shape, BAR.shape_derivatives, strict=True):
        here[shape_symbol(node)] = shape
        here[gradient_symbols(node, point.dimension)[0]] = slope / LENGTH
    density = sympy.expand(value.xreplace(here))
    return sympy.expand(AREA * LENGTH * sympy.integrate(density, (xi, 0, 1)))


def matrices(equations: ElementEquations) -> dict[str, sympy.ImmutableMatrix]:
    """Return the matrices of the bar by the letters of the papers, in the order of the equation.

    ``m_O`` is the matrix that multiplies the acceleration of the origin.
    """
    point = equations.point
    found = {}
    for term in equations.terms.values():
        value = sympy.Matrix(term.density).applyfunc(lambda entry: over_bar(entry, point))
        if term.name == "translation":
            value = value.jacobian(sympy.Matrix(point.frame.acceleration))
        found[term.symbol.removesuffix(" a_O")] = value.as_immutable()
    return found
