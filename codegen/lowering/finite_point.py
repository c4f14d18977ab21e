# SPDX-License-Identifier: BSD-3-Clause
"""Points of elements with a hyperelastic law, by what has changed since rest.

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
from flexforge.codegen.ir.program import Array, Let, Program, Statement
from flexforge.codegen.lowering.sweep import Sweep
from flexforge.codegen.lowering.tables import derivative_table
from flexforge.codegen.lowering.terms import Leaves
from flexforge.codegen.mechanics.combinations import Matrix
from flexforge.codegen.mechanics.invariants import (
    deformation,
    matrix_symbols,
    scalar_symbol,
    slope,
    slope_across,
)
from sympy.codegen.cfunctions import expm1, log1p

#: What invariants have changed by since rest.
CHANGES = {one: scalar_symbol(f"change_{one}") for one in (I1, I2, J)}
NOW = {one: AT_REST[one] + change for one, change in CHANGES.items()}


def since_rest(value: sympy.Expr) -> sympy.Expr:
    """Return a function of the invariants in their changes.

    Logarithms and broken powers of J are those of small changes too.
    """
    grown = log1p(CHANGES[J])

    def power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
        broken = base == J and not exponent.is_Integer
        return 1 + expm1(exponent * grown) if broken else base**exponent

    value = sympy.expand_log(value, force=True)
    value = value.replace(lambda one: one.is_Pow, lambda one: power(one.base, one.exp))
    value = value.replace(lambda one: one == sympy.log(J), lambda _: grown)
    return value.xreplace(NOW)


def gained(value: sympy.Expr) -> sympy.Expr:
    """Return what a function of the invariants has changed by since rest, without cancellation."""
    change = sympy.together(since_rest(value) - value.subs(AT_REST))
    above, below = sympy.fraction(change)
    return sympy.expand(above) / below


@dataclass
class Point:
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

    def deform(self, gradient: Sequence[Expr]) -> None:
        """Append the deformation and its invariants, given the gradient of displacements."""
        size = self.element.components
        H = matrix_symbols("H", size)
        self.leaves |= dict(zip(H, gradient, strict=True))
        self.leaves |= {
            sympy.Symbol(name, real=True): self.graph.parameter(name)
            for name in self.energy.parameters
        }
        self.matrix("F", H + sympy.eye(size))
        strain = H + H.T + H.T * H
        A = self.matrix("A", strain)
        change = self.let(CHANGES[I1], A.trace())
        if I2 in self.energy.used:
            squares = sum(one**2 for one in A)
            self.let(CHANGES[I2], 2 * change + (change**2 - squares) / 2)
        if J in self.energy.used:
            self.volume()

    def volume(self) -> None:
        """Append the change of J."""
        size = self.element.components
        grown = (sympy.eye(size) + matrix_symbols("H", size)).det(method="berkowitz")
        self.let(CHANGES[J], sympy.expand(grown) - 1)

    def scalar(self, name: str, value: sympy.Expr) -> sympy.Symbol:
        """Append a function of the changes of invariants."""
        return self.let(scalar_symbol(name), value)

    def tensor(self, name: str) -> tuple[Matrix, Matrix]:
        """Append F, cof(F), F C or I1 F; return it, and what it has changed by since rest."""
        size, change = self.element.components, CHANGES[I1]
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
            change = self.scalar(f"gained_{invariant}", gained(by))
            for name, factor in slope(invariant, size).items():
                now, since = self.tensor(name)
                total += factor * (by.subs(AT_REST) * since + change * now)
        return self.matrix("P", total)

    def stress_across(self) -> sympy.Symbol:
        """Append the stress across the plane, in plane strain: that on an undeformed area."""
        H = matrix_symbols("H", 2)
        moved = dict(zip(matrix_symbols("F", 2), H + sympy.eye(2), strict=True))
        total = sympy.Integer(0)
        for invariant in self.energy.used:
            by = self.energy.slopes(invariant)
            now = slope_across(invariant).xreplace(moved).expand()
            since = now - now.subs(dict.fromkeys(H, 0))
            change = self.scalar(f"gained_{invariant}", gained(by))
            total += by.subs(AT_REST) * since + change * now
        return self.scalar("across", total)


def swept(element: Element, graph: Graph) -> tuple[Sweep, Point, list[Array]]:
    """Return the interpolation of an element, its deformed point, and its inputs."""
    energy = element.energy
    assert energy is not None
    nodal = len(element.nodes), element.components
    sweep = Sweep(element, element.degree["stiffness"], "", graph)
    sweep.arrays.append(derivative_table(element, sweep.points))
    sweep.interpolate("coordinates", (), "jacobian", slopes=True)
    sweep.interpolate("state", (), "displacement_slope", slopes=True)
    point = Point(element, energy, graph, [*sweep.geometry(), *sweep.slopes("displacement")])
    axes = range(element.components)
    point.deform([graph.temp(f"displacement_gradient{i}{j}") for i in axes for j in axes])
    return sweep, point, [Array(name, nodal, "input") for name in ("coordinates", "state")]


def program(
    element: Element, arrays: Sequence[Array], body: Sequence[Statement], graph: Graph
) -> Program:
    """Return a program with the parameters of an energy, and of the section."""
    assert element.energy is not None
    parameters = element.energy.parameters + ((element.section,) if element.section else ())
    return Program(tuple(arrays), parameters, tuple(body), graph)
