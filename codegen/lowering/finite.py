# SPDX-License-Identifier: BSD-3-Clause
"""Energy and forces of elements with a hyperelastic law, at any deformation."""

from __future__ import annotations

from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Accumulate, Array, Program, Store, Zero
from flexforge.codegen.lowering.finite_point import program, swept


def lower_strain_energy(element: Element) -> Program:
    """Return the program of the energy of an element: ``out[0]``."""
    graph = Graph()
    sweep, point, arrays = swept(element, graph)
    energy = point.leaves[point.gained("energy", point.energy.value)]
    volume = graph.mul(sweep.weight(), graph.temp("determinant"))
    total = Accumulate("total", graph.mul(volume, energy))
    loops, kept = point.loops(len(sweep.points), [total])
    body = [*sweep.statements, Zero("total"), *loops, Store("out", (0,), graph.temp("total"))]
    arrays += [*sweep.arrays, *kept, Array("out", (1,), "output")]
    return program(element, arrays, body, graph)


def lower_internal_forces(element: Element) -> Program:
    """Return the program of the forces of nodes, the derivative of the energy: ``out[a][i]``."""
    graph = Graph()
    sweep, point, arrays = swept(element, graph)
    nodes, size = len(element.nodes), element.components
    stress = point.conjugate()
    sums = {("slopes", i, k): point.leaves[stress[i, k]] for i in range(size) for k in range(size)}
    if element.revolved:
        sums["values", 0, 0] = graph.div(point.leaves[stress[2, 2]], sweep.radius())
    stores = sweep.stores(sums, values=element.revolved, slopes=True)
    loops, kept = point.loops(len(sweep.points), stores)
    arrays += [*sweep.arrays, *kept, Array("out", (nodes, size), "output")]
    return program(element, arrays, [*sweep.statements, *loops, sweep.at_nodes()], graph)
