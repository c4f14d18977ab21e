# SPDX-License-Identifier: BSD-3-Clause
"""Lagrange's equations: ``d/dt dL/dd' - dL/dd = 0`` with ``L = T - V + W``.

Three families of differentiations (papers 000 section 4.1, 001 section 5.1): by the velocities,
by time, by the coordinates.
"""

from __future__ import annotations

from flexforge.codegen.formalisms.energies import lagrangian
from flexforge.codegen.formalisms.motion import SecondOrder
from flexforge.codegen.kinematics import MaterialPoint
from flexforge.codegen.ledger import Ledger


def equations(point: MaterialPoint, ledger: Ledger) -> SecondOrder:
    """Return Lagrange's equations of the nodal coordinates at a material point.

    Parameters
    ----------
    point : MaterialPoint
        Kinematics of the point.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    energy = lagrangian(point, ledger)
    rates = point.rates()
    residuals = []
    for coordinate, velocity in zip(point.coordinates, point.velocities, strict=True):
        momentum = ledger.partial(energy, velocity, "dL/dd'")
        change = ledger.total(momentum, rates, "d/dt dL/dd'")
        force = ledger.partial(energy, coordinate, "dL/dd")
        residuals.append(ledger.sum("equations", change, -force))
    return SecondOrder(tuple(residuals))
