# SPDX-License-Identifier: BSD-3-Clause
"""Points of a deformed cell in reference coordinates: scalars and tensors, each when needed.

The second derivative of the energy by the Jacobian j of the deformed cell is

    D = sum_k W_k d2I_k/dj2 + sum_kl W_kl dI_k/dj (x) dI_l/dj

with derivatives W_k, W_kl of the energy by its invariants. Gradients of shape functions in the
reference cell are numbers, so that nothing at a point depends on the number of nodes.
"""

from __future__ import annotations

from functools import cached_property

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.energy import J
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Expr, Graph
from flexforge.codegen.ir.program import Array, Let, Statement
from flexforge.codegen.lowering.geometry import cofactor_statements
from flexforge.codegen.lowering.sweep import Sweep
from flexforge.codegen.lowering.tables import derivative_table
from flexforge.codegen.lowering.terms import Leaves
from flexforge.codegen.mechanics.combinations import Matrix
from flexforge.codegen.mechanics.convected import (
    DETERMINANT,
    REFERENCE,
    Curvature,
    change,
    change_definitions,
    cofactors,
    curvature,
    definitions,
    direction,
    tensors,
)
from flexforge.codegen.mechanics.invariants import matrix_symbols, scalar_symbol

_WEIGHT, _RECIPROCAL = scalar_symbol("weight"), scalar_symbol("reciprocal")
_LOGARITHM = scalar_symbol("log_J")


class DeformedPoint:
    """The point q of a deformed cell.

    Parameters
    ----------
    element : Element
        Its element, with an energy.
    graph : Graph
        Where expressions are created.
    changed : bool
        Whether the state holds a change of the displacements besides them.

    Attributes
    ----------
    arrays : list of Array
        Inputs.
    sweep : Sweep
        Interpolates positions and displacements.
    statements : list of Statement
        Those at the point.
    leaves : dict
        What is computed already, by its symbol.
    """

    def __init__(self, element: Element, graph: Graph, *, changed: bool = False) -> None:
        assert element.energy is not None
        energy = element.energy
        self.energy, self.graph, self.size = energy, graph, element.components
        self.sweep = Sweep(element, element.degree["stiffness"], "", graph)
        self.sweep.arrays.append(derivative_table(element, self.sweep.points))
        self.sweep.interpolate("coordinates", (), "jacobian", slopes=True)
        self.sweep.interpolate("state", (0,) if changed else (), "displacement", slopes=True)
        if changed:
            self.sweep.interpolate("state", (1,), "change", slopes=True)
        nodal = len(element.nodes), self.size
        self.arrays = [
            Array("coordinates", nodal, "input"),
            Array("state", (2, *nodal) if changed else nodal, "input"),
        ]
        self.statements: list[Statement] = list(self.sweep.geometry())
        self.leaves: Leaves = {
            sympy.Symbol(name, real=True): graph.parameter(name) for name in energy.parameters
        }
        self.leaves |= {
            REFERENCE: graph.temp("determinant"),
            _RECIPROCAL: graph.temp("reciprocal"),
            _WEIGHT: self.sweep.weight(),
        }
        self._deform()
        if changed:
            self.leaves |= {
                one: graph.load("change", "q", *divmod(n, self.size))
                for n, one in enumerate(change(self.size))
            }

    def _deform(self) -> None:
        """Append the Jacobian of the deformed cell and what it needs of the undeformed one."""
        graph, size = self.graph, self.size
        axes = range(size)
        places = [(i, k) for i in axes for k in axes]
        j, adjugate = tensors(size).jacobian, matrix_symbols("adjugate", size)
        self.leaves |= {adjugate[i, k]: graph.temp(f"adjugate{i}{k}") for i, k in places}
        for i, k in places:
            here = [graph.load(name, "q", i, k) for name in ("jacobian", "displacement")]
            self.statements.append(Let(j[i, k].name, graph.add(*here)))
            self.leaves[j[i, k]] = graph.temp(j[i, k].name)
        self._defined = definitions(size) | change_definitions(size)
        self._defined[_LOGARITHM] = sympy.log(J)
        metric = tensors(size).metric
        square = scalar_symbol("squared_reciprocal")
        self._defined[square] = _RECIPROCAL**2
        products = adjugate * adjugate.T
        self._defined |= {metric[i, k]: square * products[i, k] for i, k in places}
        if J in self.energy.used:
            entries = [[self.leaves[j[i, k]] for k in axes] for i in axes]
            self.statements += cofactor_statements(entries, graph, tag="_now")
            cofactor = cofactors(size)
            self.leaves |= {cofactor[i, k]: graph.temp(f"adjugate{k}{i}_now") for i, k in places}
            self.leaves[DETERMINANT] = graph.temp(DETERMINANT.name)

    def let(self, symbol: sympy.Symbol, value: sympy.Expr) -> sympy.Symbol:
        """Append a scalar, once, after those that it needs."""
        if symbol not in self.leaves:
            value = value.xreplace({1 / REFERENCE: _RECIPROCAL})
            found = self.value(value)  # may append others
            self.statements.append(Let(symbol.name, found))
            self.leaves[symbol] = self.graph.temp(symbol.name)
        return symbol

    def value(self, expression: sympy.Expr) -> Expr:
        """Return an expression, after appending the scalars that it needs."""
        for one in sorted(expression.free_symbols - self.leaves.keys(), key=str):
            self.let(one, self._defined[one])
        return convert(expression, self.leaves, self.graph)

    def matrix(self, letter: str, values: sympy.MatrixBase) -> Matrix:
        """Append a matrix of scalars."""
        symbols = matrix_symbols(letter, self.size)
        for one, value in zip(symbols, values, strict=True):
            self.let(one, value)
        return symbols

    def weighted(self, name: str, factor: sympy.Expr, value: sympy.Expr) -> sympy.Symbol:
        """Append a factor times a function of invariants times the volume of the point."""
        factor *= _WEIGHT * REFERENCE
        return self.let(scalar_symbol(name), factor * self._at_deformation(value))

    def _at_deformation(self, value: sympy.Expr) -> sympy.Expr:
        """Return a function of the invariants with a logarithm of J and a root of each degree."""

        def power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
            if base != J or exponent.is_Integer:
                return base**exponent
            root = scalar_symbol(f"root{exponent.q}")
            self._defined[root] = sympy.exp(-_LOGARITHM / exponent.q)
            whole = sympy.ceiling(exponent)
            return J**whole * root ** (exponent.q * (whole - exponent))

        value = sympy.expand_log(value, force=True)
        value = value.replace(lambda one: one.is_Pow, lambda one: power(one.base, one.exp))
        return value.xreplace({sympy.log(J): _LOGARITHM})

    @cached_property
    def curved(self) -> list[tuple[sympy.Symbol, Curvature]]:
        """Factors and second derivatives of invariants by j: the first part of D."""
        found = []
        for one in self.energy.used:
            known = curvature(one, self.size)
            factor = self.weighted(f"slope_{one}", known.factor, self.energy.slopes(one))
            found.append((factor, known))
        return found

    @cached_property
    def directions(self) -> list[tuple[dict[int, sympy.Symbol], Matrix]]:
        """First derivatives of invariants by j, with factors of products of two of them."""
        energy, found = self.energy, []
        for one in energy.used:
            first, matrix = direction(one, self.size)
            factors = {}
            for number, other in enumerate(energy.used):
                value = energy.slopes(one, other)
                if value != 0:
                    names = "_".join(sorted((one.name, other.name)))
                    factor = first * direction(other, self.size)[0]
                    factors[number] = self.weighted(f"curve_{names}", factor, value)
            found.append((factors, matrix))
        return found

    def moduli(self) -> sympy.Matrix:
        """Return D, (d d, d d): row (i, k), column (j, l)."""
        count = self.size**2
        total = sympy.zeros(count, count)
        for factor, known in self.curved:
            total += factor * known.matrix
        for number, (factors, matrix) in enumerate(self.directions):
            if factors:
                scaled = sympy.zeros(self.size, self.size)
                for other, factor in factors.items():
                    scaled += factor * self.directions[other][1]
                row = self.matrix(f"S{number}", scaled)
                total += sympy.Matrix([*row]) * sympy.Matrix([*matrix]).T
        return total

    def flux(self) -> sympy.Matrix:
        """Return D times the change of j, (d, d)."""
        size = self.size
        total = sympy.zeros(size, size)
        for factor, known in self.curved:
            total += factor * known.product
        along = {}
        for number, (factors, matrix) in enumerate(self.directions):
            if factors:
                value = sum(p * x for p, x in zip(matrix, change(size), strict=True))
                along[number] = self.let(scalar_symbol(f"along{number}"), value)
        for number, (factors, matrix) in enumerate(self.directions):
            if factors:
                gained = sum(factor * along[other] for other, factor in factors.items())
                total += self.let(scalar_symbol(f"gained{number}"), gained) * matrix
        return total
