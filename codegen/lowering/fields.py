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
from flexforge.codegen.ir.program import (
    Accumulate,
    Array,
    For,
    Program,
    Statement,
    Store,
    Zero,
)
from flexforge.codegen.lowering.stations import Stations
from flexforge.codegen.lowering.structure import find_structure
from flexforge.codegen.lowering.terms import Leaves
from flexforge.codegen.mechanics.equations import Term
from flexforge.codegen.mechanics.kinematics import DENSITY
from flexforge.codegen.mechanics.shape_symbols import column


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
    graph, size, axes = stations.graph, element.components, len(element.slopes)
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
    stations.fill("along", element.along)
    # Of a displacement: its slopes along the axes of the cell, in components along them.
    arrays = {"slope": "G"}
    if element.fibre_law.cols > len(VOIGT[axes]):  # and how they change across the section
        stations.store("R", sympy.diff(slopes, element.across[0]))
        arrays["rate"] = "R"
    stations.close()
    pairs = list(product(range(axes), range(axes)))
    symbols = {
        name: sympy.Matrix(axes, axes, lambda i, j, name=name: sympy.Symbol(f"{name}{i}{j}"))
        for name in arrays
    }
    known = stations.leaves | {
        symbols[name][i, j]: graph.temp(f"{name}{i}{j}") for name in arrays for i, j in pairs
    }
    strains = {name: _strain(gradient) for name, gradient in symbols.items()}
    strain = strains["slope"]
    if "rate" in strains:
        middle = strain - element.across[0] * strains["rate"]
        strain = sympy.Matrix.vstack(middle, strains["rate"])
    stress = element.fibre_law * strain
    sums = tuple(
        Accumulate(f"{name}{i}{j}", graph.mul(
            graph.load("state", "a", k),
            graph.add(*(
                graph.mul(
                    graph.load("along", "q", i, m), graph.load(array, "q", "a", j * size + m, k)
                )
                for m in range(size)
            )),
        ))
        for name, array in arrays.items() for (i, j), k in product(pairs, range(size))
    )  # fmt: skip
    zeros = tuple(Zero(f"{name}{i}{j}") for name in arrays for i, j in pairs)
    stores = tuple(
        Store("stress", ("q", n), convert(sympy.expand(value), known, graph))
        for n, value in enumerate(stress)
    )
    body: tuple[Statement, ...] = (*zeros, For("a", len(element.nodes), sums), *stores)
    stations.statements.append(For("q", count, body))
    stations.arrays += [
        Array("state", (len(element.nodes), size), "input"),
        Array("stress", (count, len(stress)), "local"),
    ]
    return _under_stress(stations, term, leaves, len(stress))


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
