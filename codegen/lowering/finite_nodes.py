# SPDX-License-Identifier: BSD-3-Clause
"""Tangents of elements with a hyperelastic law from vectors of nodes, pair by pair.

Second derivatives of invariants are products of few vectors of one node each, which are computed at
every point. It is how tangents of cells with many unlike products of gradients are computed.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Accumulate, Array, For, Program, Statement, Store, Zero
from flexforge.codegen.lowering.finite_changes import NOW
from flexforge.codegen.lowering.finite_point import Point, program
from flexforge.codegen.lowering.geometry import point_geometry
from flexforge.codegen.lowering.tables import shape_table
from flexforge.codegen.lowering.terms import pair_statements, shape_leaves
from flexforge.codegen.mechanics.combinations import Matrix
from flexforge.codegen.mechanics.invariants import (
    VECTORS,
    curvature,
    node_vectors,
    scalar_symbol,
    vector,
)


def tangent_by_nodes(element: Element) -> Program:
    """Return the program of the second derivative of the energy: ``out[a][i][b][j]``."""
    graph = Graph()
    geometry = point_geometry(element, element.degree["stiffness"], graph, gradients=True)
    point = _deformed(element, graph)
    nodes, size, energy = len(element.nodes), element.components, point.energy
    grows = energy.grows
    state = (2, nodes, size) if grows else (nodes, size)
    arrays = [*geometry.arrays, Array("state", state, "input")]
    if grows:
        points, _ = rule(element.cell, element.degree["stiffness"])
        arrays.append(shape_table(element, points))
    density, known = sympy.zeros(size, size), dict(shape_leaves(element, graph))
    slopes = {one: energy.slopes(one) for one in energy.used}
    factors = {k: point.now(f"slope_{k}", by) for k, by in slopes.items()}
    for one, by in slopes.items():
        density += factors[one] * curvature(one, size)
        for other in energy.used:
            curve = sympy.diff(by, other)
            if curve != 0:
                names = "_".join(sorted((one.name, other.name)))
                factor = point.now(f"curve_{names}", curve)
                a, b = (node_vectors(k, n, size) for k, n in ((one, "a"), (other, "b")))
                density += factor * a * b.T
    density = Matrix(density).xreplace(NOW)
    used = density.free_symbols
    inner: list[Statement] = []
    for letter, name in VECTORS.items():
        entries = {(n, i): one for n in "ab" for i, one in enumerate(vector(letter, n, size))}
        if used & {*entries.values()}:
            array = f"moved{letter}"
            arrays.append(Array(array, (geometry.points, nodes, size), "local"))
            inner += _moved(point, name, array)
            known |= {one: graph.load(array, "q", n, i) for (n, i), one in entries.items()}
    for one in sorted(used & point.leaves.keys(), key=str):
        arrays.append(Array(f"at_{one}", (geometry.points,), "local"))
        point.statements.append(Store(f"at_{one}", ("q",), point.leaves[one]))
        known[one] = graph.load(f"at_{one}", "q")
    loops, kept = point.loops(geometry.points, [For("a", nodes, tuple(inner))])
    arrays += kept
    body: list[Statement] = [
        *geometry.body,
        *loops,
        *pair_statements(element, Matrix(density), known, graph, geometry.points),
    ]
    arrays.append(Array("out", (nodes, size, nodes, size), "output"))
    return program(element, arrays, body, graph)


def _deformed(element: Element, graph: Graph) -> Point:
    """Return the deformed point, whose displacement gradient is summed over the nodes."""
    assert element.energy is not None
    size = element.components
    names = {(i, j): f"gradient{i}{j}" for i in range(size) for j in range(size)}
    own = (0,) if element.energy.grows else ()
    sums = [
        Accumulate(
            name, graph.mul(graph.load("state", *own, "a", i), graph.load("gradient", "q", "a", j))
        )
        for (i, j), name in names.items()
    ]
    point = Point(element, element.energy, graph, graph.load("volume", "q"))
    if element.energy.grows:
        value = graph.mul(graph.load("state", 1, "a", 0), graph.load("shape", "q", "a"))
        sums.append(Accumulate("warmth", value))
        point.warmth = graph.temp("warmth")
    zeros = [Zero(one.name) for one in sums]
    point.statements += [*zeros, For("a", len(element.nodes), tuple(sums))]
    point.deform([graph.temp(name) for name in names.values()])
    return point


def _moved(point: Point, name: str, array: str) -> list[Statement]:
    """Return the statements that store a tensor times the gradient of the node a."""
    graph = point.graph
    gradient = [scalar_symbol(f"gradient{j}") for j in range(point.element.components)]
    matrix, _ = point.tensor(name)
    leaves = point.leaves | {
        one: graph.load("gradient", "q", "a", j) for j, one in enumerate(gradient)
    }
    return [
        Store(array, ("q", "a", i), convert(value, leaves, graph))
        for i, value in enumerate(matrix * Matrix(gradient))
    ]
