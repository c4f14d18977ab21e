# SPDX-License-Identifier: BSD-3-Clause
"""Divided differences of functions of two quantities that may coincide.

Of a function f(x, y) and the same one with x and y exchanged: ``(f(x, y) - f(y, x)) / (x - y)``,
which is a derivative where x = y. It is built up along the expression, like a derivative, so that
nothing cancels however near the quantities are.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.positive import positive, step
from sympy.codegen.cfunctions import expm1, log1p

#: What differences are moved by so that none is zero: far less than what is computed with resolves.
#: It is added to what is rounded already, by a statement of its own, or it would be lost.
TINY = sympy.Float("1e-30")


def divided(
    value: sympy.Expr, one: sympy.Symbol, other: sympy.Symbol, difference: sympy.Symbol
) -> sympy.Expr:
    """Return a divided difference.

    Parameters
    ----------
    value : sympy.Expr
        The function, by sums, products, powers, logarithms and exponentials.
    one, other : sympy.Symbol
        The quantities.
    difference : sympy.Symbol
        Their difference, which is not zero: moved by :data:`TINY`.

    Examples
    --------
    >>> x, y, d = sympy.symbols("x y d", positive=True)
    >>> divided(x**3 / y, x, y, d)
    x**2/y + (x + y)*(x/y + 1)
    """
    swapped = {one: other, other: one}
    found: dict[sympy.Basic, sympy.Expr] = {}
    for node in sympy.postorder_traversal(value):
        if node not in found:
            slopes = [found[part] for part in node.args]
            found[node] = _of(node, slopes, (one, other, difference), swapped)
    return found[value]


def _of(
    node: sympy.Expr,
    slopes: list[sympy.Expr],
    known: tuple[sympy.Symbol, sympy.Symbol, sympy.Symbol],
    swapped: dict[sympy.Symbol, sympy.Symbol],
) -> sympy.Expr:
    one, other, difference = known
    if node in (one, other):
        return sympy.Integer(1 if node == one else -1)
    if all(slope == 0 for slope in slopes):
        return sympy.Integer(0)
    if node.is_Add:
        return sympy.Add(*slopes)
    parts = node.args
    mirrored = [part.xreplace(swapped) for part in parts]
    if node.is_Mul:
        terms = []
        for k, slope in enumerate(slopes):
            if slope != 0:
                terms.append(sympy.Mul(*mirrored[:k], slope, *parts[k + 1 :]))
        return sympy.Add(*terms)
    if isinstance(node, sympy.exp):
        change = slopes[0] * difference
        return sympy.exp(mirrored[0]) * expm1(change) / difference
    if isinstance(node, sympy.log):
        return log1p(slopes[0] * difference / mirrored[0]) / difference
    if node.is_Pow:
        base, power = parts
        image, slope = mirrored[0], slopes[0]
        if power.is_Integer:
            count = abs(int(power))
            steps = sympy.Add(*(base**k * image ** (count - 1 - k) for k in range(count)))
            return slope * steps / (1 if power > 0 else -(base**count) * image**count)
        if power == sympy.Rational(1, 2):
            return slope / (sympy.sqrt(base) + sympy.sqrt(image))
        grown = log1p(slope * difference / image)
        return image**power * expm1(power * grown) / difference
    if isinstance(node, positive):
        sides = sum(sympy.Abs(one, evaluate=False) for one in (parts[0], mirrored[0]))
        return slopes[0] * (1 + (parts[0] + mirrored[0]) / (sides + TINY)) / 2
    if isinstance(node, step):
        return (node - node.xreplace(swapped)) / difference
    raise ValueError(f"no divided difference of {node.func} is known")
