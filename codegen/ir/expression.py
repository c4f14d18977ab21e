# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic expressions: immutable, hash-consed, numbered in order of creation.

Two equal expressions are one object, so identity is equality and common subexpressions need no
search. A node's ``number`` orders it deterministically: nothing depends on hashes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from operator import attrgetter
from typing import Any, ClassVar

Number = Fraction | float
#: Functions of the C library that kernels may call.
FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp",
             "expm1", "log", "log1p", "fabs", "fmax")  # fmt: skip
Index = int | str


@dataclass(frozen=True, slots=True, eq=False)
class Const:
    """A number, exact where the mathematics is."""

    args: ClassVar[tuple[()]] = ()
    number: int
    value: Number


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A scalar argument of the kernel, the same for all elements of a call."""

    args: ClassVar[tuple[()]] = ()
    number: int
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Temp:
    """A scalar computed by an earlier statement."""

    args: ClassVar[tuple[()]] = ()
    number: int
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """An entry of an array; each index is a number or the name of a loop."""

    args: ClassVar[tuple[()]] = ()
    number: int
    array: str
    index: tuple[Index, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Add:
    """A sum of two or more terms."""

    number: int
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Mul:
    """A product of two or more factors."""

    number: int
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Div:
    """A quotient."""

    number: int
    args: tuple[Expr, Expr]


@dataclass(frozen=True, slots=True, eq=False)
class Sqrt:
    """A square root."""

    number: int
    args: tuple[Expr]


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A function of the C library, such as ``sin``."""

    number: int
    function: str
    args: tuple[Expr, ...]


Leaf = Const | Parameter | Temp | Load
Expr = Leaf | Add | Mul | Div | Sqrt | Call

_NUMBER = attrgetter("number")


def operands(expr: Expr) -> tuple[Expr, ...]:
    """Return the operands of an expression; empty for a leaf."""
    return expr.args


def is_sign(expr: Expr) -> bool:
    """Whether a factor only changes the sign, which costs nothing."""
    return isinstance(expr, Const) and expr.value == -1


@dataclass(slots=True)
class Graph:
    """Factory of expressions, each created once; constants are folded on creation."""

    _nodes: dict[tuple[object, ...], Expr] = field(default_factory=dict)
    _results: dict[str, dict[int, Any]] = field(default_factory=dict, compare=False, repr=False)

    def _intern(self, *key: object) -> Expr:
        node = self._nodes.get(key)
        return self._known(key, *key) if node is None else node

    def _known(self, key: tuple[object, ...], kind: Any, *content: object) -> Expr:
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = kind(len(self._nodes), *content)
        return node

    def results(self, name: str) -> dict[int, Any]:
        """Return the results of a function of expressions, by their numbers, for it to fill.

        Programs that a choice compares have most expressions in common. Only for functions whose
        result depends on nothing but the expression.
        """
        return self._results.setdefault(name, {})

    def const(self, value: Number | int) -> Expr:
        """Return a number; integers become exact fractions."""
        # A float and an equal fraction are different; fractions themselves are slow to hash.
        if isinstance(value, float):
            return self._known((float, value), Const, value)
        key = (Fraction, value.numerator, value.denominator)
        return self._nodes.get(key) or self._known(key, Const, Fraction(value))

    def parameter(self, name: str) -> Expr:
        """Return a scalar argument."""
        return self._intern(Parameter, name)

    def temp(self, name: str) -> Expr:
        """Return a reference to a scalar of an earlier statement."""
        return self._intern(Temp, name)

    def load(self, array: str, *index: Index) -> Expr:
        """Return an entry of an array."""
        return self._intern(Load, array, index)

    def add(self, *terms: Expr) -> Expr:
        """Return a sum: nested sums flattened, numbers added, zeros dropped."""
        flat, constant = _flatten(Add, terms)
        if constant or not flat:
            flat.append(self.const(constant or 0))
        return flat[0] if len(flat) == 1 else self._intern(Add, _ordered(flat))

    def mul(self, *factors: Expr) -> Expr:
        """Return a product: nested products flattened, numbers multiplied, ones dropped."""
        if len(factors) == 2:  # most are as simple
            left, right = factors
            if not (isinstance(left, Const | Mul) or isinstance(right, Const | Mul)):
                pair = (left, right) if left.number <= right.number else (right, left)
                return self._intern(Mul, pair)
        flat, constant = _flatten(Mul, factors)
        if constant is None:
            constant = 1
        elif not constant:
            return self.const(0)
        if constant != 1 or not flat:
            flat.append(self.const(constant))
        return flat[0] if len(flat) == 1 else self._intern(Mul, _ordered(flat))

    def div(self, numerator: Expr, denominator: Expr) -> Expr:
        """Return a quotient; division by a number becomes a product."""
        if isinstance(denominator, Const):
            return self.mul(numerator, self.const(1 / denominator.value))
        return self._intern(Div, (numerator, denominator))

    def sqrt(self, arg: Expr) -> Expr:
        """Return a square root."""
        return self._intern(Sqrt, (arg,))

    def call(self, function: str, *args: Expr) -> Expr:
        """Return a function of the C library."""
        return self._intern(Call, function, args)

    def power(self, base: Expr, exponent: int) -> Expr:
        """Return an integer power as products of squares, so that squares are shared."""
        if exponent < 0:
            return self.div(self.const(1), self.power(base, -exponent))
        if exponent == 0:
            return self.const(1)
        half = self.power(base, exponent // 2)
        square = half if exponent == 1 else self._product(half, half)
        if exponent == 1:
            return base
        return self._product(square, base) if exponent % 2 else square

    def _product(self, left: Expr, right: Expr) -> Expr:
        """Return ``left * right`` without flattening, which would undo shared squares."""
        if isinstance(left, Const) or isinstance(right, Const):
            return self.mul(left, right)
        return self._intern(Mul, _ordered([left, right]))

    def rebuild(self, expr: Expr, args: tuple[Expr, ...]) -> Expr:
        """Return the expression with other operands."""
        kind = type(expr)
        if kind is Mul:
            # Even with its own operands: a product of products becomes one.
            return self.mul(*args)
        if args == expr.args:
            return expr
        if kind is Add:
            return self.add(*args)
        if kind is Div:
            return self.div(*args)
        if kind is Sqrt:
            return self.sqrt(*args)
        assert isinstance(expr, Call)
        return self.call(expr.function, *args)


def _flatten(kind: type, args: tuple[Expr, ...]) -> tuple[list[Expr], Number | None]:
    """Return the operands, with nested ones of the same kind flattened and numbers folded."""
    flat: list[Expr] = []
    constant: Number | None = None
    for arg in _opened(kind, args) if kind in map(type, args) else args:
        if not isinstance(arg, Const):
            flat.append(arg)
        elif constant is None:
            constant = arg.value
        else:
            constant = constant + arg.value if kind is Add else constant * arg.value
    return flat, constant


def _opened(kind: type, args: tuple[Expr, ...]) -> Iterator[Expr]:
    """Yield the operands, those of the nested ones of the same kind in their place."""
    pending = [*reversed(args)]
    while pending:
        arg = pending.pop()
        if isinstance(arg, kind):
            pending.extend(reversed(arg.args))
        else:
            yield arg


def _ordered(args: list[Expr]) -> tuple[Expr, ...]:
    return tuple(sorted(args, key=_NUMBER))
