# SPDX-License-Identifier: BSD-3-Clause
"""Names in formulas of an element whose section varies: what is given at points, and integrals.

A quantity that is given at points has values there and no derivatives. ``integral(f)`` is the
integral over the reference coordinate from the beginning of an interval, of the polynomial through
the values of f at the points; its derivative is f, which it equals there.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.calls import Value, is_vector
from flexforge.codegen.elements.field_points import CellPoints, at_point, given_at
from flexforge.codegen.elements.field_scope import Scope
from flexforge.codegen.errors import InputError


class SectionScope(Scope):
    """The names known in formulas of an element whose section varies.

    Parameters
    ----------
    shape : tuple of sympy.Expr
        Functions that interpolate between the nodes of an interval.
    points : CellPoints
        The points of integration, where quantities are given.
    """

    def __init__(self, shape: tuple[sympy.Expr, ...], points: CellPoints) -> None:
        super().__init__(1, shape)
        self.points = points
        self.calls = {**self.calls, "integral": self.integral}
        #: Integrands of integrals by their names.
        self._integrands: dict[sympy.Symbol, sympy.Expr] = {}

    def varying(self, name: str, where: str) -> tuple[str, ...]:
        """Add a quantity of the section that is given at every point of integration.

        Returns
        -------
        tuple of str
            The scalar arguments of the kernels.
        """
        self.sectional.add(self.parameter(name, where))
        given = [given_at(name, k) for k in self.points.numbers]
        for one in given:
            self.parameter(one.name, where)
        return tuple(one.name for one in given)

    def integral(self, value: Value) -> sympy.Symbol:
        """Return the integral over the reference coordinate from the beginning of the cell.

        Raises
        ------
        InputError
            For a vector.
        """
        if is_vector(value):
            raise InputError("found the integral of a vector; expected that of a number")
        for symbol, known in self._integrands.items():
            if known == value:
                return symbol
        symbol = sympy.Symbol(f"integral{len(self._integrands) + 1}_", real=True)
        pairs = zip(self.points.shares, self._at_points(value), strict=True)
        total = sympy.Add(*(share * v for share, v in pairs))
        self.definitions.append((symbol, total))
        self.moving[symbol], self._integrands[symbol] = total, value
        return symbol

    def _at_points(self, value: sympy.Expr) -> list[sympy.Expr]:
        """Return the values at the points of integration."""
        found = []
        for k, place in enumerate(self.points.places):
            at = {self.reference[0]: sympy.Float(place)}
            for symbol in value.free_symbols & (self.sectional | self.moving.keys()):
                own = symbol in self.moving
                at[symbol] = at_point(symbol, k) if own else given_at(symbol.name, k)
            found.append(value.xreplace(at))
        return found

    def _given_in(self, value: Value) -> str:
        """Return the name of a quantity in a formula that is given at points; empty if none is."""
        given = value.free_symbols & self.sectional - self.moving.keys()
        return min(map(str, given), default="")

    def _by_reference(self, x: sympy.Symbol, value: Value) -> Value:
        if name := self._given_in(value):
            raise InputError(
                f"found a derivative of '{name}', which is given at points; expected formulas "
                "without one"
            )
        return super()._by_reference(x, value)

    def _rate(self, x: sympy.Symbol, symbol: sympy.Symbol) -> Value:
        own = self._integrands.get(symbol)
        return super()._rate(x, symbol) if own is None else own

    def _put(self, value: Value, place: tuple[sympy.Expr, ...]) -> Value:
        if name := self._given_in(value):
            raise InputError(
                f"found '{name}' at {place[0]}, which is given at points of integration; expected "
                "integrals of it"
            )
        return super()._put(value, place)

    def _value_at(self, symbol: sympy.Symbol, place: tuple[sympy.Expr, ...]) -> sympy.Expr:
        """Return a definition at a fixed point; an integral over all of the cell or none of it."""
        if symbol not in self._integrands:
            return super()._value_at(symbol, place)
        if place not in ((-1,), (1,)):
            raise InputError(f"found an integral at {place[0]}; expected one at -1 or 1")
        if place == (-1,):
            return sympy.Integer(0)
        values = self._at_points(self._integrands[symbol])
        return sympy.Add(*(w * v for w, v in zip(self.points.weights, values, strict=True)))
