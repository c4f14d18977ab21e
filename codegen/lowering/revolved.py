# SPDX-License-Identifier: BSD-3-Clause
"""Tangents of sections of bodies of revolution, pair of nodes by pair of nodes.

A virtual displacement of node a changes the Jacobian j with the angle as third coordinate by
``e_i g_a^T`` in the section, and along the circle by N_a where it points outwards.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.ir.expression import Expr, Graph
from flexforge.codegen.ir.program import Accumulate, Array, For, Program, Statement, Store, Zero
from flexforge.codegen.lowering.deformed import DeformedPoint
from flexforge.codegen.lowering.finite_point import program

#: Entries of j that displacements in the section change, by component of the displacement.
_CHANGED = {0: ((0, 0), (0, 1), (2, 2)), 1: ((1, 0), (1, 1))}


def tangent_revolved(element: Element, point: DeformedPoint, graph: Graph) -> Program:
    """Return the program of the second derivative of the energy: ``out[a][i][b][j]``."""
    nodes, points = len(element.nodes), len(point.sweep.points)
    entries = [place for places in _CHANGED.values() for place in places]
    moduli = point.moduli()
    numbers: dict[tuple[int, int], int] = {}
    stores: list[Statement] = []
    for first, one in enumerate(entries):
        for second in range(first, len(entries)):
            number = len(numbers)
            numbers[first, second] = numbers[second, first] = number
            stores.append(
                Store("moduli", ("q", number), point.value(_entry(moduli, one, entries[second])))
            )
    loops, kept = point.loops(stores)
    sums: list[Statement] = []
    zeros: list[Statement] = []
    ends: list[Statement] = []
    for i in _CHANGED:
        for j in _CHANGED:
            terms = [
                graph.mul(
                    _slope(graph, "a", one[1]),
                    _slope(graph, "b", other[1]),
                    graph.load("moduli", "q", numbers[entries.index(one), entries.index(other)]),
                )
                for one in _CHANGED[i]
                for other in _CHANGED[j]
            ]
            name = f"sum{i}{j}"
            zeros.append(Zero(name))
            sums.append(Accumulate(name, graph.add(*terms)))
            ends.append(Store("out", ("b", j, "a", i), graph.temp(name)))
            ends.append(Store("out", ("a", i, "b", j), graph.temp(name)))
    pair = (*zeros, For("q", points, tuple(sums)), *ends[::2], *ends[1::2])
    arrays = [
        *point.arrays, *point.sweep.arrays, *kept,
        Array("moduli", (points, max(numbers.values()) + 1), "local"),
        Array("out", (nodes, 2, nodes, 2), "output"),
    ]  # fmt: skip
    pairs = For("a", nodes, (For("b", nodes, pair, "a"),))
    return program(element, arrays, [*point.sweep.statements, *loops, pairs], graph)


def _entry(moduli: sympy.Matrix, one: tuple[int, int], other: tuple[int, int]) -> sympy.Expr:
    return moduli[3 * one[0] + one[1], 3 * other[0] + other[1]]


def _slope(graph: Graph, node: str, k: int) -> Expr:
    """Return by what a displacement of a node changes j along the coordinate k."""
    if k == 2:
        return graph.load("shape", "q", node)
    return graph.load("shape_derivative", "q", node, k)
