# SPDX-License-Identifier: BSD-3-Clause
"""Tangents of elements with a hyperelastic law, and their products with vectors.

Gradients of shape functions in the reference cell are constant. Sums over the points of the second
derivative of the energy by the Jacobian of the deformed cell, with few different products of such
gradients, give the matrix of all pairs of nodes by additions alone.
"""

from __future__ import annotations

from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Array, Program, Statement, Store
from flexforge.codegen.lowering.averaged import MeanTerms
from flexforge.codegen.lowering.deformed import DeformedPoint
from flexforge.codegen.lowering.finite_nodes import tangent_by_nodes
from flexforge.codegen.lowering.finite_pairs import is_of_invariants, tangent_by_moduli
from flexforge.codegen.lowering.finite_point import program
from flexforge.codegen.lowering.moments import Moments
from flexforge.codegen.lowering.pair_products import axes_of
from flexforge.codegen.lowering.revolved import tangent_revolved

#: Terms of sums that are written out at most: hex20 has 84000, few of them alike.
WRITTEN_OUT = 5000


def lower_tangent(element: Element) -> Program:
    """Return the program of the second derivative of the energy: ``out[a][i][b][j]``."""
    graph = Graph()
    point = DeformedPoint(element, graph)
    if element.revolved:
        return tangent_revolved(element, point, graph)
    nodes, size = len(element.nodes), element.components
    moments = Moments(axes_of(element, point.sweep.points), size, graph)
    if moments.terms > WRITTEN_OUT and not point.energy.averaged:
        if is_of_invariants(element):
            return tangent_by_nodes(element)
        return tangent_by_moduli(element, point, graph)
    mean = MeanTerms(point, graph) if point.energy.averaged else None
    stores = moments.stores(point.moduli(), point)
    arrays = [*point.arrays, *point.sweep.arrays, *moments.arrays()]
    after: list[Statement] = []
    if mean is not None:
        stores += mean.stores()
        arrays += mean.arrays
        after = mean.at_nodes()
    loops, kept = point.loops(stores)
    arrays += [*kept, Array("out", (nodes, size, nodes, size), "output")]
    pairs = moments.matrix(None if mean is None else mean.entry)
    return program(element, arrays, (*point.sweep.statements, *loops, *after, *pairs), graph)


def lower_tangent_action(element: Element) -> Program:
    """Return the program of the tangent times a vector: ``out[a][i]``, without the matrix.

    The state holds the displacements and the vector, one after the other.
    """
    graph = Graph()
    point = DeformedPoint(element, graph, changed=True)
    nodes, size, sweep = len(element.nodes), element.components, point.sweep
    flux = point.flux()
    if point.energy.averaged:
        flux += MeanTerms(point, graph).flux()
    places = [(i, k) for i in range(size) for k in range(size)]
    stores = [Store("flux", ("q", *place), point.value(flux[place])) for place in places]
    sweep.conjugates["slopes"] = "flux"
    outward = []
    if element.revolved:  # what circles are stretched by acts outwards
        forces = (point.value(flux[2, 2]), graph.const(0))
        stores += [Store("force", ("q", i), value) for i, value in enumerate(forces)]
        sweep.conjugates["values"] = "force"
        outward = [Array("force", (len(sweep.points), size), "local")]
    loops, kept = point.loops(stores)
    arrays = [
        *point.arrays, *sweep.arrays, *kept, *outward,
        Array("flux", (len(sweep.points), size, size), "local"),
        Array("out", (nodes, size), "output"),
    ]  # fmt: skip
    return program(element, arrays, [*sweep.statements, *loops, sweep.at_nodes()], graph)
