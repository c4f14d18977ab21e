# SPDX-License-Identifier: BSD-3-Clause
"""Shared code of the papers in matrix notation: equations without indices, and coefficients.

A coefficient of a derived equation (a mass matrix, a Coriolis matrix) is read off by
differentiation in the ring of the instant, so it is never typed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import sympy
from flexforge.codegen.study.audit.equation import Context, Equation, Form, Reading
from flexforge.codegen.study.audit.instant import Array, Instant
from flexforge.codegen.study.audit.latex import latex


def matrix_equation(
    number: str,
    title: str,
    left: str,
    printed: str,
    derived: Callable[[], Array],
    how: str,
    *,
    context: Callable[[], Context],
    vocabulary: tuple[str, ...] = (),
    readings: tuple[Reading, ...] = (),
    meant: tuple[str, Callable[[], Array]] | None = None,
    source: str | None = None,
) -> Equation:
    """Return an equation in matrix notation.

    Parameters
    ----------
    number, title, how, context, vocabulary
        As in `Equation`.
    left : str
        The left side, LaTeX; the printed form is appended.
    printed, derived, readings, meant
        As in `Form`.
    source : str, optional
        The whole equation, LaTeX, if the stored form uses names that are not in the paper.

    Returns
    -------
    Equation
        With ``free=None``.
    """
    # The papers write m for the mass and for a matrix; here the mass is "mass".
    written = source or f"{left} = {latex(printed)}".replace(r"\mathrm{mass}", "m")
    form = Form(written, printed, derived, readings, meant, left)
    return Equation(number, title, form, context, None, vocabulary, how)


def scalar(value: sympy.Expr) -> sympy.Matrix:
    """Return a number as the 1 x 1 matrix that a product of matrices gives."""
    return sympy.Matrix([[value]])


def coefficient(value: Array, symbols: sympy.Matrix, instant: Instant) -> Array:
    """Return the derivatives of a column (or of a 1 x 1 matrix) by symbols, one column each.

    Parameters
    ----------
    value : array
        n x 1, of polynomials.
    symbols : sympy.Matrix
        Symbols of the instant.
    instant : Instant
        Gives the ring.

    Returns
    -------
    array
        n x the number of symbols.
    """
    generators = dict(zip(map(str, instant.ring.symbols), instant.ring.gens, strict=True))
    found = np.empty((value.shape[0], len(symbols)), object)
    for row, column in np.ndindex(*found.shape):
        found[row, column] = value[row, 0].diff(generators[str(symbols[column])])
    return found


def part(value: Array, degrees: Mapping[str, int], instant: Instant) -> Array:
    """Return the terms that have given degrees in groups of symbols.

    Parameters
    ----------
    value : array
        Of polynomials.
    degrees : mapping
        The degree by group, ``{"δ'": 0, "ω": 2}``; other groups are free.
    instant : Instant
        Gives the ring and the groups.

    Returns
    -------
    array
        Of the same shape.
    """
    groups = [instant.groups.get(str(symbol), "") for symbol in instant.ring.symbols]
    found = np.empty(value.shape, object)
    for index, polynomial in np.ndenumerate(value):
        kept = {
            monomial: number
            for monomial, number in polynomial.terms()
            if all(
                sum(power for power, own in zip(monomial, groups, strict=True) if own == group)
                == degree
                for group, degree in degrees.items()
            )
        }
        found[index] = instant.ring.from_dict(kept)
    return found


def rest(value: Array, groups: tuple[str, ...], instant: Instant) -> Array:
    """Return the terms without any symbol of some groups."""
    return part(value, dict.fromkeys(groups, 0), instant)
