# SPDX-License-Identifier: BSD-3-Clause
"""Kane's equations: generalized inertia and active forces projected on partial velocities.

No energy function is differentiated: the acceleration is written down, and the rates of the
nodal coordinates serve as generalized speeds (Scutaru 2023 section 4.5), beside them v_O and w
where the motion of the frame is unknown.
"""

from __future__ import annotations

from flexforge.codegen.mechanics.formalisms.motion import SecondOrder
from flexforge.codegen.mechanics.formalisms.text import Text
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.subject import Power, Subject, inertia_force

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


def equations(subject: Subject, ledger: Ledger) -> SecondOrder:
    """Return Kane's equations of the generalized speeds.

    Parameters
    ----------
    subject : Subject
        Kinematics of a material point, or of a system.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    parts = subject.parts
    velocities = [part.velocity(ledger) for part in parts]
    moved = [
        Power(velocity, inertia_force(part, ledger, "F*"), "dv/dd'")
        for part, velocity in zip(parts, velocities, strict=True)
    ]
    stored = subject.stored(ledger)
    applied = subject.applied(ledger, velocities)
    projected = [
        ledger.projected([(p.rates, p.force, p.family) for p in powers], subject.speeds, family)
        for powers, family in ((moved, "F*"), (applied, "F"), (stored, "F"))
    ]
    return SecondOrder(
        tuple(
            ledger.sum("equations", inertia, -active, kept)
            for inertia, active, kept in zip(*projected, strict=True)
        )
    )
