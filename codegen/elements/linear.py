# SPDX-License-Identifier: BSD-3-Clause
"""Linear forms: the coefficients of symbols in a formula, and the constant part."""

from __future__ import annotations

from collections.abc import Collection

import sympy
from flexforge.codegen.elements.user_values import brief
from flexforge.codegen.errors import InputError

#: Coefficients by symbol; that of 1 is the constant part.
Form = dict[sympy.Expr, sympy.Expr]
_REST = sympy.Integer(1)


def linear_form(
    value: sympy.Expr,
    symbols: Collection[sympy.Symbol],
    where: str,
    text: str,
    what: str = "the nodal coordinates",
) -> Form:
    """Return the coefficients of symbols in an expression.

    Parameters
    ----------
    value : sympy.Expr
        The expression.
    symbols : collection of sympy.Symbol
        The symbols in which it is linear.
    where, text : str
        Key of the file and its text, for errors.
    what : str
        Name of the symbols, for errors.

    Raises
    ------
    InputError
        For products of symbols that remain when the expression is expanded.
    """
    known = frozenset(symbols)
    try:
        return _form(value, known, {})
    except _Product:
        pass
    try:
        return _form(sympy.expand(value), known, {})
    except _Product as product:
        raise InputError(
            f"{where}: found '{text}', with {product}; expected a formula linear in {what}"
        ) from None


def homogeneous(
    value: sympy.Expr,
    symbols: Collection[sympy.Symbol],
    where: str,
    text: str,
    what: str = "the nodal coordinates",
) -> Form:
    """Return the coefficients of symbols in an expression without constant part.

    Raises
    ------
    InputError
        As :func:`linear_form`, and for a constant part.
    """
    form = linear_form(value, symbols, where, text, what)
    rest = form.pop(_REST, sympy.Integer(0))
    if sympy.cancel(rest) != 0:
        raise InputError(
            f"{where}: found '{text}', which is {brief(str(rest))} without motion; expected "
            f"a formula that vanishes with {what}"
        )
    return form


class _Product(Exception):
    """Raised for a product of two symbols."""


def _form(
    value: sympy.Expr, known: frozenset[sympy.Symbol], memory: dict[sympy.Expr, Form]
) -> Form:
    """Return the coefficients by walking over sums and products."""
    if value not in memory:
        memory[value] = _new_form(value, known, memory)
    return memory[value]


def _new_form(
    value: sympy.Expr, known: frozenset[sympy.Symbol], memory: dict[sympy.Expr, Form]
) -> Form:
    if value in known:
        return {value: sympy.Integer(1)}
    if not value.args:
        return {_REST: value}
    forms = [_form(part, known, memory) for part in value.args]
    moved = [form for form in forms if form.keys() - {_REST}]
    if not moved:
        return {_REST: value}
    if value.is_Add:
        terms: dict[sympy.Expr, list[sympy.Expr]] = {}
        for form in forms:
            for symbol, factor in form.items():
                terms.setdefault(symbol, []).append(factor)
        return {symbol: sympy.Add(*factors) for symbol, factors in terms.items()}
    if not value.is_Mul or len(moved) > 1:
        a, *_ = (min(form.keys() - {_REST}, key=str) for form in moved)
        b = min(moved[-1].keys() - {_REST}, key=str) if len(moved) > 1 else a
        raise _Product(f"a product of {a} and {b}")
    others = sympy.Mul(*(p for p, f in zip(value.args, forms, strict=True) if f is not moved[0]))
    return {symbol: factor * others for symbol, factor in moved[0].items()}
