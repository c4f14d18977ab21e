# SPDX-License-Identifier: BSD-3-Clause
"""Energy and forces of elements with a hyperelastic law, at any deformation."""

from __future__ import annotations

from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.ir.expression import Expr, Graph
from flexforge.codegen.ir.program import Accumulate, Array, For, Program, Statement, Store, Zero
from flexforge.codegen.lowering.finite_point import begin, gained, program
from flexforge.codegen.lowering.sums import summed
from flexforge.codegen.lowering.terms import Leaves, volume_factor
from flexforge.codegen.mechanics.combinations import Matrix


def lower_strain_energy(element: Element) -> Program:
    """Return the program of the energy of an element: ``out[0]``."""
    graph = Graph()
    geometry, point, arrays = begin(element, graph)
    energy = point.scalar("energy", gained(point.energy.value))
    volume = volume_factor(element, graph)
    point.statements.append(Accumulate("total", graph.mul(volume, point.leaves[energy])))
    body: list[Statement] = [
        *geometry.body,
        Zero("total"),
        For("q", geometry.points, tuple(point.statements)),
        Store("out", (0,), graph.temp("total")),
    ]
    return program(element, [*arrays, Array("out", (1,), "output")], body, graph)


def lower_internal_forces(element: Element) -> Program:
    """Return the program of the forces of nodes, the derivative of the energy: ``out[a][i]``."""
    graph = Graph()
    geometry, point, arrays = begin(element, graph)
    nodes, size = len(element.nodes), element.components
    point.statements += _stores("stress", ("q",), point.stress(), point.leaves)
    volume = volume_factor(element, graph)
    values = (
        graph.mul(
            volume,
            graph.add(*(
                graph.mul(graph.load("stress", "q", i, j), graph.load("gradient", "q", "a", j))
                for j in range(size)
            )),
        )
        for i in range(size)
    )  # fmt: skip
    body: list[Statement] = [
        *geometry.body,
        For("q", geometry.points, tuple(point.statements)),
        For("a", nodes, summed("sum", "q", geometry.points, values, graph)),
    ]
    arrays += [
        Array("stress", (geometry.points, size, size), "local"),
        Array("out", (nodes, size), "output"),
    ]
    return program(element, arrays, body, graph)


def _stores(array: str, index: tuple[str, ...], values: Matrix, leaves: Leaves) -> list[Statement]:
    size: int = values.rows
    found: list[Expr] = [leaves[one] for one in values]
    return [Store(array, (*index, k // size, k % size), value) for k, value in enumerate(found)]
