# SPDX-License-Identifier: BSD-3-Clause
"""Appendix B, the terms of the kinetic energy one by one, the strain energy and the work."""

from __future__ import annotations

from functools import partial

from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Equation, Reading
from flexforge.codegen.study.audit.instant import TIME, VOLUME, Array
from flexforge.codegen.study.audit.matrix_form import coefficient, matrix_equation, scalar
from flexforge.codegen.study.audit.scutaru_2020 import symbols
from flexforge.codegen.study.audit.scutaru_2020.energy import HOW, TERMS, both
from flexforge.codegen.study.audit.scutaru_2020.symbols import (
    LOAD,
    PLANE,
    RATE,
    RATE_T,
    TURN,
    kinetic_part,
)

equation = partial(matrix_equation, context=symbols.context)
TERM = HOW + ", the terms in "
#: The first expression of each entry, which names the term.
LEFT = {
    "B.2": r"\int_V\rho\{\dot{r}_O\}_G^T[\dot{R}]\{r\}_L\,dV",
    "B.3": r"\int_V\rho\{\dot{r}_O\}_G^T[\dot{R}][N][S]^T\{\delta\}_G\,dV",
    "B.4": r"\int_V\rho\{\dot{r}_O\}_G^T[R][N][S]^T\{\dot{\delta}\}_G\,dV",
    "B.5": r"\tfrac12\int_V\rho\{r\}_L^T[\dot{R}]^T[\dot{R}]\{r\}_L\,dV",
    "B.7": r"\int_V\rho\{r\}_L^T[\dot{R}]^T[\dot{R}][N][S]^T\{\delta\}_G\,dV",
    "B.9": r"\int_V\rho\{r\}_L^T[\dot{R}]^T[R][N]\,dV",
    "B.11": r"\tfrac12\int_V\rho\{\delta\}_G^T[S][N]^T[R]^T[R][N][S]^T\{\delta\}_G\,dV",
    "B.15": r"\int_V\rho\{\delta\}_G^T[S][N]^T[\dot{R}]^T[R][N][S]^T\{\dot{\delta}\}_G\,dV",
    "B.16": r"\tfrac12\int_V\rho\{\dot{\delta}\}_G^T[S][N]^T[N][S]^T\{\dot{\delta}\}_G\,dV",
}
NO_DOTS = "the rendering at hand prints no dots over [R]; (A.1) and the result need them"
LOCAL = "the distributed load and the displacement [N]{δ} are in local components"


def unit_spin(value: Array) -> Array:
    """Return a term of T for the angular velocity one."""
    spin = PLANE.ring.gens[[str(s) for s in PLANE.ring.symbols].index(str(PLANE.w[0]))]
    return PLANE.array([[entry.subs(spin, 1) for entry in row] for row in value])


def by_coordinates(value: Array, order: int) -> Array:
    """Return the row that multiplies {delta}_L or its rates."""
    return coefficient(value, PLANE.coordinates[order], PLANE)


def block(i: int, j: int) -> Array:
    """Return the second derivative of int rho u_i u_j' dV by the coordinates and the rates."""
    displacement = PLANE.N * PLANE.d
    density = displacement[i] * displacement[j].diff(TIME)
    integral = scalar(PLANE.mass_integral(density))
    slope = integral.jacobian(PLANE.d.diff(TIME)).T
    return PLANE.array(slope.jacobian(PLANE.d).T)


def strain_energy() -> Array:
    """Return V, whose second derivatives are [K_e]."""
    return PLANE.array(scalar(derivations.potential_energy(PLANE)))


def work() -> Array:
    """Return the work of nodal forces and of a distributed load, from the displacements."""
    moved = PLANE.R.T * (PLANE.position - PLANE.origin)
    displacement = moved - moved.subs(dict.fromkeys(PLANE.d, 0))
    nodal = (TURN * PLANE.q).T * (TURN * PLANE.d)
    return PLANE.array(scalar(nodal[0] + (LOAD.T * displacement)[0] * VOLUME))


def eighth() -> Array:
    """Return the terms of T in the coordinates twice."""
    return kinetic_part(w=2, d=2)


ORIGIN = (
    equation(
        "B.1",
        "the first term",
        "",
        "1/2 mass v_OG^2",
        lambda: kinetic_part(v=2),
        TERM + "v_O twice",
        vocabulary=TERMS,
        source=r"\tfrac12\int_V\rho\{\dot{r}_O\}_G^T\{\dot{r}_O\}_G\,dV = \frac{m v_O^2}{2}",
    ),
    equation(
        "B.2",
        "the second term",
        LEFT["B.2"],
        "v_OG^T R' S_O",
        lambda: kinetic_part(v=1, x=1),
        TERM + "v_O and x",
        vocabulary=TERMS,
    ),
    equation(
        "B.3",
        "the third term",
        LEFT["B.3"],
        "v_OG^T R' m_O S^T δ_G",
        lambda: kinetic_part(v=1, d=1),
        TERM + "v_O and δ",
        vocabulary=TERMS,
    ),
    equation(
        "B.4",
        "the fourth term",
        LEFT["B.4"],
        "v_OG^T R m_O S^T δ_G'",
        lambda: kinetic_part(v=1, d1=1),
        TERM + "v_O and δ̇",
        vocabulary=TERMS,
        readings=(RATE,),
    ),
)

ROTATION = (
    equation(
        "B.5",
        "the fifth term",
        LEFT["B.5"],
        "1/2 ω^2 J_O",
        lambda: kinetic_part(w=2, x=2),
        TERM + "x twice",
        vocabulary=TERMS,
    ),
    equation(
        "B.6",
        "polar moment of inertia",
        "J_O",
        "int(ρ r^T r)",
        lambda: coefficient(coefficient(kinetic_part(w=2, x=2), PLANE.w, PLANE), PLANE.w, PLANE),
        "second derivative of T by the angular velocity",
        vocabulary=("J_O",),
    ),
    equation(
        "B.7",
        "the sixth term",
        LEFT["B.7"],
        "ω^2 (m_1x + m_2y) S^T δ_G",
        lambda: kinetic_part(w=2, x=1, d=1),
        TERM + "x and δ",
        vocabulary=TERMS,
    ),
    equation(
        "B.8",
        "its integrals",
        "[m_{1x}] + [m_{2y}]",
        "int(ρ N1 x) + int(ρ N2 y)",
        lambda: unit_spin(by_coordinates(kinetic_part(w=2, x=1, d=1), 0)),
        "the row that multiplies ω²{δ}_L in the sixth term, by differentiation",
        vocabulary=("m_1x", "m_2y"),
    ),
    equation(
        "B.9a",
        "the seventh term, first expression",
        LEFT["B.9"],
        "int(ρ r^T R'^T R N)",
        lambda: kinetic_part(w=1, x=1, d1=1),
        TERM + "x and δ̇",
        vocabulary=TERMS,
        source=r"\int_V\rho(\{r\}_L^T[\dot{R}]^T[R][N])\,dV ="
        r" \int_V\rho(\{r\}_L^T[\dot{R}]^T[R][N])\,dV\,[S]^T\{\dot{\delta}\}_G",
    ),
    equation(
        "B.9b",
        "the seventh term, last expression, printed without the index G",
        LEFT["B.9"],
        "ω (m_2x - m_1y) S^T δ_G'",
        lambda: kinetic_part(w=1, x=1, d1=1),
        TERM + "x and δ̇",
        vocabulary=TERMS,
        readings=(RATE,),
    ),
    equation(
        "B.10",
        "its integrals",
        "[m_{2x}] - [m_{1y}]",
        "int(ρ N2 x) - int(ρ N1 y)",
        lambda: unit_spin(by_coordinates(kinetic_part(w=1, x=1, d1=1), 1)),
        "the row that multiplies ω{δ̇}_L in the seventh term, by differentiation",
        vocabulary=("m_2x", "m_1y"),
    ),
)


ELASTIC = (
    equation(
        "B.11a",
        "the eighth term, first expression",
        LEFT["B.11"],
        "1/2 int(ρ δ_G^T S N^T R^T R N S^T δ_G)",
        eighth,
        TERM + "δ twice",
        vocabulary=TERMS,
        readings=(Reading("R^T R", "R'^T R'", NO_DOTS, rendering=True),),
        source=LEFT["B.11"],
    ),
    equation(
        "B.11b",
        "the eighth term, second expression",
        LEFT["B.11"],
        "1/2 ω^2 δ_G^T S int(N^T N) S^T δ_G",
        eighth,
        TERM + "δ twice",
        vocabulary=TERMS,
    ),
    equation(
        "B.11c",
        "the eighth term, last expression",
        LEFT["B.11"],
        "1/2 ω^2 δ_G^T S m S^T δ_G",
        eighth,
        TERM + "δ twice",
        vocabulary=TERMS,
    ),
)

BY_RATES = "second derivative of ∫ρ u_i u̇_j dV by {δ}_L and {δ̇}_L"


def mass_block(number: str, i: int, j: int, printed: str) -> Equation:
    """Return one of (B.12) and (B.13)."""
    name = f"m_{i}{j}"
    return equation(
        number,
        f"block {name} of the mass matrix",
        f"[m_{{{i}{j}}}]",
        printed,
        lambda: block(i - 1, j - 1),
        BY_RATES,
        vocabulary=(name,),
    )


BLOCKS = (
    mass_block("B.12a", 1, 1, "int(ρ N1^T N1)"),
    mass_block("B.12b", 1, 2, "int(ρ N1^T N2 y)"),
    mass_block("B.13a", 2, 1, "int(ρ N2^T N1)"),
    mass_block("B.13b", 2, 2, "int(ρ N2^T N2 y)"),
    equation(
        "B.14",
        "mass matrix",
        "[m]",
        "int(ρ (N1^T N1 + N2^T N2))",
        lambda: coefficient(
            coefficient(kinetic_part(d1=2), PLANE.coordinates[1], PLANE).T,
            PLANE.coordinates[1],
            PLANE,
        ),
        "second derivatives of T by {δ̇}_L",
        vocabulary=("m_11", "m_22"),
    ),
    equation(
        "B.15",
        "the ninth term",
        LEFT["B.15"],
        "ω δ_G^T S (m_12 - m_21) S^T δ_G'",
        both,
        TERM + "δ and δ̇",
        vocabulary=TERMS,
        readings=(RATE,),
    ),
    equation(
        "B.16",
        "the tenth term",
        LEFT["B.16"],
        "1/2 δ_G'^T S m S^T δ_G'",
        lambda: kinetic_part(d1=2),
        TERM + "δ̇ twice",
        vocabulary=TERMS,
        readings=(RATE_T, RATE),
    ),
)

WORK = (
    equation(
        "B.17",
        "strain energy",
        "E_p",
        "δ_G^T K_e δ_G",
        strain_energy,
        "the energy whose second derivatives are [K_e]",
        vocabulary=("δ_G^T K_e δ_G",),
    ),
    equation(
        "B.18",
        "work of the external forces",
        "W^{ext}",
        "Q^T δ_G + int(p_G^T N) δ_G",
        work,
        "nodal forces times {δ}_G, load times the displacement, which is the position less the"
        " rigid part",
        vocabulary=("Q^T δ_G", "int(p_G^T R N S^T) δ_G"),
        readings=(
            Reading("p_G^T", "p_L^T", LOCAL),
            Reading("int(p_L^T N) δ_G", "int(p_L^T N) δ_L", LOCAL),
        ),
    ),
)

APPENDIX_B = (*ORIGIN, *ROTATION, *ELASTIC, *BLOCKS, *WORK)
