# SPDX-License-Identifier: BSD-3-Clause
"""Multiplying out: expressions of a derivation as exact polynomials, in one canonical form.

Two expressions are equal if and only if their polynomials are identical data: this is the meaning
of "exact symbolic zero" here, without `simplify` and without expanding trees.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.mechanics.ledger import Ledger
from sympy.polys.domains import QQ
from sympy.polys.rings import PolyElement, PolyRing


class Polynomials:
    """The ring of polynomials in given symbols with rational coefficients.

    Parameters
    ----------
    symbols : iterable of sympy.Symbol
        Symbols; they are sorted by name.
    ledger : Ledger, optional
        Counts products of terms, and sums of like terms, as ``collect``. A subexpression that
        occurs again is not expanded again.
    """

    def __init__(self, symbols: Iterable[sympy.Symbol], ledger: Ledger | None = None) -> None:
        self.symbols = tuple(sorted(symbols, key=str))
        self.ring = PolyRing(self.symbols, QQ)
        self._ledger = ledger or Ledger()
        self._done: dict[sympy.Basic, PolyElement] = dict(
            zip(self.symbols, self.ring.gens, strict=True)
        )

    def expand(self, expression: sympy.Expr) -> PolyElement:
        """Return an expression in expanded form.

        Raises
        ------
        FlexforgeError
            For a symbol outside the ring, or an expression that is not a polynomial.
        """
        known = self._done.get(expression)
        if known is None:
            known = self._done[expression] = self._compute(expression)
        return known

    def _compute(self, expression: sympy.Expr) -> PolyElement:
        match expression:
            case sympy.Rational():
                return self.ring(QQ(int(expression.p), int(expression.q)))
            case sympy.Add():
                terms = [self.expand(arg) for arg in expression.args]
                total = self.ring.zero
                for term in terms:
                    total = total + term
                self._ledger.sums["collect"] += sum(map(len, terms)) - len(total)
                return total
            case sympy.Mul():
                result = self.expand(expression.args[0])
                for arg in expression.args[1:]:
                    result = self._product(result, self.expand(arg))
                return result
            case sympy.Pow() if expression.exp.is_Integer and expression.exp > 0:
                base = result = self.expand(expression.base)
                for _ in range(int(expression.exp) - 1):
                    result = self._product(result, base)
                return result
        raise FlexforgeError(f"'{expression}' is not a polynomial in the symbols of a derivation")

    def _product(self, left: PolyElement, right: PolyElement) -> PolyElement:
        result = left * right
        if not (left.is_ground or right.is_ground):
            self._ledger.products["collect"] += len(left) * len(right)
            self._ledger.sums["collect"] += len(left) * len(right) - len(result)
        return result
