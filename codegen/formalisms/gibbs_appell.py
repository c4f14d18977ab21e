# SPDX-License-Identifier: BSD-3-Clause
"""Gibbs-Appell equations: ``dS/dd'' = Q`` with the energy of accelerations ``S = 1/2 rho a.a``.

Only the terms of S that hold d'' matter (papers 000 eqs. 44-47, 001 section 5.2): with
``a = N d'' + a_0`` those are ``S_2 = 1/2 rho (N d'').(N d'')`` and ``S_1 = rho (N d'').a_0``. One
family of differentiations.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.formalisms.motion import SecondOrder
from flexforge.codegen.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.ledger import Ledger


def equations(point: MaterialPoint, ledger: Ledger) -> SecondOrder:
    """Return the Gibbs-Appell equations of the nodal coordinates at a material point.

    Parameters
    ----------
    point : MaterialPoint
        Kinematics of the point.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    energy = energy_of_accelerations(point, ledger)
    forces = point.virtual_work(ledger)
    residuals = []
    for acceleration, force in zip(point.accelerations, forces, strict=True):
        inertia = ledger.partial(energy, acceleration, "dS/dd''")
        residuals.append(ledger.sum("equations", inertia, -force))
    return SecondOrder(tuple(residuals))


def energy_of_accelerations(point: MaterialPoint, ledger: Ledger) -> sympy.Expr:
    """Return ``S_2 + S_1``, the part of the energy of accelerations that depends on d''."""
    relative = point.interpolate(point.accelerations, ledger, "a")
    transport = point.transport_acceleration(ledger)
    ledger.note("a", relative + transport)
    quadratic = ledger.multiply("S", DENSITY / 2, ledger.dot(relative, relative, "S"))
    linear = ledger.multiply("S", DENSITY, ledger.dot(relative, transport, "S"))
    ledger.note("S_2", quadratic)
    ledger.note("S_1", linear)
    return ledger.sum("S", quadratic, linear)
