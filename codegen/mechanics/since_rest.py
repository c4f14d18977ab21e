# SPDX-License-Identifier: BSD-3-Clause
"""Functions of small quantities that vanish at rest, by what they have changed since."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from sympy.codegen.cfunctions import expm1, log1p


def since_rest(
    value: sympy.Expr, small: Sequence[sympy.Symbol], *, gained: bool = True
) -> sympy.Expr:
    """Return a function of quantities that are zero at rest, without cancellation near it.

    Parameters
    ----------
    value : sympy.Expr
        The function.
    small : sequence of sympy.Symbol
        The quantities.
    gained : bool
        Whether to subtract the value at rest.

    Examples
    --------
    >>> e = sympy.Symbol("e")
    >>> since_rest(sympy.exp(2 * e), [e])
    expm1(2*e)
    """
    zero = dict.fromkeys(small, 0)
    moving = {*small}

    def changed(one: sympy.Expr) -> sympy.Expr:
        inner = one.base if one.is_Pow else one.args[0]
        exponent = one.exp if one.is_Pow else None
        if isinstance(one, sympy.exp):
            inner = one.args[0]
            start = inner.subs(zero)
            return sympy.exp(start) * (1 + expm1(sympy.expand(inner - start)))
        if not inner.free_symbols & moving:
            return one
        start = inner.subs(zero)
        if start == 0:
            return one
        change = sympy.expand(inner / start - 1)
        if exponent == sympy.Rational(1, 2):
            return sympy.sqrt(start) * (1 + change / (1 + sympy.sqrt(1 + change)))
        grown = log1p(change)
        if isinstance(one, sympy.log):
            return sympy.log(start) + grown
        return start**exponent * (1 + expm1(exponent * grown))

    def broken(one: sympy.Expr) -> bool:
        power = one.is_Pow and not one.exp.is_Integer and not isinstance(one, sympy.exp)
        return isinstance(one, sympy.log | sympy.exp) or bool(power)

    value = value.replace(broken, changed)
    return sympy.expand(value - value.subs(zero)) if gained else value
