# SPDX-License-Identifier: BSD-3-Clause
"""Gibbs-Appell equations: ``dS/dd'' = Q`` with the energy of accelerations ``S = 1/2 rho a.a``.

Only the terms of S with d'' matter (Scutaru 2023 eqs. 44-47, Vlase 2022 section 5.2): with
``a = N d'' + a_0`` these are ``S_2 = 1/2 rho (N d'').(N d'')`` and ``S_1 = rho (N d'').a_0``. One
family of differentiations.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.mechanics.formalisms.motion import SecondOrder
from flexforge.codegen.mechanics.formalisms.text import Text
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.subject import Subject, weighted

TEXT = Text(
    title="Gibbs-Appell equations",
    start="the energy of accelerations `S = 1/2 rho a^T a`",
    principle="dS/dd'' = Q",
    gives="second order, one equation per coordinate",
    idea="""Replace the velocity in the kinetic energy by the acceleration. The resulting function,
the energy of accelerations, is differentiated once, by `d''`, and this derivative is the complete
inertia force.""",
    difference="""Lagrange differentiates three times: by `d'`, by time, by `d`. Here the time
derivatives are taken when the acceleration is written, once for all elements, and only the
derivative by `d''` remains. The price is an acceleration of five terms where the velocity has
four. Since `S` is differentiated only by `d''`, its terms without `d''`, which are most of them,
need not be written. Forces do not follow from `S`: `Q` is found by virtual work.""",
    recipe=(
        "Write the acceleration `a` of a material point: `N d''` and the rest.",
        "Write `S_2`, quadratic in `d''`, and `S_1`, linear in it; leave out the rest.",
        "Differentiate `S_2 + S_1` by every `d''`.",
        "Find the forces `Q` by virtual work: `Q = N^T f - (b N)^T sigma`.",
        "Set the two equal and integrate over the element.",
    ),
    useful="""For computer algebra, since it takes a third of the differentiations of Lagrange; and
for speeds that are not rates of coordinates, and nonholonomic constraints: `d''` may be replaced by
the rates of such speeds.""",
    remark="""`S_1` is `rho` times the product of `N d''` with the acceleration less `N d''`.""",
)


def equations(subject: Subject, ledger: Ledger) -> SecondOrder:
    """Return the Gibbs-Appell equations of the speeds.

    Parameters
    ----------
    subject : Subject
        Kinematics of a material point, or of a system.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    energy = energy_of_accelerations(subject, ledger)
    forces = subject.virtual_work(ledger)
    inertia = ledger.gradient(energy, subject.speed_rates, "dS/dd''")
    return SecondOrder(
        tuple(
            ledger.sum("equations", moved, -force)
            for moved, force in zip(inertia, forces, strict=True)
        )
    )


def energy_of_accelerations(subject: Subject, ledger: Ledger) -> sympy.Expr:
    """Return ``S_2 + S_1``, the part of the energy of accelerations that depends on z' or d''.

    A rotating body has ``S = 1/2 w'.J w' + w'.(w x J w)``.
    """
    half = sympy.Rational(1, 2)
    quadratic, linear = [], []
    for part in subject.parts:
        relative, transport = part.split_acceleration(ledger)
        ledger.note("a", relative + transport)
        turning = part.gyroscopic(ledger)
        if isinstance(part.inertia, sympy.MatrixBase):
            force = weighted(part, transport, ledger, "S")
            force = force if turning is None else ledger.add("S", force, turning)
            own = weighted(part, relative, ledger, "S")
            quadratic.append(ledger.multiply("S", half, ledger.dot(relative, own, "S")))
            linear.append(ledger.dot(relative, force, "S"))
        else:
            square, mixed = (ledger.dot(relative, one, "S") for one in (relative, transport))
            quadratic.append(ledger.multiply("S", part.inertia * half, square))
            linear.append(ledger.multiply("S", part.inertia, mixed))
    second, first = (ledger.sum("S", *terms) for terms in (quadratic, linear))
    ledger.note("S_2", second)
    ledger.note("S_1", first)
    return ledger.sum("S", second, first)
