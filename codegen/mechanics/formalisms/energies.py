# SPDX-License-Identifier: BSD-3-Clause
"""Energies at a material point, as densities: what Lagrange, Hamilton and Maggi start from."""

from __future__ import annotations

import sympy
from flexforge.codegen.mechanics.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger


def kinetic_energy(velocity: sympy.Matrix, ledger: Ledger) -> sympy.Expr:
    """Return ``T = 1/2 rho v.v``."""
    energy = ledger.multiply("T", DENSITY / 2, ledger.dot(velocity, velocity, "T"))
    ledger.note("T", energy)
    return energy


def strain_energy(point: MaterialPoint, ledger: Ledger) -> sympy.Expr:
    """Return ``V = 1/2 eps.H eps``, with the work of an initial stress on the quadratic strain."""
    strain = point.strain(point.coordinates, ledger)
    stress = point.stress(strain, ledger)
    energy = ledger.multiply("V", sympy.Rational(1, 2), ledger.dot(strain, stress, "V"))
    if point.initial_stress:
        quadratic = point.quadratic_strain(ledger)
        energy = ledger.sum("V", energy, ledger.dot(point.initial_stress, quadratic, "V"))
    ledger.note("V", energy)
    return energy


def lagrangian(point: MaterialPoint, ledger: Ledger) -> sympy.Expr:
    """Return ``L = T - V + W``, W the work of the forces on the displacement."""
    kinetic = kinetic_energy(point.velocity(ledger), ledger)
    elastic = strain_energy(point, ledger)
    displacement = point.interpolate(point.coordinates, ledger, "W")
    work = ledger.dot(point.body_force, displacement, "W")
    ledger.note("W", work)
    return ledger.sum("L", kinetic, -elastic, work)
