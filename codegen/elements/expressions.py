# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of a user's element file: a few operators, parsed and never executed.

The size of a formula is known before it is expanded: every part of it carries bounds of its degree,
number of terms and digits, and a part that exceeds a limit is rejected.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field
from fractions import Fraction
from math import comb, log10

import sympy
from flexforge.codegen.elements.calls import Value, is_vector
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.syntax import formula_tree

_LONGEST = 200
#: Total degree of numerator and denominator. No quadrature is exact beyond degree 12, which the
#: stiffness of functions of degree 7 needs.
MOST_DEGREE = 24
#: Terms of an expanded polynomial; one of degree 24 in three variables has 2925.
MOST_TERMS = 3000
#: Terms of numerator and denominator: the cost of cancelling grows at least with their product.
MOST_TERMS_OF_RATIOS = 300
#: Digits of an integer in a formula: quadrature rules and fractional coordinates need about 20.
MOST_DIGITS = 60
_LARGEST_POWER = 8
#: Number of names listed in an error, besides the nearest one.
_MOST_NAMES = 30
#: Names known in formulas of a model file (time, place) but not in formulas of elements.
_ELSEWHERE = re.compile(
    "a?(sin|cos|tan)|atan2|(sin|cos|tan)h|exp|log|sqrt|abs|min|max|(smooth_)?step|pi|e|t"
)


#: Decimals such as 0.5 or 1e-3, whose digits are few.
_DECIMAL = re.compile(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?")


@dataclass(frozen=True, slots=True)
class _Size:
    """Bounds of a polynomial: degree, number of terms, digits of the sum of its coefficients."""

    degree: int
    terms: int
    digits: float

    def __mul__(self, other: _Size) -> _Size:
        return _Size(
            self.degree + other.degree, self.terms * other.terms, self.digits + other.digits
        )

    def __add__(self, other: _Size) -> _Size:
        digits = max(self.digits, other.digits) + log10(2)
        return _Size(max(self.degree, other.degree), self.terms + other.terms, digits)

    def __pow__(self, power: int) -> _Size:
        terms = comb(self.terms + power - 1, power) if power else 1
        return _Size(self.degree * power, terms, self.digits * power)


@dataclass(frozen=True, slots=True)
class _Part:
    """An expression with bounds of its numerator and denominator, written as one fraction."""

    value: Value
    above: _Size
    below: _Size


_ONE = _Size(0, 1, 0.0)
#: A function that a formula may call, from the values of its arguments to its value.
Calls = Mapping[str, Callable[..., Value]]


def parse(
    text: object,
    variables: Mapping[str, Value],
    where: str,
    *,
    ratios: bool = False,
    calls: Calls | None = None,
    vectors: bool = False,
    kind: str = "",
) -> Value:
    """Return the polynomial, or ratio of polynomials, written in a text.

    Parameters
    ----------
    text : object
        The entry of the file.
    variables : mapping
        Known variables by name.
    where : str
        Key of the file, for errors.
    ratios : bool
        Whether expressions may divide by polynomials, not only by numbers.
    calls : mapping, optional
        Functions that it may call; they raise ``InputError`` for invalid arguments.
    vectors : bool
        Whether the value may be a vector.
    kind : str
        What a formula is called in errors; by default a polynomial, or a ratio of polynomials.

    Raises
    ------
    InputError
        Naming the key, what was found and what is expected.
    """
    if not isinstance(text, str):
        raise InputError(f"{where}: found {str(text)[:80]!r}; expected a text such as 'xi*eta'")
    if len(text) > _LONGEST:
        raise InputError(
            f"{where}: found a formula of {len(text)} characters; expected at most {_LONGEST}"
        )
    kind = kind or ("a ratio of polynomials" if ratios else "a polynomial")
    tree = formula_tree(text)
    if tree is None:
        raise InputError(f"{where}: found '{text}'; expected {kind}")
    value = _Reader(text, variables, where, ratios, kind, calls or {}).read(tree).value
    if is_vector(value) and not vectors:
        raise InputError(f"{where}: found '{text}', a vector; expected a number, such as v[1]")
    return value


@dataclass(frozen=True, slots=True)
class _Reader:
    """Walk over the syntax tree that allows a few operators and nothing that grows too large."""

    text: str
    variables: Mapping[str, Value]
    where: str
    ratios: bool
    kind: str
    calls: Calls = field(default_factory=dict)

    def read(self, node: ast.expr) -> _Part:
        """Return the expression of a syntax tree; raise an error for anything else."""
        match node:
            case ast.Constant(value=int() as value) if not isinstance(value, bool):
                digits = value.bit_length() * log10(2)
                self._check(_Size(0, 1, digits))
                return _Part(sympy.Integer(value), _Size(0, 1, digits), _ONE)
            case ast.Constant(value=float()) if (exact := self._decimal(node)) is not None:
                above, below = (_Size(0, 1, log10(max(abs(n), 1))) for n in (exact.p, exact.q))
                return self._checked(exact, above, below)
            case ast.Name(id=name) if name in self.variables:
                return self._named(self.variables[name])
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if (
                name in self.calls
            ):
                values = [self.read(argument).value for argument in arguments]
                try:
                    return self._named(self.calls[name](*values))
                except InputError as error:
                    raise InputError(f"{self.where}: {error} in '{self.text}'") from None
                except TypeError:  # as many arguments as it takes are not there
                    pass
            case ast.Subscript(value=inner, slice=ast.Constant(value=int() as index)) if (
                not isinstance(index, bool)
            ):
                found = self.read(inner).value
                if is_vector(found) and 1 <= index <= found.rows:
                    return self._named(found[index - 1])
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                part = self.read(operand)
                return _Part(-part.value, part.above, part.below)
            case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)) if (
                0 <= power <= _LARGEST_POWER and not isinstance(power, bool)
            ):
                a = self.read(left)
                self._require(not is_vector(a.value), node, "the power of a number, or dot(v, v)")
                above, below = a.above**power, a.below**power
                self._check(above, below)  # before the power is taken
                return _Part(a.value**power, above, below)
            case ast.BinOp(left=left, op=ast.Div(), right=right) if self.ratios or _is_number(
                right
            ):
                a, b = self.read(left), self.read(right)
                self._require(not is_vector(b.value), node, "division by a number")
                if sympy.expand(b.value) != 0:
                    return self._checked(a.value / b.value, a.above * b.below, a.below * b.above)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                a, b = self.read(left), self.read(right)
                numbers = not (is_vector(a.value) and is_vector(b.value))
                self._require(numbers, node, "dot(v, w) or cross(v, w)")
                return self._checked(a.value * b.value, a.above * b.above, a.below * b.below)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as operation, right=right):
                a, b = self.read(left), self.read(right)
                alike = _size(a.value) == _size(b.value)
                self._require(alike, node, "two numbers, or two vectors of one size")
                value = a.value + b.value if isinstance(operation, ast.Add) else a.value - b.value
                if a.below == b.below == _ONE:
                    return self._checked(value, a.above + b.above, _ONE)
                above = a.above * b.below + b.above * a.below
                return self._checked(value, above, a.below * b.below)
        raise self._unknown(node)

    def _decimal(self, node: ast.expr) -> sympy.Rational | None:
        """Return a decimal as the fraction that is written; None for other spellings."""
        text = ast.get_source_segment(self.text, node) or ""
        if not _DECIMAL.fullmatch(text):
            return None
        exact = Fraction(text)
        return sympy.Rational(exact.numerator, exact.denominator)

    def _require(self, fits: bool, node: ast.expr, wanted: str) -> None:
        """Raise an error for an operation that vectors do not have."""
        if not fits:
            raise InputError(f"{self.where}: found '{ast.unparse(node)}'; expected {wanted}")

    def _named(self, value: Value) -> _Part:
        """Return the value of a name: a variable, or an expression made of variables."""
        size = _size_of(value)
        self._check(size)
        return _Part(value, size, _ONE)

    def _checked(self, value: Value, above: _Size, below: _Size) -> _Part:
        self._check(above, below)
        return _Part(value, above, below)

    def _check(self, *sizes: _Size) -> None:
        """Raise an error for an expression that would be too large when expanded."""
        ratio = len(sizes) > 1 and sizes[-1].terms > 1  # division by one term stays as it is
        most = MOST_TERMS_OF_RATIOS if ratio else MOST_TERMS
        for size in sizes:
            # No polynomial has more terms than there are monomials of its degree.
            terms = min(size.terms, comb(size.degree + len(self.variables), size.degree))
            if size.degree > MOST_DEGREE:
                found = f"degree {size.degree}" if size.degree < 10**6 else "an enormous degree"
                wanted = f"degree at most {MOST_DEGREE}"
            elif size.digits > MOST_DIGITS:
                found, wanted = "too long numbers", f"numbers of at most {MOST_DIGITS} digits"
            elif terms > most:
                found, wanted = f"up to {terms} terms", f"at most {most}"
            else:
                continue
            raise InputError(
                f"{self.where}: found {found} in '{self.text}' when expanded; expected {wanted}"
            )

    def _unknown(self, node: ast.expr) -> InputError:
        """Return the error for a name or operation unknown in formulas of elements."""
        names = [*self.variables]
        shown = [*names[:_MOST_NAMES], *([".."] if len(names) > _MOST_NAMES else [])]
        variables = ", ".join(shown) or "nothing (a point has no coordinates)"
        found = ast.unparse(node)
        called = node.func if isinstance(node, ast.Call) else None
        named = called or node
        name = named.id if isinstance(named, ast.Name) else ""
        hint = ""
        if _ELSEWHERE.fullmatch(name):
            hint = f"; '{name}' is known in formulas of a model file, not of an element"
        elif name and called is None:
            hint = nearest(name, self.variables)
        elif re.search(r"\^", self.text):
            hint = "; a power is written **"
        return InputError(
            f"{self.where}: found '{found}'; expected {self.kind} in {variables} with whole powers "
            f"to {_LARGEST_POWER}{hint}"
        )


def _size(value: Value) -> int:
    """Return the number of components of a vector, 0 for a number."""
    return value.rows if is_vector(value) else 0


def _size_of(value: Value) -> _Size:
    """Return bounds of an expression; divisors and radicands count as factors."""
    if is_vector(value):
        sizes = [_size_of(entry) for entry in value]
        return _Size(*(max(column) for column in zip(*map(astuple, sizes), strict=True)))
    if value.is_Rational:
        return _Size(0, 1, log10(max(abs(int(value.p)), int(value.q))) if value else 0.0)
    if value.is_Pow and value.exp.is_Integer:
        base = _size_of(value.base)
        return base ** int(value.exp) if value.exp > 0 else _Size(base.degree, 1, base.digits)
    if not value.is_Add and not value.is_Mul:
        return _Size(1, 1, 0.0)
    first, *others = map(_size_of, value.args)
    for other in others:
        first = first + other if value.is_Add else first * other
    return first


def _is_number(node: ast.expr) -> bool:
    """Whether a syntax tree is a number other than zero."""
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
        and node.value != 0
    )
