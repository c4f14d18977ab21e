# SPDX-License-Identifier: BSD-3-Clause
"""Sums over the elements and stacked columns: (48), (49), on two elements of two coordinates.

The kinetic energy is any that is quadratic in rates and coordinates, a sum over the elements.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Reading
from flexforge.codegen.study.audit.instant import HALF, TIME, Array, Instant, matrix
from flexforge.codegen.study.audit.matrix_form import matrix_equation, part

MASSES = tuple(matrix(f"M{e}", 2, 2, symmetric=True) for e in (1, 2))
MIXED = tuple(matrix(f"G{e}", 2, 2) for e in (1, 2))
PAIR = Instant(
    2,
    4,
    more=tuple(
        (name, tuple(sorted(set().union(*blocks), key=str)))
        for name, blocks in (("M", MASSES), ("G", MIXED))
    ),
)


@cache
def inertia() -> Array:
    """Return d/dt dT/dDelta' - dT/dDelta of two elements."""
    energy, rates = sympy.Integer(0), PAIR.d.diff(TIME)
    for e in (0, 1):
        own = slice(2 * e, 2 * e + 2)
        d, d1 = PAIR.d[own, :], rates[own, :]
        energy += (HALF * d1.T * MASSES[e] * d1 + d1.T * MIXED[e] * d)[0]
    impulse = derivations.gradient(energy, rates)
    return PAIR.array(impulse.diff(TIME) - derivations.gradient(energy, PAIR.d))


@cache
def context() -> Context:
    """Return the matrices of the elements, and the same in the rows of the stacked column."""
    values: dict[str, Array] = {}
    zero = PAIR.array(sympy.zeros(2))
    for e in (0, 1):
        own = slice(2 * e, 2 * e + 2)
        for order, dots in enumerate(("", "'", "''")):
            values[f"δ_{e + 1}{dots}"] = PAIR.array(PAIR.coordinates[order][own, :])
        for name, block in (("M", MASSES[e]), ("C", MIXED[e] - MIXED[e].T)):
            found = PAIR.array(block)
            values[f"{name}_{e + 1}"] = found
            values[f"{name}_A{e + 1}"] = np.vstack((found, zero) if e == 0 else (zero, found))
    return Context(PAIR, values)


equation = partial(matrix_equation, context=context)
HOW = "d/dt ∂T/∂Δ̇ - ∂T/∂Δ of two elements, by differentiation: the terms in "


def stacked(name: str) -> tuple[Reading, ...]:
    """Read the matrix of an element as its rows in the stacked column."""
    why = "the sum of the columns of unlike elements stands for the stacking {A(...)} of (43)"
    return tuple(Reading(f"{name}_{e}", f"{name}_A{e}", why) for e in (1, 2))


ASSEMBLY = (
    equation(
        "48",
        "inertia of all elements",
        r"[M]\{\ddot{\Delta}\}",
        "M_1 δ_1'' + M_2 δ_2''",
        lambda: part(inertia(), {"δ''": 1}, PAIR),
        HOW + "Δ̈",
        vocabulary=("M_A1 δ_1''", "M_A2 δ_2''"),
        readings=stacked("M"),
        source=r"\sum_{e=1}^{N_e} [M_e]\{\ddot{\delta}_e\}_G = [M]\{\ddot{\Delta}\}",
    ),
    equation(
        "49",
        "gyroscopic terms of all elements",
        r"[C]\{\dot{\Delta}\}",
        "C_1 δ_1'' + C_2 δ_2''",
        lambda: part(inertia(), {"δ'": 1}, PAIR),
        HOW + "Δ̇",
        vocabulary=("C_A1 δ_1'", "C_A2 δ_2'"),
        readings=(
            *stacked("C"),
            *(
                Reading(
                    f"δ_{e}''",
                    f"δ_{e}'",
                    "the rendering at hand prints two dots over {δ_e} and one over {Δ}",
                    rendering=True,
                )
                for e in (1, 2)
            ),
        ),
        source=r"\sum_{e=1}^{N_e} [C_e]\{\ddot{\delta}_e\}_G = [C]\{\dot{\Delta}\}",
    ),
)
