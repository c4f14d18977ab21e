# SPDX-License-Identifier: BSD-3-Clause
"""Terms of elements with an explicit field, as programs.

At every point of the cell and of its cross section the matrices of displacement, slopes and strain
are computed in components of the frame; from there on, pairs of vectors are like pairs of nodes.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Expr
from flexforge.codegen.ir.program import Accumulate, Array, For, Program, Statement, Store, Zero
from flexforge.codegen.lowering.stations import Stations
from flexforge.codegen.lowering.structure import find_structure
from flexforge.codegen.lowering.sums import summed
from flexforge.codegen.lowering.terms import Leaves
from flexforge.codegen.mechanics.equations import Term
from flexforge.codegen.mechanics.kinematics import DENSITY
from flexforge.codegen.mechanics.shape_symbols import column

#: Terms of sums over the nodes, each with the symbol of its sum.
Sums = list[tuple[sympy.Symbol, Expr]]


def lower_field_matrix(element: FieldElement, term: Term) -> Program:
    """Return the program of a matrix term; its output is ``out[a][i][b][j]`` for vectors a, b."""
    elastic = DENSITY not in term.density.free_symbols
    stations = Stations(element, "stiffness" if elastic else "mass")
    stations.define(element.constitutive.definitions if elastic else ())
    if elastic:
        leaves = stations.tabulate("B", element.in_frame(element.strain))
    else:
        leaves = stations.tabulate("N", element.shape)
    stations.close()
    return stations.pairs(pair_density(term), leaves)


def lower_field_load(element: FieldElement, term: Term) -> Program:
    """Return the program of a load term; its output is ``out[a][i]``."""
    stations = Stations(element, "mass")
    graph, size = stations.graph, element.components
    leaves = stations.tabulate("N", element.shape)
    leaves |= stations.locate()
    stations.close()
    leaves |= stations.motion(term.density, leaves)
    volume = graph.load("volume", "q")
    values = (graph.mul(volume, convert(term.density[i], leaves, graph)) for i in range(size))
    body = summed("sum", "q", stations.count, values, graph)
    stations.statements.append(For("a", len(element.nodes), body))
    return stations.program(Array("out", (len(element.nodes), size), "output"))


def lower_field_geometric(element: FieldElement, term: Term, *, thermal: bool = False) -> Program:
    """Return the program of the geometric stiffness under the stress of a displacement.

    Parameters
    ----------
    element : FieldElement
        The declaration.
    term : Term
        The geometric stiffness.
    thermal : bool
        Under the stress of a constrained temperature change instead.
    """
    stations = Stations(element, "geometric" if "geometric" in element.fibres else "mass")
    graph, size = stations.graph, element.components
    stiffening = element.stiffening
    assert stiffening is not None
    leaves = stations.tabulate("G", element.in_frame(stiffening.rates))
    count = stations.count
    if thermal:
        warmth = stations.warmth()
        stations.close()
        assert stiffening.warmed is not None
        each = column("expansion", element.constitutive.matrix.rows)
        held = stiffening.law * sympy.Matrix([each[number] for number in stiffening.warmed])
        stores = tuple(
            Store("stress", ("q", n), stations.graph.mul(warmth, stations.entry(value)))
            for n, value in enumerate(held)
        )
        stations.statements.append(For("q", count, stores))
        stations.arrays.append(Array("stress", (count, len(held)), "local"))
        return _under_stress(stations, term, leaves, len(held))
    if stiffening.linear is not None:
        strain, sums = _strain_of_rates(stations, stiffening.linear)
    else:
        assert stiffening.strain is not None
        strain, sums = _strain_of_declaration(stations, stiffening.strain)
    stations.close()
    summed = {symbol: graph.temp(symbol.name) for symbol, _ in sums}
    known = stations.leaves | summed
    stress = stiffening.law * strain
    stores = tuple(
        Store("stress", ("q", n), convert(sympy.expand(value), known, graph))
        for n, value in enumerate(stress)
    )
    loop = For("a", len(element.nodes), tuple(Accumulate(s.name, value) for s, value in sums))
    body: tuple[Statement, ...] = (*(Zero(s.name) for s in summed), loop, *stores)
    stations.statements.append(For("q", count, body))
    stations.arrays += [
        Array("state", (len(element.nodes), size), "input"),
        Array("stress", (count, len(stress)), "local"),
    ]
    return _under_stress(stations, term, leaves, len(stress))


def _strain_of_rates(
    stations: Stations, linear: sympy.ImmutableMatrix
) -> tuple[sympy.Matrix, Sums]:
    """Return the strains as functions of the rates, tabulated as G, and the sums over them."""
    element, graph = stations.element, stations.graph
    stations.fill("along", linear)
    strain = sympy.Matrix(sympy.symbols(f"strain1:{linear.rows + 1}", real=True))
    sums = [
        (
            s,
            graph.mul(
                graph.load("state", "a", k),
                graph.add(
                    *(
                        graph.mul(graph.load("along", "q", n, r), graph.load("G", "q", "a", r, k))
                        for r in range(linear.cols)
                    )
                ),
            ),
        )
        for n, s in enumerate(strain)
        for k in range(element.components)
    ]
    return strain, sums


def _strain_of_declaration(
    stations: Stations, declared: sympy.ImmutableMatrix
) -> tuple[sympy.Matrix, Sums]:
    """Return the strains that the element declares for its fibres, and the sums over them."""
    element, graph = stations.element, stations.graph
    stations.store("F", element.in_frame(declared))
    strain = sympy.Matrix(sympy.symbols(f"strain1:{declared.rows + 1}", real=True))
    sums = [
        (s, graph.mul(graph.load("F", "q", "a", k, i), graph.load("state", "a", i)))
        for k, s in enumerate(strain)
        for i in range(element.components)
    ]
    return strain, sums


def _under_stress(stations: Stations, term: Term, leaves: Leaves, size: int) -> Program:
    """Return the program of the geometric stiffness under ``stress[q][n]``."""
    initial = sympy.symbols(f"sigma1:{size + 1}", real=True)
    leaves |= {s: stations.graph.load("stress", "q", n) for n, s in enumerate(initial)}
    return stations.pairs(pair_density(term), leaves)


def pair_density(term: Term) -> sympy.ImmutableMatrix:
    """Return the density of a pair of vectors, including the scalar of a common block."""
    structure = find_structure(term.density)
    if structure.name != "kronecker":
        return structure.block
    return sympy.ImmutableMatrix(structure.block * structure.scalar)
