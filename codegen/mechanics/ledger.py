# SPDX-License-Identifier: BSD-3-Clause
"""The ledger: it performs and counts every differentiation, product and sum of a derivation."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.mechanics.quantities import Quantities

#: What is counted, by kind of count: the rules that every ledger keeps and every table states.
RULES = {
    "partial derivatives": "scalar partial derivatives; a column counts once per component",
    "total time derivatives": "scalar derivatives by time, once each, by the chain rule",
    "products": "products of two scalars; a factor of one, a change of sign and a zero cost "
    "nothing",
    "sums": "sums of two scalars; a zero costs nothing",
    "largest expression": "operations in the largest expression that occurred, written out: parts "
    "that it repeats count every time",
}

#: The kinds of count whose sum is the total: the largest expression is one of their results.
OPERATIONS = tuple(RULES)[:4]
TOTAL = "partial and total time derivatives, products and sums together, each counted as one"

#: Family of derivatives of named quantities, which the chain rule needs for others.
OF_NAMES = "of names"
#: What is counted besides deriving the equations: a share of products and sums.
COLLECTING = (
    "products and sums that multiply the derived equations out and sort the result by term; the "
    "others derive the equations. A derivative counts as one, however many products it leaves to "
    "multiply out"
)


@dataclass(frozen=True, slots=True)
class Step:
    """An intermediate result of a derivation.

    Attributes
    ----------
    name : str
        Name of the quantity: ``v``, ``T``, ``dL/dd'`` ...
    value : sympy.Expr or sympy.MatrixBase
        The value as the method gives it; of a family of derivatives, the first one.
    """

    name: str
    value: sympy.Expr | sympy.MatrixBase


@dataclass
class Ledger:
    """Does the algebra of a derivation and counts it; the counts do not depend on SymPy's caches.

    :data:`RULES` says what is counted.

    Attributes
    ----------
    partials, totals : Counter
        Partial and total time derivatives, by family: ``dL/dd'``, ``d/dt dL/dd'``.
    products, sums : Counter
        Products and sums, by the quantity built: ``v``, ``T``, ``collect``.
    largest : int
        Operations in the largest expression.
    steps : list of Step
        Intermediate results, in order.
    quantities : Quantities, optional
        Where results get names instead of being written out; a name is differentiated once, which
        counts like every other derivative.
    started, stopped : float
        Clock at the start of the derivation, and at its end, in seconds.
    """

    partials: Counter[str] = field(default_factory=Counter)
    totals: Counter[str] = field(default_factory=Counter)
    products: Counter[str] = field(default_factory=Counter)
    sums: Counter[str] = field(default_factory=Counter)
    largest: int = 0
    steps: list[Step] = field(default_factory=list)
    quantities: Quantities | None = field(default=None, repr=False)
    started: float = field(default_factory=time.perf_counter)
    stopped: float | None = None
    _taken: dict[tuple[int, sympy.Symbol], tuple[sympy.MatrixBase, sympy.Matrix]] = field(
        default_factory=dict, repr=False
    )
    _sizes: dict[sympy.Basic, int] = field(default_factory=dict, repr=False)

    @property
    def collecting(self) -> int:
        """Products and sums of :data:`COLLECTING`."""
        return self.products["collect"] + self.sums["collect"]

    def partial(self, expression: sympy.Expr, variable: sympy.Symbol, family: str) -> sympy.Expr:
        """Return the partial derivative, counted under ``family``."""
        self.partials[family] += 1
        if self.quantities is None:
            value = derivative(expression, variable)
        else:
            before = self.quantities.derived
            value = self.quantities.partial(expression, variable)
            self.partials[OF_NAMES] += self.quantities.derived - before
        return self._result(family, value, self.partials[family] == 1)

    def partial_column(
        self, column: sympy.MatrixBase, variable: sympy.Symbol, family: str
    ) -> sympy.Matrix:
        """Return the partial derivative of a column, every component counted."""
        return sympy.Matrix([self.partial(entry, variable, family) for entry in column])

    def gradient(
        self, expression: sympy.Expr, variables: Sequence[sympy.Symbol], family: str
    ) -> list[sympy.Expr]:
        """Return the partial derivatives by several symbols, every one counted."""
        if self.quantities is None:
            return [self.partial(expression, variable, family) for variable in variables]
        return self._reverse([(expression, sympy.Integer(1))], variables, family)

    def projected(
        self,
        powers: Sequence[tuple[sympy.MatrixBase, sympy.MatrixBase, str]],
        speeds: Sequence[sympy.Symbol],
        family: str,
    ) -> list[sympy.Expr]:
        """Return the powers of forces for unit speeds: forces times derivatives of rates.

        Parameters
        ----------
        powers : sequence of (Matrix, Matrix, str)
            Rates, forces, and family of the derivatives of the rates. Rates that occur again are
            not differentiated again.
        speeds : sequence of sympy.Symbol
            By which the rates are differentiated.
        family : str
            Family under which products and sums are counted.
        """
        if self.quantities is None:
            return [
                self.sum(
                    family,
                    *(
                        self.dot(force, self._partial_rates(rates, speed, name), family)
                        for rates, force, name in powers
                    ),
                )
                for speed in speeds
            ]
        pairs = [
            pair
            for rates, force, _ in powers
            for pair in zip(rates, force, strict=True)
            if 0 not in pair
        ]
        self.products[family] += sum(_costs(*pair) for pair in pairs)
        self.sums[family] += max(0, len(pairs) - 1)
        names = dict.fromkeys(name for *_, name in powers)
        return self._reverse(pairs, speeds, ", ".join(names))

    def _reverse(
        self,
        pairs: Sequence[tuple[sympy.Expr, sympy.Expr]],
        variables: Sequence[sympy.Symbol],
        family: str,
    ) -> list[sympy.Expr]:
        assert self.quantities is not None
        before = self.quantities.derived
        found = self.quantities.reverse(pairs, variables)
        self.partials[family] += len(variables)
        self.partials[OF_NAMES] += self.quantities.derived - before
        return [self._result(family, value, k == 0) for k, value in enumerate(found)]

    def _partial_rates(
        self, rates: sympy.MatrixBase, speed: sympy.Symbol, family: str
    ) -> sympy.Matrix:
        """Return the derivative of rates by a speed, taken once."""
        key = (id(rates), speed)
        if key not in self._taken:
            self._taken[key] = rates, self.partial_column(rates, speed, family)
        return self._taken[key][1]

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
            Family under which it is counted.
        """
        self.totals[family] += 1
        if self.quantities is None:
            present = sorted(expression.free_symbols & rates.keys(), key=str)
            change = sympy.Add(*(derivative(expression, s) * rates[s] for s in present))
        else:
            before = self.quantities.derived
            change = self.quantities.total(expression, rates)
            self.totals[OF_NAMES] += self.quantities.derived - before
        return self._result(family, change, self.totals[family] == 1)

    def times(
        self, matrix: sympy.MatrixBase, column: sympy.MatrixBase, family: str
    ) -> sympy.Matrix:
        """Return matrix times column (or matrix), counting products and sums."""
        self._count_product(matrix, column, family)
        return self._named(matrix * column)

    def add(self, family: str, *columns: sympy.MatrixBase) -> sympy.Matrix:
        """Return the sum of columns (or matrices), counting sums."""
        for entries in zip(*columns, strict=True):
            self.sums[family] += max(0, sum(entry != 0 for entry in entries) - 1)
        return self._named(
            sum((sympy.Matrix(c) for c in columns[1:]), start=sympy.Matrix(columns[0]))
        )

    def scale(self, factor: sympy.Expr, column: sympy.MatrixBase, family: str) -> sympy.Matrix:
        """Return a column times a scalar, counting products."""
        self.products[family] += sum(_costs(factor, entry) for entry in column if entry != 0)
        return self._named(factor * column)

    def dot(self, left: sympy.MatrixBase, right: sympy.MatrixBase, family: str) -> sympy.Expr:
        """Return the scalar product of two columns, counting products and sums."""
        if not left.rows:  # the stress of a rigid body has no components
            return sympy.Integer(0)
        self._count_product(left.T, right, family)
        return (left.T * right)[0]

    def multiply(self, family: str, *factors: sympy.Expr) -> sympy.Expr:
        """Return a product of scalars, counted."""
        if 0 in factors:
            return sympy.Integer(0)
        costly = [f for f in factors if f not in (1, -1)]
        self.products[family] += max(0, len(costly) - 1)
        return sympy.Mul(*factors)

    def sum(self, family: str, *terms: sympy.Expr) -> sympy.Expr:
        """Return a sum of scalars, counted."""
        self.sums[family] += max(0, sum(term != 0 for term in terms) - 1)
        return sympy.Add(*terms)

    def note(self, name: str, value: sympy.Expr | sympy.MatrixBase) -> None:
        """Record a result as a step of the derivation."""
        self.steps.append(Step(name, value))
        for entry in value if isinstance(value, sympy.MatrixBase) else (value,):
            self.largest = max(self.largest, self._size(entry))

    def __repr__(self) -> str:
        return (
            f"{self.partials.total()} partial and {self.totals.total()} total derivatives, "
            f"{self.products.total()} products, {self.sums.total()} sums; largest expression "
            f"{self.largest} operations"
        )

    def counts(self) -> dict[str, dict[str, int]]:
        """Return all counts as plain data, by kind and then by family in alphabetical order."""
        return {
            "partial derivatives": dict(sorted(self.partials.items())),
            "total time derivatives": dict(sorted(self.totals.items())),
            "products": {k: n for k, n in sorted(self.products.items()) if n},
            "sums": {k: n for k, n in sorted(self.sums.items()) if n},
            "largest expression": {"operations": self.largest},
        }

    @property
    def differentiations(self) -> int:
        """All scalar derivatives, partial and total."""
        return self.partials.total() + self.totals.total()

    @property
    def operations(self) -> int:
        """All products and sums."""
        return self.products.total() + self.sums.total()

    def stop(self) -> None:
        """Record the end of the derivation."""
        self.stopped = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds the derivation took, or has taken so far."""
        return (self.stopped or time.perf_counter()) - self.started

    def _count_product(
        self, matrix: sympy.MatrixBase, column: sympy.MatrixBase, family: str
    ) -> None:
        for i in range(matrix.rows):
            for j in range(column.cols):
                pairs = [(matrix[i, k], column[k, j]) for k in range(matrix.cols)]
                pairs = [pair for pair in pairs if 0 not in pair]
                self.products[family] += sum(_costs(*pair) for pair in pairs)
                self.sums[family] += max(0, len(pairs) - 1)

    def _named(self, matrix: sympy.MatrixBase) -> sympy.Matrix:
        """Return a matrix, its entries named where quantities have names."""
        if self.quantities is None:
            return sympy.Matrix(matrix)
        return sympy.Matrix(matrix.applyfunc(self.quantities.name))

    def _result(self, name: str, value: sympy.Expr, first: bool) -> sympy.Expr:
        if first:
            self.steps.append(Step(name, value))
        self.largest = max(self.largest, self._size(value))
        return value if self.quantities is None else self.quantities.name(value)

    def _size(self, expression: sympy.Basic) -> int:
        """Return the number of operations of an expression, shared parts counted every time."""
        known = self._sizes.get(expression)
        if known is None:
            if self.quantities is not None and expression in self.quantities.definitions:
                known = self._size(self.quantities.definitions[expression])
            elif not expression.args:
                return 0
            elif isinstance(expression, sympy.Function):
                known = 1 + sum(self._size(a) for a in expression.args)
            elif isinstance(expression, sympy.Pow):
                known = self._size_of_power(*expression.args)
            else:
                known = sum(self._size(a) for a in expression.args)
                known += sum(1 for a in expression.args if a != -1) - 1
            self._sizes[expression] = known
        return known

    def _size_of_power(self, base: sympy.Basic, exponent: sympy.Basic) -> int:
        """Return the operations of a power; a root and a quotient are one more each."""
        if not exponent.is_Rational or exponent.q > 2:
            return 1 + self._size(base) + self._size(exponent)
        times = abs(int(exponent.p))
        roots = int(exponent.q > 1) + int(exponent.p < 0)
        return self._size(base) * times + times - 1 + roots


def _costs(left: sympy.Expr, right: sympy.Expr) -> bool:
    """Whether a product is an operation: products with one and changes of sign are not."""
    return left not in (1, -1) and right not in (1, -1)
