# SPDX-License-Identifier: BSD-3-Clause
"""Elements with an explicit field: generalized stresses at stations, and thermal loads."""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.ir.program import Accumulate, Array, For, Program, Statement, Store, Zero
from flexforge.codegen.lowering.stations import Stations
from flexforge.codegen.lowering.sums import summed
from flexforge.codegen.lowering.thermal import held_stress, initial_load


def lower_field_stress(element: FieldElement, *, thermal: bool = False) -> Program:
    """Return the program of the law's stresses times the weight of the station: ``out[q][k]``.

    With one station for a whole section, as in beams, these are the section forces.

    Parameters
    ----------
    element : FieldElement
        The declaration.
    thermal : bool
        Stresses of a constrained temperature change, instead of those of a displacement.
    """
    stations = Stations(element, "stiffness")
    stations.define(element.constitutive.definitions)
    graph, size = stations.graph, element.constitutive.matrix.rows
    portion = graph.load("portion", "q")
    if thermal:
        warmth = stations.warmth()
        stations.close()
        body: tuple[Statement, ...] = tuple(
            Store("out", ("q", k), graph.mul(portion, warmth, stations.entry(value)))
            for k, value in enumerate(held_stress(element))
        )
    else:
        nodes, components = len(element.nodes), element.components
        stations.tabulate("B", element.in_frame(element.strain))
        stations.close()
        strain = sympy.symbols(f"strain1:{size + 1}", real=True)
        stations.leaves |= {s: graph.temp(s.name) for s in strain}
        sums = tuple(
            Accumulate(
                s.name, graph.mul(graph.load("B", "q", "a", k, i), graph.load("state", "a", i))
            )
            for k, s in enumerate(strain)
            for i in range(components)
        )
        stress = element.constitutive.matrix * sympy.Matrix(strain)
        stores = tuple(
            Store("out", ("q", k), graph.mul(portion, stations.entry(value)))
            for k, value in enumerate(stress)
        )
        body = (*(Zero(s.name) for s in strain), For("a", nodes, sums), *stores)
        stations.arrays.append(Array("state", (nodes, components), "input"))
    stations.statements.append(For("q", stations.count, body))
    return stations.program(Array("out", (stations.count, size), "output"))


def lower_field_points(element: FieldElement) -> Program:
    """Return the program of the positions of the stations: ``out[q][i]``."""
    stations = Stations(element, "stiffness")
    stations.locate()
    stations.close()
    copies = tuple(
        Store("out", ("q", i), stations.graph.load("position", "q", i, 0))
        for i in range(element.components)
    )
    stations.statements.append(For("q", stations.count, copies))
    return stations.program(Array("out", (stations.count, element.components), "output"))


def lower_field_thermal_load(element: FieldElement) -> Program:
    """Return the program of the load of an initial strain; its output is ``out[a][i]``."""
    stations = Stations(element, "stiffness")
    stations.define(element.constitutive.definitions)
    graph, size = stations.graph, element.components
    leaves = stations.tabulate("B", element.in_frame(element.strain))
    warmth = stations.warmth()
    stations.close()
    held = held_stress(element)
    symbols = sympy.symbols(f"sigma1:{len(held) + 1}", real=True)
    density = initial_load(element).subs(dict(zip(symbols, held, strict=True)))
    stations.leaves |= leaves
    volume = graph.mul(graph.load("volume", "q"), warmth)
    values = (graph.mul(volume, stations.entry(sympy.expand(density[i]))) for i in range(size))
    body = summed("sum", "q", stations.count, values, graph)
    stations.statements.append(For("a", len(element.nodes), body))
    return stations.program(Array("out", (len(element.nodes), size), "output"))
