# SPDX-License-Identifier: BSD-3-Clause
"""What the symbols of the paper stand for, from its own definitions (1)-(4), (11)-(14), (29), (35).

The rotation is alpha, ``X_i = alpha_ij x_j``. Dotted x_O are the local components of the origin's
velocity and acceleration, by (35). The integrals are those of (11)-(14) at one generic point.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import sympy
from flexforge.codegen.study.audit.equation import Context, Equation, Form, Reading
from flexforge.codegen.study.audit.instant import RHO, VOLUME, Array, Instant, column
from flexforge.codegen.study.audit.latex import latex

POINT = Instant()
# m* of (29) is the inverse of m: numbers for the shape functions of this one.
NUMBERS = Instant(shape=sympy.ImmutableMatrix([[2, 1], [-1, 3], [1, 1]]) / 3)

TRANSPOSED = Reading(
    "α[ij] α'[jk]",
    "α[ji] α'[jk]",
    "α_ij α̇_jk is read as α_ji α̇_jk, as (9) has it: α_ij goes from local to global",
)
TRANSPOSED_2 = Reading(
    "α[ij] α''[jk]",
    "α[ji] α''[jk]",
    "α_ij α̈_jk is read as α_ji α̈_jk: α_ij goes from local to global",
)


def products(instant: Instant) -> dict[str, Array]:
    """Return the integrals (11)-(14) by definition."""
    x, n = list(instant.x), instant.N.tolist()
    weight = RHO * VOLUME
    space, size = range(3), range(instant.size)
    return {
        "m": instant.array(weight),
        "S1": instant.array([weight * x[k] for k in space]),
        "J2": instant.array([[weight * a * b for b in x] for a in x]),
        "mO2": instant.array([[weight * n[k][r] for r in size] for k in space]),
        "m2": instant.array(
            [[weight * sum(n[i][r] * n[i][t] for i in space) for t in size] for r in size]
        ),
        "m12": instant.array([[[weight * a * b for b in row] for row in n] for a in x]),
        "m22": instant.array(
            [[[[weight * a * b for b in r2] for r2 in n] for a in r1] for r1 in n]
        ),
    }


@cache
def symbols(instant: Instant) -> Context:
    """Return the values of the paper's symbols at an instant."""
    v, integrals = instant.values, products(instant)
    d, d1, d2 = (v[name].reshape(-1) for name in ("d", "d'", "d''"))
    local = [v[name].reshape(-1) for name in ("v", "a")]
    values = {
        "ρ": instant.array(RHO),
        "dV": instant.array(VOLUME),
        "α2": v["R"],
        "α'2": v["R'"],
        "α''2": v["R''"],
        "x1": v["x"].reshape(-1),
        "N2": v["N"],
        "δ1": d,
        "δ'1": d1,
        "δ''1": d2,
        "u1": v["N"] @ d,
        "k2": v["k"],
        "q1": v["q"].reshape(-1),
        "q*1": v["q*"].reshape(-1),
        "XO1": instant.vector(column("X", 3)),
        "XO'1": v["R"] @ local[0],
        "XO''1": v["R"] @ local[1],
        "xO1": v["R"].T @ instant.vector(column("X", 3)),
        "xO'1": local[0],
        "xO''1": local[1],
        "kron2": instant.array(sympy.eye(3)),
        **integrals,
        "mOI2": integrals["mO2"],
    }
    return Context(instant, values)


@cache
def with_inverse() -> Context:
    """Return the same on numbers for the shape functions, with m* and p."""
    from flexforge.codegen.study.audit.derivations import momentum

    context = symbols(NUMBERS)
    mass = sympy.Matrix(NUMBERS.N.T * NUMBERS.N)
    more = {"m*2": NUMBERS.array(mass.inv()), "p1": NUMBERS.vector(momentum(NUMBERS))}
    return Context(NUMBERS, {**context.values, **more})


def point() -> Context:
    """Return the context of most equations."""
    return symbols(POINT)


def form(
    left: str,
    printed: str,
    derived: Callable[[], Array],
    *readings: Reading,
    meant: tuple[str, Callable[[], Array]] | None = None,
) -> Form:
    """Return a print whose LaTeX is written from the form that is held.

    Parameters
    ----------
    left : str
        The left side, LaTeX.
    printed, derived, readings, meant
        As for `Form`.
    """
    return Form(f"{left} = {latex(printed)}", printed, derived, readings, meant, left)


def equation(
    number: str,
    title: str,
    printed: Form,
    free: str,
    vocabulary: tuple[str, ...],
    how: str,
    web: Form | None = None,
    context: Callable[[], Context] = point,
) -> Equation:
    """Return an equation of the paper; ``web`` is its other print, where that differs."""
    return Equation(number, title, printed, context, free, vocabulary, how, web)
