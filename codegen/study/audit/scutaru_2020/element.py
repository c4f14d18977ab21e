# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of the kinetic energy, notations and equations of motion of an element: (33)-(38).

The derivatives are those by local coordinates, brought to global directions by [S]. This is what
the paper's symbols can mean: it holds [S] while it differentiates in time (``IN_FRAME``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Equation, Reading
from flexforge.codegen.study.audit.instant import TIME, Array
from flexforge.codegen.study.audit.matrix_form import coefficient, matrix_equation, part, rest
from flexforge.codegen.study.audit.scutaru_2020 import symbols
from flexforge.codegen.study.audit.scutaru_2020.symbols import (
    NOTATIONS,
    PLANE,
    RATE,
    SECOND_RATE,
    row_as_column,
)

BY_LOCAL = ", by local coordinates, turned to global directions by [S]"
AS_COLUMN = "the transposed acceleration of the origin is read untransposed"
NO_DELTA = (
    "[K_e(ω²)] stands for [K_e(ω²)]{δ}_G: a matrix cannot be added to vectors, and the term is of"
    " first degree in {δ}_G"
)
# The derived side is written in the integrals themselves, but for [K_e(ε)]: (37) lacks its ε.
FORCES = (
    "S m S^T δ_S''", "ω S m_12 S^T δ_S'", "ω S m_21 S^T δ_S'", "ε K_ε δ_G", "ω^2 S m S^T δ_G",
    "ε S m_1y^T", "ε S m_2x^T", "ω^2 S m_1x^T", "ω^2 S m_2y^T", "S m_O^T R^T r_OG''",
    "S m_O^T R'^T r_OG'",
)  # fmt: skip


def turned(column: sympy.Matrix) -> Array:
    """Return a column of derivatives by local coordinates in global directions."""
    return PLANE.array(symbols.TURN * column)


def kinetic_slope() -> sympy.Matrix:
    """Return dT/dd."""
    return derivations.gradient(derivations.kinetic_energy(PLANE), PLANE.d)


def impulse() -> sympy.Matrix:
    """Return dT/dd'."""
    return derivations.gradient(derivations.kinetic_energy(PLANE), PLANE.d.diff(TIME))


@cache
def inertia() -> Array:
    """Return d/dt dT/dd' - dT/dd in global directions."""
    return turned(impulse().diff(TIME) - kinetic_slope())


@cache
def by_coordinates(order: int) -> Array:
    """Return the matrix that multiplies {delta}_G or its rates in the inertia side."""
    local = coefficient(inertia(), PLANE.coordinates[order], PLANE)
    return local @ symbols.context().values["S"].T


def stiffness(group: str) -> Array:
    """Return what multiplies {delta}_G with the angular rate of a group."""
    degrees = {"ω": 0, "ε": 0} | {group: 1 if group == "ε" else 2}
    return part(by_coordinates(0), degrees, PLANE)


def force(group: str) -> Array:
    """Return the inertia side without coordinates and origin, with the rate of a group."""
    degrees = {"ω": 0, "ε": 0} | {group: 1 if group == "ε" else 2}
    return part(rest(inertia(), ("δ", "δ'", "δ''", "a_O"), PLANE), degrees, PLANE)


def origin_mass() -> Array:
    """Return what multiplies the global acceleration of the origin."""
    local = coefficient(inertia(), PLANE.a, PLANE)
    return local @ symbols.context().values["R"].T


@cache
def motion() -> Array:
    """Return Newton's law projected on the partial velocities, in global directions."""
    return turned(derivations.virtual_power(PLANE))


@cache
def context() -> Context:
    """Return the symbols with the forces."""
    fixed = sympy.diag(PLANE.rotation[0], 1)
    more = {"Q_ext": fixed * (PLANE.q + PLANE.q_star), "Q_liaison": sympy.zeros(PLANE.size, 1)}
    arrays = {name: PLANE.array(value) for name, value in more.items()}
    return Context(PLANE, {**symbols.context().values, **arrays})


equation = partial(matrix_equation, context=context)

ROWS = (row_as_column("Q_ε"), row_as_column("Q_ω"))


def slopes(numbers: tuple[str, str, str], names: tuple[str, str, str], of: str) -> list[Equation]:
    """Return the derivatives of T by coordinates and in time, and their difference."""
    by_coordinates, by_time, difference = names
    return [
        equation(
            numbers[0],
            "derivative of the kinetic energy by the coordinates" + of,
            by_coordinates,
            "(v_OG^T R' m_O S^T) - Q_ω - K_ω + 1/2 C_e δ_G'",
            lambda: turned(kinetic_slope()),
            "∂T/∂δ" + BY_LOCAL,
            vocabulary=FORCES,
            readings=(
                row_as_column("(v_OG^T R' m_O S^T)"),
                row_as_column("Q_ω"),
                Reading("K_ω", "K_ωδ", NO_DELTA),
                RATE,
            ),
        ),
        equation(
            numbers[1],
            "time derivative of the derivative by the rates" + of,
            by_time,
            "M_Oe r_OG''^T + Q_ε + M_e δ_G'' + K_ε δ_G + 1/2 C_e δ_G'",
            lambda: turned(impulse().diff(TIME)),
            "d/dt ∂T/∂δ̇" + BY_LOCAL,
            vocabulary=FORCES,
            readings=(
                Reading("r_OG''^T", "r_OG''", AS_COLUMN),
                row_as_column("Q_ε"),
                SECOND_RATE,
                RATE,
            ),
        ),
        equation(
            numbers[2],
            "inertia side of the equations of motion, with (37)" + of,
            difference,
            "M_e δ_G'' + C_e δ_G' + (K_ε + K_ω) δ_G + Q_ε + Q_ω + M_Oe r_OG''",
            inertia,
            "d/dt ∂T/∂δ̇ - ∂T/∂δ" + BY_LOCAL,
            vocabulary=FORCES,
            readings=(SECOND_RATE, RATE, *ROWS),
        ),
    ]


OF_T = r"\{\partial T_e / \partial\{\delta\}_G\}"
OF_RATE = r"\{\partial T_e / \partial\{\dot{\delta}\}_G\}"
IN_TIME = rf"\frac{{d}}{{dt}} {OF_RATE}"
SLOPE, MIDDLE, INERTIA = slopes(("33", "35", "36"), (OF_T, IN_TIME, f"{IN_TIME} - {OF_T}"), "")
IMPULSE = equation(
    "34",
    "derivative of the kinetic energy by the rates",
    OF_RATE,
    "(r_OG'^T R m_O S^T) + (ω (- m_1y + m_2x) S^T) + S m S^T δ_G' + ω S (m_12 - m_21) S^T δ_G",
    lambda: turned(impulse()),
    "∂T/∂δ̇" + BY_LOCAL,
    vocabulary=(
        "S m_O^T R^T r_OG'",
        "ω S m_1y^T",
        "ω S m_2x^T",
        "S m S^T δ_S'",
        "ω S m_12 S^T δ_G",
        "ω S m_21 S^T δ_G",
    ),
    readings=(
        row_as_column("(r_OG'^T R m_O S^T)"),
        row_as_column("(ω (- m_1y + m_2x) S^T)"),
        RATE,
    ),
)
#: (44)-(46) repeat (33), (35) and (36) under a sum over the elements, here of one.
OF_DELTA, OF_DELTA_RATE = (
    rf"\{{\partial T / \partial\{{{name}\}}\}}" for name in (r"\Delta", r"\dot{\Delta}")
)
SUMS = slopes(
    ("44", "45", "46"),
    (
        OF_DELTA,
        rf"\frac{{d}}{{dt}} {OF_DELTA_RATE}",
        rf"\frac{{d}}{{dt}} {OF_DELTA_RATE} - {OF_DELTA}",
    ),
    ", summed over the elements",
)

READ_OFF = "read off d/dt ∂T/∂δ̇ - ∂T/∂δ, which is derived by differentiation: "
NAMES = (
    ("37a", "mass matrix", "M_e", "[M_e]", lambda: by_coordinates(2), "what multiplies {δ̈}"),
    ("37b", "Coriolis matrix", "C_e", "[C_e]", lambda: by_coordinates(1), "what multiplies {δ̇}"),
    (
        "37c",
        "stiffness of the angular acceleration",
        "K_ε",
        r"[K_e(\varepsilon)]",
        lambda: stiffness("ε"),
        "what multiplies {δ}, in ε",
    ),
    (
        "37d",
        "stiffness of the angular velocity",
        "K_ω",
        r"[K_e(\omega)]",
        lambda: stiffness("ω"),
        "what multiplies {δ}, in ω",
    ),
    (
        "37e",
        "mass matrix of the origin",
        "M_Oe",
        "[M_{Oe}^i]",
        origin_mass,
        "what multiplies the acceleration of the origin",
    ),
    (
        "37f",
        "inertia force of the angular velocity",
        "Q_ω",
        r"\{Q_e^i(\omega)\}",
        lambda: force("ω"),
        "what remains, in ω",
    ),
    (
        "37g",
        "inertia force of the angular acceleration",
        "Q_ε",
        r"\{Q_e^i(\varepsilon)\}",
        lambda: force("ε"),
        "what remains, in ε",
    ),
)
WORDS = {
    "M": ("S m S^T", "ω S m_12 S^T", "ω S m_21 S^T", "ε K_ε", "ω^2 S m S^T"),
    "M_Oe": ("S m_O^T R^T",),
    "Q": ("ω^2 S m_1x^T", "ω^2 S m_2y^T", "ε S m_1y^T", "ε S m_2x^T"),
}


def notation(
    number: str, title: str, name: str, left: str, derived: Callable[[], Array], what: str
) -> Equation:
    """Return an entry of (37); rows stand in parentheses, to be read as columns."""
    is_row = name.startswith("Q")
    printed = f"({NOTATIONS[name]})" if is_row else NOTATIONS[name]
    return equation(
        number,
        title + " of (36)",
        left,
        printed,
        derived,
        READ_OFF + what,
        vocabulary=WORDS["Q" if is_row else name if name == "M_Oe" else "M"],
        readings=(row_as_column(printed),) if is_row else (),
    )


TABLE = tuple(notation(*entry) for entry in NAMES)

ELEMENT = (
    SLOPE,
    IMPULSE,
    MIDDLE,
    INERTIA,
    *TABLE,
    equation(
        "38",
        "equations of motion of an element, with (37)",
        "0",
        "M_e δ_G'' + C_e δ_G' + (K + K_ε + K_ω) δ_G"
        " - (Q_ext + Q_liaison + Q_ε + Q_ω + M_Oe r_OG'')",
        motion,
        "Newton's law projected on the partial velocities, less elastic forces and loads; the right"
        " side moved to the left, without liaisons",
        source=r"[M_e]\{\ddot{\delta}_e\}_G + [C_e]\{\dot{\delta}_e\}_G"
        r" + ([K] + [K_e(\varepsilon)] + [K_e(\omega)])\{\delta_e\}_G"
        r" = \{Q_e^{ext}\} + \{Q_e^{liaison}\} + \{Q_e^i(\varepsilon)\}"
        r" + \{Q_e^i(\omega)\} + [M_{Oe}^i]\{\ddot{r}_{Oe}\}_G",
        vocabulary=(*FORCES[:-1], "K δ_G", "Q_ext"),
        readings=(SECOND_RATE, RATE, *ROWS),
    ),
)
