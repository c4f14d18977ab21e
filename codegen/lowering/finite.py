# SPDX-License-Identifier: BSD-3-Clause
"""Energy, forces and tangent of elements with a hyperelastic law, at any deformation.

Everything is computed from the displacement gradient ``H = F - 1``, and what vanishes at rest from
what has changed since: small strains of 1e-8 keep as many digits as the displacements have.

    A = C - 1 = H + H^T + H^T H,   I1 - 3 = tr A,   J - 1 = det(1 + H) - 1 written out
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.energy import AT_REST, I1, I2, Energy, J
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
from flexforge.codegen.lowering.geometry import Geometry, point_geometry
from flexforge.codegen.lowering.sums import summed
from flexforge.codegen.lowering.terms import Leaves, pair_statements, shape_leaves, volume_factor
from flexforge.codegen.mechanics.invariants import (
    VECTORS,
    Matrix,
    curvature,
    deformation,
    matrix_symbols,
    node_vectors,
    scalar_symbol,
    slope,
    vector,
)
from sympy.codegen.cfunctions import expm1, log1p

#: What invariants have changed by since rest.
_CHANGES = {one: scalar_symbol(f"change_{one}") for one in (I1, I2, J)}
_NOW = {one: AT_REST[one] + change for one, change in _CHANGES.items()}


def _since_rest(value: sympy.Expr) -> sympy.Expr:
    """Return a function of the invariants in their changes.

    Logarithms and broken powers of J are those of small changes too.
    """
    grown = log1p(_CHANGES[J])

    def power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
        broken = base == J and not exponent.is_Integer
        return 1 + expm1(exponent * grown) if broken else base**exponent

    value = sympy.expand_log(value, force=True)
    value = value.replace(lambda one: one.is_Pow, lambda one: power(one.base, one.exp))
    value = value.replace(lambda one: one == sympy.log(J), lambda _: grown)
    return value.xreplace(_NOW)


def _gained(value: sympy.Expr) -> sympy.Expr:
    """Return what a function of the invariants has changed by since rest, without cancellation."""
    change = sympy.together(_since_rest(value) - value.subs(AT_REST))
    above, below = sympy.fraction(change)
    return sympy.expand(above) / below


@dataclass
class _Point:
    """Statements at the point q, and what their scalars are called."""

    element: Element
    energy: Energy
    graph: Graph
    statements: list[Statement] = field(default_factory=list)
    leaves: Leaves = field(default_factory=dict)

    def let(self, symbol: sympy.Symbol, value: sympy.Expr) -> sympy.Symbol:
        """Append a scalar, once."""
        if symbol not in self.leaves:
            self.statements.append(Let(symbol.name, convert(value, self.leaves, self.graph)))
            self.leaves[symbol] = self.graph.temp(symbol.name)
        return symbol

    def matrix(self, letter: str, values: sympy.MatrixBase) -> Matrix:
        """Append a matrix of scalars."""
        found = matrix_symbols(letter, self.element.components)
        for one, value in zip(found, values, strict=True):
            self.let(one, value)
        return found

    def deform(self) -> None:
        """Append the deformation and its invariants."""
        graph, size = self.graph, self.element.components
        H, pairs = matrix_symbols("H", size), [(i, j) for i in range(size) for j in range(size)]
        names = {(i, j): H[i, j].name for i, j in pairs}
        self.statements += [Zero(names[pair]) for pair in pairs]
        sums = tuple(
            Accumulate(
                names[i, j],
                graph.mul(graph.load("state", "a", i), graph.load("gradient", "q", "a", j)),
            )
            for i, j in pairs
        )
        self.statements.append(For("a", len(self.element.nodes), sums))
        self.leaves |= {H[pair]: graph.temp(names[pair]) for pair in pairs}
        self.leaves |= {
            sympy.Symbol(name, real=True): graph.parameter(name) for name in self.energy.parameters
        }
        self.matrix("F", H + sympy.eye(size))
        strain = H + H.T + H.T * H
        A = self.matrix("A", strain)
        change = self.let(_CHANGES[I1], A.trace())
        if I2 in self.energy.used:
            squares = sum(one**2 for one in A)
            self.let(_CHANGES[I2], 2 * change + (change**2 - squares) / 2)
        if J in self.energy.used:
            grown = (sympy.eye(size) + H).det(method="berkowitz")
            self.let(_CHANGES[J], sympy.expand(grown) - 1)

    def scalar(self, name: str, value: sympy.Expr) -> sympy.Symbol:
        """Append a function of the changes of invariants."""
        return self.let(scalar_symbol(name), value)

    def tensor(self, name: str) -> tuple[Matrix, Matrix]:
        """Append F, cof(F), F C or I1 F; return it, and what it has changed by since rest."""
        size, change = self.element.components, _CHANGES[I1]
        F, H, A = (matrix_symbols(letter, size) for letter in "FHA")
        if name == "cof(F)":
            cofactor, known = deformation(size).slope(J), deformation(size).gradient
            moved = dict(zip(known, H + sympy.eye(size), strict=True))
            since = cofactor.xreplace(moved).applyfunc(sympy.expand) - sympy.eye(size)
            return self.matrix("K", cofactor), since
        if name == "F C":
            grown = self.matrix("B", F * A)
            return F + grown, H + grown
        if name == "I1 F":
            return (3 + change) * F, 3 * H + change * F
        return F, H

    def stress(self) -> Matrix:
        """Append the first Piola-Kirchhoff stress."""
        size = self.element.components
        total = sympy.zeros(size, size)
        for invariant in self.energy.used:
            by = self.energy.slopes(invariant)
            gained = self.scalar(f"gained_{invariant}", _gained(by))
            for name, factor in slope(invariant, size).items():
                now, since = self.tensor(name)
                total += factor * (by.subs(AT_REST) * since + gained * now)
        return self.matrix("P", total)

    def moved(self, name: str, array: str) -> list[Statement]:
        """Return the statements that store a tensor times the gradient of the node a."""
        graph = self.graph
        gradient = [scalar_symbol(f"gradient{j}") for j in range(self.element.components)]
        matrix, _ = self.tensor(name)
        leaves = self.leaves | {
            one: graph.load("gradient", "q", "a", j) for j, one in enumerate(gradient)
        }
        return [
            Store(array, ("q", "a", i), convert(value, leaves, graph))
            for i, value in enumerate(matrix * Matrix(gradient))
        ]


def _begin(element: Element, graph: Graph) -> tuple[Geometry, _Point, list[Array]]:
    energy = element.energy
    assert energy is not None
    geometry = point_geometry(element, element.degree["stiffness"], graph, gradients=True)
    point = _Point(element, energy, graph)
    point.deform()
    nodes, size = len(element.nodes), element.components
    return geometry, point, [*geometry.arrays, Array("state", (nodes, size), "input")]


def _program(
    element: Element, arrays: Sequence[Array], body: Sequence[Statement], graph: Graph
) -> Program:
    assert element.energy is not None
    parameters = element.energy.parameters + ((element.section,) if element.section else ())
    return Program(tuple(arrays), parameters, tuple(body), graph)


def lower_strain_energy(element: Element) -> Program:
    """Return the program of the energy of an element: ``out[0]``."""
    graph = Graph()
    geometry, point, arrays = _begin(element, graph)
    energy = point.scalar("energy", _gained(point.energy.value))
    volume = volume_factor(element, graph)
    point.statements.append(Accumulate("total", graph.mul(volume, point.leaves[energy])))
    body: list[Statement] = [
        *geometry.body,
        Zero("total"),
        For("q", geometry.points, tuple(point.statements)),
        Store("out", (0,), graph.temp("total")),
    ]
    return _program(element, [*arrays, Array("out", (1,), "output")], body, graph)


def lower_internal_forces(element: Element) -> Program:
    """Return the program of the forces of nodes, the derivative of the energy: ``out[a][i]``."""
    graph = Graph()
    geometry, point, arrays = _begin(element, graph)
    nodes, size = len(element.nodes), element.components
    point.statements += _stores("stress", ("q",), point.stress(), point.leaves)
    volume = volume_factor(element, graph)
    values = (
        graph.mul(
            volume,
            graph.add(*(
                graph.mul(graph.load("stress", "q", i, j), graph.load("gradient", "q", "a", j))
                for j in range(size)
            )),
        )
        for i in range(size)
    )  # fmt: skip
    body: list[Statement] = [
        *geometry.body,
        For("q", geometry.points, tuple(point.statements)),
        For("a", nodes, summed("sum", "q", geometry.points, values, graph)),
    ]
    arrays += [
        Array("stress", (geometry.points, size, size), "local"),
        Array("out", (nodes, size), "output"),
    ]
    return _program(element, arrays, body, graph)


def lower_tangent(element: Element) -> Program:
    """Return the program of the second derivative of the energy: ``out[a][i][b][j]``."""
    graph = Graph()
    geometry, point, arrays = _begin(element, graph)
    nodes, size, energy = len(element.nodes), element.components, point.energy
    density, known = sympy.zeros(size, size), dict(shape_leaves(element, graph))
    slopes = {one: energy.slopes(one) for one in energy.used}
    factors = {k: point.scalar(f"slope_{k}", _since_rest(by)) for k, by in slopes.items()}
    for one, by in slopes.items():
        density += factors[one] * curvature(one, size)
        for other in energy.used:
            curve = sympy.diff(by, other)
            if curve != 0:
                names = "_".join(sorted((one.name, other.name)))
                factor = point.scalar(f"curve_{names}", _since_rest(curve))
                a, b = (node_vectors(k, n, size) for k, n in ((one, "a"), (other, "b")))
                density += factor * a * b.T
    density = Matrix(density).xreplace(_NOW)
    used = density.free_symbols
    inner: list[Statement] = []
    for letter, name in VECTORS.items():
        entries = {(n, i): one for n in "ab" for i, one in enumerate(vector(letter, n, size))}
        if used & {*entries.values()}:
            array = f"moved{letter}"
            arrays.append(Array(array, (geometry.points, nodes, size), "local"))
            inner += point.moved(name, array)
            known |= {one: graph.load(array, "q", n, i) for (n, i), one in entries.items()}
    for one in sorted(used & point.leaves.keys(), key=str):
        arrays.append(Array(f"at_{one}", (geometry.points,), "local"))
        point.statements.append(Store(f"at_{one}", ("q",), point.leaves[one]))
        known[one] = graph.load(f"at_{one}", "q")
    body: list[Statement] = [
        *geometry.body,
        For("q", geometry.points, (*point.statements, For("a", nodes, tuple(inner)))),
        *pair_statements(element, Matrix(density), known, graph, geometry.points),
    ]
    arrays.append(Array("out", (nodes, size, nodes, size), "output"))
    return _program(element, arrays, body, graph)


def _stores(array: str, index: tuple[str, ...], values: Matrix, leaves: Leaves) -> list[Statement]:
    size: int = values.rows
    found: list[Expr] = [leaves[one] for one in values]
    return [Store(array, (*index, k // size, k % size), value) for k, value in enumerate(found)]
