# SPDX-License-Identifier: BSD-3-Clause
"""What temperatures do to the forces of elements with a hyperelastic law that grow.

With the growth ``g = 1 + expansion T`` forces are ``f(d, T)``; the load of a change T' of the
temperatures is ``- df/dT T'``. Where nothing is deformed that is the load of the linear element.
"""

from __future__ import annotations

from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.energy import EXPANSION
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Array, Program
from flexforge.codegen.lowering.finite_point import program, swept
from flexforge.codegen.mechanics.invariants import scalar_symbol


def lower_growth_load(element: Element) -> Program:
    """Return the program of the load of a change of temperature: ``out[a][i]``.

    The state holds the displacements, the temperatures, and their change.
    """
    graph = Graph()
    sweep, point, arrays = swept(element, graph, further=1)
    nodes, size, space = len(element.nodes), element.components, element.space
    change = sweep.interpolate_first("state", (2,), "warming")
    rate = graph.mul(graph.const(-1), graph.parameter(EXPANSION), change)
    stress = point.stress_by_growth()
    total = {
        (i, k): graph.mul(rate, point.leaves[stress[i, k]])
        for i in range(space)
        for k in range(space)
    }
    if point.energy.averaged:
        slope = point.pressure_by_growth()
        mean = point.mean("mean_slope", graph.mul(rate, point.leaves[slope]))
        pressure = scalar_symbol("mean_slope")
        point.leaves[pressure] = mean
        cofactor, _ = point.tensor("cof(F)")
        whole = point.matrix("T", pressure * cofactor)
        total = {(i, k): graph.add(one, point.leaves[whole[i, k]]) for (i, k), one in total.items()}
    sums = {("slopes", i, k): total[i, k] for i in range(size) for k in range(size)}
    if element.revolved:
        sums["values", 0, 0] = graph.div(total[2, 2], sweep.radius())
    stores = sweep.stores(sums, values=element.revolved, slopes=True)
    loops, kept = point.loops(len(sweep.points), stores)
    arrays += [*sweep.arrays, *kept, Array("out", (nodes, size), "output")]
    return program(element, arrays, [*sweep.statements, *loops, sweep.at_nodes()], graph)
