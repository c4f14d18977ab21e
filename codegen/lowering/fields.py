# SPDX-License-Identifier: BSD-3-Clause
"""Terms of elements that write out their field, as programs.

At every point of the cell and of its cross section the matrices of displacement, slopes and strain
are computed in components of the frame; from then on a pair of vectors is like a pair of nodes.
"""

from __future__ import annotations

from itertools import product

import sympy
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.elements.strain import VOIGT
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Expr
from flexforge.codegen.ir.program import Accumulate, Array, For, Program, Statement, Store, Zero
from flexforge.codegen.lowering.stations import Stations
from flexforge.codegen.lowering.structure import find_structure
from flexforge.codegen.lowering.terms import Leaves
from flexforge.codegen.mechanics.equations import Term
from flexforge.codegen.mechanics.kinematics import DENSITY
from flexforge.codegen.mechanics.shape_symbols import column

#: Terms by the symbol of the sum over the nodes that they are added to.
Sums = list[tuple[sympy.Symbol, Expr]]


def lower_field_matrix(element: FieldElement, term: Term) -> Program:
    """Return the program of a matrix term; its output is ``out[a][i][b][j]`` of vectors a, b."""
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
    names = [f"sum{i}" for i in range(size)]
    sums = tuple(
        Accumulate(name, graph.mul(volume, convert(term.density[i], leaves, graph)))
        for i, name in enumerate(names)
    )
    stores = tuple(Store("out", ("a", i), graph.temp(name)) for i, name in enumerate(names))
    body: tuple[Statement, ...] = (*map(Zero, names), For("q", stations.count, sums), *stores)
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
        Under the stress of a change of temperature that is held, instead.
    """
    stations = Stations(element, "geometric" if "geometric" in element.fibres else "mass")
    graph, size = stations.graph, element.components
    slopes = sympy.Matrix.vstack(*map(element.in_frame, element.slopes))
    leaves = stations.tabulate("G", slopes)
    count = stations.count
    if thermal:
        warmth = stations.warmth()
        stations.close()
        held = element.fibre_law * column("expansion", element.fibre_law.cols)
        stores = tuple(
            Store("stress", ("q", n), stations.graph.mul(warmth, stations.entry(value)))
            for n, value in enumerate(held)
        )
        stations.statements.append(For("q", count, stores))
        stations.arrays.append(Array("stress", (count, len(held)), "local"))
        return _under_stress(stations, term, leaves, len(held))
    if element.fibre_strain is None:
        strain, sums = _strain_of_slopes(stations)
    else:
        strain, sums = _strain_of_declaration(stations, element.fibre_strain)
    stations.close()
    summed = {symbol: graph.temp(symbol.name) for symbol, _ in sums}
    known = stations.leaves | summed
    stress = element.fibre_law * strain
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


def _strain_of_slopes(stations: Stations) -> tuple[sympy.Matrix, Sums]:
    """Return the strains along the axes of the cell, and the sums over nodes that they are made of.

    The sums are the slopes of the state, which are tabulated as G, in components along these axes.
    """
    element, graph = stations.element, stations.graph
    size, axes = element.components, len(element.slopes)
    stations.fill("along", element.along)
    slopes = sympy.Matrix(axes, axes, lambda i, j: sympy.Symbol(f"slope{i}{j}"))
    parts = product(product(range(axes), range(axes)), range(size))
    sums = [
        (slopes[i, j], graph.mul(
            graph.load("state", "a", k),
            graph.add(*(
                graph.mul(
                    graph.load("along", "q", i, m), graph.load("G", "q", "a", j * size + m, k)
                )
                for m in range(size)
            )),
        ))
        for (i, j), k in parts
    ]  # fmt: skip
    return _strain(slopes), sums


def _strain_of_declaration(
    stations: Stations, declared: sympy.ImmutableMatrix
) -> tuple[sympy.Matrix, Sums]:
    """Return the strains that the element declares for its fibres, and the sums they are."""
    element, graph = stations.element, stations.graph
    stations.store("F", element.in_frame(declared))
    strain = sympy.Matrix(sympy.symbols(f"strain1:{declared.rows + 1}", real=True))
    sums = [
        (s, graph.mul(graph.load("F", "q", "a", k, i), graph.load("state", "a", i)))
        for k, s in enumerate(strain)
        for i in range(element.components)
    ]
    return strain, sums


def _strain(gradient: sympy.Matrix) -> sympy.Matrix:
    """Return the linear strains of a gradient in Voigt order."""
    return sympy.Matrix(
        [gradient[i, j] + (gradient[j, i] if i != j else 0) for i, j in VOIGT[gradient.cols]]
    )


def _under_stress(stations: Stations, term: Term, leaves: Leaves, size: int) -> Program:
    """Return the program of the geometric stiffness under ``stress[q][n]``."""
    initial = sympy.symbols(f"sigma1:{size + 1}", real=True)
    leaves |= {s: stations.graph.load("stress", "q", n) for n, s in enumerate(initial)}
    return stations.pairs(pair_density(term), leaves)


def pair_density(term: Term) -> sympy.ImmutableMatrix:
    """Return the density of a pair of vectors, the scalar of a common block multiplied in."""
    structure = find_structure(term.density)
    if structure.name != "kronecker":
        return structure.block
    return sympy.ImmutableMatrix(structure.block * structure.scalar)
