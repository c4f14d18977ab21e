# SPDX-License-Identifier: BSD-3-Clause
"""Forces between two states whose work is the difference of the energies: discrete gradients.

With the deformations F of both states, their mean, and the mean C and difference dC of ``F^T F``,

    f_a = int F_mean (S + l dC) G_a,    S = 2 dW/dC(C),    l = (2 (W_1 - W_0) - S : dC)/(dC : dC)

have no resultant, no torque at the mean places, and do the work ``W_1 - W_0``: steps with them
conserve momenta and energy (Simo and Tarnow, ZAMP 43, 1992; Gonzalez, CMAME 190, 2000).
"""

from __future__ import annotations

from functools import cache, cached_property

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.energy import AT_REST, FIBRES, I1, I2, J
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Array, For, Let, Program, Statement
from flexforge.codegen.lowering.finite_changes import CHANGES, following
from flexforge.codegen.lowering.finite_point import program
from flexforge.codegen.lowering.sweep import Sweep
from flexforge.codegen.lowering.tables import derivative_table
from flexforge.codegen.lowering.terms import Leaves
from flexforge.codegen.mechanics.combinations import Matrix
from flexforge.codegen.mechanics.forms import Form, component
from flexforge.codegen.mechanics.invariants import matrix_symbols, scalar_symbol

#: Square of the change of C below which the part along it fades out: that is of the second order,
#: less than the round-off of the energies relative to such a change.
_SMALL = sympy.Float(1e-11)
_VOLUME = scalar_symbol("volume_between")


@cache
def _polynomials(size: int) -> dict[sympy.Symbol, sympy.Expr]:
    """Return what I1, I2 and J^2 have changed by since rest, in A = C - 1.

    ``det C - 1 = tr A + ((tr A)^2 - A : A)/2 + det A``; in the plane A has no third row.
    """
    A = matrix_symbols("A", size)
    trace = A.trace()
    second = (trace**2 - (A * A.T).trace()) / 2
    third = A.det(method="berkowitz") if size == 3 else 0
    return {I1: trace, I2: 2 * trace + second, J: trace + second + third}


def _changes(size: int) -> dict[sympy.Symbol, sympy.Expr]:
    """Return what invariants have changed by since rest, without cancellation."""
    found = dict(_polynomials(size))
    found[J] /= 1 + sympy.sqrt(1 + found[J])
    return found


@cache
def _slopes(size: int) -> dict[sympy.Symbol, tuple[Matrix, Matrix]]:
    """Return derivatives of invariants by a symmetric C, and what they have changed by since rest.

    Those of J have its value, ``volume_between``, and its change.
    """
    A = matrix_symbols("A", size)
    found = {}
    for one, value in _polynomials(size).items():
        by = Matrix(size, size, [derivative(value, entry) for entry in A])
        now = Matrix(((by + by.T) / 2).applyfunc(sympy.expand))
        at_rest = now.xreplace(dict.fromkeys(A, sympy.Integer(0)))
        since = Matrix((now - at_rest).applyfunc(sympy.expand))
        if one == J:  # dJ/dC = d(J^2)/dC / (2 J)
            since = Matrix((since - at_rest * CHANGES[J]) / (2 * _VOLUME))
            now = Matrix(now / (2 * _VOLUME))
        found[one] = now, since
    return found


class _Between:
    """Statements at the point q, of both states and what is between them."""

    def __init__(self, element: Element, graph: Graph) -> None:
        assert element.energy is not None
        self.element, self.energy, self.graph = element, element.energy, graph
        self.size, nodal = element.components, (len(element.nodes), element.components)
        self.sweep = Sweep(element, element.degree["stiffness"], "", graph)
        self.sweep.arrays.append(derivative_table(element, self.sweep.points))
        self.sweep.interpolate("coordinates", (), "jacobian", slopes=True)
        self.arrays = [Array("coordinates", nodal, "input"), Array("state", (2, *nodal), "input")]
        self.statements: list[Statement] = list(self.sweep.geometry())
        self.leaves: Leaves = {
            sympy.Symbol(name, real=True): graph.parameter(name) for name in self.energy.parameters
        }
        for number, name in enumerate(("begin", "end")):
            self.sweep.interpolate("state", (number,), f"{name}_slope", slopes=True)
            self.statements += self.sweep.slopes(name)
            for (i, j), one in self._entries(f"H{number}"):
                self.leaves[one] = graph.temp(f"{name}_gradient{i}{j}")

    def _entries(self, letter: str) -> list[tuple[tuple[int, int], sympy.Symbol]]:
        symbols = matrix_symbols(letter, self.size)
        return [((i, j), symbols[i, j]) for i in range(self.size) for j in range(self.size)]

    def let(self, name: str, value: sympy.Expr) -> sympy.Symbol:
        """Append a scalar."""
        symbol = scalar_symbol(name)
        self.statements.append(Let(name, convert(value, self.leaves, self.graph)))
        self.leaves[symbol] = self.graph.temp(name)
        return symbol

    def matrix(self, letter: str, values: sympy.MatrixBase) -> Matrix:
        """Append a matrix of scalars."""
        for (i, j), one in self._entries(letter):
            self.let(one.name, values[i, j])
        return matrix_symbols(letter, self.size)

    def changed(self, number: str, strain: Matrix) -> dict[sympy.Symbol, sympy.Symbol]:
        """Append what the invariants have changed by since rest, and return their symbols."""
        at = dict(zip(matrix_symbols("A", self.size), strain, strict=True))
        values = {one: _changes(self.size)[one].xreplace(at) for one in self.energy.plain}
        for one, known in self.forms.items():
            values[one] = known.gained(strain)
        return {CHANGES[k]: self.let(f"{k}_since{number}", one) for k, one in values.items()}

    @cached_property
    def forms(self) -> dict[sympy.Symbol, Form]:
        """The invariants that are linear in C; unit vectors along fibres are appended."""
        found = {}
        for one in self.energy.along:
            if one not in FIBRES:
                found[one] = component(one, self.size)
                continue
            along = Matrix(
                [
                    self.let(f"{one}_along{k}", value)
                    for k, value in enumerate(self.energy.directions(one)[: self.size])
                ]
            )
            found[one] = Form(along, along, sympy.Integer(1))
        return found

    def gained(
        self, name: str, value: sympy.Expr, known: dict[sympy.Symbol, sympy.Symbol]
    ) -> sympy.Symbol:
        """Append what a function of the invariants has gained since rest."""
        found, roots = following(value)
        own = dict(known)
        for one, grown in roots.items():
            own[one] = self.let(f"{one}_{name}", grown.xreplace(known))
        return self.let(name, found.gained.xreplace(own))

    def stress(self) -> Matrix:
        """Append the second Piola-Kirchhoff stress between the states."""
        size, energy = self.size, self.energy
        strains = []
        for number in "01":
            H = matrix_symbols(f"H{number}", size)
            strains.append(self.matrix(f"A{number}", H + H.T + H.T * H))
        energies = [
            self.gained(f"energy{n}", energy.value, self.changed(n, strain))
            for n, strain in zip("01", strains, strict=True)
        ]
        mean = self.matrix("A", (strains[0] + strains[1]) / 2)
        change = self.matrix("D", strains[1] - strains[0])
        known = self.changed("", mean)
        if J in energy.used:
            known[_VOLUME] = self.let("volume_between", 1 + known[CHANGES[J]])
        total = sympy.zeros(size, size)
        slopes = dict(_slopes(size))
        for one, form in self.forms.items():
            slopes[one] = form.slope(), Matrix(sympy.zeros(size, size))
        for one in (*energy.plain, *energy.along):
            by = energy.slopes(one)
            factor = self.gained(f"slope_{one}", by, known)
            now, since = (value.xreplace(known) for value in slopes[one])
            total += 2 * (by.subs(AT_REST) * since + factor * now)
        smooth = self.matrix("S", total)
        square = self.let("change_squared", sum(x**2 for x in change))
        work = sum(x * y for x, y in zip(smooth, change, strict=True))
        left = self.let("left", 2 * (energies[1] - energies[0]) - work)
        factor = self.let("along", left / (square + _SMALL))
        return self.matrix("T", smooth + factor * change)


def lower_conserving_action(element: Element) -> Program:
    """Return the program of the forces between two states: ``out[a][i]``.

    The state holds the displacements of both, one after the other.
    """
    graph = Graph()
    between = _Between(element, graph)
    size, sweep = element.components, between.sweep
    stress = between.stress()
    mean = sympy.eye(size)
    for number in "01":
        mean += matrix_symbols(f"H{number}", size) / 2
    first = between.matrix("P", between.matrix("F", mean) * stress)
    sums = {("slopes", i, k): between.leaves[first[i, k]] for i in range(size) for k in range(size)}
    stores = sweep.stores(sums, values=False, slopes=True)
    points = For("q", len(sweep.points), (*between.statements, *stores))
    out = Array("out", (len(element.nodes), size), "output")
    body = [*sweep.statements, points, sweep.at_nodes()]
    return program(element, [*between.arrays, *sweep.arrays, out], body, graph)
