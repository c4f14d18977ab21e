# SPDX-License-Identifier: BSD-3-Clause
"""Gibbs-Appell's equations: (43)-(51)."""

from __future__ import annotations

from functools import cache

import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Form, Reading
from flexforge.codegen.study.audit.instant import TIME, Array
from flexforge.codegen.study.audit.scutaru_2023.energies import S_HOW, accelerations
from flexforge.codegen.study.audit.scutaru_2023.lagrange import EQUATION, MOTION, motion
from flexforge.codegen.study.audit.scutaru_2023.symbols import (
    POINT,
    TRANSPOSED_2,
    equation,
    form,
    point,
)

LINEAR = (
    "xO''[i] δ''[r] mO[ir]", "α[ji] α''[jk] δ''[r] m[k,ir]",
    "α[ji] α''[jk] δ[r] δ''[t] m[kr,it]", "α[ji] α'[jk] δ'[r] δ''[t] m[kr,it]",
)  # fmt: skip
SLOPE = (
    "xO''[i] mO[ir]", "α[ji] α''[jk] m[k,ir]", "α[ji] α''[jk] δ[t] m[kt,ir]",
    "α[ji] α'[jk] δ'[t] m[kt,ir]",
)  # fmt: skip


@cache
def _orders() -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """S by its degree in the accelerations, found by differentiation at zero acceleration."""
    energy = derivations.acceleration_energy(POINT)
    second = POINT.d.diff(TIME, 2)
    still = dict.fromkeys(second, sympy.Integer(0))
    slopes = derivations.gradient(energy, second)
    linear = (slopes.xreplace(still).T * second)[0]
    quadratic = sum(
        (
            slopes[r].diff(second[t]) * second[r] * second[t] / 2
            for r in range(POINT.size)
            for t in range(POINT.size)
        ),
        sympy.Integer(0),
    )
    return energy.xreplace(still), linear, quadratic


def _slope(order: int, derivative: int) -> Array:
    """Return the derivative of a part by the coordinates (0), velocities or accelerations (2)."""
    by = POINT.d.diff(TIME, derivative) if derivative else POINT.d
    return POINT.vector(derivations.gradient(_orders()[order], sympy.Matrix(by)))


@cache
def force() -> Array:
    """Q = d(W - V)/dd."""
    return POINT.vector(derivations.generalized_force(POINT))


def parts() -> Context:
    """Return the symbols with the energy of accelerations, its parts and their derivatives."""
    energies = {f"Ea{n}": POINT.array(value) for n, value in enumerate(_orders())}
    slopes = {
        "Ea_δ''1": POINT.vector(derivations.appell_gradient(POINT)),
        "Ea1_δ''1": _slope(1, 2),
        "Ea2_δ''1": _slope(2, 2),
        "Q1": force(),
    }
    return Context(POINT, {**point().values, **energies, **slopes})


BRACKET = Reading("m[k,mr]", "m[k,ir]", "m_{k,mr} beside α_ji α_jk is read as m_{k,ir}")
BRACKET_2 = Reading("m[kr,mt]", "m[kr,it]", "m_{kr,mt} beside α_ji α_jk is read as m_{kr,it}")
SUMMED = Reading(
    "δ[r] m[kr,mt]",
    "δ[t] m[kt,ir]",
    "δ_r m_{kr,mt} is read as δ_t m_{kt,ir}: r is the free index",
)
SUMMED_RATE = Reading(
    "δ'[r] m[kr,mt]",
    "δ'[t] m[kt,ir]",
    "δ̇_r m_{kr,mt} is read as δ̇_t m_{kt,ir}: r is the free index",
)
DIFFERENTIATED = (
    "xO''[i] mOI[ir] + (α'[ji] α'[jk] + α[ji] α''[jk]) m[k,mr]"
    " + (α'[ji] α'[jk] + α[ji] α''[jk]) δ[r] m[kr,mt] + 2 α[ji] α'[jk] δ'[r] m[kr,mt]"
)


def _by(order: int) -> tuple[str, str]:
    """Return the left sides with the derivative by the velocities and by the accelerations."""
    start = rf"\frac{{\partial E_{{a{order}}}}}{{\partial "
    return start + r"\dot\delta_r}", start + r"\ddot\delta_r}"


def quadratic(left: str, derivative: int) -> Form:
    """Equation (49) with a left side."""
    meant = (_by(2)[1], lambda: _slope(2, 2)) if derivative < 2 else None
    return form(left, "m[rt] δ''[t]", lambda: _slope(2, derivative), meant=meant)


def linear(left: str, derivative: int) -> Form:
    """Equation (50) with a left side."""
    meant = (_by(1)[1], lambda: _slope(1, 2)) if derivative < 2 else None
    return form(
        left,
        DIFFERENTIATED,
        lambda: _slope(1, derivative),
        SUMMED,
        SUMMED_RATE,
        BRACKET,
        meant=meant,
    )


EQUATIONS = (
    equation(
        "43",
        "Gibbs-Appell's equations",
        form("0", "Ea_δ''[r] - Q[r]", motion),
        "r",
        MOTION,
        EQUATION,
        context=parts,
    ),
    equation(
        "44",
        "energy of accelerations, quadratic part",
        form("E_{a2}", "1/2 m[rt] δ''[r] δ''[t]", lambda: POINT.array(_orders()[2])),
        "",
        ("m[rt] δ''[r] δ''[t]",),
        S_HOW + ", the part of second degree in δ̈",
    ),
    equation(
        "45",
        "energy of accelerations, linear part",
        form(
            "E_{a1}",
            "xO''[i] δ''[r] mOI[ir] + (α'[ji] α'[jk] + α[ij] α''[jk]) δ''[r] m[k,mr]"
            " + (α'[ji] α'[jk] + α[ij] α''[jk]) δ[r] δ''[t] m[kr,mt]"
            " + 2 α[ji] α'[jk] δ'[r] δ''[t] m[kr,mt] dV",
            lambda: POINT.array(_orders()[1]),
            TRANSPOSED_2,
            BRACKET,
            BRACKET_2,
        ),
        "",
        LINEAR,
        S_HOW + ", the part of first degree in δ̈",
    ),
    equation(
        "46",
        "energy of accelerations by its parts",
        form("E_a", "Ea0 + Ea1 + Ea2", accelerations),
        "",
        ("Ea0", "Ea1", "Ea2"),
        S_HOW,
        context=parts,
    ),
    equation(
        "47",
        "Gibbs-Appell's equations by the parts",
        form("0", "Ea1_δ''[r] + Ea2_δ''[r] - Q[r]", motion),
        "r",
        MOTION,
        EQUATION,
        context=parts,
    ),
    equation(
        "48",
        "generalized forces",
        form(
            "Q_{r,L}",
            "k[rt] δ[t] + δ[r] + δ*[r]",
            force,
            Reading("δ[r]", "q[r]", "δ_r standing alone is read as the load q_r"),
            Reading("δ*[r]", "q*[r]", "δ*_r is read as the load q*_r"),
        ),
        "r",
        ("k[rt] δ[t]", "q[r]", "q*[r]"),
        "∂(W - V)/∂δ, by differentiation",
    ),
    equation(
        "49",
        "derivative of the quadratic part",
        quadratic(_by(2)[0], 1),
        "r",
        ("m[rt] δ''[t]",),
        "∂E_a2/∂δ̈, by differentiation",
        web=quadratic(_by(2)[1], 2),
    ),
    equation(
        "50",
        "derivative of the linear part",
        linear(_by(1)[0], 1),
        "r",
        SLOPE,
        "∂E_a1/∂δ̈, by differentiation",
        web=linear(_by(1)[1], 2),
    ),
    equation(
        "51",
        "derivative of the rest",
        form(
            r"\frac{\partial E_{a0}}{\partial\delta_r}",
            "0",
            lambda: _slope(0, 0),
            meant=(r"\frac{\partial E_{a0}}{\partial\ddot\delta_r}", lambda: _slope(0, 2)),
        ),
        "r",
        ("xO''[i] α[ji] α''[jk] mO[kr]",),
        "∂E_a0/∂δ̈, by differentiation",
    ),
)
