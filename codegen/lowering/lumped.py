# SPDX-License-Identifier: BSD-3-Clause
"""The lumped mass: the diagonal of the mass matrix, scaled to the mass of the element."""

from __future__ import annotations

from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Accumulate, Array, For, Let, Program, Store, Zero
from flexforge.codegen.lowering.geometry import point_geometry
from flexforge.codegen.lowering.tables import shape_table


def lower_lumped_mass(element: Element) -> Program:
    """Return the program of the lumped masses: ``out[a][0] = m_aa M / sum_b m_bb``, in kg.

    The scaling keeps the mass M of the element and, unlike sums of rows, gives positive masses to
    all nodes of serendipity elements (Hinton, Rock and Zienkiewicz, Earthquake Engineering and
    Structural Dynamics 4, 1976).
    """
    graph = Graph()
    geometry = point_geometry(element, element.degree["mass"], graph, gradients=False)
    points, _ = rule(element.cell, element.degree["mass"])
    nodes = len(element.nodes)
    shape, volume = graph.load("shape", "q", "a"), graph.load("volume", "q")
    scale = [graph.parameter(element.density)]
    parameters = [element.density]
    if element.section is not None:
        scale.append(graph.parameter(element.section))
        parameters.append(element.section)
    body = (
        *geometry.body,
        Zero("total"),
        For("q", len(points), (Accumulate("total", volume),)),
        Zero("trace"),
        For(
            "a",
            nodes,
            (
                Zero("diagonal"),
                For("q", len(points), (Accumulate("diagonal", graph.mul(volume, shape, shape)),)),
                Store("diagonals", ("a",), graph.temp("diagonal")),
                Accumulate("trace", graph.temp("diagonal")),
            ),
        ),
        Let("scale", graph.div(graph.mul(*scale, graph.temp("total")), graph.temp("trace"))),
        For(
            "a",
            nodes,
            (Store("out", ("a", 0), graph.mul(graph.temp("scale"), graph.load("diagonals", "a"))),),
        ),
    )
    arrays = (
        *geometry.arrays,
        shape_table(element, points),
        Array("diagonals", (nodes,), "local"),
        Array("out", (nodes, 1), "output"),
    )
    return Program(arrays, tuple(parameters), body, graph)
