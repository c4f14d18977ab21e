# SPDX-License-Identifier: BSD-3-Clause
"""Values of named quantities to many digits, by which formalisms are compared and pivots chosen."""

from __future__ import annotations

from collections.abc import Mapping

import mpmath
import sympy
from flexforge.codegen.mechanics.quantities import Quantities

#: Decimal digits of the values.
DIGITS = 60
_FUNCTIONS = {
    sympy.sin: "sin", sympy.cos: "cos", sympy.tan: "tan", sympy.asin: "asin", sympy.acos: "acos",
    sympy.atan: "atan", sympy.atan2: "atan2", sympy.sinh: "sinh", sympy.cosh: "cosh",
    sympy.tanh: "tanh", sympy.exp: "exp", sympy.log: "log", sympy.Abs: "fabs", sympy.sign: "sign",
}  # fmt: skip


class Values:
    """Values of quantities where all symbols have given values.

    Parameters
    ----------
    quantities : Quantities
        The names.
    known : mapping
        Values of symbols.
    """

    def __init__(self, quantities: Quantities, known: Mapping[sympy.Symbol, object]) -> None:
        self._quantities = quantities
        self._context = mpmath.mp.clone()
        self._context.dps = DIGITS
        self._done = {s: self._context.mpf(value) for s, value in known.items()}

    def of(self, value: sympy.Expr) -> mpmath.mpf:
        """Return the value of an expression in names and symbols.

        Raises
        ------
        ZeroDivisionError
            Where a divisor vanishes.
        """
        for name in self._quantities.below([value]):
            if name not in self._done:
                self._done[name] = self._evaluated(self._quantities.definitions[name])
        return self._evaluated(value)

    def _evaluated(self, value: sympy.Basic) -> mpmath.mpf:
        known = self._done.get(value)
        if known is not None:
            return known
        context = self._context
        if isinstance(value, sympy.Rational):
            return context.mpf(int(value.p)) / int(value.q)
        if value is sympy.pi:
            return +context.pi
        inner = [self._evaluated(arg) for arg in value.args]
        match value:
            case sympy.Add():
                return context.fsum(inner)
            case sympy.Mul():
                return context.fprod(inner)
            case sympy.Pow():
                base, exponent = value.args
                if exponent.is_Integer:
                    return inner[0] ** int(exponent)
                return context.power(inner[0], inner[1])
        return getattr(context, _FUNCTIONS[value.func])(*inner)
