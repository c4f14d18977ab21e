# SPDX-License-Identifier: BSD-3-Clause
"""Tangents of elements with a hyperelastic law, and their products with vectors.

Gradients of shape functions in the reference cell are constant. Sums over the points of the second
derivative of the energy by the Jacobian of the deformed cell, with few different products of such
gradients, give the matrix of all pairs of nodes by additions alone.
"""

from __future__ import annotations

from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Array, For, Program, Store
from flexforge.codegen.lowering.deformed import DeformedPoint
from flexforge.codegen.lowering.finite_nodes import tangent_by_nodes
from flexforge.codegen.lowering.finite_point import program
from flexforge.codegen.lowering.moments import Moments
from flexforge.codegen.lowering.pair_products import axes_of

#: Terms of sums that are written out at most: hex20 has 84000, few of them alike.
WRITTEN_OUT = 5000


def lower_tangent(element: Element) -> Program:
    """Return the program of the second derivative of the energy: ``out[a][i][b][j]``."""
    graph = Graph()
    point = DeformedPoint(element, graph)
    nodes, size = len(element.nodes), element.components
    moments = Moments(axes_of(element, point.sweep.points), size, graph)
    if moments.terms > WRITTEN_OUT:
        return tangent_by_nodes(element)
    stores = moments.stores(point.moduli(), point)
    at_points = For("q", len(point.sweep.points), (*point.statements, *stores))
    arrays = [*point.arrays, *point.sweep.arrays, *moments.arrays()]
    arrays.append(Array("out", (nodes, size, nodes, size), "output"))
    body = (*point.sweep.statements, at_points, *moments.matrix())
    return program(element, arrays, body, graph)


def lower_tangent_action(element: Element) -> Program:
    """Return the program of the tangent times a vector: ``out[a][i]``, without the matrix.

    The state holds the displacements and the vector, one after the other.
    """
    graph = Graph()
    point = DeformedPoint(element, graph, changed=True)
    nodes, size = len(element.nodes), element.components
    flux, sweep = point.flux(), point.sweep
    stores = [
        Store("flux", ("q", *divmod(n, size)), point.value(value)) for n, value in enumerate(flux)
    ]
    sweep.conjugates["slopes"] = "flux"
    count = len(sweep.points)
    body = [
        *sweep.statements,
        For("q", count, (*point.statements, *stores)),
        sweep.at_nodes(),
    ]
    arrays = [
        *point.arrays, *sweep.arrays, Array("flux", (count, size, size), "local"),
        Array("out", (nodes, size), "output"),
    ]  # fmt: skip
    return program(element, arrays, body, graph)
