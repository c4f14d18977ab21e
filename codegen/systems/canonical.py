# SPDX-License-Identifier: BSD-3-Clause
"""Quantities multiplied out: exact polynomials in which equal equations are identical.

Sines and cosines of an angle are two symbols whose squares add up to one, other functions and
divisors are symbols too. Small systems become shorter this way, and easier to read; large ones grow
beyond all bounds, and are left as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.mechanics.quantities import Quantities
from sympy.polys.domains import QQ
from sympy.polys.rings import PolyElement, PolyRing

#: Most products of two terms that are worth multiplying out: a few tenths of a second.
MOST_PRODUCTS = 30_000


class TooLargeError(FlexforgeError):
    """A result would have more terms than are worth writing."""


def canonical(
    quantities: Quantities, values: Sequence[sympy.Expr], most: int = MOST_PRODUCTS
) -> list[sympy.Expr]:
    """Return expressions without names, multiplied out.

    Parameters
    ----------
    quantities : Quantities
        The names.
    values : sequence of sympy.Expr
        In names and symbols.
    most : int
        Most products of two terms.

    Raises
    ------
    TooLargeError
        Where that would take more.
    """
    return _Expander(quantities, values, most).all()


class _Expander:
    """The ring of the symbols and functions that occur below some values."""

    def __init__(self, quantities: Quantities, values: Sequence[sympy.Expr], most: int) -> None:
        written = _without_names(quantities, values)
        atoms: dict[sympy.Expr, None] = {}
        for value in written:
            _collect(value, atoms)
        ordered = sorted(atoms, key=lambda atom: (not isinstance(atom, sympy.sin), str(atom)))
        self._atoms = dict(zip((sympy.Dummy(real=True) for _ in ordered), ordered, strict=True))
        self._ring = PolyRing(tuple(self._atoms), QQ)
        self._done: dict[sympy.Basic, PolyElement] = dict(
            zip(ordered, self._ring.gens, strict=True)
        )
        self._circles = [
            self._done[atom] ** 2 + self._done[sympy.cos(atom.args[0])] ** 2 - 1
            for atom in ordered
            if isinstance(atom, sympy.sin) and sympy.cos(atom.args[0]) in atoms
        ]
        self._written, self._left = written, most

    def all(self) -> list[sympy.Expr]:
        """Return the values multiplied out."""
        polynomials = map(self._expand, self._written)
        return [polynomial.as_expr().xreplace(self._atoms) for polynomial in polynomials]

    def _expand(self, value: sympy.Basic) -> PolyElement:
        known = self._done.get(value)
        if known is None:
            known = self._compute(value)
            if self._circles:
                known = known.rem(self._circles)
            self._done[value] = known
        return known

    def _compute(self, value: sympy.Basic) -> PolyElement:
        match value:
            case sympy.Rational():
                return self._ring(QQ(int(value.p), int(value.q)))
            case sympy.Add():
                total = self._ring.zero
                for arg in value.args:
                    total = total + self._expand(arg)
                return total
            case sympy.Mul():
                result = self._ring.one
                for arg in value.args:
                    result = self._product(result, self._expand(arg))
                return result
        base, exponent = value.args
        result = self._ring.one
        for _ in range(int(exponent)):
            result = self._product(result, self._expand(base))
        return result

    def _product(self, left: PolyElement, right: PolyElement) -> PolyElement:
        self._left -= len(left) * len(right)
        if self._left < 0:
            raise TooLargeError("equations multiplied out take more products than are allowed")
        return left * right


def _collect(value: sympy.Expr, atoms: dict[sympy.Expr, None]) -> None:
    """Collect what is no sum, product or whole power: symbols, functions, divisors, roots."""
    for node in sympy.preorder_traversal(value):
        if isinstance(node, sympy.Rational | sympy.Add | sympy.Mul) or _is_power(node):
            continue
        if node.is_Symbol or node.is_Function or node.is_Pow or node.is_NumberSymbol:
            atoms[node] = None


def _is_power(node: sympy.Basic) -> bool:
    return bool(node.is_Pow and node.exp.is_Integer and node.exp > 0)


def _without_names(quantities: Quantities, values: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    """Return expressions with the definitions of their names written in, shared parts once."""
    written: dict[sympy.Basic, sympy.Expr] = {}
    for name in quantities.below(values):
        written[name] = quantities.definitions[name].xreplace(written)
    return [value.xreplace(written) for value in values]
