# SPDX-License-Identifier: BSD-3-Clause
"""Lagrange's and the Gibbs-Appell equations: (31)-(42)."""

from __future__ import annotations

from functools import cache, partial

from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Reading
from flexforge.codegen.study.audit.instant import Array
from flexforge.codegen.study.audit.matrix_form import matrix_equation
from flexforge.codegen.study.audit.vlase_2020 import symbols
from flexforge.codegen.study.audit.vlase_2020.energies import AS_TR
from flexforge.codegen.study.audit.vlase_2020.symbols import MOTION

NEWTON = (
    "Newton's law projected on the partial velocities ∂v/∂ḋ, less elastic forces and loads, with"
    " no energy function"
)
EQUATION = (
    "m d''", "c d'", "k d", "k_ε d", "k_ω d", "q", "q*", "q_ε", "q_ω", "m_O r_OL''",
)  # fmt: skip


@cache
def newton() -> Array:
    """Newton's law projected on the partial velocities."""
    return MOTION.array(derivations.virtual_power(MOTION))


def force() -> Array:
    """Q."""
    return MOTION.array(derivations.generalized_force(MOTION))


def quadratic() -> Array:
    """E_a2."""
    return symbols.acceleration_part(2)


@cache
def linear() -> Array:
    """E_a1."""
    return symbols.acceleration_part(1)


def linear_slope(order: int) -> Array:
    """Return the derivatives of E_a1 by d' or d''."""
    return symbols.slope(linear(), order)


def free_slope(order: int) -> Array:
    """Return the derivatives of E_a0 by d' or d''."""
    return symbols.slope(symbols.acceleration_part(0), order)


@cache
def context() -> Context:
    """Return the symbols with the derivatives that the formalisms name."""
    more = {
        "p_t": MOTION.array(derivations.momentum_rate(MOTION)),
        "L_d": MOTION.array(derivations.lagrangian_slope(MOTION)),
        "E_d": MOTION.array(derivations.appell_gradient(MOTION)),
        "Q": force(),
    }
    return Context(MOTION, {**symbols.context().values, **more})


equation = partial(matrix_equation, context=context)

LAGRANGE = (
    equation(
        "31",
        "Lagrange's equations",
        "0",
        "p_t - L_d",
        newton,
        NEWTON,
        vocabulary=EQUATION,
        source=r"\frac{d}{dt} \{\partial L/\partial\dot{d}\}_L - \{\partial L/\partial d\}_L = 0",
    ),
    equation(
        "33",
        "equations of motion",
        "0",
        "m d'' + c d' + (k + k_ε + k_ω) d - q - q* + q_ε + q_ω + m_O r_OL''",
        lambda: symbols.inertia(MOTION),
        "d/dt ∂L/∂ḋ - ∂L/∂d of L = T - V + W, by differentiation; the right side moved to the left",
        vocabulary=EQUATION,
        source=r"[m]\{\ddot{d}\}_L + [c]\{\dot{d}\}_L + ([k] + [k(\varepsilon)] + [k(\omega)])"
        r"\{d\}_L = \{q\}_L + \{q^*\}_L - \{q^i(\varepsilon)\}_L - \{q^i(\omega)\}_L"
        r" - [m^i_O]\{\ddot{r}_O\}_L",
    ),
)

APPELL = (
    equation(
        "34",
        "Gibbs-Appell equations",
        "0",
        "E_d - Q",
        newton,
        NEWTON,
        vocabulary=EQUATION,
        source=r"\partial E_a / \partial \ddot{q}_j = Q_j",
    ),
    equation(
        "35",
        "quadratic part of the energy of accelerations",
        "E_{a2}",
        "1/2 int(ρ d''^T S^T S d'')",
        quadratic,
        "the terms of E_a of degree 2 in d̈",
        vocabulary=("int(ρ d''^T S^T S d'')",),
    ),
    equation(
        "36",
        "linear part of the energy of accelerations",
        "E_{a1}",
        "int(ρ (d''^T S^T T^T r_O'' + d''^T S^T T^T r'' + d'^T S^T T^T r' + 2 d'^T S^T T^T r'))",
        linear,
        "the terms of E_a of degree 1 in d̈",
        vocabulary=(
            "int(ρ d''^T S^T T^T r_OG'')",
            "int(ρ d''^T S^T T^T Tr'')",
            "int(ρ d''^T S^T T^T T'' S d)",
            "int(ρ d''^T S^T T^T T' S d')",
        ),
        readings=(
            Reading(
                "T^T r_O''",
                "T^T r_OG''",
                "{r_O} with two dots and no index is read in global components, which [T]^T"
                " before it brings to local ones",
            ),
            Reading("T^T r''", "T^T Tr''", AS_TR),
        ),
    ),
    equation(
        "37",
        "Gibbs-Appell equations, in a column",
        "0",
        "E_d - Q",
        newton,
        NEWTON,
        vocabulary=EQUATION,
        source=r"\{\partial E_a/\partial\ddot{d}\}_L - \{Q\}_L = 0",
    ),
    equation(
        "39",
        "generalized forces",
        r"\{Q\}_L",
        "k d + q + q*",
        force,
        "∂(W - V)/∂d, by differentiation",
        vocabulary=("k d", "q", "q*"),
    ),
    equation(
        "40",
        "derivative of the quadratic part",
        r"\partial E_{a2}/\partial\{\ddot{d}\}_L",
        "int(ρ N^T S) d''",
        lambda: symbols.slope(quadratic(), 2),
        "∂E_a2/∂d̈, by differentiation",
        vocabulary=("m d''",),
        readings=(Reading("N^T", "S^T", "[N], which is not defined, is [S]"),),
    ),
    equation(
        "41",
        "derivative of the linear part",
        r"\partial E_{a1}/\partial\{\dot{d}\}_L",
        "- m_O r_O'' - q_ω - q_ε + (k_ω + k_ε) d + c d'",
        lambda: linear_slope(1),
        "∂E_a1/∂d̈, by differentiation",
        vocabulary=("m_O r_OL''", "q_ω", "q_ε", "k_ω d", "k_ε d", "c d'"),
        meant=(r"\partial E_{a1}/\partial\{\ddot{d}\}_L", lambda: linear_slope(2)),
    ),
    equation(
        "42",
        "derivative of the part without accelerations",
        r"\partial E_{a0}/\partial\{\dot{d}\}_L",
        "0",
        lambda: free_slope(1),
        "∂E_a0/∂d̈, by differentiation",
        meant=(r"\partial E_{a0}/\partial\{\ddot{d}\}_L", lambda: free_slope(2)),
    ),
    equation(
        "39-41",
        "equations of motion: (39), (40) and (41) inserted in (37)",
        "0",
        "m d'' - m_O r_OL'' - q_ω - q_ε + (k_ω + k_ε) d + c d' - (k d + q + q*)",
        newton,
        NEWTON + '; the paper: "finally is obtained the motion equations in the form (33)"',
        vocabulary=EQUATION,
    ),
)
