# SPDX-License-Identifier: BSD-3-Clause
"""Lagrange's equations: ``d/dt dL/dd' - dL/dd = 0`` with ``L = T - V + W``.

Three families of differentiations (papers 000 section 4.2, 001 section 5): by the velocities,
by time, by the coordinates.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.ledger import Ledger


def lagrange(point: MaterialPoint, ledger: Ledger) -> list[sympy.Expr]:
    """Return the residuals of the equations of motion as densities at the point.

    Parameters
    ----------
    point : MaterialPoint
        Kinematics of the point.
    ledger : Ledger
        Counts the differentiations.

    Returns
    -------
    list of sympy.Expr
        One a nodal coordinate.
    """
    velocity = point.velocity()
    kinetic = DENSITY * ledger.dot(velocity, velocity, "T") / 2

    strain = point.strain(point.coordinates)
    stress = point.law.matrix * strain
    elastic = ledger.dot(strain, stress, "V") / 2
    if point.initial_stress:
        elastic += ledger.dot(point.initial_stress, point.quadratic_strain(), "V")

    work = ledger.dot(point.body_force, point.interpolate(point.coordinates), "W")

    lagrangian = kinetic - elastic + work
    rates = point.rates()
    residuals = []
    for coordinate, velocity_coordinate in zip(point.coordinates, point.velocities, strict=True):
        momentum = ledger.partial(lagrangian, velocity_coordinate, "dL/dd'")
        change = ledger.total(momentum, rates, "d/dt dL/dd'")
        residuals.append(change - ledger.partial(lagrangian, coordinate, "dL/dd"))
    return residuals
