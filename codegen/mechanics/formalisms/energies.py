# SPDX-License-Identifier: BSD-3-Clause
"""Energies, at a material point as densities: what Lagrange, Hamilton and Maggi start from."""

from __future__ import annotations

import sympy
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.subject import Subject


def kinetic_energy(
    inertia: sympy.Expr | sympy.MatrixBase, velocity: sympy.Matrix, ledger: Ledger
) -> sympy.Expr:
    """Return ``1/2 rho v.v``, or ``1/2 w.J w`` of a matrix J."""
    if isinstance(inertia, sympy.MatrixBase):
        momentum = ledger.times(inertia, velocity, "T")
        return ledger.multiply("T", sympy.Rational(1, 2), ledger.dot(velocity, momentum, "T"))
    return ledger.multiply("T", inertia / 2, ledger.dot(velocity, velocity, "T"))


def lagrangian(subject: Subject, ledger: Ledger) -> sympy.Expr:
    """Return ``L = T - V + W``, W the work of the forces on the displacement."""
    kinetic = ledger.sum(
        "T",
        *(kinetic_energy(part.inertia, part.velocity(ledger), ledger) for part in subject.parts),
    )
    ledger.note("T", kinetic)
    stored = subject.stored_energy(ledger)
    ledger.note("V", stored)
    work = subject.work(ledger)
    ledger.note("W", work)
    return ledger.sum("L", kinetic, -stored, work)
