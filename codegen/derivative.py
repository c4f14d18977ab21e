# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of expressions, as SymPy finds them and faster.

SymPy asks of every part of a derivative whether it is zero, which takes most of its time; here a
part is zero if it does not hold the symbol. Parts that an expression repeats are derived once.
"""

from __future__ import annotations

import sympy
from sympy.core.singleton import S


def derivative(
    expression: sympy.Expr, symbol: sympy.Symbol, other: sympy.Symbol | None = None
) -> sympy.Expr:
    """Return the partial derivative by a symbol: the same expression as ``sympy.diff`` returns.

    Parameters
    ----------
    expression : sympy.Expr
        Sums, products, powers and functions.
    symbol : sympy.Symbol
        The symbol.
    other : sympy.Symbol, optional
        A second symbol. As in SymPy, common factors are then pulled out of the second derivative.

    Examples
    --------
    >>> x, y = sympy.symbols("x y")
    >>> derivative(y * sympy.sin(x) ** 2, x)
    2*y*sin(x)*cos(x)
    """
    if not symbol.is_Symbol or symbol == other:  # a function; SymPy has a rule for powers
        return sympy.diff(expression, symbol, *([] if other is None else [other]))
    if other is not None:
        first, second = sorted((symbol, other), key=sympy.default_sort_key)
        found = derivative(derivative(expression, first), second)
        return found if found.is_zero else sympy.factor_terms(sympy.signsimp(found))
    done: dict[sympy.Basic, sympy.Expr] = {symbol: S.One}
    pending = [expression]
    while pending:
        node = pending[-1]
        if node in done:
            pending.pop()
        elif not node.args:
            done[node] = S.Zero
        elif not (node.is_Add or node.is_Mul or node.is_Pow):
            done[node] = sympy.diff(node, symbol)
        elif missing := [part for part in node.args if part not in done]:
            pending += missing
        else:
            done[node] = _of(node, [done[part] for part in node.args])
    return done[expression]


def _of(node: sympy.Expr, slopes: list[sympy.Expr]) -> sympy.Expr:
    """Return the derivative of a sum, product or power, given those of its parts."""
    parts = node.args
    if all(slope is S.Zero for slope in slopes):
        return S.Zero
    if node.is_Add:
        return sympy.Add(*slopes)
    if node.is_Mul:
        terms = [
            sympy.Mul(*parts[:k], slope, *parts[k + 1 :])
            for k, slope in enumerate(slopes)
            if slope is not S.Zero
        ]
        return sympy.Add(*terms)
    (base, exponent), (by_base, by_exponent) = parts, slopes
    grown = by_base * exponent / base
    return node * (grown if by_exponent is S.Zero else by_exponent * sympy.log(base) + grown)
