# SPDX-License-Identifier: BSD-3-Clause
"""Names that formulas of a field element may use: geometry, coordinates, functions, derivatives.

A function ``f`` of position has derivatives: ``f_x`` along the local axis x, ``f_xy`` along two
axes, ``f_xi`` with respect to a reference coordinate. Geometric quantities and definitions that
vary along the cell, such as the entries of a Jacobian, are differentiated too. ``at(f, ..)`` is the
value at another point, ``interpolate(a, b, ..)`` the field with values a, b, .. at the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.calls import CALLS, Value, is_vector
from flexforge.codegen.elements.expressions import Calls, parse
from flexforge.codegen.elements.field import Definition
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.parameters import check_parameter
from flexforge.codegen.errors import InputError

#: The derivative of a function along an axis.
Rate = Callable[[Value], Value]
#: Names used inside kernels and words of C: a definition with such a name is renamed there.
_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union unsigned
void volatile while coordinates reference quadrature_weight portion across volume position warmth
stress state out along N B G F X D O p q a b integral
"""
_TAKEN = frozenset(_WORDS.split())


class Scope(Mapping[str, Value]):
    """The names known in formulas, their values, and how these vary along the cell.

    Parameters
    ----------
    dimension : int
        Dimension of the reference cell.
    shape : tuple of sympy.Expr
        Functions that interpolate between the nodes.
    """

    def __init__(self, dimension: int, shape: tuple[sympy.Expr, ...]) -> None:
        self.reference = REFERENCE[:dimension]
        self.shape = shape
        self.definitions: list[Definition] = []
        #: Definitions that vary along the cell.
        self.moving: dict[sympy.Symbol, sympy.Expr] = {}
        #: What varies with a section that is given at points, and with nothing else.
        self.sectional: set[sympy.Symbol] = set()
        self.rates: dict[str, Rate] = {
            str(x): partial(self._by_reference, x) for x in self.reference
        }
        self._values: dict[str, Value] = {str(x): x for x in self.reference}
        self._functions: set[str] = set()
        self._derivatives: dict[str, Value] = {}
        self._known_rates: dict[tuple[sympy.Symbol, Value], Value] = {}
        self.across: tuple[sympy.Symbol, ...] = ()
        self._sampled: dict[tuple[sympy.Symbol, tuple[sympy.Expr, ...]], sympy.Symbol] = {}
        self.calls: Calls = {**CALLS, "at": self.sampled, "interpolate": self.interpolated}

    def read(self, text: object, where: str, *, vectors: bool = False) -> Value:
        """Return the value of a formula of the declaration."""
        return parse(text, self, where, ratios=True, calls=self.calls, vectors=vectors)

    def add(self, name: str, value: Value, where: str, *, function: bool = False) -> None:
        """Give a value a name.

        Parameters
        ----------
        name : str
            The name.
        value : sympy.Expr or sympy.ImmutableMatrix
            A number or a vector.
        where : str
            Key of the file, for errors.
        function : bool
            Whether it has derivatives.

        Raises
        ------
        InputError
            For a name already in use.
        """
        if name in self:
            what = "a derivative of one" if name not in self._values else "another thing"
            raise InputError(f"{where}: '{name}' is already the name of {what}; expected a new one")
        self._values[name] = value
        if not function:
            return
        self._functions.add(name)
        stems = [other for other in self._values if other.startswith(f"{name}_")]
        for other in stems:
            if self._derivative(other) is not None:
                raise InputError(
                    f"{where}: the existing name '{other}' would be a derivative of "
                    f"'{name}'; expected another name"
                )

    def parameter(self, name: str, where: str) -> sympy.Symbol:
        """Add a scalar argument of the kernels."""
        check_parameter(name, where)
        symbol = sympy.Symbol(name, real=True)
        self.add(name, symbol, where)
        return symbol

    def define(self, name: str, value: Value, where: str) -> Value:
        """Add a quantity that kernels compute once, or at every point if it varies.

        If it varies, it has derivatives along the cell.
        """
        symbol: Value
        if is_vector(value):
            names = [f"{name}_{i + 1}_" for i in range(value.rows)]
            symbol = sympy.ImmutableMatrix(sympy.symbols(names, real=True))
            pairs = list(zip(symbol, value, strict=True))
        else:
            symbol = sympy.Symbol(emitted(name), real=True)
            pairs = [(symbol, value)]
        for one, _ in pairs:
            if any(one == other for other, _ in self.definitions):
                raise InputError(
                    f"{where}: '{one}' has a meaning in kernels; expected another name"
                )
        self.geometry(pairs)
        self.add(name, symbol, where, function=any(one in self.moving for one, _ in pairs))
        return symbol

    def extended(self, name: str, value: Value, where: str) -> Scope:
        """Return a scope with one more function that shares the definitions."""
        found = copy(self)
        found._values, found._functions = dict(self._values), set(self._functions)
        found._derivatives = {}
        found.add(name, value, where, function=True)
        return found

    def geometry(self, definitions: Sequence[Definition]) -> None:
        """Add definitions that formulas cannot name."""
        for symbol, value in definitions:
            self.definitions.append((symbol, value))
            changing = value.free_symbols & {*self.reference, *self.moving, *self.sectional}
            if changing:
                self.moving[symbol] = value
            if changing and changing <= self.sectional:
                self.sectional.add(symbol)

    def add_across(self, letter: str, where: str) -> sympy.Symbol:
        """Add a coordinate across the cell, along which functions have derivatives."""
        symbol = sympy.Symbol(f"across_{letter}", real=True)
        self.add(letter, symbol, where)
        self.rates[letter] = partial(_derivative, symbol)
        self.across = (*self.across, symbol)
        return symbol

    def add_rate(self, letter: str, factors: Sequence[sympy.Expr]) -> None:
        """Add derivatives along an axis: sums of reference derivatives, each times a factor."""
        self.rates[letter] = partial(self._along, tuple(factors))

    def _along(self, factors: tuple[sympy.Expr, ...], value: Value) -> Value:
        pairs = zip(self.reference, factors, strict=True)
        first, *others = (factor * self._by_reference(x, value) for x, factor in pairs)
        return sum(others, first)

    def constants(self) -> dict[str, sympy.Expr]:
        """Return the names of what describes a section: parameters and definitions.

        They are constant over the element, or vary with nothing but what is given at its points.
        """
        changing = {*self.reference, *self.moving} - self.sectional
        return {
            name: value
            for name, value in self._values.items()
            if value.is_Symbol
            and value not in changing
            and (name not in self._functions or value in self.sectional)
        }

    def interpolated(self, *values: Value) -> Value:
        """Return the field interpolated from values at the nodes.

        Raises
        ------
        InputError
            If the number of values is not that of the nodes, or vectors are mixed with numbers.
        """
        sizes = {value.rows if is_vector(value) else 0 for value in values}
        if len(values) != len(self.shape) or len(sizes) != 1:
            raise InputError(
                f"found interpolate() of {len(values)} values; expected {len(self.shape)}, one per "
                "node, all numbers or all vectors of one size"
            )
        first, *others = (h * value for h, value in zip(self.shape, values, strict=True))
        return sum(others, first)

    def _by_reference(self, x: sympy.Symbol, value: Value) -> Value:
        """Return the derivative by a reference coordinate, including varying definitions."""
        if (x, value) not in self._known_rates:
            total = derivative(value, x)
            known = value.free_symbols
            for symbol in [s for s in self.moving if s in known]:
                rate = self._rate(x, symbol)
                total += derivative(value, symbol) * rate
            self._known_rates[x, value] = total
        return self._known_rates[x, value]

    def _rate(self, x: sympy.Symbol, symbol: sympy.Symbol) -> Value:
        """Return the derivative of a definition that varies."""
        return self._by_reference(x, self.moving[symbol])

    def sampled(self, value: Value, *place: sympy.Expr) -> Value:
        """Return the value at a fixed point of the cell.

        Raises
        ------
        InputError
            For an invalid point.
        """
        if len(place) != len(self.reference) or not all(x.is_Rational for x in place):
            raise InputError(
                f"found the point ({', '.join(map(str, place))}); expected "
                f"{len(self.reference)} numbers"
            )
        return self._put(value, place)

    def _put(self, value: Value, place: tuple[sympy.Expr, ...]) -> Value:
        """Return the value at a point, with varying definitions by their names at that point."""
        at = dict(zip(self.reference, place, strict=True))
        known = value.free_symbols
        at |= {s: self._fixed(s, place) for s in self.moving if s in known}
        return value.xreplace(at)

    def _fixed(self, symbol: sympy.Symbol, place: tuple[sympy.Expr, ...]) -> sympy.Symbol:
        """Return the name of a definition at a fixed point; create it if there is none yet."""
        if (symbol, place) not in self._sampled:
            value = self._value_at(symbol, place)
            fixed = sympy.Symbol(f"{symbol}_at{len(self._sampled) + 1}_", real=True)
            self._sampled[symbol, place] = fixed
            self.definitions.append((fixed, value))
        return self._sampled[symbol, place]

    def _value_at(self, symbol: sympy.Symbol, place: tuple[sympy.Expr, ...]) -> sympy.Expr:
        """Return a definition that varies at a fixed point."""
        return self._put(self.moving[symbol], place)

    def _derivative(self, name: str) -> tuple[str, tuple[Rate, ...]] | None:
        """Return the function and the rates named by, for example, ``f_xx``."""
        stem, _, suffix = name.rpartition("_")
        if stem not in self._functions or not suffix:
            return None
        if suffix in self.rates:
            return stem, (self.rates[suffix],)
        if all(letter in self.rates for letter in suffix):
            return stem, tuple(self.rates[letter] for letter in suffix)
        return None

    def __getitem__(self, name: str) -> Value:
        """Return the value of a name."""
        if name in self._values:
            return self._values[name]
        if name not in self._derivatives:
            found = self._derivative(name)
            if found is None:
                raise KeyError(name)
            value = self._values[found[0]]
            for rate in found[1]:
                value = rate(value)
            self._derivatives[name] = value
        return self._derivatives[name]

    def __contains__(self, name: object) -> bool:
        """Whether a name is known."""
        return isinstance(name, str) and (
            name in self._values or self._derivative(name) is not None
        )

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, without derivatives."""
        return iter(self._values)

    def __len__(self) -> int:
        """Count the names."""
        return len(self._values)


def _derivative(symbol: sympy.Symbol, value: Value) -> Value:
    return derivative(value, symbol)


def emitted(name: str) -> str:
    """Return the name of a definition in kernels, where words ending in digits are reserved."""
    return f"{name}_" if name in _TAKEN or name[-1].isdigit() else name
