# SPDX-License-Identifier: BSD-3-Clause
"""Kane's equations: generalized inertia and active forces projected on partial velocities.

No energy function is differentiated: the acceleration is written down, and the rates of the
nodal coordinates serve as generalized speeds (Scutaru 2023 section 4.5), beside them v_O and w
where the motion of the frame is unknown.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.mechanics.formalisms.motion import SecondOrder
from flexforge.codegen.mechanics.formalisms.text import Text
from flexforge.codegen.mechanics.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger

TEXT = Text(
    title="Kane's equations",
    start="the acceleration `a` and the partial velocities `dv/dd'`",
    principle="rho a^T dv/dd' = f^T dv/dd' - sigma^T deps'/dd'",
    gives="second order, one equation per generalized speed",
    idea="""Take Newton's law of the material point, force equals mass times acceleration, and keep
only its components along the directions in which the coordinates can move the point. These
directions are the partial velocities, the derivatives of the velocity by each speed.""",
    difference="""There is no energy function to differentiate. Lagrange obtains the inertia force
by differentiating a scalar three times; Kane writes it down and projects it. The only derivatives
are those of the velocity, which is linear in the speeds: they are its coefficients. Stresses
enter through the partial strain rates in the same way.""",
    recipe=(
        "Choose the generalized speeds: here `d'`.",
        "Write the velocity `v` and the acceleration `a` of a material point.",
        "Differentiate `v` and the strain rate by every speed: the partial rates.",
        "Project `rho a`, the force `f` and the stress on them.",
        "Add the projections and integrate over the element.",
    ),
    useful="""For computer algebra and multibody systems: any speeds that make `v` simple may be
chosen, and nonholonomic constraints only reduce their number.""",
    remark="""An initial stress, if there is one, does work on the quadratic strain `epsq`.""",
)


def equations(point: MaterialPoint, ledger: Ledger) -> SecondOrder:
    """Return Kane's equations of the generalized speeds at a material point.

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
    for speed in point.speeds:
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
