# SPDX-License-Identifier: BSD-3-Clause
"""Tangents of elements of many nodes by any energy: ``K_aibj = sum_q sum_kl g_a,k g_b,l D_ikjl``.

D, the second derivative of the energy by the Jacobian of the deformed cell, is stored at every
point; the pairs of nodes are loops over it. Energies of invariants alone have fewer operations by
vectors of the nodes (``finite_nodes``).
"""

from __future__ import annotations

from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.energy import I1, I2, J
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Accumulate, Array, For, Program, Statement, Store, Zero
from flexforge.codegen.lowering.deformed import DeformedPoint
from flexforge.codegen.lowering.finite_point import program


def is_of_invariants(element: Element) -> bool:
    """Whether the energy depends on I1, I2 and J alone: on no stretch, fibre or component."""
    assert element.energy is not None
    return {*element.energy.used} <= {I1, I2, J}


def tangent_by_moduli(element: Element, point: DeformedPoint, graph: Graph) -> Program:
    """Return the program of the second derivative of the energy: ``out[a][i][b][j]``."""
    nodes, size, points = len(element.nodes), element.components, len(point.sweep.points)
    both = [(i, k) for i in range(size) for k in range(size)]
    moduli = point.moduli()
    stores = [
        Store("moduli", ("q", row, column), point.value(moduli[row, column]))
        for row in range(size**2)
        for column in range(size**2)
    ]
    loops, kept = point.loops(stores)
    arrays = [
        *point.arrays,
        *point.sweep.arrays,
        *kept,
        Array("moduli", (points, size**2, size**2), "local"),
        Array("out", (nodes, size, nodes, size), "output"),
    ]
    zeros: list[Statement] = []
    sums: list[Statement] = []
    stored: list[Statement] = []
    for i, j in both:
        name = f"sum{i}{j}"
        terms = []
        for k in range(size):
            row = graph.add(
                *(
                    graph.mul(
                        graph.load("moduli", "q", i * size + k, j * size + m),
                        graph.load("shape_derivative", "q", "b", m),
                    )
                    for m in range(size)
                )
            )
            terms.append(graph.mul(graph.load("shape_derivative", "q", "a", k), row))
        zeros.append(Zero(name))
        sums.append(Accumulate(name, graph.add(*terms)))
        total = graph.temp(name)
        # The mirrored store comes first, so that on the diagonal the direct one overwrites it.
        stored.insert(0, Store("out", ("b", j, "a", i), total))
        stored.append(Store("out", ("a", i, "b", j), total))
    body: tuple[Statement, ...] = (*zeros, For("q", points, tuple(sums)), *stored)
    pairs = For("a", nodes, (For("b", nodes, body, "a"),))
    return program(element, arrays, (*point.sweep.statements, *loops, pairs), graph)
