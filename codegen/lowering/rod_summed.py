# SPDX-License-Identifier: BSD-3-Clause
"""Bars, and beams in the plane, at any displacement: energy, forces and tangent.

Displacements and the angles of sections are added up between the nodes; the measures are functions
of these sums (:mod:`flexforge.codegen.mechanics.rod_strains`), so that forces and tangent are plain
first and second derivatives by the nodal coordinates, and the tangent is symmetric.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.ir.program import Program
from flexforge.codegen.lowering.rod_points import Matrix, RodPoint, RodStatements
from flexforge.codegen.mechanics.rod_strains import (
    RodStrains,
    Sum,
    bar,
    cable,
    planar_beam,
    tangent_symbols,
)


@dataclass(frozen=True)
class _AtPoint:
    """Measures at a point, the values of symbols, and the sums.

    ``factors`` are those of the coordinates in the sums: by sum, node and component.
    """

    point: RodPoint
    measures: Matrix
    known: dict[sympy.Expr, sympy.Expr]
    factors: dict[tuple[Sum, int], dict[int, sympy.Expr]]


class _Summed:
    """Statements that all kernels begin with."""

    def __init__(self, element: FieldElement) -> None:
        self.rod = rod = RodStatements(element)
        self.turns = "rotation" in element.carried
        size = element.components
        self.slopes = "slope" in element.carried
        self.strains: RodStrains = planar_beam() if self.turns else bar(size)
        if self.slopes:
            self.strains = cable(size)
        # Displacements relative to the first node: rigid translations leave no rounding.
        self.coordinates: list[list[sympy.Expr]] = []
        for a in range(rod.nodes):
            row = a * rod.carried
            moved = sympy.zeros(size, 1) if a == 0 else rod.moved(row, 0)
            values = [*rod.matrix(f"u{a}_", Matrix(moved))]
            values += [rod.vector("state", row + 1)[0]] if self.turns else []
            values += [*rod.vector("state", row + 1)] if self.slopes else []
            self.coordinates.append(values)

    def at(self, point: RodPoint) -> _AtPoint:
        """Append the sums and measures at a point."""
        rod, q = self.rod, point.number
        known: dict[sympy.Expr, sympy.Expr] = {}
        factors = {}
        for one in self.strains.sums:
            terms = []
            for a, values in enumerate(self.coordinates):
                factors[one, a] = {
                    component: self._factor(point, a, vector, one.order)
                    for vector, component in enumerate(one.components)
                }
                terms += [n * values[component] for component, n in factors[one, a].items()]
            known[one.symbol] = rod.let(f"{one.symbol.name}_{q}", sympy.Add(*terms))
        if not self.turns:
            for i, one in enumerate(tangent_symbols(rod.element.components)):
                places = [rod.vector("coordinates", a * rod.carried)[i] for a in range(rod.nodes)]
                steps = (point.rates[a] * (x - places[0]) for a, x in enumerate(places) if a)
                known[one] = rod.let(f"{one.name}_{q}", sympy.Add(*steps))
        for symbol, value in self.strains.helpers.items():
            known[symbol] = rod.let(f"{symbol.name}_{q}", value.xreplace(known))
        measures = rod.matrix(f"measure{q}_", self.strains.measures.xreplace(known))
        return _AtPoint(point, measures, known, factors)

    def _factor(self, point: RodPoint, node: int, vector: int, order: int) -> sympy.Expr:
        if self.slopes:
            return self.rod.hermite(point, node, vector, order)
        return (point.shape, point.rates)[order][node]

    def in_frame(self, values: sympy.MatrixBase) -> sympy.MatrixBase:
        """Return what belongs to the displacements of a node, in the first rows, in the frame."""
        size = self.rod.element.components
        if not self.turns:
            return values
        turned = self.rod.axes.T * values[:size, :]
        return sympy.Matrix.vstack(turned, values[size:, :])

    def place(self, node: int, component: int) -> tuple[int, int]:
        """Return vector and component of a nodal coordinate in the output."""
        vector, inner = divmod(component, self.rod.element.components)
        return node * self.rod.carried + vector, inner


def lower_summed_energy(element: FieldElement) -> Program:
    """Return the program of the energy of a rod: ``out[0]``."""
    start = _Summed(element)
    rod = start.rod
    total: sympy.Expr = sympy.Integer(0)
    for point in rod.points():
        total += point.weight * rod.stored(rod.strains(start.at(point).measures, point))
    rod.store((0,), total)
    return rod.program(1)


def lower_summed_stress(element: FieldElement) -> Program:
    """Return the program of the forces of sections, conjugate to the strains: ``out[q][k]``."""
    start = _Summed(element)
    return start.rod.section_forces(
        (point, start.at(point).measures) for point in start.rod.points()
    )


def lower_summed_forces(element: FieldElement) -> Program:
    """Return the program of forces and moments of nodes: ``out[vector][i]``."""
    start = _Summed(element)
    rod, size = start.rod, len(start.coordinates[0])
    total = [sympy.zeros(size, 1) for _ in range(rod.nodes)]
    for point in rod.points():
        here = start.at(point)
        force = rod.forces(rod.strains(here.measures, point), point)
        slopes = start.strains.slopes.xreplace(here.known)
        work = rod.matrix(f"work{point.number}_", slopes.T * force)
        for a in range(rod.nodes):
            for i, one in enumerate(start.strains.sums):
                for component, factor in here.factors[one, a].items():
                    total[a][component] += factor * work[i]
    for a, value in enumerate(total):
        found = start.in_frame(rod.matrix(f"sum{a}_", value))
        for component in range(size):
            rod.store(start.place(a, component), found[component])
        if start.turns:  # the second component of a rotation has no meaning
            rod.store((a * rod.carried + 1, 1), sympy.Integer(0))
    return rod.program(rod.nodes * rod.carried, element.components)


def lower_summed_tangent(element: FieldElement) -> Program:
    """Return the program of the derivative of the forces: ``out[vector][i][vector][j]``."""
    start = _Summed(element)
    rod, size = start.rod, len(start.coordinates[0])
    pairs = [(a, b) for a in range(rod.nodes) for b in range(a, rod.nodes)]
    total = {pair: sympy.zeros(size, size) for pair in pairs}
    for point in rod.points():
        here, q = start.at(point), point.number
        strains = rod.strains(here.measures, point)
        force, moduli = rod.forces(strains, point), rod.moduli(strains, point)
        slopes = rod.matrix(f"slope{q}_", start.strains.slopes.xreplace(here.known))
        stressed = rod.matrix(f"stressed{q}_", moduli * slopes)
        bent = start.strains.bent(force).xreplace(here.known)
        hessian = rod.symmetric(f"bent{q}_", slopes.T * stressed + bent)
        sums = list(enumerate(start.strains.sums))
        for a, b in pairs:
            for i, one in sums:
                for j, other in sums:
                    for k, first in here.factors[one, a].items():
                        for m, second in here.factors[other, b].items():
                            total[a, b][k, m] += first * second * hessian[i, j]
    for (a, b), value in total.items():
        local = rod.matrix(f"L{a}{b}_", Matrix(value))
        half = rod.matrix(f"H{a}{b}_", Matrix(start.in_frame(local)))
        found = rod.matrix(f"K{a}{b}_", Matrix(start.in_frame(Matrix(half.T)).T))
        for i in range(size):
            for j in range(size):
                row, column = start.place(a, i), start.place(b, j)
                rod.store((*row, *column), found[i, j])
                if a != b:
                    rod.store((*column, *row), found[i, j])
    count, components = rod.nodes * rod.carried, element.components
    if start.turns:
        _store_idle(rod, count)
    return rod.program(count, components, count, components)


def _store_idle(rod: RodStatements, count: int) -> None:
    """Append zeros for the second components of rotations in a plane, which have no effect."""
    zero = sympy.Integer(0)
    for odd in range(1, count, 2):
        for vector in range(count):
            for i in range(rod.element.components):
                rod.store((odd, 1, vector, i), zero)
                if i == 0 or vector % 2 == 0:  # the others are in the rows above
                    rod.store((vector, i, odd, 1), zero)
