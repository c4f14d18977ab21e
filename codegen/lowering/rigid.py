# SPDX-License-Identifier: BSD-3-Clause
"""The geometric stiffness of a rigid body at a node, as a program.

A rigid body has no strain, yet the stress that its own inertia forces ``- rho a`` leave in it does
work on the quadratic strain of a finite turn: per volume ``sigma = - rho (p a^T + a p^T) / 2`` with
the place p from the node (the mean stress theorem). It is what the linear field ``u + r x p`` lacks
of Euler's equations: the tennis-racket term, and the pendulum's.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.elements.strain import VOIGT
from flexforge.codegen.equations import ElementEquations, Term
from flexforge.codegen.ir.program import Array, Program, Store
from flexforge.codegen.lowering.fields import pair_density
from flexforge.codegen.lowering.stations import Stations

#: Terms that hold the inertia force of the body at rest in the frame.
_FORCES = ("euler_load", "centrifugal_load", "translation")


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
    stations = Stations(element, "mass")
    graph = stations.graph
    leaves = stations.tabulate("G", sympy.Matrix.vstack(*map(element.in_frame, element.slopes)))
    known = stations.locate()
    force = _force(equations)
    stations.leaves |= known | stations.motion(force, known)
    order = VOIGT[element.components]
    stations.arrays.append(Array("stress", (stations.count, len(order)), "local"))
    place = element.across
    stations.at_station += [
        Store("stress", ("q", n),
              stations.entry(-(place[i] * force[j] + place[j] * force[i]) / 2))
        for n, (i, j) in enumerate(order)
    ]  # fmt: skip
    stations.close()
    initial = sympy.symbols(f"sigma1:{len(order) + 1}", real=True)
    leaves |= {s: graph.load("stress", "q", n) for n, s in enumerate(initial)}
    return stations.pairs(pair_density(term), leaves)


def _force(equations: ElementEquations) -> sympy.Matrix:
    """Return ``rho a`` at rest: what the loads are with a field that is the nodal vector itself."""
    point = equations.point
    size = point.dimension
    column = point.shape_matrix[:, :size]  # of the generic vector a
    unit = dict(zip(column, sympy.eye(size), strict=True))
    total = sympy.zeros(size, 1)
    for name in _FORCES:
        total += equations.terms[name].density.subs(unit)
    return total
