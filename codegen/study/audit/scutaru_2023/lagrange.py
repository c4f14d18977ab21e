# SPDX-License-Identifier: BSD-3-Clause
"""Lagrange's equations: (37)-(42)."""

from __future__ import annotations

from functools import cache

import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Reading
from flexforge.codegen.study.audit.instant import TIME, Array
from flexforge.codegen.study.audit.scutaru_2023.lagrangian import MOMENTUM, P_HOW, momentum
from flexforge.codegen.study.audit.scutaru_2023.symbols import (
    POINT,
    TRANSPOSED,
    TRANSPOSED_2,
    equation,
    form,
    point,
)

RATE = (
    "m[rt] δ''[t]", "mO[ir] xO''[i]", "mO[ir] α'[ji] α[jk] xO'[k]", "m[k,ir] α'[ji] α'[jk]",
    "m[k,ir] α[ji] α''[jk]", "m[ir,kt] α'[ji] α'[jk] δ[t]", "m[ir,kt] α[ji] α''[jk] δ[t]",
    "m[ir,kt] α[ji] α'[jk] δ'[t]",
)  # fmt: skip
SLOPE = (
    "α'[jk] α'[jn] m[kr,nt] δ[t]", "mO[kr] xO'[i] α[ji] α'[jk]", "m[k,mr] α'[jk] α'[jm]",
    "m[it,kr] α[ji] α'[jk] δ'[t]", "k[rt] δ[t]", "q[r]", "q*[r]",
)  # fmt: skip
MOTION = (
    "m[rt] δ''[t]", "m[ir,kt] α[ji] α'[jk] δ'[t]", "m[ir,kt] α[ji] α''[jk] δ[t]", "k[rt] δ[t]",
    "mO[ir] xO''[i]", "m[k,ir] α[ji] α''[jk]", "q[r]", "q*[r]",
)  # fmt: skip
EQUATION = "d/dt ∂L/∂δ̇ - ∂L/∂δ of L = T - V + W, by differentiation"


@cache
def rate() -> Array:
    """d/dt dL/dd'."""
    return POINT.vector(derivations.momentum_rate(POINT))


@cache
def slope() -> Array:
    """dL/dd."""
    return POINT.vector(derivations.lagrangian_slope(POINT))


@cache
def motion() -> Array:
    """d/dt dL/dd' - dL/dd."""
    return POINT.vector(derivations.lagrange(POINT))


@cache
def newton() -> Array:
    """Return the projection of Newton's law on the partial velocities, less all forces."""
    return POINT.vector(derivations.virtual_power(POINT))


@cache
def dotless() -> Array:
    """d/dt dL/dd - dL/dd, the left side of (41) to the letter."""
    slope = derivations.lagrangian_slope(POINT)
    return POINT.vector(sympy.Matrix(slope.diff(TIME)) - slope)


def derivatives() -> Context:
    """Return the symbols with the derivatives of the Lagrangian."""
    return Context(POINT, {**point().values, "Ldot'1": rate(), "L_δ1": slope()})


def mixed(spatial: str, other: str, coordinate: str) -> Reading:
    """Return how ``m_ik,rt alpha_ij alpha_jk delta_r`` is read: free r, summed t, R^T R'."""
    return Reading(
        f"m[ik,rt] {spatial}[ij] {other}[jk] {coordinate}[r]",
        f"m[ir,kt] {spatial}[ji] {other}[jk] {coordinate}[t]",
        "m_{ik,rt} is read as ∫ρ N_ir N_kt dV, α_ij α_jk with their dots as "
        "α_ji α_jk, and the summed index of δ as t: r is free",
    )


GYROSCOPIC = mixed("α", "α'", "δ'")
EULER = Reading(
    "m[ik,rt] α[ij] α''[jk]",
    "m[ir,kt] α[ji] α''[jk]",
    "m_{ik,rt} is read as ∫ρ N_ir N_kt dV, and α_ij α̈_jk as α_ji α̈_jk",
)
SUM_T = Reading("δ[r]", "δ[t]", "the summed index of δ_r in the bracket is read as t: r is free")
SQUARE = Reading(
    "α'[jk] α'[in] m[kn,rt]",
    "α'[jk] α'[jn] m[kr,nt]",
    "α̇_jk α̇_in m_{kn,rt} is read as α̇_jk α̇_jn m_{kr,nt}, as (40) has it",
)
CENTRIFUGAL = Reading(
    "m[ik,rt] α'[ij] α'[jk] δ[t]",
    "m[ir,kt] α'[ji] α'[jk] δ[t]",
    "m_{ik,rt} is read as ∫ρ N_ir N_kt dV, and α̇_ij α̇_jk as α̇_ji α̇_jk",
)
LEFT = (
    r"\frac{d}{dt}\frac{\partial L}{\partial\dot\delta_r} - "
    r"\frac{\partial L}{\partial\delta_r}"
)
SUM_41 = (
    "m[rt] δ''[t] + 2 m[ik,rt] α[ij] α'[jk] δ'[r]"
    " + (k[rt] - α'[jk] α'[in] m[kn,rt] + m[ik,rt] α[ij] α''[jk]) δ[r]"
)
READINGS = (GYROSCOPIC, EULER, SQUARE, SUM_T, CENTRIFUGAL, TRANSPOSED_2, TRANSPOSED)

EQUATIONS = (
    equation(
        "37",
        "Lagrange's equations",
        form("0", "Ldot'[r] - L_δ[r]", newton),
        "r",
        MOTION,
        "Newton's law projected on the partial velocities ∂v/∂δ̇, less all forces",
        context=derivatives,
    ),
    equation(
        "38",
        "derivative of L by the velocities",
        form(
            r"\frac{\partial L}{\partial\dot\delta_r}",
            "m[rt] δ'[t] + mO[ir] xO'[i] + m[k,ir] α[ij] α'[jk] + m[ik,rt] α[ij] α'[jk] δ[r]",
            momentum,
            mixed("α", "α'", "δ"),
            TRANSPOSED,
        ),
        "r",
        MOMENTUM,
        P_HOW,
    ),
    equation(
        "39",
        "its time derivative",
        form(
            r"\frac{d}{dt}\frac{\partial L}{\partial\dot\delta_r}",
            "m[rt] δ''[t] + mO[ir] xO''[i] + m[k,ir] α'[ij] α'[jk] + m[k,ir] α[ij] α''[jk]"
            " + m[ik,rt] α'[ij] α'[jk] δ'[r] + m[ik,rt] α[ij] α''[jk] δ[r]"
            " + m[ik,rt] α[ij] α'[jk] δ'[r]",
            rate,
            mixed("α'", "α'", "δ'"),
            mixed("α", "α''", "δ"),
            GYROSCOPIC,
            Reading("α'[ij] α'[jk]", "α'[ji] α'[jk]", "α̇_ij α̇_jk is read as α̇_ji α̇_jk"),
            TRANSPOSED_2,
        ),
        "r",
        RATE,
        P_HOW + ", twice",
        web=form(
            r"\frac{d}{dt}\frac{\partial L}{\partial\dot\delta_r}",
            "m[rt] δ''[t] + mO[ir] xO''[i] + m[k,ir] α'[ij] α'[jk] + m[k,ir] α[ij] α''[jk]"
            " + m[ik,rt] α'[ij] α'[jk] δ[r] + m[ik,rt] α[ij] α''[jk] δ[r]"
            " + m[ik,rt] α[ij] α'[jk] δ'[r]",
            rate,
            mixed("α'", "α'", "δ"),
            mixed("α", "α''", "δ"),
            GYROSCOPIC,
            Reading("α'[ij] α'[jk]", "α'[ji] α'[jk]", "α̇_ij α̇_jk is read as α̇_ji α̇_jk"),
            TRANSPOSED_2,
        ),
    ),
    equation(
        "40",
        "derivative of L by the coordinates",
        form(
            r"\frac{\partial L}{\partial\delta_r}",
            "α[ij] α[im] α'[jk] α'[mn] m[kr,nt] δ[t] + mO[kr] xO'[i] α[ij] α'[jk]"
            " + m[k,mr] α[ij] α[il] α'[jk] α'[lm] + m[ik,rt] α[ij] α'[jk] δ'[t]"
            " - k[rt] δ[t] + q[r] + q*[r]",
            slope,
            Reading(
                "m[ik,rt] α[ij] α'[jk] δ'[t]",
                "m[it,kr] α[ji] α'[jk] δ'[t]",
                "m_{ik,rt} is read as ∫ρ N_it N_kr dV, and α_ij α̇_jk as α_ji α̇_jk",
            ),
            TRANSPOSED,
        ),
        "r",
        SLOPE,
        "∂L/∂δ of L = T - V + W, by differentiation",
    ),
    equation(
        "41",
        "difference of the two",
        form(
            r"\frac{d}{dt}\frac{\partial L}{\partial\delta_r}"
            r" - \frac{\partial L}{\partial\delta_r}",
            SUM_41 + " - mO[ir] xO''[i] + m[k,ir] α[ij] α''[jk]"
            " + m[ik,rt] α'[ij] α'[jk] δ[r] - mO[kr] xO'[i] α[ij] α'[jk] - q[r] - q*[r]",
            dotless,
            *READINGS,
            meant=(LEFT, motion),
        ),
        "r",
        MOTION,
        EQUATION,
    ),
    equation(
        "42",
        "equations of motion",
        form(
            "0",
            SUM_41 + " - (q[r] + q*[r] - mO[ir] xO''[i] - m[k,ir] α[ij] α''[jk]"
            " - m[ik,rt] α'[ij] α'[jk] δ[r] - mO[kr] xO'[i] α[ij] α'[jk])",
            motion,
            *READINGS,
        ),
        "r",
        MOTION,
        EQUATION,
    ),
)
