# SPDX-License-Identifier: BSD-3-Clause
"""Geometry at a quadrature point: Jacobian, volume and gradients, derived by SymPy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.quadrature import Degree, rule
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Expr, Graph
from flexforge.codegen.ir.program import Accumulate, Array, For, Let, Statement, Store, Zero
from flexforge.codegen.lowering.tables import derivative_table, shape_table, weight_table


@dataclass(frozen=True)
class Geometry:
    """The first part of every kernel with a volume integral.

    It computes ``volume[q]``, the volume element of point q (weight times Jacobian determinant),
    and, if requested, ``gradient[q][a][i]``, the gradients of the shape functions.
    """

    arrays: tuple[Array, ...]
    body: tuple[Statement, ...]
    points: int


def point_geometry(element: Element, degree: Degree, graph: Graph, *, gradients: bool) -> Geometry:
    """Return the loop that computes volumes and gradients at all quadrature points.

    Parameters
    ----------
    element : Element
        The declaration.
    degree : int or GivenRule
        Degree of the quadrature.
    graph : Graph
        Where expressions are created.
    gradients : bool
        Whether gradients are needed besides the volume.
    """
    points, weights = rule(element.cell, degree)
    count, nodes, dim = len(points), len(element.nodes), element.dimension
    weight = graph.load("quadrature_weight", "q")
    arrays = [
        weight_table(weights),
        Array("volume", (count,), "local"),
    ]
    if dim == 0:
        body: tuple[Statement, ...] = (Store("volume", ("q",), weight),)
        return Geometry(tuple(arrays), (For("q", count, body),), count)
    if gradients and dim != element.ambient:
        raise ValueError("gradients need a cell that fills its space")

    arrays += [
        Array("coordinates", (nodes, element.components), "input"),
        derivative_table(element, points),
    ]
    names = [[graph.temp(f"jacobian{i}{j}") for j in range(dim)] for i in range(dim)]
    statements: list[Statement] = [
        *jacobian_sum(element, graph),
        *cofactor_statements(names, graph, all_entries=gradients),
    ]
    area = graph.mul(weight, graph.temp("determinant"))
    if element.revolved:
        arrays += [
            shape_table(element, points, "radius_shape"),
            Array("inverse_radius", (count,), "local"),
        ]
        statements += radius_sum(element, graph, "radius_shape")
        statements.append(
            Store("inverse_radius", ("q",), graph.div(graph.const(1), graph.temp("radius")))
        )
        area = graph.mul(area, circumference(graph, graph.temp("radius")))
    statements.append(Store("volume", ("q",), area))
    if gradients:
        arrays.append(Array("gradient", (count, nodes, dim), "local"))
        reciprocal = graph.div(graph.const(1), graph.temp("determinant"))
        inverse = [
            Let(f"inverse{i}{j}", graph.mul(reciprocal, graph.temp(f"adjugate{i}{j}")))
            for i in range(dim)
            for j in range(dim)
        ]
        stores = tuple(
            Store("gradient", ("q", "a", i), _pull_back(graph, i, dim)) for i in range(dim)
        )
        statements += [*inverse, For("a", nodes, stores)]
    return Geometry(tuple(arrays), (For("q", count, tuple(statements)),), count)


def radius_sum(element: Element, graph: Graph, table: str) -> list[Statement]:
    """Return the statements that sum ``radius = sum_a X_a1 N_a`` at the point q."""
    term = graph.mul(graph.load("coordinates", "a", 0), graph.load(table, "q", "a"))
    return [Zero("radius"), For("a", len(element.nodes), (Accumulate("radius", term),))]


def circumference(graph: Graph, radius: Expr) -> Expr:
    """Return the circumference of the circle that a point of the section represents."""
    return graph.mul(graph.const(Fraction(2 * math.pi)), radius)


def mean_gradients(element: Element, geometry: Geometry, graph: Graph) -> Geometry:
    """Return the geometry completed by ``mean_gradient[a][j] = 1/V int dN_a/dx_j dV``."""
    nodes, size, points = len(element.nodes), element.components, geometry.points
    volume = graph.load("volume", "q")
    sums = tuple(
        Accumulate(f"mean{j}", graph.mul(volume, graph.load("gradient", "q", "a", j)))
        for j in range(size)
    )
    stores = tuple(
        Store(
            "mean_gradient", ("a", j), graph.mul(graph.temp("per_volume"), graph.temp(f"mean{j}"))
        )
        for j in range(size)
    )
    body: tuple[Statement, ...] = (
        *geometry.body,
        Zero("whole"),
        For("q", points, (Accumulate("whole", volume),)),
        Let("per_volume", graph.div(graph.const(1), graph.temp("whole"))),
        For(
            "a", nodes, (*(Zero(f"mean{j}") for j in range(size)), For("q", points, sums), *stores)
        ),
    )
    array = Array("mean_gradient", (nodes, size), "local")
    return Geometry((*geometry.arrays, array), body, points)


def cofactor_statements(
    jacobian: Sequence[Sequence[Expr]], graph: Graph, *, all_entries: bool = True, tag: str = ""
) -> list[Statement]:
    """Return the statements that compute ``adjugate`` and ``determinant`` of a Jacobian.

    Parameters
    ----------
    jacobian : sequence of sequence of Expr
        Expressions of its entries.
    graph : Graph
        Where expressions are created.
    all_entries : bool
        Whether all of the adjugate is needed, not only the entries in the determinant.
    tag : str
        Suffix of the names of the scalars.
    """
    axes = range(len(jacobian))
    symbols = sympy.Matrix(len(jacobian), len(jacobian), lambda i, j: sympy.Symbol(f"J{i}{j}"))
    leaves = {symbols[i, j]: jacobian[i][j] for i in axes for j in axes}
    adjugate = symbols.adjugate()
    first = [sympy.Symbol(f"A{k}0") for k in axes]
    leaves |= {symbol: graph.temp(f"adjugate{k}0{tag}") for k, symbol in enumerate(first)}
    # det J from the first row of J and the first column of the adjugate shares their products.
    determinant = sum(symbols[0, k] * first[k] for k in axes)
    return [
        *(
            Let(f"adjugate{i}{j}{tag}", convert(sympy.expand(adjugate[i, j]), leaves, graph))
            for i in axes
            for j in axes
            if all_entries or j == 0
        ),
        Let(f"determinant{tag}", convert(determinant, leaves, graph)),
    ]


def _pull_back(graph: Graph, i: int, dim: int) -> Expr:
    """Return ``dN_a/dx_i = sum_j dN_a/dxi_j (J^-1)_ji``."""
    return graph.add(
        *(
            graph.mul(graph.load("shape_derivative", "q", "a", j), graph.temp(f"inverse{j}{i}"))
            for j in range(dim)
        )
    )


def jacobian_sum(element: Element, graph: Graph) -> list[Statement]:
    """Return the statements that sum ``J_ij = sum_a X_ai dN_a/dxi_j`` at the point q."""
    pairs = [(i, j) for i in range(element.ambient) for j in range(element.dimension)]
    body = tuple(
        Accumulate(
            f"jacobian{i}{j}",
            graph.mul(
                graph.load("coordinates", "a", i), graph.load("shape_derivative", "q", "a", j)
            ),
        )
        for i, j in pairs
    )
    zeros = [Zero(f"jacobian{i}{j}") for i, j in pairs]
    return [*zeros, For("a", len(element.nodes), body)]
