# SPDX-License-Identifier: BSD-3-Clause
"""Hamilton's equations: (52)-(54)."""

from __future__ import annotations

from functools import cache

import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Reading
from flexforge.codegen.study.audit.instant import Array, Instant, column
from flexforge.codegen.study.audit.scutaru_2023.lagrange import SLOPE, slope
from flexforge.codegen.study.audit.scutaru_2023.lagrangian import MOMENTUM, P_HOW, momentum
from flexforge.codegen.study.audit.scutaru_2023.symbols import (
    NUMBERS,
    POINT,
    TRANSPOSED,
    equation,
    form,
    point,
    with_inverse,
)

P = column("p", NUMBERS.size)
# The same instant with symbols for the momentum beside those of the velocities.
CANONICAL = Instant(shape=NUMBERS.shape, more=(("p", tuple(P)),))


@cache
def _slopes() -> tuple[Array, Array]:
    """dH/dp and dH/dd of H(d, p) = p.d' - L with d' eliminated; then p = dL/dd' is set.

    L is frozen at the instant first: partial derivatives need no more than its values there.
    """
    d, d1 = CANONICAL.coordinates[:2]
    (positions, speeds, momenta) = (list(CANONICAL.vector(part)) for part in (d, d1, P))
    lagrangian = CANONICAL.number(derivations.lagrangian(CANONICAL))
    p = [lagrangian.diff(speed) for speed in speeds]
    rest = [entry.compose([(speed, 0) for speed in speeds]) for entry in p]
    inverse = CANONICAL.array(sympy.Matrix(CANONICAL.N.T * CANONICAL.N).inv())
    solved = inverse @ [a - b for a, b in zip(momenta, rest, strict=True)]
    hamiltonian = sum(a * b for a, b in zip(momenta, solved, strict=True))
    hamiltonian -= lagrangian.compose(list(zip(speeds, solved, strict=True)))
    set_p = list(zip(momenta, p, strict=True))
    found = [
        NUMBERS.vector([hamiltonian.diff(by).compose(set_p).as_expr() for by in variables])
        for variables in (momenta, positions)
    ]
    return found[0], found[1]


@cache
def by_momentum() -> Array:
    """dH/dp at constant d."""
    return _slopes()[0]


@cache
def by_coordinates() -> Array:
    """dH/dd at constant p."""
    return _slopes()[1]


def hamiltonian_slopes() -> Context:
    """Return the symbols with the derivatives of H."""
    context = with_inverse()
    return Context(NUMBERS, {**context.values, "H_p1": by_momentum(), "H_δ1": by_coordinates()})


def velocities() -> Array:
    """Return the nodal velocities."""
    return NUMBERS.vector(NUMBERS.coordinates[1])


def momentum_rate() -> Array:
    """P' on the motion: d/dt dL/dd' less the equations of motion."""
    return NUMBERS.vector(derivations.momentum_rate(NUMBERS) - derivations.lagrange(NUMBERS))


def lagrangian_slopes() -> Context:
    """Return the symbols with the derivatives of L."""
    more = {"L_dot1": momentum(), "L_δ1": slope()}
    return Context(POINT, {**point().values, **more})


UNFOLD = Reading(
    "m*[ru] m[ik,ut] α[ij] α'[jk]",
    "m*[ru] m[iu,kt] α[ji] α'[jk]",
    "m_{ik,ut} is read as ∫ρ N_iu N_kt dV, and α_ij α̇_jk as α_ji α̇_jk",
)

EQUATIONS = (
    equation(
        "52",
        "canonical momentum",
        form("p_{r,L}", "-L_dot[r]", momentum),
        "r",
        MOMENTUM,
        P_HOW + ", the definition (27)",
        context=lagrangian_slopes,
        web=form("p_{r,L}", "-L_δ[r]", momentum),
    ),
    equation(
        "53a",
        "Hamilton's equations, velocities",
        form(r"\dot\delta_r", "H_p[r]", velocities),
        "r",
        ("δ'[r]",),
        "δ̇ itself; H = p·δ̇ - L with δ̇ eliminated, then p = ∂L/∂δ̇",
        context=hamiltonian_slopes,
    ),
    equation(
        "53b",
        "Hamilton's equations, momentum",
        form(r"\dot p_r", "-H_δ[r]", momentum_rate),
        "r",
        SLOPE,
        "d/dt ∂L/∂δ̇ on the motion; H = p·δ̇ - L with δ̇ eliminated",
        context=hamiltonian_slopes,
    ),
    equation(
        "54a",
        "velocities by the momentum",
        form(
            r"\dot\delta_r",
            "m*[ru] p[u] - m*[ru] mO[iu] xO'[i] - m*[ru] m[k,iu] α[ij] α'[jk]"
            " - m*[ru] m[ik,ut] α[ij] α'[jk] δ[t]",
            by_momentum,
            UNFOLD,
            TRANSPOSED,
        ),
        "r",
        ("δ'[r]",),
        "∂H/∂p of H = p·δ̇ - L with δ̇ eliminated",
        context=with_inverse,
    ),
    equation(
        "54b",
        "rate of the momentum",
        form(
            r"\dot p_{r,L} = \frac{\partial L}{\partial\delta_r}",
            "α[ij] α[im] α'[jk] α'[mn] m[kr,nt] δ[t] + mO[kr] xO'[i] α[ij] α'[jk]"
            " + m[k,mr] α[ij] α[il] α'[jk] α'[lm] + m[ik,rt] α[ij] α'[jk] δ'[t]"
            " - k[rt] δ[t] + q[r] + q*[r]",
            lambda: -by_coordinates(),
            Reading(
                "m[ik,rt] α[ij] α'[jk] δ'[t]",
                "m[it,kr] α[ji] α'[jk] δ'[t]",
                "m_{ik,rt} is read as ∫ρ N_it N_kr dV, and α_ij α̇_jk as α_ji α̇_jk",
            ),
            TRANSPOSED,
        ),
        "r",
        SLOPE,
        "-∂H/∂δ of H = p·δ̇ - L with δ̇ eliminated",
        context=with_inverse,
    ),
)
