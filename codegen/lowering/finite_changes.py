# SPDX-License-Identifier: BSD-3-Clause
"""What the invariants of a deformation have changed by since rest, and functions of them."""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.energy import AT_REST, MEAN, J
from flexforge.codegen.mechanics.gains import Gain, gain
from flexforge.codegen.mechanics.invariants import scalar_symbol
from sympy.codegen.cfunctions import expm1, log1p

#: What invariants have changed by since rest, and what they are now.
CHANGES = {one: scalar_symbol(f"change_{one}") for one in AT_REST}
NOW = {one: AT_REST[one] + change for one, change in CHANGES.items()}


def following(value: sympy.Expr) -> tuple[Gain, dict[sympy.Symbol, sympy.Expr]]:
    """Return a function of the invariants at rest, now, and what it has gained since.

    Broken powers of J, and of its mean, are powers of one root of each: one exponential.

    Parameters
    ----------
    value : sympy.Expr
        Of the invariants and parameters.

    Returns
    -------
    tuple
        The function, and what the changes of roots in it are.
    """
    roots: dict[tuple[sympy.Symbol, int], sympy.Symbol] = {}

    def power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
        if base not in (J, MEAN) or not exponent.is_Rational or exponent.is_Integer:
            return base**exponent
        root = sympy.Symbol(f"root{exponent.q}_{base}", positive=True)
        roots[base, exponent.q] = root
        whole = sympy.ceiling(exponent)
        return base**whole * root ** (exponent.q * (whole - exponent))

    value = sympy.expand_log(value, force=True)
    value = value.replace(lambda one: one.is_Pow, lambda one: power(one.base, one.exp))
    grown = {root: scalar_symbol(f"change_{root}") for root in roots.values()}
    found = gain(value, {**AT_REST, **dict.fromkeys(roots.values(), 1)}, CHANGES | grown)
    return found, {
        grown[root]: expm1(-log1p(CHANGES[base]) / degree) for (base, degree), root in roots.items()
    }
