# SPDX-License-Identifier: BSD-3-Clause
"""Kinetic energy of an element, its parts and the sums over elements: (27)-(31), (39)-(42), (A.1).

The sums over the elements (39)-(42) must hold for one element, and are audited on one.
"""

from __future__ import annotations

from functools import cache, partial

from flexforge.codegen.study.audit.equation import Context, Equation, Reading
from flexforge.codegen.study.audit.instant import Array
from flexforge.codegen.study.audit.matrix_form import matrix_equation
from flexforge.codegen.study.audit.scutaru_2020 import symbols
from flexforge.codegen.study.audit.scutaru_2020.symbols import PLANE, RATE, RATE_T, kinetic_part

HOW = "1/2 ∫ρ v·v dV with the position differentiated in time"
TERMS = (
    "mass v_OG^2", "v_OG^T R' S_O", "v_OG^T R' m_O S^T δ_G", "v_OG^T R m_O S^T δ_S'", "ω^2 J_O",
    "ω^2 m_1x S^T δ_G", "ω^2 m_2y S^T δ_G", "ω m_2x S^T δ_S'", "ω m_1y S^T δ_S'",
    "ω^2 δ_G^T S m S^T δ_G", "ω δ_G^T S m_12 S^T δ_S'", "ω δ_G^T S m_21 S^T δ_S'",
    "δ_S'^T S m S^T δ_S'",
)  # fmt: skip


def coordinates_only() -> Array:
    """Return the terms of T in the coordinates without their rates."""
    whole = kinetic_part(d1=0)
    return whole - kinetic_part(d1=0, d=0)


def both() -> Array:
    """Return the terms of T in the coordinates and their rates."""
    return kinetic_part(d1=1, d=1)


def rates_only() -> Array:
    """Return the terms of T in the rates without the coordinates."""
    return kinetic_part(d1=1, d=0) + kinetic_part(d1=2)


@cache
def context() -> Context:
    """Return the symbols with the parts of T by what they contain, and T of an element."""
    parts = {
        "T_e": symbols.kinetic(),
        "T_e0": coordinates_only(),
        "T_e1": rates_only(),
        "T_e10": both(),
        "T_er": kinetic_part(d=0, d1=0),
    }
    return Context(PLANE, {**symbols.context().values, **parts})


equation = partial(matrix_equation, context=context, vocabulary=TERMS)

T_0 = "v_OG^T R' m_O S^T δ_G + ω^2 (m_1x + m_2y) S^T δ_G + 1/2 ω^2 δ_G^T S m S^T δ_G"
T_10 = "ω δ_G^T S (m_12 - m_21) S^T δ_G'"
T_1 = "r_OG'^T R m_O S^T δ_G' - ω (- m_1y + m_2x) S^T δ_G' + δ_G'^T S m S^T δ_G'"


def parts(numbers: tuple[str, str, str], names: tuple[str, str, str], of: str) -> list[Equation]:
    """Return the three parts of T that the paper prints three times."""
    return [
        equation(
            numbers[0],
            "part in the coordinates" + of,
            names[0],
            T_0,
            coordinates_only,
            HOW + ", the terms with coordinates and no rates",
        ),
        equation(
            numbers[1],
            "part in coordinates and rates" + of,
            names[1],
            T_10,
            both,
            HOW + ", the terms with coordinates and rates",
            readings=(RATE,),
        ),
        equation(
            numbers[2],
            "part in the rates" + of,
            names[2],
            T_1,
            rates_only,
            HOW + ", the terms with rates and no coordinates",
            readings=(RATE_T, RATE),
        ),
    ]


ENERGY = (
    equation(
        "27",
        "kinetic energy of an element",
        "T_e",
        "1/2 mass v_OG^2 + v_OG^T R' S_O + v_OG^T R' m_O S^T δ_G + r_OG'^T R m_O S^T δ_G'"
        " + 1/2 ω^2 J_O + ω^2 (m_1x + m_2y) S^T δ_G + ω (m_2x - m_1y) S^T δ_G'"
        " + 1/2 ω^2 δ_G^T S m S δ_G + ω δ_G^T S (m_12 - m_21) S^T δ_G'"
        " + 1/2 δ_G'^T S m S^T δ_G'",
        symbols.kinetic,
        HOW,
        readings=(RATE_T, RATE),
    ),
    *parts(("28", "29", "30"), ("T_{e0}", "T_{e10}", "T_{e1}"), " of the kinetic energy"),
    equation(
        "31",
        "kinetic energy as the sum of its parts",
        "T_e",
        "T_e0 + T_e1 + T_e01 + T_er",
        symbols.kinetic,
        HOW + "; the parts are taken by their description, not by (28)-(30)",
        readings=(Reading("T_e01", "T_e10", "T_{e01} is T_{e10} of (29)"),),
    ),
)

OF_SUM = ", summed over the elements"
SYSTEM_ENERGY = (
    equation(
        "39",
        "kinetic energy of the system",
        "T",
        "1/2 T_e",
        symbols.kinetic,
        HOW + "; the sum has one element",
        source=r"T = \tfrac{1}{2} \sum_{e=1}^{N_e} T_e",
    ),
    *parts(("40", "41", "42"), ("T_0", "T_{10}", "T_1"), OF_SUM),
)

HATS = "the rendering at hand prints hats in this line; where they are dots follows from (25)"
APPENDIX_A = (
    equation(
        "A.1",
        "kinetic energy in local coordinates",
        "T",
        "1/2 int(ρ (r_OG'^T r_OG' + 2 r_OG'^T R' r + 2 r_OG'^T R' N δ_L + 2 r_OG'^T R N δ_L'))"
        " + 1/2 int(ρ (r^T R'^T R' r + 2 r^T R'^T R' N δ_L' + 2 r^T R'^T R N δ_L'))"
        " + 1/2 int(ρ (δ_L^T N^T R'^T R' N δ_L' + 2 δ_L'^T N^T R'^T R' N δ_L'"
        " + δ_L'^T N^T N δ_L'))",
        symbols.kinetic,
        HOW,
        readings=(
            Reading("r^T R'^T R' N δ_L'", "r^T R'^T R' N δ_L", HATS, rendering=True),
            Reading("δ_L^T N^T R'^T R' N δ_L'", "δ_L^T N^T R'^T R' N δ_L", HATS, rendering=True),
            Reading("δ_L'^T N^T R'^T R' N δ_L'", "δ_L^T N^T R'^T R N δ_L'", HATS, rendering=True),
        ),
    ),
    *parts(("A.6-T0", "A.6-T10", "A.6-T1"), ("T_0", "T_{10}", "T_1"), OF_SUM),
)
