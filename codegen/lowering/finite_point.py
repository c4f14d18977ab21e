# SPDX-License-Identifier: BSD-3-Clause
"""Points of elements with a hyperelastic law, by what has changed since rest.

Everything is computed from the displacement gradient ``H = F - 1``, and what vanishes at rest from
what has changed since: small strains of 1e-8 keep as many digits as the displacements have.

    A = C - 1 = H + H^T + H^T H,   I1 - 3 = tr A,   J - 1 = det(1 + H) - 1 written out

An energy of a mean J over the element is known at a point once the loop over all of them has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.energy import (
    AT_REST,
    COMPONENTS,
    EXPANSION,
    FIBRES,
    GROWTH,
    I1,
    I2,
    MEAN,
    SQUARES,
    Energy,
    J,
)
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Const, Expr, Graph
from flexforge.codegen.ir.program import Accumulate, Array, Let, Program, Statement
from flexforge.codegen.lowering.finite_changes import CHANGES, following
from flexforge.codegen.lowering.point_loops import Pause, point_loops
from flexforge.codegen.lowering.principal import principal_axes
from flexforge.codegen.lowering.sweep import Sweep
from flexforge.codegen.lowering.tables import derivative_table
from flexforge.codegen.lowering.terms import Leaves
from flexforge.codegen.mechanics.combinations import Matrix
from flexforge.codegen.mechanics.forms import Form, component
from flexforge.codegen.mechanics.invariants import (
    deformation,
    matrix_symbols,
    scalar_symbol,
    slope,
    slope_across,
)
from flexforge.codegen.positive import without_steps

#: Mean over the element of the slope of the energy by the mean J.
PRESSURE = scalar_symbol("mean_pressure")


@dataclass
class Point:
    """Statements at the point q, and what their scalars are called.

    The temperature of bodies that grow is `warmth`.
    """

    element: Element
    energy: Energy
    graph: Graph
    volume_of_point: Expr
    statements: list[Statement | Pause] = field(default_factory=list)
    leaves: Leaves = field(default_factory=dict)
    axes: sympy.MatrixBase = field(default_factory=lambda: sympy.eye(3))
    warmth: Expr | None = None

    def let(self, symbol: sympy.Symbol, value: sympy.Expr) -> sympy.Symbol:
        """Append a scalar, once."""
        if symbol not in self.leaves:
            found = convert(value, self.leaves, self.graph)
            if not isinstance(found, Const):
                self.statements.append(Let(symbol.name, found))
                found = self.graph.temp(symbol.name)
            self.leaves[symbol] = found
        return symbol

    def matrix(self, letter: str, values: sympy.MatrixBase) -> Matrix:
        """Append a matrix of scalars."""
        found = matrix_symbols(letter, self.element.space)
        for one, value in zip(found, values, strict=True):
            self.let(one, value)
        return found

    def deform(self, gradient: Sequence[Expr]) -> None:
        """Append the deformation and its invariants, given the gradient of displacements."""
        size = self.element.space
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
        if self.warmth is not None:
            expansion = self.graph.parameter(EXPANSION)
            self.leaves[CHANGES[GROWTH]] = self.graph.mul(expansion, self.warmth)
        if I2 in self.energy.used:
            squares = sum(one**2 for one in A)
            self.let(CHANGES[I2], 2 * change + (change**2 - squares) / 2)
        if J in self.energy.used:
            self.volume()
        for one in self.energy.along:
            self.let(CHANGES[one], self._form(one).gained(A))
        if self.energy.principal:
            self.axes = self._principal(A)
        if self.energy.averaged:
            self.volume()
            gained = self.mean("mean_change", self.leaves[CHANGES[J]])
            self.leaves[CHANGES[MEAN]] = gained

    def _form(self, one: sympy.Symbol) -> Form:
        """Return an invariant that is linear in C, after appending the unit vector along fibres."""
        size = self.element.space
        if one not in FIBRES:
            return component(one, size)
        symbols = [scalar_symbol(f"along_{one}_{axis}") for axis in "xyz"]
        for symbol, value in zip(symbols, self.energy.directions(one), strict=True):
            self.let(symbol, value)
        return Form(Matrix(symbols[:size]), Matrix(symbols[:size]), sympy.Integer(1))

    def _principal(self, strain: Matrix) -> sympy.Matrix:
        """Append what the squares of the stretches have changed by, and return their axes."""
        flat = self.element.dimension  # circles about an axis are principal axes
        values, axes = principal_axes(self.let, strain[:flat, :flat])
        if self.element.revolved:
            values, axes = [*values, strain[2, 2]], sympy.Matrix(sympy.diag(axes, 1))
        for one, value in zip(SQUARES, values, strict=False):
            self.let(CHANGES[one], value)
        return axes

    def mean(self, name: str, value: Expr) -> Expr:
        """Append the mean of a scalar over the undeformed element: what follows may use it."""
        graph = self.graph
        total = Accumulate(f"{name}_sum", graph.mul(self.volume_of_point, value))
        whole = Accumulate(f"{name}_volume", self.volume_of_point)
        self.statements.append(Pause((total, whole)))
        return graph.div(graph.temp(total.name), graph.temp(whole.name))

    def loops(
        self, count: int, further: Sequence[Statement]
    ) -> tuple[list[Statement], list[Array]]:
        """Return the loops over the points, with further statements at the end, and arrays."""
        return point_loops([*self.statements, *further], count, self.graph)

    def volume(self) -> None:
        """Append the change of J."""
        size = self.element.space
        grown = (sympy.eye(size) + matrix_symbols("H", size)).det(method="berkowitz")
        self.let(CHANGES[J], sympy.expand(grown) - 1)

    def scalar(self, name: str, value: sympy.Expr) -> sympy.Symbol:
        """Append a function of the changes of invariants."""
        return self.let(scalar_symbol(name), value)

    def gained(self, name: str, value: sympy.Expr) -> sympy.Symbol:
        """Append what a function of the invariants has gained since rest."""
        return self._following(name, value, "gained")

    def now(self, name: str, value: sympy.Expr) -> sympy.Symbol:
        """Append a function of the invariants."""
        return self._following(name, value, "now")

    def _following(self, name: str, value: sympy.Expr, which: str) -> sympy.Symbol:
        found, roots = following(value)
        # In the plane nothing is stretched across it.
        still = {CHANGES[one]: 0 for one in SQUARES[self.element.space :]}
        for one, grown in roots.items():
            self.let(one, grown.xreplace(still))
        chosen = getattr(found, which).xreplace(still)
        # One quotient or several: neither is always cheaper.
        return self.scalar(name, min(sympy.together(chosen), chosen, key=sympy.count_ops))

    def tensor(self, name: str) -> tuple[Matrix, Matrix]:
        """Append F, cof(F), F C or I1 F; return it, and what it has changed by since rest."""
        size, change = self.element.space, CHANGES[I1]
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
        """Append the first Piola-Kirchhoff stress, in elements of a mean J at that mean."""
        size = self.element.space
        total = sympy.zeros(size, size)
        if self.energy.principal:
            total += self._principal_stress()
        F, H = (matrix_symbols(letter, size) for letter in "FH")
        for one in self.energy.along:
            by, known = self.energy.slopes(one), self._form(one)
            change = self.gained(f"gained_{one}", by)
            total += 2 * change * known.slope(F)
            if one in COMPONENTS:
                total += 2 * by.subs(AT_REST) * known.slope(H)
        for invariant in self.energy.plain:
            by = self.energy.slopes(invariant)
            change = self.gained(f"gained_{invariant}", by)
            for name, factor in slope(invariant, size).items():
                now, since = self.tensor(name)
                total += factor * (by.subs(AT_REST) * since + change * now)
        return self.matrix("P", total)

    def stress_by_growth(self) -> Matrix:
        """Append what the stress changes by with the growth of the body, its deformation held.

        In elements of a mean J it is that of `conjugate`, but for the mean stress of all points.
        """
        size = self.element.space
        F = matrix_symbols("F", size)
        total = sympy.zeros(size, size)
        if self.energy.principal:
            S = sympy.zeros(size, size)
            for k, one in enumerate(SQUARES[:size]):
                change = self._by_growth(one)
                S += 2 * change * self.axes[:, k] * self.axes[:, k].T
            total += F * self.matrix("S", S)
        for one in self.energy.along:
            known = self._form(one)
            total += 2 * self._by_growth(one) * known.slope(F)
        for invariant in self.energy.plain:
            change = self._by_growth(invariant)
            for name, factor in slope(invariant, size).items():
                total += factor * change * self.tensor(name)[0]
        return self.matrix("P", total)

    def _by_growth(self, invariant: sympy.Symbol) -> sympy.Symbol:
        """Append the slope of the energy by an invariant and by the growth."""
        by = without_steps(derivative(self.energy.slopes(invariant), GROWTH))
        return self.now(f"grown_{invariant}", by)

    def pressure_by_growth(self) -> sympy.Symbol:
        """Append what `pressure` changes by with the growth of the body."""
        return self._by_growth(MEAN)

    def _principal_stress(self) -> Matrix:
        """Append the part of the stress that the stretches cause: ``F S``, S of the same axes."""
        size = self.element.space
        F, H = (matrix_symbols(letter, size) for letter in "FH")
        S = sympy.zeros(size, size)
        for k, one in enumerate(SQUARES[:size]):
            change = self.gained(f"gained_{one}", self.energy.slopes(one))
            S += 2 * change * self.axes[:, k] * self.axes[:, k].T
        rest = self.energy.slopes(SQUARES[0]).subs(AT_REST)
        return 2 * rest * H + F * self.matrix("S", S)

    def pressure(self) -> sympy.Symbol:
        """Append the slope of the energy by the mean J: the mean stress, which is zero at rest."""
        return self.gained(f"gained_{MEAN}", self.energy.slopes(MEAN))

    def conjugate(self) -> Matrix:
        """Append the stress whose work on gradients of displacements is that of the energy.

        Of a mean J: ``P + p cof(F)``, where p is the mean of the slope by it.
        """
        total = self.stress()
        if not self.energy.averaged:
            return total
        pressure = self.pressure()
        if not self.energy.slopes(MEAN).free_symbols.isdisjoint(self.energy.local):
            self.leaves[PRESSURE] = self.mean("mean_pressure", self.leaves[pressure])
            pressure = PRESSURE
        cofactor, _ = self.tensor("cof(F)")
        return self.matrix("T", total + pressure * cofactor)

    def stress_across(self) -> sympy.Symbol:
        """Append the stress across the plane, in plane strain: that on an undeformed area."""
        H = matrix_symbols("H", 2)
        moved = dict(zip(matrix_symbols("F", 2), H + sympy.eye(2), strict=True))
        total = sympy.Integer(0)
        if self.energy.principal:
            across = SQUARES[2]
            total += 2 * self.gained(f"gained_{across}", self.energy.slopes(across))
        for one in self.energy.fibres:
            change = self.gained(f"gained_{one}", self.energy.slopes(one))
            self._form(one)
            total += 2 * change * scalar_symbol(f"along_{one}_z") ** 2
        across = next(one for one, place in COMPONENTS.items() if place == (2, 2))
        if across in self.energy.along:
            total += self.gained(f"gained_{across}", self.energy.slopes(across))
        for invariant in self.energy.plain:
            by = self.energy.slopes(invariant)
            now = slope_across(invariant).xreplace(moved).expand()
            since = now - now.subs(dict.fromkeys(H, 0))
            change = self.gained(f"gained_{invariant}", by)
            total += by.subs(AT_REST) * since + change * now
        return self.scalar("across", total)


def swept(element: Element, graph: Graph, further: int = 0) -> tuple[Sweep, Point, list[Array]]:
    """Return the interpolation of an element, its deformed point, and its inputs.

    Parameters
    ----------
    element : Element
        Its declaration, with an energy.
    graph : Graph
        Where expressions are created.
    further : int
        Nodal vectors in the state after the displacements, and the temperatures of bodies that
        grow, in their first components.
    """
    energy = element.energy
    assert energy is not None
    nodal = len(element.nodes), element.components
    sweep = Sweep(element, element.degree["stiffness"], "", graph)
    sweep.arrays.append(derivative_table(element, sweep.points))
    sweep.interpolate("coordinates", (), "jacobian", slopes=True)
    count = 1 + energy.grows + further
    own = (0,) if count > 1 else ()
    sweep.interpolate("state", own, "displacement_slope", slopes=True)
    volume = graph.mul(graph.load("quadrature_weight", "q"), graph.temp("determinant"))
    point = Point(element, energy.at(element.strain), graph, volume)
    point.statements += [*sweep.geometry(), *sweep.slopes("displacement")]
    axes = range(element.components)
    gradient = {(i, j): graph.temp(f"displacement_gradient{i}{j}") for i in axes for j in axes}
    if element.revolved:
        sweep.interpolate_radius()
        sweep.interpolate("state", own, "displacement", slopes=False)
        gradient[2, 2] = graph.div(graph.load("displacement", "q", 0), sweep.radius())
    space = range(element.space)
    zero = graph.const(0)
    if energy.grows:
        point.warmth = sweep.interpolate_first("state", (1,), "warmth")
    point.deform([gradient.get((i, j), zero) for i in space for j in space])
    state = (count, *nodal) if count > 1 else nodal
    return sweep, point, [Array("coordinates", nodal, "input"), Array("state", state, "input")]


def program(
    element: Element, arrays: Sequence[Array], body: Sequence[Statement], graph: Graph
) -> Program:
    """Return a program with the parameters of an energy, and of the section."""
    assert element.energy is not None
    parameters = element.energy.parameters + ((element.section,) if element.section else ())
    return Program(tuple(arrays), parameters, tuple(body), graph)
