# SPDX-License-Identifier: BSD-3-Clause
"""What functions of quantities that are known at rest have gained since, without cancellation.

Differences ``f(x) - f(x_0)`` are built up from the changes of the quantities along the expression:
sums and products by their rules, ``log(x / x_0) = log1p(change / x_0)`` and so on, so that every
term is as small as the changes are. Nothing is expanded.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import sympy
from sympy.codegen.cfunctions import expm1, log1p


class Gain(NamedTuple):
    """A value at rest, now, and the difference of both."""

    rest: sympy.Expr
    now: sympy.Expr
    gained: sympy.Expr


def gain(
    value: sympy.Expr,
    rest: Mapping[sympy.Symbol, sympy.Expr],
    changes: Mapping[sympy.Symbol, sympy.Expr],
) -> Gain:
    """Return a function of quantities at rest, now, and what it has gained.

    Parameters
    ----------
    value : sympy.Expr
        The function.
    rest, changes : mapping
        The quantities at rest, and what they have changed by.

    Examples
    --------
    >>> x, change = sympy.symbols("x change", positive=True)
    >>> gain(sympy.log(x), {x: 2}, {x: change}).gained
    log1p(change/2)
    >>> gain(1 / x, {x: 2}, {x: change}).gained
    -change/(2*(change + 2))
    """
    found: dict[sympy.Basic, Gain] = {}
    for node in sympy.postorder_traversal(value):
        if node in rest:
            found[node] = Gain(rest[node], rest[node] + changes[node], changes[node])
        elif node not in found:
            found[node] = _of(node, [found[part] for part in node.args])
    return found[value]


def _of(node: sympy.Expr, parts: list[Gain]) -> Gain:
    """Return a function of operands that are known."""
    if all(part.gained == 0 for part in parts):
        return Gain(node, node, sympy.Integer(0))
    if node.is_Add:
        rest = sympy.Add(*(part.rest for part in parts))
        change = sympy.Add(*(part.gained for part in parts))
        return Gain(rest, rest + change, change)
    if node.is_Mul:
        return _product(parts)
    if isinstance(node, sympy.exp):
        ((rest, _, change),) = parts
        grown = expm1(change)
        return _times(sympy.exp(rest), grown)
    if node.is_Pow:
        return _power(*parts)
    if isinstance(node, sympy.log):
        ((rest, _, change),) = parts
        grown = log1p(change / rest)
        return Gain(sympy.log(rest), sympy.log(rest) + grown, grown)
    rest, now = (node.func(*(part[k] for part in parts)) for k in (0, 1))
    return Gain(rest, now, now - rest)


def _times(rest: sympy.Expr, grown: sympy.Expr) -> Gain:
    """Return a value that is relatively larger than at rest by what it has grown."""
    return Gain(rest, rest * (1 + grown), rest * grown)


def _product(parts: list[Gain]) -> Gain:
    fixed = sympy.Mul(*(part.now for part in parts if part.gained == 0))
    moving = [part for part in parts if part.gained != 0]
    whole = moving[0]
    for part in moving[1:]:
        now = whole.now * part.now
        change = whole.gained * part.now + whole.rest * part.gained
        whole = Gain(whole.rest * part.rest, now, change)
    return Gain(*(fixed * one for one in whole))


def _power(base: Gain, exponent: Gain) -> Gain:
    rest, now, change = base
    power = exponent.now
    if power.is_Integer:
        count = abs(int(power))
        steps = change * sympy.Add(*(now**k * rest ** (count - 1 - k) for k in range(count)))
        if power < 0:
            steps = -steps / (now**count * rest**count)
        return Gain(rest**power, now**power, steps)
    if rest == 0:
        return Gain(sympy.Integer(0), now**power, now**power)
    if power == sympy.Rational(1, 2):
        root = sympy.sqrt(rest)
        return Gain(root, sympy.sqrt(now), change / (sympy.sqrt(now) + root))
    return _times(rest**power, expm1(power * log1p(change / rest)))
