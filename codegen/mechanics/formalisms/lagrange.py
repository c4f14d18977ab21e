# SPDX-License-Identifier: BSD-3-Clause
"""Lagrange's equations: ``d/dt dL/dd' - dL/dd = 0`` with ``L = T - V + W``.

Three families of differentiations, by the velocities, by time, by the coordinates (Scutaru 2023
section 4.1, Vlase 2022 section 5.1).

The velocities v_O and w of a free frame are not rates of coordinates. Their equations are those of
Boltzmann and Hamel, in the momentum p and the angular momentum L_O in components of the frame:

    (dT/dv_O)' + w x dT/dv_O = F,    (dT/dw)' + w x dT/dw + v_O x dT/dv_O = M_O
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy
from flexforge.codegen.mechanics.formalisms.energies import lagrangian
from flexforge.codegen.mechanics.formalisms.motion import SecondOrder
from flexforge.codegen.mechanics.formalisms.text import Text
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.subject import Subject

TEXT = Text(
    title="Lagrange's equations",
    start="the Lagrangian `L = T - V + W`",
    principle="d/dt dL/dd' - dL/dd = 0",
    gives="second order, one equation per coordinate",
    idea="""Write one scalar, the kinetic energy minus the strain energy plus the work of the
forces, as a function of the nodal coordinates and their rates. The rest is differentiation: no
inertia forces have to be drawn, and forces that do no work never appear.""",
    difference="""This is the method most engineers know, and the reference for the others. In a
moving frame one point is easily overlooked: through `w~ N d` the velocity, and thus the kinetic
energy, depends on `d` too. One half of the Coriolis term follows from `d/dt dL/dd'`, the other half
from `dL/dd`; the Euler term follows from the former alone, the centrifugal term from the latter.
Treating `T` as a function of `d'` only loses these contributions.""",
    recipe=(
        "Write the velocity `v` of a material point and its kinetic energy `T`.",
        "Write the strain energy `V` and the work `W` of the forces: `L = T - V + W`.",
        "Differentiate `L` by every `d'`: the momenta.",
        "Differentiate the momenta by time; `d`, `d'`, `w` and `v_O` all change.",
        "Differentiate `L` by every `d`, subtract, and integrate over the element.",
    ),
    useful="""If the energies are easy to write and the coordinates are independent. Constraints are
appended with multipliers, which gives n + m unknowns.""",
)


def equations(subject: Subject, ledger: Ledger) -> SecondOrder:
    """Return Lagrange's equations of the coordinates.

    Parameters
    ----------
    subject : Subject
        Kinematics of a material point, or of a system.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    own = subject.in_coordinates
    energy = lagrangian(own, ledger)
    residuals = (
        boltzmann_hamel(own, energy, own.rates(), ledger) if isinstance(own, MaterialPoint) else []
    )
    residuals += lagrangian_expressions(own, energy, ledger)
    return SecondOrder(tuple(residuals), of_coordinates=True)


def lagrangian_expressions(
    subject: Subject, energy: sympy.Expr, ledger: Ledger
) -> list[sympy.Expr]:
    """Return ``d/dt dL/dd' - dL/dd`` less the forces that L does not contain, by coordinate."""
    rates, forces = subject.rates(), subject.further_forces(ledger)
    momenta = ledger.gradient(energy, subject.velocities, "dL/dd'")
    changes = [ledger.total(momentum, rates, "d/dt dL/dd'") for momentum in momenta]
    slopes = ledger.gradient(energy, subject.coordinates, "dL/dd")
    return [
        ledger.sum("equations", change, -slope, -force)
        for change, slope, force in zip(changes, slopes, forces, strict=True)
    ]


def boltzmann_hamel(
    point: MaterialPoint,
    energy: sympy.Expr,
    rates: Mapping[sympy.Symbol, sympy.Expr],
    ledger: Ledger,
) -> list[sympy.Expr]:
    """Return the equations of the speeds ``(v_O, w)`` of a frame, none of a prescribed one.

    Parameters
    ----------
    point : MaterialPoint
        Kinematics of the point.
    energy : sympy.Expr
        The Lagrangian, which depends on the speeds through T alone.
    rates : mapping
        Time derivative of every symbol.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    if not point.is_free:
        return []
    momenta = [ledger.partial(energy, speed, "dL/dz") for speed in point.frame.speeds]
    changes = [ledger.total(momentum, rates, "d/dt dL/dz") for momentum in momenta]
    carried = transported(point, momenta, ledger)
    forces = point.forces_on_frame(ledger)
    return [
        ledger.sum("equations", change, moved, -force)
        for change, moved, force in zip(changes, carried, forces, strict=True)
    ]


def transported(
    point: MaterialPoint, momenta: list[sympy.Expr], ledger: Ledger
) -> list[sympy.Expr]:
    """Return what momenta change by because their components are those of a moving frame.

    ``w x p`` of the momentum p, ``w x L_O + v_O x p`` of the angular momentum about O.

    Parameters
    ----------
    point : MaterialPoint
        Kinematics of the point, in a free frame.
    momenta : list of sympy.Expr
        p and L_O.
    ledger : Ledger
        Counts the algebra.
    """
    frame, size = point.frame, point.frame.dimension
    w, momentum = frame.angular_velocity, sympy.Matrix(momenta[:size])
    turned = ledger.times(frame.tilde(w), momentum, "w x p")
    if size == 2:  # w is along the normal, like L_O
        normal = sympy.Matrix([[-frame.velocity[1], frame.velocity[0]]])
        return [*turned, *ledger.times(normal, momentum, "v_O x p")]
    moved = ledger.times(frame.tilde(tuple(frame.velocity)), momentum, "v_O x p")
    angular = ledger.times(frame.tilde(w), sympy.Matrix(momenta[size:]), "w x L_O")
    return [*turned, *ledger.add("v_O x p", angular, moved)]
