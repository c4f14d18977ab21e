# SPDX-License-Identifier: BSD-3-Clause
"""Statements of rods with large displacements: shape functions, stresses and moduli at points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Array, Let, Program, Store
from flexforge.codegen.lowering.stations import Stations, position_shape
from flexforge.codegen.mechanics.since_rest import since_rest

Matrix: TypeAlias = sympy.ImmutableMatrix
#: Denominator of fractions that stay exact.
_SMALL = 64


@dataclass(frozen=True)
class RodPoint:
    """A point of the quadrature.

    Attributes
    ----------
    number : int
        Its number, at the end of the names of its scalars.
    place, per_length : sympy.Expr
        Its reference coordinate, and the derivative of that by the length.
    shape, rates : tuple of sympy.Expr
        Functions that interpolate between the nodes, and their derivatives by the length.
    weight : sympy.Expr
        Length that it represents, times the weight of the section.
    """

    number: int
    place: sympy.Expr
    per_length: sympy.Expr
    shape: tuple[sympy.Expr, ...]
    rates: tuple[sympy.Expr, ...]
    weight: sympy.Expr


class RodStatements:
    """Statements without loops, as the nodes of rods are few, and what their scalars are called.

    Parameters
    ----------
    element : FieldElement
        A rod with an energy.
    """

    def __init__(self, element: FieldElement) -> None:
        assert element.energy is not None
        self.element, self.energy = element, element.energy
        self.stations = Stations(element, "stiffness")
        self.stations.define(element.constitutive.definitions)
        size, vectors = element.components, len(element.nodes)
        self.stations.arrays.append(Array("state", (vectors, size), "input"))
        self.carried, self.nodes = len(element.carried), len(element.places)
        self._constant: Matrix | None = None

    @property
    def graph(self) -> Graph:
        """Where expressions are created."""
        return self.stations.graph

    def let(self, name: str, value: sympy.Expr) -> sympy.Expr:
        """Append a scalar, unless its value is one already, or a number."""
        if value.is_Number or value.is_Symbol or (-value).is_Symbol:
            return value
        symbol = sympy.Symbol(name, finite=True)
        if symbol in self.stations.leaves:
            raise ValueError(f"the scalar '{name}' is there already")
        self.stations.statements.append(Let(name, self.stations.entry(value)))
        self.stations.leaves[symbol] = self.graph.temp(name)
        return symbol

    def matrix(self, name: str, values: sympy.MatrixBase) -> Matrix:
        """Append the entries of a matrix or column as scalars."""
        rows, columns = values.shape
        flat = columns == 1
        return Matrix(
            rows,
            columns,
            lambda i, j: self.let(f"{name}{i}" if flat else f"{name}{i}{j}", values[i, j]),
        )

    def vector(self, array: str, row: int) -> Matrix:
        """Return a row of the state or of the coordinates as symbols."""
        size = self.element.components
        found = sympy.symbols(f"{array}{row}_0:{size}", finite=True)
        self.stations.leaves |= {one: self.graph.load(array, row, i) for i, one in enumerate(found)}
        return Matrix(found)

    @cached_property
    def axes(self) -> Matrix:
        """The local axes at rest as rows."""
        return self.element.axes

    def moved(self, vector: int, start: int | None = None) -> Matrix:
        """Return a vector of the state in local axes, less that of another."""
        value = self.vector("state", vector)
        if start is not None:
            value = value - self.vector("state", start)
        return Matrix(self.axes * value)

    def place(self, node: int, start: int) -> sympy.Expr:
        """Return the place of a node along the axis at rest, from that of another one."""
        step = self.vector("coordinates", node * self.carried)
        step = step - self.vector("coordinates", start * self.carried)
        return self.let(f"place{node}", (self.axes.row(0) * step)[0])

    def points(self) -> Iterator[RodPoint]:
        """Yield the points of the quadrature, of which each has its scalars appended."""
        element = self.element
        shape, xi = position_shape(element), REFERENCE[0]
        moving = self._moving()
        places, weights = rule(element.cell, element.degree["stiffness"])
        (fibre,) = element.fibres["stiffness"]
        for q, (place, weight) in enumerate(zip(places, weights, strict=True)):
            at = {xi: _number(place[0])}
            known: dict[sympy.Basic, sympy.Expr] = {}
            for symbol, value in moving:
                name = f"{symbol.name}_at{q}"
                known[symbol] = self.let(name, value.xreplace(known).subs(at))
            measure = self.let(f"measure{q}", element.measure.xreplace(known).subs(at))
            per_length = self.let(f"per_length{q}", 1 / measure)
            slopes = (_number(derivative(one, xi).subs(at)) for one in shape)
            yield RodPoint(
                q,
                at[xi],
                per_length,
                tuple(_number(one.subs(at)) for one in shape),
                tuple(self.let(f"by_length{q}_{a}", n * per_length) for a, n in enumerate(slopes)),
                self.let(f"weight{q}", _number(weight) * measure * fibre.weight),
            )

    def hermite(self, point: RodPoint, node: int, vector: int, order: int) -> sympy.Expr:
        """Return the function of a nodal vector in the declared field, or a derivative of it."""
        name = f"hermite{point.number}_{node}_{vector}_{order}"
        known = sympy.Symbol(name, finite=True)
        if known in self.stations.leaves:
            return known
        column = (node * self.carried + vector) * self.element.components
        function = sympy.expand(self.element.displacement[0, column])
        value = sympy.diff(function, REFERENCE[0], order).subs(REFERENCE[0], point.place)
        return self.let(name, value * point.per_length**order)

    def _moving(self) -> list[tuple[sympy.Symbol, sympy.Expr]]:
        """Return the definitions that vary along the rod."""
        known: set[sympy.Basic] = {REFERENCE[0]}
        found = []
        for symbol, value in self.element.definitions:
            if value.free_symbols & known:
                known.add(symbol)
                found.append((symbol, value))
        return found

    def strains(self, measures: sympy.MatrixBase, point: RodPoint) -> Matrix:
        """Append the strains at a point."""
        return self.matrix(f"strain{point.number}_", self.energy.forms * measures)

    @cached_property
    def density(self) -> sympy.Expr:
        """The energy in the symbols of the strains."""
        return self.energy.density(self.element.constitutive.matrix)

    def stored(self, strains: Matrix) -> sympy.Expr:
        """Return the energy at strains."""
        return since_rest(self.density, self.energy.symbols).xreplace(self._at(strains))

    def forces(self, strains: Matrix, point: RodPoint) -> Matrix:
        """Append the forces on which the measures do work, times the weight of the point."""
        named = self.matrix(f"stress{point.number}_", point.weight * self.stresses(strains))
        return self.matrix(f"force{point.number}_", self.energy.forms.T * named)

    def stresses(self, strains: Matrix) -> Matrix:
        """Return the derivatives of the energy by the strains."""
        by = (
            since_rest(derivative(self.density, one), self.energy.symbols)
            for one in self.energy.symbols
        )
        return Matrix([value.xreplace(self._at(strains)) for value in by])

    def section_forces(self, measured: Iterable[tuple[RodPoint, Matrix]]) -> Program:
        """Return the program of the forces of the sections at the points: ``out[q][k]``.

        Parameters
        ----------
        measured : iterable
            Points with the measures there.
        """
        (fibre,) = self.element.fibres["stiffness"]
        count = 0
        for point, measures in measured:
            forces = fibre.weight * self.stresses(self.strains(measures, point))
            for k, value in enumerate(forces):
                self.store((point.number, k), value)
            count += 1
        return self.program(count, len(self.energy.strains))

    def moduli(self, strains: Matrix, point: RodPoint) -> Matrix:
        """Append the second derivatives of the energy by the measures, times the weight."""
        if not self.hessian.free_symbols & {*self.energy.symbols}:
            self._constant = self._constant or self._by_measures("", self.hessian)
            found = self._constant
        else:
            values = self.hessian.applyfunc(
                lambda one: since_rest(one, self.energy.symbols, gained=False)
            )
            found = self._by_measures(f"{point.number}_", values.xreplace(self._at(strains)))
        return self.symmetric(f"weighed{point.number}_", point.weight * found)

    @cached_property
    def hessian(self) -> Matrix:
        """Second derivatives of the energy by the strains."""
        return Matrix(sympy.hessian(self.density, self.energy.symbols))

    def _by_measures(self, tag: str, hessian: Matrix) -> Matrix:
        forms = self.energy.forms
        named = self.symmetric(f"hessian{tag}", hessian)
        return self.symmetric(f"modulus{tag}", forms.T * named * forms)

    def symmetric(self, name: str, values: sympy.MatrixBase) -> Matrix:
        """Append the entries of a symmetric matrix as scalars, each once."""
        known: dict[tuple[int, int], sympy.Expr] = {}
        for i in range(values.rows):
            for j in range(i, values.cols):
                known[i, j] = self.let(f"{name}{i}{j}", values[i, j])
        return Matrix(*values.shape, lambda i, j: known[min(i, j), max(i, j)])

    def _at(self, strains: Matrix) -> dict[sympy.Symbol, sympy.Expr]:
        return dict(zip(self.energy.symbols, strains, strict=True))

    def store(self, index: tuple[int, ...], value: sympy.Expr) -> None:
        """Append the assignment of an entry of the result."""
        self.stations.statements.append(Store("out", index, self.stations.entry(value)))

    def program(self, *shape: int) -> Program:
        """Return the program, with a result of a shape."""
        return self.stations.program(Array("out", shape, "output"))


def _number(value: sympy.Expr | float) -> sympy.Expr:
    """Return a number rounded once, exactly where it is a small fraction such as 1/2."""
    exact = Fraction(float(value))
    if exact.denominator <= _SMALL:
        return sympy.Rational(exact.numerator, exact.denominator)
    return sympy.Float(float(value))
