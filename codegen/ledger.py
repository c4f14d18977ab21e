# SPDX-License-Identifier: BSD-3-Clause
"""The ledger: every differentiation and product of a derivation goes through it and counts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sympy


@dataclass
class Ledger:
    """Counts what a derivation does; the counts do not depend on SymPy's caches.

    Attributes
    ----------
    counts : Counter
        Operations by family, e.g. ``dL/dd'`` or ``d/dt``.
    started : float
        Clock at the start of the derivation, in seconds.
    """

    counts: Counter[str] = field(default_factory=Counter)
    started: float = field(default_factory=time.perf_counter)

    def partial(self, expression: sympy.Expr, variable: sympy.Symbol, family: str) -> sympy.Expr:
        """Return the partial derivative, counted under ``family``."""
        self.counts[family] += 1
        return sympy.diff(expression, variable)

    def partials(self, column: sympy.Matrix, variable: sympy.Symbol, family: str) -> sympy.Matrix:
        """Return the partial derivative of a column, every component counted."""
        return column.applyfunc(lambda entry: self.partial(entry, variable, family))

    def total(
        self, expression: sympy.Expr, rates: Mapping[sympy.Symbol, sympy.Expr], family: str
    ) -> sympy.Expr:
        """Return the total time derivative by the chain rule.

        Parameters
        ----------
        expression : sympy.Expr
            Function of symbols that depend on time.
        rates : mapping
            Time derivative of every symbol that has one.
        family : str
            What to count it as.
        """
        self.counts[family] += 1
        present = sorted(expression.free_symbols & rates.keys(), key=str)
        return sympy.Add(*(sympy.diff(expression, s) * rates[s] for s in present))

    def dot(self, left: sympy.Matrix, right: sympy.Matrix, family: str) -> sympy.Expr:
        """Return the scalar product of two columns, its products and sums counted."""
        self.counts[f"{family}: products"] += left.rows
        self.counts[f"{family}: sums"] += left.rows - 1
        return sympy.Add(*(left[i] * right[i] for i in range(left.rows)))

    def collect(
        self, expression: sympy.Expr, variables: Sequence[sympy.Symbol]
    ) -> tuple[list[sympy.Expr], sympy.Expr]:
        """Return the coefficients of a linear expression in ``variables``, and the rest."""
        self.counts["collected coefficients"] += len(variables)
        coefficients = [sympy.diff(expression, v) for v in variables]
        return coefficients, expression.subs(dict.fromkeys(variables, 0))

    @property
    def seconds(self) -> float:
        """Seconds since the derivation started."""
        return time.perf_counter() - self.started
