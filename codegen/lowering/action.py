# SPDX-License-Identifier: BSD-3-Clause
"""Actions: products of matrices and vectors, element by element, without forming the matrix.

The field is interpolated at the quadrature points, the density maps it to its conjugate there, and
the shape functions distribute the conjugate to the nodes. Gradients are taken in the reference cell
and transformed at the point, so that the cost of a transformation is independent of the number of
nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.quadrature import Degree
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Array, For, Program, Statement, Store, Zero
from flexforge.codegen.lowering.structure import find_structure
from flexforge.codegen.lowering.sweep import Field, Sweep
from flexforge.codegen.lowering.terms import Leaves, material_statements, material_symbols
from flexforge.codegen.mechanics.equations import Term
from flexforge.codegen.mechanics.kinematics import DENSITY
from flexforge.codegen.mechanics.shape_symbols import gradient_symbols, shape_symbol


@dataclass(frozen=True, slots=True)
class ActionTerm:
    """One term of an action.

    Attributes
    ----------
    term : Term
        A matrix.
    rate : int
        Vector it acts on: 0 for d, 1 for d', 2 for d''.
    factor : int
        Factor of the term.
    """

    term: Term
    rate: int = 0
    factor: int = 1


def lower_action(element: Element, parts: Sequence[ActionTerm]) -> Program:
    """Return the program of ``out[a][i] = sum_b,j (sum of the parts)_aibj x_bj``.

    Terms with the same block for all pairs of nodes are combined at the nodes, so that all inertia
    terms of a moving frame take only one interpolation.

    Parameters
    ----------
    element : Element
        A solid or a point.
    parts : sequence of ActionTerm
        The terms. With rates beyond zero the state holds d, d' and d'' one after the other.
    """
    graph = Graph()
    nodes, size = len(element.nodes), element.components
    rates = any(part.rate for part in parts)
    leaves: Leaves = {}
    setup: list[Statement] = []
    used = {s for part in parts for s in part.term.density.free_symbols}
    parameters: list[str] = []
    if used & material_symbols(element):
        setup, leaves = material_statements(element, graph)
        parameters += element.constitutive.parameters
    shapes = {s for node in "ab" for s in (shape_symbol(node), *gradient_symbols(node, size))}
    for symbol in sorted(used - shapes - leaves.keys(), key=str):
        name = element.density if symbol == DENSITY else symbol.name
        leaves[symbol] = graph.parameter(name)
        parameters.append(name)
    if element.section is not None:
        parameters.append(element.section)

    arrays = [Array("state", (3, nodes, size) if rates else (nodes, size), "input")]
    if element.dimension:
        arrays.append(Array("coordinates", (nodes, size), "input"))
    fields, combined, statements = _fields(element, parts, rates, leaves, graph)
    arrays += combined
    sums: list[Statement] = [Zero(f"sum{i}") for i in range(size)]
    for number, degree in enumerate(dict.fromkeys(f.degree for f in fields)):
        sweep = Sweep(element, degree, str(number) if number else "", graph)
        sweep.add([f for f in fields if f.degree == degree], leaves)
        statements += sweep.statements
        arrays += sweep.arrays
        sums.append(sweep.back_to_nodes())
    sums += [Store("out", ("a", i), graph.temp(f"sum{i}")) for i in range(size)]
    arrays.append(Array("out", (nodes, size), "output"))
    body = (*setup, *statements, For("a", nodes, tuple(sums)))
    return Program(tuple(arrays), tuple(parameters), body, graph)


def _fields(
    element: Element, parts: Sequence[ActionTerm], rates: bool, leaves: Leaves, graph: Graph
) -> tuple[list[Field], list[Array], list[Statement]]:
    """Return the fields to interpolate, and the statements that combine nodal vectors first."""
    fields: list[Field] = []
    common: dict[tuple[sympy.Expr, Degree], list[tuple[sympy.ImmutableMatrix, int]]] = {}
    for part in parts:
        massive = DENSITY in part.term.density.free_symbols
        degree = element.degree["mass" if massive else "stiffness"]
        structure = find_structure(part.term.density)
        if structure.name == "zero":
            continue
        # A block that leaves out components is not combined: only the others are interpolated.
        idle = any(not any(structure.block[:, j]) for j in range(structure.block.cols))
        if structure.name != "kronecker" or idle:
            density = part.factor * part.term.density
            fields.append(Field("state", (part.rate,) if rates else (), density, degree))
            continue
        scalar, block = structure.scalar, part.factor * structure.block
        if massive:  # of the inertia terms: with it, all have the scalar of the mass matrix
            scalar, block = scalar * DENSITY, (block / DENSITY).applyfunc(sympy.cancel)
        common.setdefault((scalar, degree), []).append((block, part.rate))
    arrays: list[Array] = []
    statements: list[Statement] = []
    nodes, size = len(element.nodes), element.components
    for number, ((scalar, degree), blocks) in enumerate(common.items()):
        density = sympy.ImmutableMatrix([[scalar]])
        if [block for block, _ in blocks] == [sympy.eye(size)]:
            fields.append(Field("state", (blocks[0][1],) if rates else (), density, degree))
            continue
        name = f"combined{number}"
        arrays.append(Array(name, (nodes, size), "local"))
        stores = []
        for i in range(size):
            terms = [
                graph.mul(
                    convert(block[i, j], leaves, graph),
                    graph.load("state", *((rate,) if rates else ()), "a", j),
                )
                for block, rate in blocks
                for j in range(size)
            ]
            stores.append(Store(name, ("a", i), graph.add(*terms)))
        statements.append(For("a", nodes, tuple(stores)))
        fields.append(Field(name, (), density, degree))
    return fields, arrays, statements
