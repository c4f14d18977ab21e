# SPDX-License-Identifier: BSD-3-Clause
"""The equations of motion of an element as one program, as written by a formalism.

The programs do not compute the matrices, which are the same for all formalisms, but the value of
every equation for given d, d', d'', with all coordinates written out. They show the cost of the way
in which the equations are written.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.quadrature import finest, rule
from flexforge.codegen.elements.strain import INVERSE_RADIUS
from flexforge.codegen.errors import InputError
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import (
    Accumulate,
    Array,
    For,
    Let,
    Program,
    Statement,
    Store,
    Zero,
)
from flexforge.codegen.lowering.geometry import mean_gradients, point_geometry
from flexforge.codegen.lowering.tables import shape_table
from flexforge.codegen.lowering.terms import (
    Leaves,
    interpolated_positions,
    material_statements,
    volume_factor,
)
from flexforge.codegen.mechanics.formalisms.motion import FirstOrder, Motion
from flexforge.codegen.mechanics.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.mechanics.shape_symbols import gradient_symbols, mean_symbols, shape_symbol

#: Content of the state of an equation kernel, in order.
STATE = ("d", "d'", "d''")


def natural_equations(point: MaterialPoint, motion: Motion) -> list[sympy.Expr]:
    """Return the equations of a motion that a kernel computes, as written by the formalism.

    Returns
    -------
    list of sympy.Expr
        Residuals of the second order; or ``c d + s`` and then p' of Hamilton's pair, which a solve
        with m completes: ``m d' = p - (c d + s)``.
    """
    if isinstance(motion, FirstOrder):
        at_rest = dict.fromkeys(point.velocities, sympy.Integer(0))
        return [*(m.xreplace(at_rest) for m in motion.momenta), *motion.forces]
    return list(motion.residuals)


def lower_equations(
    element: Element,
    point: MaterialPoint,
    equations: Sequence[sympy.Expr],
    named: Sequence[tuple[sympy.Symbol, sympy.Expr]] = (),
) -> Program:
    """Return the program that integrates equations over an element.

    Parameters
    ----------
    element : Element
        The declaration.
    point : MaterialPoint
        The symbols of the equations.
    equations : sequence of sympy.Expr
        Densities, one or two per coordinate.
    named : sequence of (sympy.Symbol, sympy.Expr)
        Subexpressions used by the equations, in order, as returned by ``sympy.cse``.

    Returns
    -------
    Program
        Input ``state[3][nodes][components]``: d, d', d''; output ``out[equations][nodes]
        [components]``.
    """
    if element.modes:
        raise InputError(
            f"element '{element.name}': its incompatible modes are condensed in its kernels and "
            "have no separate equations; expected an element without modes"
        )
    graph = Graph()
    degree = finest(element.cell, element.degree.values())
    geometry = point_geometry(element, degree, graph, gradients=True)
    if point.strain_operator == "selective":
        geometry = mean_gradients(element, geometry, graph)
    points, _ = rule(element.cell, degree)
    setup, leaves = material_statements(element, graph)
    leaves |= _point_leaves(element, point, graph)
    motion = [*_motion(point), DENSITY]
    leaves |= {s: graph.parameter(element.density if s == DENSITY else s.name) for s in motion}

    volume = volume_factor(element, graph)
    lets: list[Statement] = []
    for symbol, value in named:
        lets.append(Let(f"common_{symbol.name}", convert(value, leaves, graph)))
        leaves[symbol] = graph.temp(f"common_{symbol.name}")
    names = [f"sum{k}" for k in range(len(equations))]
    sums = [
        Accumulate(name, graph.mul(volume, convert(value, leaves, graph)))
        for name, value in zip(names, equations, strict=True)
    ]
    nodes, size = len(element.nodes), element.components
    stores = [
        Store("out", (k // (nodes * size), k // size % nodes, k % size), graph.temp(name))
        for k, name in enumerate(names)
    ]
    arrays = (
        *geometry.arrays,
        shape_table(element, points),
        Array("position", (len(points), size), "local"),
        Array("state", (len(STATE), nodes, size), "input"),
        Array("out", (len(equations) // (nodes * size), nodes, size), "output"),
    )
    body = (
        *setup,
        *geometry.body,
        interpolated_positions(nodes, size, len(points), graph),
        *map(Zero, names),
        For("q", len(points), (*lets, *sums)),
        *stores,
    )
    parameters = (*element.constitutive.parameters, element.density, *(s.name for s in motion[:-1]))
    section = () if element.section is None else (element.section,)
    return Program(arrays, (*parameters, *section), body, graph)


def _motion(point: MaterialPoint) -> list[sympy.Symbol]:
    """Return the symbols of the frame's motion and of the distributed force."""
    frame = point.frame
    given = (
        *frame.angular_velocity, *frame.angular_acceleration, *frame.velocity,
        *frame.acceleration, *point.body_force,
    )  # fmt: skip
    return [symbol for symbol in given if isinstance(symbol, sympy.Symbol)]


def _point_leaves(element: Element, point: MaterialPoint, graph: Graph) -> Leaves:
    """Return the expressions of the shape symbols and coordinates of all nodes."""
    size = element.components
    leaves: Leaves = {
        x: graph.load("position", "q", i)
        for i, x in enumerate(point.position)
        if isinstance(x, sympy.Symbol)
    }
    leaves[INVERSE_RADIUS] = graph.load("inverse_radius", "q")
    for k, node in enumerate(point.nodes):
        leaves[shape_symbol(node)] = graph.load("shape", "q", k)
        for j, slope in enumerate(gradient_symbols(node, size)):
            leaves[slope] = graph.load("gradient", "q", k, j)
        for j, slope in enumerate(mean_symbols(node, size)):
            leaves[slope] = graph.load("mean_gradient", k, j)
    for rate, symbols in enumerate((point.coordinates, point.velocities, point.accelerations)):
        for k, symbol in enumerate(symbols):
            leaves[symbol] = graph.load("state", rate, k // size, k % size)
    return leaves
