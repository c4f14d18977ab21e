# SPDX-License-Identifier: BSD-3-Clause
"""Kinetic energy, strain energy and energy of accelerations: (10), (15), (19)-(21), (36)."""

from __future__ import annotations

from functools import cache

import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Reading
from flexforge.codegen.study.audit.instant import HALF, VOLUME, Array, Instant, matrix
from flexforge.codegen.study.audit.scutaru_2023.symbols import POINT, TRANSPOSED, equation, form

KINETIC = (
    "m xO'[i] xO'[i]", "α'[ij] α'[ik] J[jk]", "α'[ij] α'[ik] m[jr,kt] δ[r] δ[t]",
    "m[rt] δ'[r] δ'[t]", "S[k] xO'[i] α[ji] α'[jk]", "mO[kr] xO'[i] α[ji] α'[jk] δ[r]",
    "mO[ir] xO'[i] δ'[r]", "m[k,mr] α'[jk] α'[jm] δ[r]", "m[k,ir] α[ji] α'[jk] δ'[r]",
    "m[kr,it] α[ji] α'[jk] δ[r] δ'[t]",
)  # fmt: skip
T_HOW = "1/2 ∫ρ v·v dV with the position differentiated in time"
MIXED = Reading(
    "m[ik,rt] α[ij] α'[jk] δ[r] δ'[t]",
    "m[it,kr] α[ji] α'[jk] δ[r] δ'[t]",
    "m_{ik,rt} is read as ∫ρ N_it N_kr dV, and α_ij α̇_jk as α_ji α̇_jk",
)
APPELL = (
    "xO''[i] + α'[ji] α'[jk] x[k] + α[ji] α''[jk] x[k] + α'[ji] α'[jk] N[kr] δ[r]"
    " + α[ji] α''[jk] N[kr] δ[r] + 2 α[ji] α'[jk] N[kr] δ'[r] + N[ir] δ''[r]"
)
ACCELERATIONS = (
    "m xO''[i] xO''[i]", "α''[ij] α''[ik] J[jk]", "α''[ij] α''[ik] m[jr,kt] δ[r] δ[t]",
    "α'[ij] α'[ik] m[jr,kt] δ'[r] δ'[t]", "m[rt] δ''[r] δ''[t]", "xO''[i] α[ji] α''[jk] S[k]",
    "xO''[i] α[ji] α''[jk] δ[r] mO[kr]", "xO''[i] α[ji] α'[jk] δ'[r] mO[kr]",
    "xO''[i] δ''[r] mO[ir]", "α''[ij] α''[ik] δ[r] m[j,kr]", "α''[ij] α'[ik] δ'[r] m[j,kr]",
    "α[ji] α''[jk] δ''[r] m[k,ir]", "α''[ij] α'[ik] m[jr,kt] δ[r] δ'[t]",
    "α[ji] α''[jk] m[kr,it] δ[r] δ''[t]", "α[ji] α'[jk] m[kr,it] δ'[r] δ''[t]",
)  # fmt: skip
S_HOW = "1/2 ∫ρ a·a dV with the position differentiated twice in time"


def kinetic() -> Array:
    """T."""
    return POINT.array(derivations.kinetic_energy(POINT))


@cache
def accelerations() -> Array:
    """S."""
    return POINT.array(derivations.acceleration_energy(POINT))


# Strain energy: Hooke's tensor with its symmetries and a strain operator of symbols.

PAIRS = [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
VOIGT = [
    [next(n for n, pair in enumerate(PAIRS) if pair == (min(i, j), max(i, j))) for j in range(3)]
    for i in range(3)
]
HOOKE = matrix("H", 6, 6, symmetric=True)
OPERATOR = matrix("b", 6, 3)
STRAIN = Instant(
    size=2,
    more=(("H", tuple(sorted(set(HOOKE), key=str))), ("b", tuple(OPERATOR))),
)


@cache
def strain_context() -> Context:
    """Return the symbols of (16)-(21)."""
    space = range(3)
    hooke = [
        [[[HOOKE[VOIGT[i][j], VOIGT[k][m]] for m in space] for k in space] for j in space]
        for i in space
    ]
    b = [[[OPERATOR[VOIGT[i][j], k] for k in space] for j in space] for i in space]
    stiffness = sympy.Matrix(2, 2, lambda r, t: _strain_energy().diff(_d()[r], _d()[t]))
    values = {
        "H4": STRAIN.array(hooke),
        "b3": STRAIN.array(b),
        "N2": STRAIN.values["N"],
        "δ1": STRAIN.vector(_d()),
        "k2": STRAIN.array(stiffness * VOLUME),
        "dV": STRAIN.array(VOLUME),
    }
    return Context(STRAIN, values)


def _d() -> sympy.Matrix:
    return STRAIN.coordinates[0]


@cache
def _strain_energy() -> sympy.Expr:
    """1/2 sigma_ij eps_ij with sigma = H eps and eps = b N d, a density."""
    n = STRAIN.N * _d()
    eps = [
        [sum(OPERATOR[VOIGT[i][j], k] * n[k] for k in range(3)) for j in range(3)] for i in range(3)
    ]
    energy = sympy.Integer(0)
    for i in range(3):
        for j in range(3):
            sigma = sum(
                HOOKE[VOIGT[i][j], VOIGT[k][m]] * eps[k][m] for k in range(3) for m in range(3)
            )
            energy += HALF * sigma * eps[i][j]
    return energy


@cache
def strain_energy() -> Array:
    """V = 1/2 int sigma_ij eps_ij dV."""
    return STRAIN.array(_strain_energy() * VOLUME)


def stiffness() -> Array:
    """Second derivatives of V: the stiffness that V = 1/2 k_rt d_r d_t calls for."""
    return strain_context().values["k2"]


EQUATIONS = (
    equation(
        "10a",
        "kinetic energy, square of the velocity",
        form(
            "E_C",
            "1/2 int(ρ (xO'[i] + α[ij] α'[jk] x[k] + α[ij] α'[jk] N[kr] δ[r] + N[ir] δ'[r])^2)",
            kinetic,
            TRANSPOSED,
        ),
        "",
        KINETIC,
        T_HOW,
    ),
    equation(
        "10b",
        "kinetic energy, ten terms",
        form(
            "E_C",
            "1/2 int(ρ (xO'[i] xO'[i])) + 1/2 int(ρ α[ij] α[il] α'[jk] α'[lm] x[k] x[m])"
            " + 1/2 int(ρ α[ij] α[im] α'[jk] α'[mn] N[kr] N[nt] δ[r] δ[t])"
            " + 1/2 int(ρ N[ir] N[it] δ'[r] δ'[t]) + int(ρ xO'[i] α[ij] α'[jk] x[k])"
            " + int(ρ xO'[i] α[ij] α'[jk] N[kr] δ[l]) + int(ρ xO'[i] N[ir] δ'[r])"
            " + int(ρ α[ij] α[il] α'[jk] α'[lm] x[k] N[mr] δ[r])"
            " + int(ρ α[ij] α'[jk] x[k] N[ir] δ'[r])"
            " + int(ρ α[ij] α'[jk] N[kr] N[it] δ[r] δ'[t])",
            kinetic,
            TRANSPOSED,
            Reading("N[kr] δ[l]", "N[kr] δ[r]", "δ_l beside N_kr is read as δ_r"),
        ),
        "",
        KINETIC,
        T_HOW,
    ),
    equation(
        "15",
        "kinetic energy by the notations (11)-(14)",
        form(
            "E_c",
            "1/2 m (xO'[i] xO'[i]) + 1/2 α[ij] α[il] α'[jk] α'[lm] J[km]"
            " + 1/2 α[ij] α[im] α'[jk] α'[mn] m[kr,nt] δ[r] δ[t] + 1/2 m[rt] δ'[r] δ'[t]"
            " + S[k] xO'[i] α[ij] α'[jk] + mO[kr] xO'[i] α[ij] α'[jk] δ[r]"
            " + mO[ir] xO'[i] δ'[r] + m[k,mr] α[ij] α[il] α'[jk] α'[lm] δ[r]"
            " + m[k,ir] α[ij] α'[jk] δ'[r] + m[ik,rt] α[ij] α'[jk] δ[r] δ'[t]",
            kinetic,
            MIXED,
            TRANSPOSED,
        ),
        "",
        KINETIC,
        T_HOW,
    ),
    equation(
        "19",
        "strain energy",
        form("E_p", "1/2 int(H[ijkl] b[klm] b[ijp] N[mt] N[pr] δ[r] δ[t])", strain_energy),
        "",
        ("k[rt] δ[r] δ[t]",),
        "1/2 ∫σ_ij ε_ij dV with Hooke's law (17) and the strains (18)",
        context=strain_context,
    ),
    equation(
        "20",
        "stiffness",
        form("k_{nr}", "1/2 int(H[ijkl] b[klm] b[ijp] N[mn] N[pr])", stiffness),
        "nr",
        ("int(H[ijkl] b[klm] b[ijp] N[mn] N[pr])",),
        "second derivatives of the strain energy, as (21) calls for",
        context=strain_context,
    ),
    equation(
        "21",
        "strain energy by the stiffness",
        form("E_p", "1/2 k[ij] δ[i] δ[j]", strain_energy),
        "",
        ("k[rt] δ[r] δ[t]",),
        "1/2 ∫σ_ij ε_ij dV with Hooke's law (17) and the strains (18)",
        context=strain_context,
    ),
    equation(
        "36",
        "energy of accelerations, square of the acceleration",
        form("E_a", f"1/2 int(ρ ({APPELL})^2)", accelerations),
        "",
        ACCELERATIONS,
        S_HOW,
    ),
)
