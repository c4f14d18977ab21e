# SPDX-License-Identifier: BSD-3-Clause
"""What the symbols of Scutaru 2020 stand for: a planar element with three coordinates.

Two displacements and an angle at one node, so that [S] of (26) turns the first two and leaves the
third: neither a multiple of [R] nor of the unit matrix. The paper's m is the mass and a matrix;
the mass is ``mass`` here. Rows N1, N2 of [N] give the blocks m_11, m_12, ...
"""

from __future__ import annotations

from functools import cache

import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Reading
from flexforge.codegen.study.audit.evaluate import sum_of
from flexforge.codegen.study.audit.instant import RHO, TIME, Array, Instant, column
from flexforge.codegen.study.audit.matrix_form import part, scalar
from flexforge.codegen.study.audit.notation import parse

LOAD = column("p", 2)
PLANE = Instant(2, 3, more=(("p", tuple(LOAD)),))
#: [S] of (26) as a function of time: local to global nodal coordinates.
TURN = sympy.diag(PLANE.R, 1)

#: (37), as printed.
NOTATIONS = {
    "M_e": "S m S^T",
    "C_e": "2 ω S (m_12 - m_21) S^T",
    "K_ε": "S (m_12 - m_21) S^T",
    "K_ω": "ω^2 S m S^T",
    "M_Oe": "S m_O^T R^T",
    "Q_ω": "ω^2 (m_1x + m_2y) S^T",
    "Q_ε": "ε (- m_1y + m_2x) S^T",
}

IN_FRAME = (
    "the dots of {δ}_G are taken in the turning frame: [S]{δ}_L with these dots over {δ}_L, not"
    " over [S]"
)
RATE = Reading("δ_G'", "δ_S'", IN_FRAME)
RATE_T = Reading("δ_G'^T", "δ_S'^T", IN_FRAME)
SECOND_RATE = Reading("δ_G''", "δ_S''", IN_FRAME)


def row_as_column(row: str) -> Reading:
    """Read a row in parentheses, or a symbol that is a row, as a column."""
    return Reading(row, f"{row}^T", "a row stands among columns and is read as its transpose")


def integrals() -> dict[str, sympy.Matrix]:
    """Return the integrals of appendix B; m_12 and m_22 as (B.14) and (B.15) need them."""
    whole, (x, y) = PLANE.N, PLANE.x
    one, two = whole[0, :], whole[1, :]
    found = {
        "m": whole.T * whole,
        "m_O": whole,
        "S_O": PLANE.x,
        "J_O": PLANE.x.T * PLANE.x,
        "m_11": one.T * one,
        "m_12": one.T * two,
        "m_21": two.T * one,
        "m_22": two.T * two,
        "m_1x": one * x,
        "m_1y": one * y,
        "m_2x": two * x,
        "m_2y": two * y,
        "mass": scalar(1),
    }
    return {name: PLANE.mass_integral(value) for name, value in found.items()}


@cache
def context() -> Context:
    """Return the values of the symbols of an element."""
    turn, d = PLANE.rotation, PLANE.coordinates
    fixed = sympy.diag(turn[0], 1)
    whole = TURN * PLANE.d
    stiffness = PLANE.k
    values = {
        "ρ": scalar(RHO),
        "R": turn[0],
        "R'": turn[1],
        "R''": turn[2],
        "S": fixed,
        "N": PLANE.N,
        "N1": PLANE.N[0, :],
        "N2": PLANE.N[1, :],
        "r": PLANE.x,
        "x": scalar(PLANE.x[0]),
        "y": scalar(PLANE.x[1]),
        "ω": PLANE.w,
        "ε": PLANE.e,
        "E": sympy.eye(2),
        "δ_L": d[0],
        "δ_L'": d[1],
        "δ_L''": d[2],
        "δ_G": whole,
        "δ_G'": whole.diff(TIME),
        "δ_G''": whole.diff(TIME, 2),
        "δ_S'": fixed * d[1],
        "δ_S''": fixed * d[2],
        "r_OG'": turn[0] * PLANE.v,
        "v_OG": turn[0] * PLANE.v,
        "r_OG''": turn[0] * PLANE.a,
        "K_e": fixed * stiffness * fixed.T,
        "K": fixed * stiffness * fixed.T,
        "Q": fixed * PLANE.q,
        "p_G": turn[0] * LOAD,
        "p_L": LOAD,
        **integrals(),
    }
    arrays = {name: PLANE.array(value) for name, value in values.items()}
    for name, text in NOTATIONS.items():
        arrays[name] = sum_of(parse(text), None, arrays, PLANE)
    # Where a matrix stands for a vector, the vector it is short for.
    return Context(PLANE, {**arrays, "K_ωδ": arrays["K_ω"] @ arrays["δ_G"]})


@cache
def kinetic() -> Array:
    """Return T at the instant."""
    return PLANE.array(scalar(derivations.kinetic_energy(PLANE)))


def kinetic_part(**degrees: int) -> Array:
    """Return the terms of T with degrees in v (velocity of O), w, x, d and d1 (rates of d)."""
    names = {"v": "v_O", "w": "ω", "x": "x", "d": "δ", "d1": "δ'"}
    return part(kinetic(), {names[name]: degree for name, degree in degrees.items()}, PLANE)
