# SPDX-License-Identifier: BSD-3-Clause
"""Kane's equations: generalized inertia and active forces projected on partial velocities.

No energy function is differentiated: the acceleration is written down, and the rates of the
nodal coordinates serve as generalized speeds (papers 000 section 4.5 and 003).
"""

from __future__ import annotations

import sympy
from flexforge.codegen.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.ledger import Ledger


def kane(point: MaterialPoint, ledger: Ledger) -> list[sympy.Expr]:
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
        One a generalized speed.
    """
    velocity = point.velocity()
    acceleration = point.acceleration()
    strain_rate = point.strain(point.velocities)
    stress = point.law.matrix * point.strain(point.coordinates)
    quadratic = point.quadratic_strain()
    rates = point.rates()
    quadratic_rate = quadratic.applyfunc(lambda e: ledger.total(e, rates, "d/dt strain"))

    residuals = []
    for speed in point.velocities:
        partial_velocity = ledger.partials(velocity, speed, "dv/dd'")
        partial_strain = ledger.partials(strain_rate, speed, "deps/dd'")
        inertia = DENSITY * ledger.dot(acceleration, partial_velocity, "inertia force")
        active = ledger.dot(point.body_force, partial_velocity, "active force")
        active -= ledger.dot(stress, partial_strain, "active force")
        if point.initial_stress:
            partial = ledger.partials(quadratic_rate, speed, "deps/dd'")
            active -= ledger.dot(point.initial_stress, partial, "active force")
        residuals.append(inertia - active)
    return residuals
