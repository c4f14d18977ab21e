# SPDX-License-Identifier: BSD-3-Clause
"""Momentum and Hamilton's equations: (43)-(45), for two elements whose mass matrix is numbers.

(45) fits only an element with as many coordinates as the space has dimensions; it is audited on a
general element (a shape of numbers, three by two) and on that one, with the unit matrix as [S].
"""

from __future__ import annotations

from functools import cache, partial

import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Equation, Reading
from flexforge.codegen.study.audit.instant import Array, Instant, column
from flexforge.codegen.study.audit.matrix_form import matrix_equation
from flexforge.codegen.study.audit.vlase_2020 import symbols
from flexforge.codegen.study.audit.vlase_2020.energies import AS_TR

MOMENTA = column("p", 2)
GENERAL = Instant(
    shape=sympy.ImmutableMatrix([[2, 1], [-1, 3], [1, 1]]) / 3, more=(("p", tuple(MOMENTA)),)
)
UNIT = Instant(size=3, shape=sympy.ImmutableMatrix(sympy.eye(3)))

ROW = "the row is read as a column: its transpose"


def at_instant(value: sympy.Matrix) -> sympy.Matrix:
    """Return a matrix of functions of time as one of the symbols of the instant."""
    found = GENERAL.array(value)
    return sympy.Matrix(*found.shape, [entry.as_expr() for entry in found.flat])


@cache
def rates() -> sympy.Matrix:
    """Return d' as it follows from the momenta."""
    momentum, d1 = at_instant(derivations.momentum(GENERAL)), GENERAL.coordinates[1]
    solved = sympy.solve(list(momentum - MOMENTA), list(d1), dict=True)
    return d1.subs(solved[0])


@cache
def hamiltonian() -> sympy.Expr:
    """Return H of d and p."""
    lagrangian = at_instant(sympy.Matrix([[derivations.lagrangian(GENERAL)]]))[0]
    d1 = GENERAL.coordinates[1]
    energy = (MOMENTA.T * d1)[0] - lagrangian
    return sympy.expand(energy.subs(dict(zip(d1, rates(), strict=True)), simultaneous=True))


def momentum_rate() -> Array:
    """Return d/dt of the momentum on the motion that Newton's law gives, of d and p."""
    _, d1, d2 = GENERAL.coordinates
    newton = at_instant(derivations.virtual_power(GENERAL))
    solved = sympy.solve(list(newton), list(d2), dict=True)[0]
    rate = at_instant(derivations.momentum_rate(GENERAL)).subs(solved)
    return GENERAL.array(rate.subs(dict(zip(d1, rates(), strict=True)), simultaneous=True))


@cache
def of_momenta() -> Context:
    """Return the symbols with the derivatives of H, p being independent."""
    energy, d = hamiltonian(), GENERAL.coordinates[0]
    more = {
        "H_p": GENERAL.array(derivations.gradient(energy, MOMENTA)),
        "H_d": GENERAL.array(derivations.gradient(energy, d)),
        "L_v": momentum(GENERAL),
        "p": GENERAL.array(MOMENTA),
    }
    return Context(GENERAL, {**symbols.notations(GENERAL), **more})


def momentum(instant: Instant) -> Array:
    """Return dL/dd'."""
    return instant.array(derivations.momentum(instant))


@cache
def context(instant: Instant) -> Context:
    """Return the symbols of (45), p being the momentum of (26); r_C is the centre of mass."""
    values = symbols.notations(instant)
    more = {
        "p": momentum(instant),
        "mass": instant.array([[1]]),
        "r_C": values["r"],
        "r_C'": values["r'"],
    }
    return Context(instant, {**values, **more})


def rates_of(number: str, title: str, instant: Instant, *readings: Reading) -> Equation:
    """Return the first half of (45) on an element."""
    return matrix_equation(
        number,
        title,
        r"\{\dot{d}\}_L",
        "m_O^-1 (p - mass r_OL' - mass T^T T' r_C' - T^T T' m_O d)",
        lambda: instant.array(instant.coordinates[1]),
        "ḋ itself, with p = ∂L/∂ḋ of (26)",
        context=partial(context, instant),
        vocabulary=("d'",),
        readings=readings,
    )


def momentum_rates_of(number: str, title: str, instant: Instant, *readings: Reading) -> Equation:
    """Return the second half of (45) on an element; its rows stand in parentheses."""
    return matrix_equation(
        number,
        title,
        r"\{\dot{p}\}_L",
        "(p^T m_O^-1 T^T T' m_O) + (int(ρ r_OL'^T T^T T' S)) + (int(ρ r'^T T' S))"
        " + int(ρ (S^T T' S d + S^T T' T S d')) - int(k d) + (q*^T) + (q^T)",
        lambda: instant.array(derivations.lagrangian_slope(instant)),
        "∂L/∂d, which is -∂H/∂d, with p = ∂L/∂ḋ of (26)",
        context=partial(context, instant),
        vocabulary=(
            "S^T T'^T T r_OL'",
            "S^T T'^T Tr'",
            "S^T T'^T T' S d",
            "S^T T'^T T S d'",
            "k d",
            "q",
            "q*",
        ),
        readings=readings,
    )


def column_of(row: str) -> Reading:
    """Read a row as a column."""
    return Reading(row, f"{row}^T", ROW)


ON_UNIT = " of an element with [S] = [E]"
HAMILTON = (
    matrix_equation(
        "43",
        "momentum",
        r"\{p\}_L",
        "- L_v",
        lambda: momentum(GENERAL),
        "∂L/∂ḋ, the momentum of (26), for which ∂H/∂p = ḋ",
        context=of_momenta,
        vocabulary=("m d'", "c d", "m_O r_OL'", "S^T T^T Tr'"),
        source=r"\{p\}_L = -\{\partial L / \partial\{\dot{d}\}_L\}",
    ),
    matrix_equation(
        "44a",
        "Hamilton's equations, rates",
        r"\{\dot{d}\}_L",
        "H_p",
        lambda: GENERAL.array(rates()),
        "ḋ as it follows from p = ∂L/∂ḋ",
        context=of_momenta,
        vocabulary=("m^-1 p", "m^-1 c d", "m^-1 m_O r_OL'", "m^-1 S^T T^T Tr'"),
        source=r"\{\dot{d}\}_L = \{\partial H / \partial\{p\}_L\}",
    ),
    matrix_equation(
        "44b",
        "Hamilton's equations, rates of the momenta",
        r"\{\dot{p}\}_L",
        "- H_d",
        momentum_rate,
        "d/dt ∂L/∂ḋ on the motion that Newton's law gives",
        context=of_momenta,
        vocabulary=(
            "c^T m^-1 p",
            "c^T m^-1 c d",
            "c^T m^-1 m_O r_OL'",
            "c^T m^-1 S^T T^T Tr'",
            "S^T T'^T T r_OL'",
            "S^T T'^T Tr'",
            "S^T T'^T T' S d",
            "k d",
            "q",
            "q*",
        ),
        source=r"\{\dot{p}\}_L = -\{\partial H / \partial\{d\}_L\}",
    ),
    rates_of("45a", "rates", GENERAL),
    rates_of(
        "45a-unit",
        "rates" + ON_UNIT,
        UNIT,
        Reading(
            "r_C'",
            "r_C",
            "the rendering at hand prints a dot over {r_C}_L, which does not change in time",
            rendering=True,
        ),
    ),
    momentum_rates_of("45b", "rates of the momenta", GENERAL),
    momentum_rates_of(
        "45b-unit",
        "rates of the momenta" + ON_UNIT,
        UNIT,
        column_of("(p^T m_O^-1 T^T T' m_O)"),
        column_of("(int(ρ r_OL'^T T^T T' S))"),
        column_of("(int(ρ r'^T T' S))"),
        column_of("(q*^T)"),
        column_of("(q^T)"),
        Reading("r'^T T'", "Tr'^T T'", AS_TR),
    ),
)
