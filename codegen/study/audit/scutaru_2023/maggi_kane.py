# SPDX-License-Identifier: BSD-3-Clause
"""Maggi's and Kane's equations: (56), (58)-(60), (63)-(65)."""

from __future__ import annotations

from functools import cache

import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Form, Reading
from flexforge.codegen.study.audit.instant import TIME, Array, Instant, column
from flexforge.codegen.study.audit.scutaru_2023.kinematics import ACCELERATION
from flexforge.codegen.study.audit.scutaru_2023.lagrange import EQUATION, MOTION, motion
from flexforge.codegen.study.audit.scutaru_2023.symbols import POINT, equation, form, point

# (55) with n = 3 coordinates and m = 1 relationship.
CONSTRAINT, MULTIPLIER = column("A", 3), sympy.Symbol("lambda", real=True)
CONSTRAINED = Instant(more=(("A", tuple(CONSTRAINT)), ("λ", (MULTIPLIER,))))


def constrained() -> Context:
    """Return the symbols of (55), (56): on the motion Maggi's bracket is a_ik times a multiplier.

    That is Lagrange's equation with multipliers, from which Maggi's is to eliminate them.
    """
    coefficients = CONSTRAINT.T
    null = [vector * CONSTRAINT[0] for vector in coefficients.nullspace()]
    values = {
        "a2": CONSTRAINED.array(coefficients),
        "null2": CONSTRAINED.array(sympy.Matrix.hstack(*null)),
        "Ma1": CONSTRAINED.vector(coefficients.T * MULTIPLIER),
    }
    return Context(CONSTRAINED, values)


def nothing() -> Array:
    """N - m = 2 zeros."""
    return CONSTRAINED.vector(sympy.zeros(2, 1))


def _inertia(rows: sympy.Matrix) -> Array:
    """Int rho rows^T a dV."""
    return POINT.vector((rows.T * POINT.acceleration).applyfunc(POINT.mass_integral))


@cache
def by_position() -> sympy.Matrix:
    """dr/dd."""
    return POINT.position.jacobian(POINT.d)


@cache
def kane() -> Context:
    """Return the symbols with forces, inertia and partial velocities."""
    by_velocity = derivations.partial_velocities(POINT)
    more = {
        "F1": POINT.vector(derivations.generalized_force(POINT)),
        "Fnodes1": POINT.vector(POINT.q),
        "a_v1": _inertia(by_velocity),
        "a_r1": _inertia(by_position()),
        "v_qdot2": POINT.array(by_velocity),
    }
    return Context(POINT, {**point().values, **more})


def balance() -> Array:
    """Return forces less inertia, by Lagrange."""
    return -motion()


def partial_velocity(order: int) -> Array:
    """Return the derivative of the local velocity by the coordinates or by their rates."""
    local = sympy.Matrix(POINT.R.T * POINT.velocity)
    return POINT.array(local.jacobian(POINT.d.diff(TIME, order) if order else POINT.d))


def projected(order: int) -> Array:
    """Return the local acceleration projected on these."""
    local = POINT.array(POINT.R.T * POINT.acceleration)
    return (partial_velocity(order).T @ local).reshape(-1)


PROJECTED = (
    "N[it] (xO''[i] + α'[ji] α'[jk] x[k] + α[ji] α''[jk] x[k] + α'[ji] α'[jk] N[kl] δ[l]"
    " + α[ji] α''[jk] N[kl] δ[l] + 2 α[ji] α'[jk] {} δ'[r] + N[ir] δ''[r])"
)
LEFTS = {
    0: r"\frac{\partial\dot x_{M',i}}{\partial\delta_%s}",
    1: r"\frac{\partial\dot x_{M',i}}{\partial\dot\delta_%s}",
}


def shape(order: int) -> Form:
    """Equation (64) with a left side."""
    read = Reading("N[it]", "N[ir]", "N_it is read as N_ir: the free index is r")
    meant = (LEFTS[1] % "r", lambda: partial_velocity(1)) if order == 0 else None
    return form(LEFTS[order] % "r", "N[it]", lambda: partial_velocity(order), read, meant=meant)


def integrand(order: int, shape_name: str, *readings: Reading) -> Form:
    """Equation (65) with a left side."""
    meant = (LEFTS[1] % "t" + r"\ddot x_{M',i}", lambda: projected(1)) if order == 0 else None
    left = LEFTS[order] % "t" + r"\ddot x_{M',i}"
    printed = PROJECTED.format(shape_name)
    return form(left, printed, lambda: projected(order), *readings, meant=meant)


EQUATIONS = (
    equation(
        "56",
        "Maggi's equations",
        form(
            "0",
            "a[kj] Ma[k]",
            nothing,
            Reading(
                "a[kj]",
                "null[kj]",
                "a_kj is read as a basis of the motions that (55) allows, not as its "
                "coefficients a_ij, which have other ranges",
            ),
        ),
        "j",
        (),
        "zero on the motion, where the bracket is a_ik λ_i",
        context=constrained,
    ),
    equation(
        "58",
        "Kane: projection on ∂r/∂q",
        form("0", "F[r] - a_r[r]", balance),
        "r",
        MOTION,
        EQUATION,
        context=kane,
    ),
    equation(
        "59",
        "Kane: partial velocities",
        form(
            r"\frac{\partial\bar r_i}{\partial q_k}",
            "v_qdot[ir]",
            lambda: POINT.array(by_position()),
        ),
        "ir",
        ("α[ij] N[jr]",),
        "the position differentiated by the coordinates",
        context=kane,
    ),
    equation(
        "60",
        "Kane: projection on ∂v/∂q̇",
        form("0", "F[r] - a_v[r]", balance),
        "r",
        MOTION,
        EQUATION,
        context=kane,
    ),
    equation(
        "63",
        "Kane's equations of an element",
        form("0", "Fnodes[r] - a_v[r]", balance),
        "r",
        MOTION,
        EQUATION + "; F_i of the left side are forces at nodes",
        context=kane,
    ),
    equation(
        "64",
        "partial velocity of a point",
        shape(0),
        "ir",
        ("N[ir]",),
        "the velocity in local components, differentiated",
        web=shape(1),
    ),
    equation(
        "65",
        "projected acceleration of a point",
        integrand(0, "N[kr]"),
        "t",
        tuple(f"N[it] {term}" for term in ACCELERATION),
        "the acceleration in local components, projected",
        web=integrand(
            1,
            "Nr[kr]",
            Reading("Nr[kr]", "N[kr]", "the rendering at hand has Nr_kr for N_kr", True),
        ),
    ),
)
