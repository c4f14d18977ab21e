# SPDX-License-Identifier: BSD-3-Clause
"""Virtual power: Newton's law at every point, tested with the field of every coordinate.

The same balance as Kane's, but its projections are columns of N instead of derivatives of the
velocity (Scutaru 2023 eqs. 57-58): nothing is differentiated.
"""

from __future__ import annotations

from flexforge.codegen.mechanics.formalisms.motion import SecondOrder
from flexforge.codegen.mechanics.formalisms.text import Text
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.subject import Subject, inertia_force

TEXT = Text(
    title="Virtual power",
    start="Newton's law `rho a` and the shape functions",
    principle="N^T rho a = N^T f - (b N)^T sigma",
    gives="second order, one equation per coordinate",
    idea="""Let the element move virtually with the field of one nodal coordinate at a time. The
power of the inertia forces in this motion equals that of the applied forces minus that of the
stresses. For a finite element every such field is known: it is a column of `N`.""",
    difference="""Nothing is differentiated. The generalized force of a coordinate, which Lagrange
finds by differentiation, is a product with a column of `N`, and its strain is a column of `b N`.
This is Kane's projection with known partial velocities, and what most books on finite elements do
when they multiply by a test function.""",
    recipe=(
        "Write the acceleration `a` of a material point.",
        "Multiply `rho a` by every column of `N`.",
        "Multiply the force `f` by the same column, the stress by the column of `b N`.",
        "Set them equal and integrate over the element.",
    ),
    useful="""The shortest way if the field is linear in its coordinates, as in every element here;
and for materials without strain energy.""",
)


def equations(subject: Subject, ledger: Ledger) -> SecondOrder:
    """Return the balance of virtual power of every speed.

    Parameters
    ----------
    subject : Subject
        Kinematics of a material point, or of a system.
    ledger : Ledger
        Counts the algebra.
    """
    inertia_forces = [inertia_force(part, ledger, "rho a") for part in subject.parts]
    forces = subject.virtual_work(ledger)
    residuals = []
    for k, force in enumerate(forces):
        inertia = [
            ledger.dot(moved, part.motions[:, k], "rho a")
            for moved, part in zip(inertia_forces, subject.parts, strict=True)
        ]
        residuals.append(ledger.sum("equations", ledger.sum("rho a", *inertia), -force))
    return SecondOrder(tuple(residuals))
