# SPDX-License-Identifier: BSD-3-Clause
"""Stress of a displacement field: at points, at nodes, and in the geometric stiffness."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.elements.strain import (
    INVERSE_RADIUS,
    operator,
    stress_components,
    voigt_stress,
)
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Graph
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
from flexforge.codegen.lowering.geometry import Geometry, mean_gradients, point_geometry
from flexforge.codegen.lowering.modes import Condensation, condense
from flexforge.codegen.lowering.structure import find_structure
from flexforge.codegen.lowering.sums import summed
from flexforge.codegen.lowering.tables import recovery_table, shape_table
from flexforge.codegen.lowering.terms import (
    Leaves,
    interpolated_positions,
    material_statements,
    pair_statements,
    shape_leaves,
)
from flexforge.codegen.lowering.thermal import expansions, thermal_stress
from flexforge.codegen.mechanics.equations import Term


def _stress_at_points(
    element: Element, geometry: Geometry, leaves: Leaves, own: Condensation | None, graph: Graph
) -> tuple[Array, list[Statement]]:
    """Return the loops that compute ``sigma[q][k] = H eps`` from the nodal displacements."""
    size = element.components
    nodes = len(element.nodes)
    axes = element.ambient
    pairs = [(i, j) for i in range(size) for j in range(axes)]
    symbols, means = (
        sympy.Matrix(size, axes, lambda i, j, mark=mark: sympy.Symbol(f"{mark}{i}{j}"))
        for mark in "hm"
    )
    slopes = {(i, j): graph.temp(f"slope{i}{j}") for i, j in pairs}
    enhanced: list[Statement] = []
    if own is not None:
        for i, j in pairs:
            enhanced.append(Let(f"enhanced{i}{j}", graph.add(slopes[i, j], own.slope(i, j))))
            slopes[i, j] = graph.temp(f"enhanced{i}{j}")
    known = dict(leaves) | {symbols[i, j]: slopes[i, j] for i, j in pairs}
    known |= {means[i, j]: graph.temp(f"mean_slope{i}{j}") for i, j in pairs}
    sums = tuple(
        Accumulate(
            f"slope{i}{j}",
            graph.mul(graph.load("state", "a", i), graph.load("gradient", "q", "a", j)),
        )
        for i, j in pairs
    )
    values = sympy.Matrix(sympy.symbols(f"u0:{size}"))
    strain = operator(element.strain)(values, symbols, means)
    stress = voigt_stress(element.constitutive.matrix * strain, element.strain, size)
    used = [i for i in range(size) if values[i] in strain.free_symbols]
    known[INVERSE_RADIUS] = graph.load("inverse_radius", "q")
    for i in used:  # circles are stretched and sheared by displacements themselves
        known[values[i]] = graph.temp(f"value{i}")
        value = graph.mul(graph.load("state", "a", i), graph.load("radius_shape", "q", "a"))
        sums += (Accumulate(f"value{i}", value),)
    stores = tuple(
        Store("stress", ("q", k), convert(sympy.expand(value), known, graph))
        for k, value in enumerate(stress)
    )
    zeros = (
        *(Zero(f"slope{i}{j}") for i, j in pairs),
        *(Zero(f"value{i}") for i in used),
    )
    body: tuple[Statement, ...] = (*zeros, For("a", nodes, sums), *enhanced, *stores)
    array = Array("stress", (geometry.points, len(stress)), "local")
    averages = [(i, j) for i, j in pairs if means[i, j] in stress.free_symbols]
    before: list[Statement] = [Zero(f"mean_slope{i}{j}") for i, j in averages]
    if averages:
        before.append(
            For(
                "a",
                nodes,
                tuple(
                    Accumulate(
                        f"mean_slope{i}{j}",
                        graph.mul(graph.load("state", "a", i), graph.load("mean_gradient", "a", j)),
                    )
                    for i, j in averages
                ),
            )
        )
    return array, [*before, For("q", geometry.points, body)]


def _preamble(
    element: Element, stiffness: Term, graph: Graph
) -> tuple[list[Array], list[Statement], Leaves, Geometry]:
    geometry = point_geometry(element, element.degree["stiffness"], graph, gradients=True)
    if element.strain == "selective":
        geometry = mean_gradients(element, geometry, graph)
    setup, leaves = material_statements(element, graph)
    before: list[Statement] = [*setup, *geometry.body]
    arrays = [*geometry.arrays, Array("state", (len(element.nodes), element.components), "input")]
    own = None
    if element.modes:
        own = condense(element, stiffness.density, leaves, geometry, graph)
        arrays += own.arrays
        before += [*own.body, *own.amplitudes()]
    array, loops = _stress_at_points(element, geometry, leaves, own, graph)
    return [*arrays, array], [*before, *loops], leaves, geometry


def lower_stress(
    element: Element, stiffness: Term, *, thermal: bool = False, points: bool = False
) -> Program:
    """Return the program of the stresses of one element, Voigt order.

    Stresses are computed at the quadrature points, where they are most accurate (Barlow 1976),
    and extrapolated to the nodes by the element's recovery functions.

    Parameters
    ----------
    element : Element
        The declaration.
    stiffness : Term
        The stiffness, which determines the amplitudes of incompatible modes.
    thermal : bool
        Stresses of a constrained temperature change, instead of those of a displacement.
    points : bool
        Return stresses at points, ``out[q][k]``, instead of nodal ones, ``out[a][k]``.
    """
    graph = Graph()
    arrays, body, _, _ = _stressed(element, stiffness, graph, thermal)
    started = arrays, body, _parameters(element, thermal=thermal)
    return at_points_or_nodes(element, started, graph, points=points)


def at_points_or_nodes(
    element: Element,
    started: tuple[Sequence[Array], Sequence[Statement], tuple[str, ...]],
    graph: Graph,
    *,
    points: bool,
) -> Program:
    """Return the program whose output is an array ``stress[q][k]``, or its values at the nodes.

    Parameters
    ----------
    element : Element
        The declaration.
    started : tuple
        Arrays, statements that fill ``stress``, and parameters.
    graph : Graph
        Where expressions are created.
    points : bool
        Whether the output is ``out[q][k]``, instead of ``out[a][k]``.
    """
    arrays, body, parameters = started
    count, size = next(a.shape for a in arrays if a.name == "stress")
    if points:
        copies = tuple(Store("out", ("q", k), graph.load("stress", "q", k)) for k in range(size))
        out = Array("out", (count, size), "output")
        return Program((*arrays, out), parameters, (*body, For("q", count, copies)), graph)
    nodes = len(element.nodes)
    values = (
        graph.mul(graph.load("recovery", "a", "q"), graph.load("stress", "q", k))
        for k in range(size)
    )
    at_nodes = For("a", nodes, summed("sigma", "q", count, values, graph))
    table = recovery_table(element, element.degree["stiffness"])
    out = Array("out", (nodes, size), "output")
    return Program((*arrays, table, out), parameters, (*body, at_nodes), graph)


def lower_geometric(
    element: Element, term: Term, stiffness: Term, *, thermal: bool = False
) -> Program:
    """Return the program of the geometric stiffness under the stress of a displacement.

    If the term has Kronecker structure, the output is its scalar matrix ``out[a][b]``; in a body of
    revolution, where the hoop stress acts on displacements themselves, it is the full matrix
    ``out[a][i][b][j]``.

    Parameters
    ----------
    element : Element
        The declaration.
    term, stiffness : Term
        The geometric stiffness, and the stiffness for the amplitudes of incompatible modes.
    thermal : bool
        Under the stress of a constrained temperature change instead.
    """
    graph = Graph()
    arrays, body, leaves, geometry = _stressed(element, stiffness, graph, thermal)
    leaves |= shape_leaves(element, graph)
    stresses = len(stress_components(element.strain, element.components))
    symbols = sympy.symbols(f"sigma1:{stresses + 1}", real=True)
    leaves |= {s: graph.load("stress", "q", k) for k, s in enumerate(symbols)}
    structure = find_structure(term.density)
    scalar = structure.name == "kronecker"
    density = sympy.ImmutableMatrix([[structure.scalar]]) if scalar else term.density
    body += pair_statements(element, density, leaves, graph, geometry.points)
    nodes, size = len(element.nodes), element.components
    if not scalar and "shape" not in {array.name for array in arrays}:
        arrays.append(shape_table(element, rule(element.cell, element.degree["stiffness"])[0]))
    shape = (nodes, nodes) if scalar else (nodes, size, nodes, size)
    arrays.append(Array("out", shape, "output"))
    parameters = _parameters(element, section=True, thermal=thermal)
    return Program(tuple(arrays), parameters, tuple(body), graph)


def _stressed(
    element: Element, stiffness: Term, graph: Graph, thermal: bool
) -> tuple[list[Array], list[Statement], Leaves, Geometry]:
    """Return the loops that fill ``stress[q][k]``."""
    if thermal:
        return thermal_stress(element, graph)
    return _preamble(element, stiffness, graph)


def lower_points(element: Element) -> Program:
    """Return the program of the positions of the stress points: ``out[q][i]``."""
    graph = Graph()
    points, _ = rule(element.cell, element.degree["stiffness"])
    nodes, size = len(element.nodes), element.components
    copies = tuple(Store("out", ("q", i), graph.load("position", "q", i)) for i in range(size))
    body = (interpolated_positions(nodes, size, len(points), graph), For("q", len(points), copies))
    arrays = (
        shape_table(element, points),
        Array("coordinates", (nodes, size), "input"),
        Array("position", (len(points), size), "local"),
        Array("out", (len(points), size), "output"),
    )
    return Program(arrays, (), body, graph)


def _parameters(
    element: Element, *, section: bool = False, thermal: bool = False
) -> tuple[str, ...]:
    """Return the constants of the material, and the section if the law uses it."""
    needed = element.constitutive.parameters + (expansions(element) if thermal else ())
    modes = bool(element.modes) and not thermal  # the section is part of the equations of the modes
    whole = (section or modes) and element.section is not None
    return (*needed, str(element.section)) if whole else needed
