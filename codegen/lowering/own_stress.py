# SPDX-License-Identifier: BSD-3-Clause
"""Geometric stiffness due to stress caused by inertia forces within a rigid part, as programs.

A part that moves rigidly has no linear strain, yet the stress of its own inertia forces ``- rho a``
does work on the quadratic strain of its rotation: per volume ``sigma = - rho (p a^T + a p^T) / 2``,
with p the position relative to the point where the part is held (mean stress theorem). A rigid body
is held at its node; this stiffness adds the terms of Euler's equations that the linear field
``u + r x p`` misses, such as those of the tennis racket and of the pendulum. The section of a beam,
or the normal of a shell, is held at its centre of mass: the element itself carries the resultant of
the inertia forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import sympy
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.elements.stiffening import Stiffening, green, stacked
from flexforge.codegen.elements.strain import VOIGT
from flexforge.codegen.ir.program import Array, Program, Store
from flexforge.codegen.lowering.fields import pair_density
from flexforge.codegen.lowering.stations import Stations
from flexforge.codegen.mechanics.equations import ElementEquations, Term

#: Terms with the inertia force of a body at rest in the frame: due to the frame's rotation, and due
#: to the acceleration of its origin, which is uniform within a section.
_ROTATION = ("euler_load", "centrifugal_load")
_TRANSLATION = ("translation",)


def lower_rigid_geometric(
    element: FieldElement, term: Term, equations: ElementEquations
) -> Program:
    """Return the program of the stiffness due to the frame's motion, for a body at rest in it.

    Parameters
    ----------
    element : FieldElement
        The declaration.
    term : Term
        The geometric term.
    equations : ElementEquations
        With the loads, from which the inertia force is read off.
    """
    force = _force(equations, (*_ROTATION, *_TRANSLATION))
    return _under_own_stress(element, term, force, element.across)


def lower_section_geometric(
    section: FieldElement, term: Term, equations: ElementEquations
) -> Program:
    """Return the program of the stiffness due to inertia forces within the section.

    Parameters
    ----------
    section : FieldElement
        From :func:`section_of`.
    term : Term
        The geometric term.
    equations : ElementEquations
        With the loads, from which the inertia force is read off.
    """
    place = [x - c for x, c in zip(section.across, _mass_centre(section), strict=True)]
    return _under_own_stress(section, term, _force(equations, _ROTATION), place)


def section_of(element: FieldElement) -> FieldElement:
    """Return the element stiffened by the stress across its section, about its centre of mass.

    Parameters
    ----------
    element : FieldElement
        A beam or a shell.
    """
    directions = element.position.jacobian(element.across)
    place = sympy.Matrix(element.across) - sympy.Matrix(_mass_centre(element))
    return replace(
        element,
        stiffening=Stiffening(
            rates=stacked([element.displacement.diff(x) for x in element.across]),
            quadratic=green(len(element.across), element.components),
            law=sympy.ImmutableMatrix(0, 0, []),
        ),
        position=sympy.ImmutableMatrix(directions * place),
    )


def _mass_centre(element: FieldElement) -> list[sympy.Expr]:
    """Return the centre of mass of the section in its lateral coordinates."""
    fibres = element.fibres["mass"]
    total = sympy.Add(*(fibre.weight for fibre in fibres))
    return [
        sympy.cancel(sympy.Add(*(fibre.weight * fibre.place[k] for fibre in fibres)) / total)
        for k in range(len(element.across))
    ]


def _under_own_stress(
    element: FieldElement, term: Term, force: sympy.Matrix, place: Sequence[sympy.Expr]
) -> Program:
    """Return the program of the geometric stiffness due to forces at points across the element.

    Parameters
    ----------
    element : FieldElement
        An element with slopes along all its lateral coordinates.
    term : Term
        The geometric term.
    force : sympy.Matrix
        ``rho a`` at the position x1 .., in components of the frame.
    place : sequence of sympy.Expr
        Lateral coordinates relative to the point where the stress has no resultant.
    """
    stations = Stations(element, "mass")
    graph = stations.graph
    assert element.stiffening is not None
    leaves = stations.tabulate("G", element.in_frame(element.stiffening.rates))
    known = stations.locate()
    lateral = element.position.jacobian(element.across).T * force
    stations.leaves |= known | stations.motion(lateral, known)
    order = VOIGT[len(element.across)]
    stations.arrays.append(Array("stress", (stations.count, len(order)), "local"))
    stations.at_station += [
        Store(
            "stress", ("q", n), stations.entry(-(place[i] * lateral[j] + place[j] * lateral[i]) / 2)
        )
        for n, (i, j) in enumerate(order)
    ]
    stations.close()
    initial = sympy.symbols(f"sigma1:{len(order) + 1}", real=True)
    leaves |= {s: graph.load("stress", "q", n) for n, s in enumerate(initial)}
    return stations.pairs(pair_density(term), leaves)


def _force(equations: ElementEquations, loads: Sequence[str]) -> sympy.Matrix:
    """Return ``rho a`` at rest: the loads of a field equal to the nodal vector."""
    point = equations.point
    size = point.dimension
    column = point.shape_matrix[:, :size]  # the rows of the generic vector a
    unit = dict(zip(column, sympy.eye(size), strict=True))
    total = sympy.zeros(size, 1)
    for name in loads:
        total += equations.terms[name].density.subs(unit)
    return total
