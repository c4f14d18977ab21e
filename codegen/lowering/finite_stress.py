# SPDX-License-Identifier: BSD-3-Clause
"""Stress, strain and density of energy of elements with a hyperelastic law, at their points."""

from __future__ import annotations

from collections.abc import Callable

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.energy import MEAN, J
from flexforge.codegen.elements.strain import stress_components
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Array, Program, Store
from flexforge.codegen.lowering.finite_changes import CHANGES
from flexforge.codegen.lowering.finite_point import Point, swept
from flexforge.codegen.lowering.stress import at_points_or_nodes
from flexforge.codegen.mechanics.invariants import matrix_symbols


def lower_finite_stress(element: Element, *, undeformed: bool, points: bool) -> Program:
    """Return the program of the stresses of one element, Voigt order: xx, yy, zz, xy in the plane.

    Parameters
    ----------
    element : Element
        The declaration, with an energy.
    undeformed : bool
        Return the second Piola-Kirchhoff stress ``S = F^-1 P``, instead of Cauchy's
        ``sigma = P F^T / J``; with a mean J they are those of the law at F_bar.
    points : bool
        Return stresses at the points, ``out[q][k]``, instead of nodal ones, ``out[a][k]``.
    """

    def values(point: Point) -> list[sympy.Symbol]:
        whole, across = _pulled_back(point) if undeformed else _true(point)
        names = _tensor(point, "stress", whole)
        if element.space == 2:  # of plane strain: the stress across the plane is the third
            names.insert(2, point.scalar("stress22", across))
        return names

    return _at_points(element, values, points=points)


def lower_finite_strain(element: Element) -> Program:
    """Return the program of Green's strain ``(C - 1)/2`` at the points, ``out[q][k]``.

    Components are those of the tensor, in Voigt order: xx, yy, zz, xy in the plane.
    """

    def values(point: Point) -> list[sympy.Symbol]:
        change = matrix_symbols("A", element.space)
        half = sympy.eye(element.space) / 2
        names = _tensor(point, "strain", half * change)
        if element.space == 2:
            names.insert(2, point.scalar("strain22", sympy.Integer(0)))
        return names

    return _at_points(element, values, points=True)


def lower_energy_density(element: Element) -> Program:
    """Return the program of the energy per undeformed volume at the points, ``out[q][0]``."""
    return _at_points(
        element, lambda point: [point.gained("energy", point.energy.value)], points=True
    )


def _tensor(point: Point, name: str, values: sympy.MatrixBase) -> list[sympy.Symbol]:
    """Append the components of a symmetric tensor in Voigt order; return them."""
    axes = stress_components(point.element.strain, point.element.components)
    return [point.scalar(f"{name}{i}{j}", values[i, j]) for i, j in axes]


def _at_points(
    element: Element, values: Callable[[Point], list[sympy.Symbol]], *, points: bool
) -> Program:
    """Return the program of some scalars of every point."""
    graph = Graph()
    sweep, point, inputs = swept(element, graph)
    names = values(point)
    stores = [Store("stress", ("q", k), point.leaves[name]) for k, name in enumerate(names)]
    loops, kept = point.loops(len(sweep.points), stores)
    count = len(sweep.points)
    arrays = [*inputs, *sweep.arrays, *kept, Array("stress", (count, len(names)), "local")]
    assert element.energy is not None
    started = arrays, [*sweep.statements, *loops], element.energy.parameters
    return at_points_or_nodes(element, started, graph, points=points)


def _true(point: Point) -> tuple[sympy.Matrix, sympy.Expr]:
    """Return Cauchy's stress ``P F^T / J``, and that across a plane.

    At F_bar, whose volume is the mean J: ``P F^T / J_mean + dW/dJ_mean``.
    """
    size, averaged = point.element.space, point.energy.averaged
    first = point.stress()
    point.volume()
    per_volume = point.scalar("per_volume", 1 / (1 + CHANGES[MEAN if averaged else J]))
    pressure = point.pressure() if averaged else sympy.Integer(0)
    whole = per_volume * first * matrix_symbols("F", size).T + pressure * sympy.eye(size)
    return whole, per_volume * point.stress_across() + pressure if size == 2 else pressure


def _pulled_back(point: Point) -> tuple[sympy.Matrix, sympy.Expr]:
    """Return the second Piola-Kirchhoff stress ``S = F^-1 P``, and that across a plane.

    At F_bar = r F with ``r^3 = J_mean / J``: ``r^-2 (F^-1 P + J_mean dW/dJ_mean C^-1)``.
    """
    size = point.element.space
    first = point.stress()
    point.volume()
    per_volume = point.scalar("per_volume", 1 / (1 + CHANGES[J]))
    cofactor, _ = point.tensor("cof(F)")
    whole = per_volume * cofactor.T * first
    across = point.stress_across() if size == 2 else sympy.Integer(0)
    if not point.energy.averaged:
        return whole, across
    pressure = (1 + CHANGES[MEAN]) * point.pressure()
    shape = point.now("shape", (J / MEAN) ** sympy.Rational(2, 3))
    whole += per_volume**2 * pressure * cofactor.T * cofactor
    return shape * whole, shape * (across + pressure)
