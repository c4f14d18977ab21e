# SPDX-License-Identifier: BSD-3-Clause
"""Incompatible modes: internal amplitudes of an element, condensed out of its stiffness.

A mode is a displacement not shared with neighbouring elements. It enters the stiffness like a node,
with the same density for every pair; the equations of its amplitudes, which have no inertia and no
load, are solved inside the kernel. Gradients of modes use the Jacobian at the centre, scaled by the
volume, so that constant stress does no work on a mode and the patch test is passed (Taylor,
Beresford and Wilson, International Journal for Numerical Methods in Engineering 10, 1976).
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Expr, Graph, Index
from flexforge.codegen.ir.program import Accumulate, Array, For, Let, Statement, Store, Zero
from flexforge.codegen.lowering.geometry import Geometry, cofactor_statements
from flexforge.codegen.lowering.tables import derivative_table, evaluate
from flexforge.codegen.mechanics.shape_symbols import gradient_symbols

Leaves = dict[sympy.Symbol, Expr]


@dataclass(frozen=True)
class Condensation:
    """The factorized equations of the amplitudes.

    With ``K_ii = L D L^T`` for the amplitudes, ``forward[a][i] = L^-1 K_i,ai``, and ``scaled`` is
    ``forward`` divided by D, the condensed stiffness is ``K_aibj - forward[a][i] . scaled[b][j]``.
    """

    element: Element
    graph: Graph
    arrays: tuple[Array, ...]
    body: tuple[Statement, ...]

    @property
    def size(self) -> int:
        """Number of amplitudes."""
        return len(self.element.modes) * self.element.components

    def correction(self, i: int, j: int) -> Expr:
        """Return the correction subtracted from the entry of nodes a, b and components i, j."""
        graph = self.graph
        return graph.add(
            *(
                graph.mul(graph.load("forward", "a", i, k), graph.load("scaled", "b", j, k))
                for k in range(self.size)
            )
        )

    def amplitudes(self) -> list[Statement]:
        """Return the statements that compute ``amplitude{k}`` from the nodal displacements."""
        graph, last = self.graph, self.size - 1
        sums = tuple(
            Accumulate(
                f"driven{k}",
                graph.mul(graph.load("state", "a", i), graph.load("scaled", "a", i, k)),
            )
            for k in range(self.size)
            for i in range(self.element.components)
        )
        statements: list[Statement] = [Zero(f"driven{k}") for k in range(self.size)]
        statements.append(For("a", len(self.element.nodes), sums))
        minus = graph.const(-1)
        for k in range(last, -1, -1):
            known = [
                graph.mul(minus, graph.temp(f"lower{m}_{k}"), graph.temp(f"amplitude{m}"))
                for m in range(k + 1, self.size)
            ]
            value = graph.add(graph.mul(minus, graph.temp(f"driven{k}")), *known)
            statements.append(Let(f"amplitude{k}", value))
        return statements

    def slope(self, i: int, j: int) -> Expr:
        """Return the contribution of the modes to ``du_i/dx_j`` at the point q."""
        graph, size = self.graph, self.element.components
        return graph.add(
            *(
                graph.mul(
                    graph.temp(f"amplitude{m * size + i}"), graph.load("mode_gradient", "q", m, j)
                )
                for m in range(len(self.element.modes))
            )
        )


def condense(
    element: Element, density: sympy.MatrixBase, leaves: Leaves, geometry: Geometry, graph: Graph
) -> Condensation:
    """Return the statements that factorize the equations of an element's amplitudes.

    Parameters
    ----------
    element : Element
        An element with modes.
    density : sympy.Matrix
        Stiffness density of a generic pair of nodes a, b.
    leaves : dict
        Expression of each of its symbols, including material constants.
    geometry : Geometry
        Volumes and gradients, already computed.
    graph : Graph
        Where expressions are created.
    """
    arrays, gradients = _mode_gradients(element, geometry, graph)
    size, nodes, points = element.components, len(element.nodes), geometry.points
    places = [(m, i) for m in range(len(element.modes)) for i in range(size)]
    volume = graph.load("volume", "q")
    if element.section is not None:
        volume = graph.mul(volume, graph.parameter(element.section))

    def entry(row: Index, i: int, column: int, j: int) -> Expr:
        """Return the density that couples a node or mode with a mode at the point q."""
        array = "gradient" if isinstance(row, str) else "mode_gradient"
        known = dict(leaves)
        for k, symbol in enumerate(gradient_symbols("a", size)):
            known[symbol] = graph.load(array, "q", row, k)
        for k, symbol in enumerate(gradient_symbols("b", size)):
            known[symbol] = graph.load("mode_gradient", "q", column, k)
        return graph.mul(volume, convert(density[i, j], known, graph))

    lower = [(k, m) for k in range(len(places)) for m in range(k + 1)]
    inner = tuple(
        Accumulate(f"inner{k}_{m}", entry(places[k][0], places[k][1], *places[m])) for k, m in lower
    )
    outer = [(i, k) for i in range(size) for k in range(len(places))]
    coupling = tuple(Accumulate(f"outer{i}_{k}", entry("a", i, *places[k])) for i, k in outer)
    solved = [statement for i in range(size) for statement in _forward(i, len(places), graph)]
    body: list[Statement] = [
        *gradients,
        *(Zero(f"inner{k}_{m}") for k, m in lower),
        For("q", points, inner),
        *_factorize(len(places), graph),
        For(
            "a",
            nodes,
            (*(Zero(f"outer{i}_{k}") for i, k in outer), For("q", points, coupling), *solved),
        ),
    ]
    shape = (nodes, size, len(places))
    local = [Array(name, shape, "local") for name in ("forward", "scaled")]
    return Condensation(element, graph, (*arrays, *local), tuple(body))


def _mode_gradients(
    element: Element, geometry: Geometry, graph: Graph
) -> tuple[list[Array], list[Statement]]:
    """Return the loops that store ``det J_0 / det J  J_0^-T dP_m/dxi`` of every mode and point."""
    points, _ = rule(element.cell, element.degree["stiffness"])
    centre, _ = rule(element.cell, 0)
    axes, modes = range(element.dimension), len(element.modes)
    slopes = [derivative(mode, axis) for mode in element.modes for axis in REFERENCE[: len(axes)]]
    rows = evaluate(slopes, len(axes), points)
    table = tuple(value for row in rows for value in row)
    pairs = [(i, j) for i in axes for j in axes]
    jacobian = tuple(
        Accumulate(
            f"centre_jacobian{i}{j}",
            graph.mul(
                graph.load("coordinates", "a", i), graph.load("centre_derivative", 0, "a", j)
            ),
        )
        for i, j in pairs
    )
    names = [[graph.temp(f"centre_jacobian{i}{j}") for j in axes] for i in axes]
    # Weight over volume is 1 / det J; the adjugate at the centre includes det J_0.
    scale = graph.div(graph.load("quadrature_weight", "q"), graph.load("volume", "q"))
    stores = tuple(
        Store(
            "mode_gradient",
            ("q", m, i),
            graph.mul(
                graph.temp("mode_scale"),
                graph.add(
                    *(
                        graph.mul(
                            graph.load("mode_derivative", "q", m, k),
                            graph.temp(f"adjugate{k}{i}_centre"),
                        )
                        for k in axes
                    )
                ),
            ),
        )
        for m in range(modes)
        for i in axes
    )
    arrays = [
        derivative_table(element, centre, "centre_derivative"),
        Array("mode_derivative", (len(points), modes, len(axes)), "table", table),
        Array("mode_gradient", (len(points), modes, len(axes)), "local"),
    ]
    body: list[Statement] = [
        *(Zero(f"centre_jacobian{i}{j}") for i, j in pairs),
        For("a", len(element.nodes), jacobian),
        *cofactor_statements(names, graph, tag="_centre"),
        For("q", geometry.points, (Let("mode_scale", scale), *stores)),
    ]
    return arrays, body


def _factorize(size: int, graph: Graph) -> list[Statement]:
    """Return the statements of ``K_ii = L D L^T``: ``lower{k}_{m}``, ``pivot{k}`` and its inverse.

    K_ii is positive definite, so no pivot is zero.
    """
    statements: list[Statement] = []
    minus = graph.const(-1)
    for k in range(size):
        for m in range(k + 1):
            parts = [
                graph.mul(minus, graph.temp(f"row{k}_{n}"), graph.temp(f"lower{m}_{n}"))
                for n in range(m)
            ]
            value = graph.add(graph.temp(f"inner{k}_{m}"), *parts)
            if m < k:  # first the row times D, then the row itself
                statements.append(Let(f"row{k}_{m}", value))
                scaled = graph.mul(graph.temp(f"row{k}_{m}"), graph.temp(f"inverse_pivot{m}"))
                statements.append(Let(f"lower{k}_{m}", scaled))
            else:
                statements.append(Let(f"inverse_pivot{k}", graph.div(graph.const(1), value)))
    return statements


def _forward(i: int, size: int, graph: Graph) -> list[Statement]:
    """Return the forward substitution of component i of the node a."""
    statements: list[Statement] = []
    minus = graph.const(-1)
    for k in range(size):
        parts = [
            graph.mul(minus, graph.temp(f"lower{k}_{m}"), graph.temp(f"forward{i}_{m}"))
            for m in range(k)
        ]
        statements.append(Let(f"forward{i}_{k}", graph.add(graph.temp(f"outer{i}_{k}"), *parts)))
        solved = graph.temp(f"forward{i}_{k}")
        statements.append(Store("forward", ("a", i, k), solved))
        scaled = graph.mul(solved, graph.temp(f"inverse_pivot{k}"))
        statements.append(Store("scaled", ("a", i, k), scaled))
    return statements
