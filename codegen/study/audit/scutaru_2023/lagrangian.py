# SPDX-License-Identifier: BSD-3-Clause
"""Lagrangian, momentum and the velocities by the momentum: (25), (26), (28), (30), (31)."""

from __future__ import annotations

from functools import cache

import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Reading
from flexforge.codegen.study.audit.instant import Array
from flexforge.codegen.study.audit.scutaru_2023.energies import KINETIC, MIXED
from flexforge.codegen.study.audit.scutaru_2023.symbols import (
    NUMBERS,
    POINT,
    TRANSPOSED,
    equation,
    form,
    point,
    with_inverse,
)

LAGRANGIAN = (*KINETIC, "k[rt] δ[r] δ[t]", "q[r] δ[r]", "q*[r] δ[r]")
MOMENTUM = (
    "m[rt] δ'[t]", "mO[ir] xO'[i]", "m[k,ir] α[ji] α'[jk]", "m[ir,kt] α[ji] α'[jk] δ[t]",
)  # fmt: skip
MIXED_T = Reading(
    "m[ik,rt] α[ij] α'[jk]",
    "m[ir,kt] α[ji] α'[jk]",
    "m_{ik,rt} is read as ∫ρ N_ir N_kt dV, and α_ij α̇_jk as α_ji α̇_jk",
)
P_HOW = "∂L/∂δ̇ of L = T - V + W, by differentiation"


@cache
def lagrangian() -> Array:
    """L."""
    return POINT.array(derivations.lagrangian(POINT))


@cache
def momentum() -> Array:
    """P = dL/dd'."""
    return POINT.vector(derivations.momentum(POINT))


def parts() -> Context:
    """Return the symbols with the energies and the two works."""
    context = point()
    work = {"Wc": (POINT.q.T * POINT.d)[0], "Wd": (POINT.q_star.T * POINT.d)[0]}
    energies = {
        "Ec": derivations.kinetic_energy(POINT),
        "Ep": derivations.potential_energy(POINT),
        "W": work["Wc"] + work["Wd"],
        **work,
    }
    values = {name: POINT.array(value) for name, value in energies.items()}
    return Context(POINT, {**context.values, **values})


def velocities() -> Array:
    """Return the nodal velocities."""
    return NUMBERS.vector(NUMBERS.coordinates[1])


def reduced_momentum() -> Array:
    """m* p with p = dL/dd'."""
    mass = sympy.Matrix(NUMBERS.N.T * NUMBERS.N)
    return NUMBERS.vector(mass.inv() * derivations.momentum(NUMBERS))


MIXED_U = Reading(
    "m*[ur] m[ik,rt] α[ij] α'[jk]",
    "m*[ur] m[ir,kt] α[ji] α'[jk]",
    "m_{ik,rt} is read as ∫ρ N_ir N_kt dV, and α_ij α̇_jk as α_ji α̇_jk",
)

EQUATIONS = (
    equation(
        "25",
        "Lagrangian by the energies",
        form("L", "Ec - Ep + W + Wc", lagrangian),
        "",
        ("Ec", "Ep", "Wc", "Wd"),
        "T - V + W with W the work (24) of all loads",
        context=parts,
    ),
    equation(
        "26",
        "Lagrangian",
        form(
            "L",
            "1/2 m (xO'[i] xO'[i]) + 1/2 α[ij] α[il] α'[jk] α'[lm] J[km]"
            " + 1/2 α[ij] α[im] α'[jk] α'[mn] m[kr,nt] δ[r] δ[t] + 1/2 m[rt] δ'[r] δ'[t]"
            " + S[k] xO'[i] α[ij] α'[jk] + mO[kr] xO'[i] α[ij] α'[jk] δ[r]"
            " + mO[ir] xO'[i] δ'[r] + m[k,mr] α[ij] α[il] α'[jk] α'[lm] δ[r]"
            " + m[k,ir] α[ij] α'[jk] δ'[r] + m[ik,rt] α[ij] α'[jk] δ[r] δ'[t]"
            " - k[rt] δ[r] δ[t] + q[r] δ[r] + q*[r] δ[r]",
            lagrangian,
            MIXED,
            TRANSPOSED,
        ),
        "",
        LAGRANGIAN,
        "T - V + W, with T by differentiation of the position",
    ),
    equation(
        "28",
        "momentum",
        form(
            "p_{r,L}",
            "m[rt] δ'[t] + mO[ir] xO'[i] + m[k,ir] α[ij] α'[jk] + m[ik,rt] α[ij] α'[jk] δ[t]",
            momentum,
            MIXED_T,
            TRANSPOSED,
        ),
        "r",
        MOMENTUM,
        P_HOW,
    ),
    equation(
        "30",
        "momentum by the inverse mass matrix",
        form(
            r"m^*_{ur} p_{r,L}",
            "δ'[u] + m*[ur] mO[ir] xO'[i] + m*[ur] m[k,ir] α[ij] α'[jk]"
            " + m*[ur] m[ik,rt] α[ij] α'[jk] δ[t]",
            reduced_momentum,
            MIXED_U,
            TRANSPOSED,
        ),
        "u",
        ("δ'[u]", *(f"m*[ur] {term}" for term in MOMENTUM[1:])),
        P_HOW + ", times m*",
        context=with_inverse,
    ),
    equation(
        "31",
        "velocities by the momentum",
        form(
            r"\dot\delta_u",
            "m*[ur] p[r] - m*[ur] mO[ir] xO'[i] - m*[ur] m[k,ir] α[ij] α'[jk]"
            " - m*[ur] m[ik,rt] α[ij] α'[jk] δ[t]",
            velocities,
            MIXED_U,
            TRANSPOSED,
        ),
        "u",
        ("δ'[u]",),
        "δ̇ itself; p on the right is ∂L/∂δ̇ by differentiation",
        context=with_inverse,
    ),
)
