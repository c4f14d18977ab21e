# SPDX-License-Identifier: BSD-3-Clause
"""Stress of a constrained temperature change: ``H eps_0``, with ``eps_0 = expansion T``.

The part of the strain energy ``1/2 (eps - eps_0)^T H (eps - eps_0)`` that is linear in the
displacements gives, by differentiation, the load of the initial strain. T is interpolated from the
first component of the nodal vectors ``state``. Elements with mean strains or incompatible modes
use the mean of T as well: a constant stress does no work on the modes.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.elements.strain import voigt_stress
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import (
    Accumulate,
    Array,
    For,
    Let,
    Program,
    Statement,
    Store,
    Zero,
)
from flexforge.codegen.lowering.geometry import Geometry, mean_gradients, point_geometry
from flexforge.codegen.lowering.sums import summed
from flexforge.codegen.lowering.tables import shape_table
from flexforge.codegen.lowering.terms import (
    Leaves,
    material_statements,
    shape_leaves,
    volume_factor,
)
from flexforge.codegen.mechanics.frames import frame_for
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.points import point_of
from flexforge.codegen.mechanics.shape_symbols import column

_NAME = "expansion"


def expansions(element: AnyElement) -> tuple[str, ...]:
    """Return the parameters of thermal expansion, one per strain of the law, in 1/K."""
    return tuple(s.name for s in column(_NAME, element.constitutive.matrix.rows))


def held_stress(element: AnyElement) -> sympy.Matrix:
    """Return ``H expansion``: the stress per kelvin if all strain is prevented."""
    law = element.constitutive
    return law.matrix * column(_NAME, law.matrix.rows)


def initial_load(element: AnyElement) -> sympy.ImmutableMatrix:
    """Return the load density of an initial stress at the node a: ``(bN)^T sigma``.

    It is the derivative of the part of the strain energy that is linear in the displacements.
    """
    point = point_of(element, frame_for(element.components, revolved=element.revolved), ("a",))
    strain = point.strain(point.coordinates, Ledger())
    stress = sympy.Matrix(sympy.symbols(f"sigma1:{strain.rows + 1}", real=True))
    energy = strain.dot(stress)
    return sympy.ImmutableMatrix([derivative(energy, d) for d in point.coordinates])


def thermal_stress(
    element: Element, graph: Graph, *, own: bool = False
) -> tuple[list[Array], list[Statement], Leaves, Geometry]:
    """Return the loops that compute ``stress[q][k] = (H expansion)_k T`` at the points.

    Parameters
    ----------
    element : Element
        The declaration.
    graph : Graph
        Where expressions are created.
    own : bool
        Use the order of the law instead of that of stresses.
    """
    geometry = point_geometry(element, element.degree["stiffness"], graph, gradients=True)
    if element.strain == "selective":
        geometry = mean_gradients(element, geometry, graph)
    points, _ = rule(element.cell, element.degree["stiffness"])
    setup, leaves = material_statements(element, graph)
    leaves |= {s: graph.parameter(s.name) for s in column(_NAME, len(expansions(element)))}
    whole = held_stress(element)
    if not own:
        whole = voigt_stress(whole, element.strain, element.components)
    value = graph.mul(graph.load("state", "a", 0), graph.load("shape", "q", "a"))
    interpolate: tuple[Statement, ...] = (
        Zero("warmth"),
        For("a", len(element.nodes), (Accumulate("warmth", value),)),
    )
    body: list[Statement] = [*setup, *geometry.body]
    body += [
        Let(f"held{k}", convert(sympy.expand(entry), leaves, graph))
        for k, entry in enumerate(whole)
    ]
    warmth = graph.temp("warmth")
    if not element.pointwise:
        volume = graph.load("volume", "q")
        weighted = Accumulate("content", graph.mul(volume, warmth))
        body += [
            Zero("content"),
            Zero("extent"),
            For("q", geometry.points, (*interpolate, weighted, Accumulate("extent", volume))),
            Let("mean_warmth", graph.div(graph.temp("content"), graph.temp("extent"))),
        ]
        warmth, interpolate = graph.temp("mean_warmth"), ()
    stores = tuple(
        Store("stress", ("q", k), graph.mul(graph.temp(f"held{k}"), warmth))
        for k in range(len(whole))
    )
    body.append(For("q", geometry.points, (*interpolate, *stores)))
    arrays = [
        *geometry.arrays,
        shape_table(element, points),
        Array("state", (len(element.nodes), element.components), "input"),
        Array("stress", (geometry.points, len(whole)), "local"),
    ]
    return arrays, body, leaves, geometry


def lower_thermal_load(element: Element) -> Program:
    """Return the program of the load of an initial strain; its output is ``out[a][i]``."""
    graph = Graph()
    arrays, body, leaves, geometry = thermal_stress(element, graph, own=True)
    density, size = initial_load(element), element.components
    leaves |= shape_leaves(element, graph)
    symbols = sympy.symbols(f"sigma1:{len(expansions(element)) + 1}", real=True)
    leaves |= {s: graph.load("stress", "q", k) for k, s in enumerate(symbols)}
    volume = volume_factor(element, graph)
    values = (graph.mul(volume, convert(density[i], leaves, graph)) for i in range(size))
    inner = summed("sum", "q", geometry.points, values, graph)
    body.append(For("a", len(element.nodes), inner))
    arrays.append(Array("out", (len(element.nodes), size), "output"))
    section = () if element.section is None else (element.section,)
    parameters = (*element.constitutive.parameters, *expansions(element), *section)
    return Program(tuple(arrays), parameters, tuple(body), graph)
