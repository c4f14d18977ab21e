# SPDX-License-Identifier: BSD-3-Clause
"""Pressure on facets: generalized forces of the virtual work of a normal traction."""

from __future__ import annotations

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import (
    Array,
    For,
    Program,
    Statement,
    Store,
)
from flexforge.codegen.lowering.geometry import circumference, jacobian_sum, radius_sum
from flexforge.codegen.lowering.sums import summed
from flexforge.codegen.lowering.tables import derivative_table, shape_table, weight_table


def lower_pressure(facet: Element) -> Program:
    """Return the program of the load of a unit pressure: ``out[a][i]``.

    Virtual work of a pressure p on the outward area ``n dA = x_xi x x_eta dxi deta`` is
    ``dW = -p n . u dA``; its derivative by the nodal coordinates is the generalized force.
    """
    graph = Graph()
    size, axes, nodes = facet.components, facet.ambient, len(facet.nodes)
    points, weights = rule(facet.cell, facet.degree["mass"])
    tangents = sympy.Matrix(axes, axes - 1, lambda i, j: sympy.Symbol(f"J{i}{j}"))
    normal = (
        sympy.Matrix([tangents[1, 0], -tangents[0, 0]])
        if axes == 2
        else tangents[:, 0].cross(tangents[:, 1])
    )
    shape = sympy.Symbol("N")
    nodal = sympy.Matrix(sympy.symbols(f"d1:{size + 1}"))
    work = -normal.dot(shape * nodal[:axes, :])  # none along circles
    leaves = {
        tangents[i, j]: graph.temp(f"jacobian{i}{j}") for i in range(axes) for j in range(axes - 1)
    }
    weight = graph.load("quadrature_weight", "q")
    if facet.section is not None:
        weight = graph.mul(weight, graph.parameter(facet.section))
    radius: list[Statement] = []
    if facet.revolved:
        radius = radius_sum(facet, graph, "shape")
        weight = graph.mul(weight, circumference(graph, graph.temp("radius")))
    force: list[Statement] = [
        Store(
            "force",
            ("q", i),
            graph.mul(
                weight,
                graph.parameter("pressure"),
                convert(derivative(work, nodal[i]) / shape, leaves, graph),
            ),
        )
        for i in range(size)
    ]
    values = (
        graph.mul(graph.load("shape", "q", "a"), graph.load("force", "q", i)) for i in range(size)
    )
    body = (
        For("q", len(points), (*jacobian_sum(facet, graph), *radius, *force)),
        For("a", nodes, summed("sum", "q", len(points), values, graph)),
    )
    arrays = (
        weight_table(weights),
        derivative_table(facet, points),
        shape_table(facet, points),
        Array("coordinates", (nodes, size), "input"),
        Array("force", (len(points), size), "local"),
        Array("out", (nodes, size), "output"),
    )
    parameters = ("pressure",) if facet.section is None else ("pressure", facet.section)
    return Program(arrays, parameters, body, graph)
