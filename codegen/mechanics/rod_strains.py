# SPDX-License-Identifier: BSD-3-Clause
"""Measures of rods whose nodal coordinates are added up: bars, beams in a plane, cables.

Each measure is a function of a few sums over the nodes, such as the derivative of the displacement
along the rod; SymPy differentiates it by these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.mechanics.rotations import Matrix


@dataclass(frozen=True)
class Sum:
    """A sum over the nodes at a point.

    Attributes
    ----------
    symbol : sympy.Symbol
        What it is called.
    components : tuple of int
        Components of the coordinates of a node, of all its vectors one after the other: each times
        its function of the node, of a cable with slopes that of the displacement and of the slope.
    order : int
        Derivative of the functions by the length.
    """

    symbol: sympy.Symbol
    components: tuple[int, ...]
    order: int


@dataclass(frozen=True)
class RodStrains:
    """Measures as functions of sums.

    Attributes
    ----------
    sums : tuple of Sum
        The sums.
    measures : sympy.ImmutableMatrix
        The measures, a column.
    helpers : mapping
        Further symbols in the measures, and their values.
    rates : mapping
        Derivatives of these by the sums, in symbols.
    """

    sums: tuple[Sum, ...]
    measures: Matrix
    helpers: Mapping[sympy.Symbol, sympy.Expr]
    rates: Mapping[tuple[sympy.Symbol, sympy.Symbol], sympy.Expr]

    @cached_property
    def slopes(self) -> Matrix:
        """Derivatives of the measures by the sums."""
        return self._differentiated(self.measures)

    def bent(self, forces: Matrix) -> Matrix:
        """Return the second derivatives of the work of forces on the measures."""
        forced = dict(zip(self._forces, forces, strict=True))
        return Matrix(self._bent_by_symbols.xreplace(forced))

    @cached_property
    def _forces(self) -> tuple[sympy.Symbol, ...]:
        """Symbols of forces on the measures, in whose place those of a point are put."""
        count = len(self.measures)
        return tuple(sympy.Symbol(f"force_of_measure{k}", finite=True) for k in range(count))

    @cached_property
    def _bent_by_symbols(self) -> Matrix:
        """Second derivatives of the work of the symbols of forces: the upper half, mirrored."""
        work = self.slopes.T * sympy.Matrix(self._forces)
        count = len(self.sums)
        upper = {
            (i, j): self._slope(work[i], self.sums[j].symbol)
            for i in range(count)
            for j in range(i, count)
        }
        return Matrix(count, count, lambda i, j: upper[min(i, j), max(i, j)])

    def _differentiated(self, values: Matrix) -> Matrix:
        return Matrix(
            values.rows, len(self.sums), lambda i, j: self._slope(values[i], self.sums[j].symbol)
        )

    def _slope(self, value: sympy.Expr, by: sympy.Symbol) -> sympy.Expr:
        found = derivative(value, by)
        for one in self.helpers:
            found += derivative(value, one) * self.rates.get((one, by), 0)
        return sympy.expand(found)


def planar_beam() -> RodStrains:
    """Return the measures gamma_x, gamma_y, kappa_z of a beam in the plane, in its axes at rest.

    What a turn of the section changes is written in the sine of half of it, which keeps all digits
    of small turns.
    """
    turn, rate, along, across = sympy.symbols("turn rate along across", finite=True)
    sine, cosine = sympy.symbols("half_sine half_cosine", finite=True)
    less, turned = -2 * sine**2, 2 * sine * cosine  # cos t - 1, sin t
    return RodStrains(
        (Sum(turn, (2,), 0), Sum(rate, (2,), 1), Sum(along, (0,), 1), Sum(across, (1,), 1)),
        Matrix(
            [
                along + less * (1 + along) + turned * across,
                across + less * across - turned * (1 + along),
                rate,
            ]
        ),
        {sine: sympy.sin(turn / 2), cosine: sympy.cos(turn / 2)},
        {(sine, turn): cosine / 2, (cosine, turn): -sine / 2},
    )


def bar(components: int) -> RodStrains:
    """Return Green's strain of the axis, ``t . u' + u' . u'/2`` with the tangent t at rest."""
    rates = sympy.symbols(f"rate0:{components}", finite=True)
    tangent = tangent_symbols(components)
    green = sum(t * g + g**2 / 2 for t, g in zip(tangent, rates, strict=True))
    return RodStrains(
        tuple(Sum(one, (i,), 1) for i, one in enumerate(rates)), Matrix([green]), {}, {}
    )


def cable(components: int) -> RodStrains:
    """Return Green's strain and the curvature ``r' x r''/|r'|^2`` of a cable with slopes."""
    size = components
    rates = sympy.symbols(f"rate0:{size}", finite=True)
    bends = sympy.symbols(f"bend0:{size}", finite=True)
    tangent = tangent_symbols(size)
    along = [t + g for t, g in zip(tangent, rates, strict=True)]
    inverse = sympy.Symbol("inverse", finite=True)
    if size == 2:
        across = [along[0] * bends[1] - along[1] * bends[0]]
    else:
        across = [*sympy.Matrix(along).cross(sympy.Matrix(bends))]
    (green,) = bar(size).measures
    sums = [
        Sum(one, (i, size + i), order)
        for order, symbols in ((1, rates), (2, bends))
        for i, one in enumerate(symbols)
    ]
    return RodStrains(
        tuple(sums),
        Matrix([green, *(inverse * one for one in across)]),
        {inverse: 1 / sympy.Add(*(one**2 for one in along))},
        {(inverse, g): -2 * inverse**2 * r for g, r in zip(rates, along, strict=True)},
    )


def tangent_symbols(components: int) -> tuple[sympy.Symbol, ...]:
    """Return the symbols of the tangent at rest."""
    return tuple(sympy.Symbol(f"tangent{i}", finite=True) for i in range(components))
