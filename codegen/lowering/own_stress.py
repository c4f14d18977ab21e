# SPDX-License-Identifier: BSD-3-Clause
"""Geometric stiffness by the stress that inertia forces leave in what carries them, as programs.

What moves rigidly has no strain, yet the stress of its own inertia forces ``- rho a`` does work on
the quadratic strain of its turn: per volume ``sigma = - rho (p a^T + a p^T) / 2`` with the place p
from where it is held (the mean stress theorem). Of a rigid body at a node that is the node; it is
what the linear field ``u + r x p`` lacks of Euler's equations: the tennis-racket term, and the
pendulum's. Of the section of a beam, or of the normal of a shell, it is the centre of mass: what
the inertia forces have of a resultant there, the element carries along itself.
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

#: Terms that hold the inertia force of a body at rest in the frame: by the frame's rotation, and
#: by the acceleration of its origin, which every section feels evenly.
_ROTATION = ("euler_load", "centrifugal_load")
_TRANSLATION = ("translation",)


def lower_rigid_geometric(
    element: FieldElement, term: Term, equations: ElementEquations
) -> Program:
    """Return the program of the stiffness by the frame's motion, at rest in the frame.

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
    """Return the program of the stiffness by the inertia forces within the section.

    Parameters
    ----------
    section : FieldElement
        Of :func:`section_of`.
    term : Term
        Its geometric term.
    equations : ElementEquations
        With the loads, from which the inertia force is read off.
    """
    place = [x - c for x, c in zip(section.across, _mass_centre(section), strict=True)]
    return _under_own_stress(section, term, _force(equations, _ROTATION), place)


def section_of(element: FieldElement) -> FieldElement:
    """Return an element stiffened by stress across itself, about the centre of its mass.

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
    """Return where the mass of the section has its centre, in its lateral coordinates."""
    fibres = element.fibres["mass"]
    total = sympy.Add(*(fibre.weight for fibre in fibres))
    return [
        sympy.cancel(sympy.Add(*(fibre.weight * fibre.place[k] for fibre in fibres)) / total)
        for k in range(len(element.across))
    ]


def _under_own_stress(
    element: FieldElement, term: Term, force: sympy.Matrix, place: Sequence[sympy.Expr]
) -> Program:
    """Return the program of the geometric stiffness by forces at places across the element.

    Parameters
    ----------
    element : FieldElement
        With slopes along all its lateral coordinates.
    term : Term
        The geometric term.
    force : sympy.Matrix
        ``rho a`` at the position x1 .., in components of the frame.
    place : sequence of sympy.Expr
        Lateral coordinates from where the stress has no resultant.
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
    """Return ``rho a`` at rest: what loads are with a field that is the nodal vector itself."""
    point = equations.point
    size = point.dimension
    column = point.shape_matrix[:, :size]  # of the generic vector a
    unit = dict(zip(column, sympy.eye(size), strict=True))
    total = sympy.zeros(size, 1)
    for name in loads:
        total += equations.terms[name].density.subs(unit)
    return total
