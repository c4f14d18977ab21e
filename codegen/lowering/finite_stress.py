# SPDX-License-Identifier: BSD-3-Clause
"""Stress of elements with a hyperelastic law: true, or of the undeformed body."""

from __future__ import annotations

from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.energy import J
from flexforge.codegen.elements.strain import stress_components
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Array, For, Program, Store
from flexforge.codegen.lowering.finite_point import CHANGES, swept
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
        ``sigma = P F^T / J``.
    points : bool
        Return stresses at the points, ``out[q][k]``, instead of nodal ones, ``out[a][k]``.
    """
    graph = Graph()
    sweep, point, inputs = swept(element, graph)
    size = element.components
    first, F = point.stress(), matrix_symbols("F", size)
    point.volume()
    if undeformed:
        cofactor, _ = point.tensor("cof(F)")
        whole = cofactor.T * first
    else:
        whole = first * F.T
    per_volume = point.scalar("per_volume", 1 / (1 + CHANGES[J]))
    axes = stress_components(element.strain, size)
    names = [point.scalar(f"stress{i}{j}", per_volume * whole[i, j]) for i, j in axes]
    if size == 2:  # of plane strain: the stress across the plane is the third
        across = point.stress_across()
        names.insert(2, across if undeformed else point.scalar("stress22", per_volume * across))
    stores = [Store("stress", ("q", k), point.leaves[name]) for k, name in enumerate(names)]
    count = len(sweep.points)
    arrays = [*inputs, *sweep.arrays, Array("stress", (count, len(names)), "local")]
    body = [*sweep.statements, For("q", count, (*point.statements, *stores))]
    assert element.energy is not None
    parameters = element.energy.parameters
    return at_points_or_nodes(element, (arrays, body, parameters), graph, points=points)
