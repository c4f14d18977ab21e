# SPDX-License-Identifier: BSD-3-Clause
"""Kane's equations: generalized inertia and active forces projected on partial velocities.

No energy function is differentiated: the acceleration is written down, and the rates of the
nodal coordinates serve as generalized speeds (paper 000 section 4.5).
"""

from __future__ import annotations

import sympy
from flexforge.codegen.formalisms.motion import SecondOrder
from flexforge.codegen.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.ledger import Ledger


def equations(point: MaterialPoint, ledger: Ledger) -> SecondOrder:
    """Return Kane's equations of the generalized speeds d' at a material point.

    Parameters
    ----------
    point : MaterialPoint
        Kinematics of the point.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    velocity = point.velocity(ledger)
    inertia_force = ledger.scale(DENSITY, point.acceleration(ledger), "F*")
    strain_rate = point.strain(point.velocities, ledger)
    stress = point.stress(point.strain(point.coordinates, ledger), ledger)
    quadratic_rate = [
        ledger.total(strain, point.rates(), "deps/dt") for strain in point.quadratic_strain(ledger)
    ]

    residuals = []
    for speed in point.velocities:
        partial_velocity = ledger.partial_column(velocity, speed, "dv/dd'")
        partial_rate = ledger.partial_column(strain_rate, speed, "deps'/dd'")
        inertia = ledger.dot(inertia_force, partial_velocity, "F*")
        active = ledger.dot(point.body_force, partial_velocity, "F")
        stored = ledger.dot(stress, partial_rate, "F")
        if point.initial_stress:
            partial = ledger.partial_column(sympy.Matrix(quadratic_rate), speed, "deps'/dd'")
            stored = ledger.sum("F", stored, ledger.dot(point.initial_stress, partial, "F"))
        residuals.append(ledger.sum("equations", inertia, -active, stored))
    return SecondOrder(tuple(residuals))
