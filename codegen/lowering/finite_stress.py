# SPDX-License-Identifier: BSD-3-Clause
"""Stress of elements with a hyperelastic law: true, or of the undeformed body."""

from __future__ import annotations

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
    graph = Graph()
    sweep, point, inputs = swept(element, graph)
    size = element.space
    whole, across = _pulled_back(point) if undeformed else _true(point)
    axes = stress_components(element.strain, element.components)
    names = [point.scalar(f"stress{i}{j}", whole[i, j]) for i, j in axes]
    if size == 2:  # of plane strain: the stress across the plane is the third
        names.insert(2, point.scalar("stress22", across))
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
