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
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.subject import Subject, inertia_force

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
    inertia_forces = [inertia_force(part, ledger, "F*") for part in parts]
    stored = subject.stored(ledger)
    applied = subject.applied(ledger, velocities)
    residuals = []
    for speed in subject.speeds:
        partial = _Partials(speed, ledger)
        moved = [
            ledger.dot(force, partial(velocity, "dv/dd'"), "F*")
            for force, velocity in zip(inertia_forces, velocities, strict=True)
        ]
        active = [ledger.dot(p.force, partial(p.rates, p.family), "F") for p in applied]
        kept = [ledger.dot(p.force, partial(p.rates, p.family), "F") for p in stored]
        residuals.append(
            ledger.sum(
                "equations",
                ledger.sum("F*", *moved),
                -ledger.sum("F", *active),
                ledger.sum("F", *kept),
            )
        )
    return SecondOrder(tuple(residuals))


class _Partials:
    """Partial velocities of one speed, each differentiated once."""

    def __init__(self, speed: sympy.Symbol, ledger: Ledger) -> None:
        self._speed, self._ledger = speed, ledger
        self._known: dict[int, sympy.Matrix] = {}

    def __call__(self, rates: sympy.MatrixBase, family: str) -> sympy.Matrix:
        """Return the derivative of a column of rates by the speed."""
        key = id(rates)
        if key not in self._known:
            self._known[key] = self._ledger.partial_column(rates, self._speed, family)
        return self._known[key]
