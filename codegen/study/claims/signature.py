# SPDX-License-Identifier: BSD-3-Clause
"""Matrix terms of an expression: its monomials, grouped by their vectors."""

from __future__ import annotations

from collections.abc import Iterable

import sympy
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.polynomials import Polynomials

Signature = tuple[str, ...]


def families(point: MaterialPoint) -> dict[sympy.Symbol, str]:
    """Return the vector of each symbol of a point in matrix notation: d, d', d'', x, w, e ..."""
    frame = point.frame
    groups = {
        "d": point.coordinates, "d'": point.velocities, "d''": point.accelerations,
        "x": point.position, "v_O": frame.velocity, "a_O": frame.acceleration,
        "w": frame.angular_velocity, "e": frame.angular_acceleration, "f": point.body_force,
    }  # fmt: skip
    return {symbol: name for name, group in groups.items() for symbol in group}


def matrix_terms(expressions: Iterable[sympy.Expr], point: MaterialPoint) -> set[Signature]:
    """Return the matrix terms of expressions: the vectors in each, motions of the frame aside.

    ``w~ N d`` and ``e~ N d`` are one term, ``(e~ + w~w~) N d``, as counted in the papers; powers of
    quadratic terms are distinguished.
    """
    names = families(point)
    vectors = ("d", "d'", "d''", "x", "v_O", "a_O", "f")
    found: set[Signature] = set()
    for monomial in _monomials(expressions):
        signature = [
            names[s] for s, power in monomial if names.get(s) in vectors for _ in range(power)
        ]
        found.add(tuple(sorted(signature)))
    return found


def scalar_terms(expression: sympy.Expr) -> int:
    """Return the terms of an expression, expanded in all its symbols."""
    return len(Polynomials(expression.free_symbols).expand(expression))


def _monomials(expressions: Iterable[sympy.Expr]) -> list[list[tuple[sympy.Symbol, int]]]:
    result = []
    for expression in expressions:
        polynomials = Polynomials(expression.free_symbols)
        symbols = polynomials.symbols
        result += [
            [(s, n) for s, n in zip(symbols, exponents, strict=True) if n]
            for exponents in polynomials.expand(expression)
        ]
    return result
