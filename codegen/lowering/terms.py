# SPDX-License-Identifier: BSD-3-Clause
"""Terms of the element equations as programs: sums over quadrature points for pairs of nodes."""

from __future__ import annotations

from collections.abc import Callable

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.elements.strain import INVERSE_RADIUS
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Expr, Graph
from flexforge.codegen.ir.program import (
    Accumulate,
    Array,
    For,
    Let,
    Program,
    Statement,
    Store,
    Zero,
)
from flexforge.codegen.lowering.geometry import mean_gradients, point_geometry
from flexforge.codegen.lowering.modes import condense
from flexforge.codegen.lowering.structure import find_structure, find_symmetry
from flexforge.codegen.lowering.sums import summed
from flexforge.codegen.lowering.tables import shape_table
from flexforge.codegen.mechanics.equations import Term
from flexforge.codegen.mechanics.kinematics import DENSITY
from flexforge.codegen.mechanics.shape_symbols import gradient_symbols, mean_symbols, shape_symbol

Leaves = dict[sympy.Symbol, Expr]


def shape_leaves(element: Element, graph: Graph) -> Leaves:
    """Return the shape symbols of nodes a and b as entries of tables and arrays."""
    leaves: Leaves = {}
    for node in "ab":
        leaves[shape_symbol(node)] = graph.load("shape", "q", node)
        for j, symbol in enumerate(gradient_symbols(node, element.ambient)):
            leaves[symbol] = graph.load("gradient", "q", node, j)
        for j, symbol in enumerate(mean_symbols(node, element.ambient)):
            leaves[symbol] = graph.load("mean_gradient", node, j)
    leaves[INVERSE_RADIUS] = graph.load("inverse_radius", "q")
    return leaves


def material_statements(element: Element, graph: Graph) -> tuple[list[Statement], Leaves]:
    """Return the material constants, computed once per call, and their names."""
    law = element.constitutive
    leaves: Leaves = {
        sympy.Symbol(name, real=True): graph.parameter(name) for name in law.parameters
    }
    statements: list[Statement] = []
    for symbol, value in law.definitions:
        name = f"material_{symbol.name}"
        statements.append(Let(name, convert(value, leaves, graph)))
        leaves[symbol] = graph.temp(name)
    return statements, leaves


def material_symbols(element: Element) -> set[sympy.Symbol]:
    """Return the symbols of the element's law, parameters and definitions."""
    law = element.constitutive
    given = {sympy.Symbol(name, real=True) for name in law.parameters}
    return given | {symbol for symbol, _ in law.definitions}


def uses_gradients(density: sympy.MatrixBase, dimension: int) -> bool:
    """Whether a density holds gradients of shape functions."""
    symbols = {s for node in "ab" for s in gradient_symbols(node, dimension)}
    return bool(density.free_symbols & symbols)


def uses_means(density: sympy.MatrixBase, dimension: int) -> bool:
    """Whether a density holds means of gradients over the element."""
    symbols = {s for node in "ab" for s in mean_symbols(node, dimension)}
    return bool(density.free_symbols & symbols)


def lower_matrix(element: Element, term: Term, *, scalar: bool = False) -> Program:
    """Return the program of a matrix term.

    Parameters
    ----------
    element : Element
        The declaration.
    term : Term
        Density of a generic pair of nodes.
    scalar : bool
        Return only the scalar matrix (n x n) of a term with Kronecker structure.

    Returns
    -------
    Program
        Output ``out[a][i][b][j]``, or ``out[a][b]`` for the scalar matrix.
    """
    graph = Graph()
    degree = element.degree["mass" if DENSITY in term.density.free_symbols else "stiffness"]
    structure = find_structure(term.density)
    density = sympy.ImmutableMatrix([[structure.scalar]]) if scalar else structure.block
    density = density if scalar or structure.name != "kronecker" else density * structure.scalar
    if scalar and DENSITY not in density.free_symbols:
        # The common block of an inertia term depends on the motion; its density does not.
        density = density * DENSITY
    gradients = uses_gradients(density, element.components)
    geometry = point_geometry(element, degree, graph, gradients=gradients)
    if uses_means(density, element.components):
        geometry = mean_gradients(element, geometry, graph)
    points, _ = rule(element.cell, degree)

    elastic = bool(density.free_symbols & material_symbols(element))
    setup, leaves = material_statements(element, graph) if elastic else ([], {})
    leaves |= shape_leaves(element, graph)
    parameters = _parameters(element, density, leaves, graph)
    body, arrays, correction = [*setup, *geometry.body], [*geometry.arrays], None
    if element.modes and elastic:
        own = condense(element, density, leaves, geometry, graph)
        body += own.body
        arrays += own.arrays
        correction = own.correction
    body += pair_statements(element, density, leaves, graph, geometry.points, correction)
    tables = [] if not _uses_values(density) else [shape_table(element, points)]
    output = _output(element, density.rows, scalar)
    return Program((*arrays, *tables, output), parameters, tuple(body), graph)


def _uses_values(density: sympy.MatrixBase) -> bool:
    return bool(density.free_symbols & {shape_symbol("a"), shape_symbol("b")})


def _output(element: Element, size: int, scalar: bool) -> Array:
    nodes = len(element.nodes)
    return Array("out", (nodes, nodes) if scalar else (nodes, size, nodes, size), "output")


def _parameters(
    element: Element, density: sympy.MatrixBase, leaves: Leaves, graph: Graph
) -> tuple[str, ...]:
    """Return the parameters of a density, and expressions of its remaining symbols."""
    needed: list[str] = []
    if density.free_symbols & material_symbols(element):
        needed += element.constitutive.parameters
    for symbol in sorted(density.free_symbols - leaves.keys(), key=str):
        name = element.density if symbol == DENSITY else symbol.name
        leaves[symbol] = graph.parameter(name)
        needed.append(name)
    if element.section is not None:
        needed.append(element.section)
    return tuple(needed)


def volume_factor(element: AnyElement, graph: Graph) -> Expr:
    """Return the volume element at the point q, multiplied by the section."""
    volume = graph.load("volume", "q")
    if element.section is None:
        return volume
    return graph.mul(volume, graph.parameter(element.section))


def pair_statements(
    element: AnyElement,
    density: sympy.MatrixBase,
    leaves: Leaves,
    graph: Graph,
    points: int,
    correction: Callable[[int, int], Expr] | None = None,
) -> list[Statement]:
    """Return the loops over pairs of nodes; symmetric and skew terms visit each pair once.

    A correction is subtracted from the sum over the points.
    """
    nodes, size = len(element.nodes), density.rows
    symmetry = find_symmetry(density)
    volume = volume_factor(element, graph)
    # The mirrored store comes first, so that on the diagonal the direct one overwrites it.
    zeros, sums, mirrored, direct = [], [], [], []
    for i in range(size):
        for j in range(size):
            if density[i, j] == 0:
                total = graph.const(0)
            else:
                name = f"sum{i}{j}"
                value = graph.mul(volume, convert(density[i, j], leaves, graph))
                zeros.append(Zero(name))
                sums.append(Accumulate(name, value))
                total = graph.temp(name)
            if correction is not None:
                total = graph.add(total, graph.mul(graph.const(-1), correction(i, j)))
            row, column = (("a",), ("b",)) if size == 1 else (("a", i), ("b", j))
            direct.append(Store("out", (*row, *column), total))
            if symmetry != "general":
                sign = graph.const(-1 if symmetry == "skew" else 1)
                mirrored.append(Store("out", (*column, *row), graph.mul(sign, total)))
    body: tuple[Statement, ...] = (
        *zeros,
        For("q", points, tuple(sums)),
        *mirrored,
        *direct,
    )
    first = 0 if symmetry == "general" else "a"
    return [For("a", nodes, (For("b", nodes, body, first),))]


def lower_load(element: Element, term: Term) -> Program:
    """Return the program of a load term; its output is ``out[a][i]``.

    The position of the material point is interpolated from the nodes, like the displacement.
    """
    graph = Graph()
    degree = element.degree["mass"]
    geometry = point_geometry(element, degree, graph, gradients=False)
    points, _ = rule(element.cell, degree)
    nodes, size = len(element.nodes), element.components
    leaves = shape_leaves(element, graph)
    positions = sympy.symbols(f"x1:{size + 1}", real=True)
    leaves |= {x: graph.load("position", "q", i) for i, x in enumerate(positions)}
    located = bool(term.density.free_symbols & set(positions))
    parameters = _parameters(element, term.density, leaves, graph)
    volume = volume_factor(element, graph)
    values = (graph.mul(volume, convert(term.density[i], leaves, graph)) for i in range(size))
    per_node = summed("sum", "q", len(points), values, graph)
    arrays = [*geometry.arrays, shape_table(element, points), Array("out", (nodes, size), "output")]
    body: list[Statement] = list(geometry.body)
    if located:
        arrays.append(Array("position", (len(points), size), "local"))
        if not any(a.name == "coordinates" for a in arrays):
            arrays.append(Array("coordinates", (nodes, size), "input"))
        body.append(interpolated_positions(nodes, size, len(points), graph))
    body.append(For("a", nodes, per_node))
    return Program(tuple(arrays), parameters, tuple(body), graph)


def interpolated_positions(nodes: int, size: int, points: int, graph: Graph) -> Statement:
    """Return the loop that interpolates ``x = sum_a N_a X_a`` at the points into ``position``."""
    values = (
        graph.mul(graph.load("coordinates", "a", i), graph.load("shape", "q", "a"))
        for i in range(size)
    )
    return For("q", points, summed("x", "a", nodes, values, graph, to=("position", "q")))
