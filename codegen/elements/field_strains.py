# SPDX-License-Identifier: BSD-3-Clause
"""Strains of a field element: linear ones, and those of second order on which stress does work.

A strain of second order is stated whole, such as ``ux_x + (ux_x**2 + uy_x**2 + uz_x**2)/2``. Its
linear part makes the stress, by a law; the second derivative of the work of that stress on its
quadratic part is the geometric stiffness, which nobody writes down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import sympy
from flexforge.codegen.elements.expressions import parse
from flexforge.codegen.elements.field import linear_forms
from flexforge.codegen.elements.field_conditions import formula
from flexforge.codegen.elements.field_scope import Scope, square_root
from flexforge.codegen.elements.stiffening import Stiffening
from flexforge.codegen.elements.user_values import brief, entries
from flexforge.codegen.errors import InputError, nearest

Coordinates = Sequence[sympy.Symbol]
_KEYS = ("strain", "law")
_PLACES = 2
#: Of entries that are factored: those of beams have up to 8 variables and 51 operations.
_MOST_SYMBOLS = 8
_MOST_OPERATIONS = 60


def linear_rows(
    scope: Scope, texts: Mapping[str, Any], coordinates: Coordinates
) -> sympy.ImmutableMatrix:
    """Return the matrix of forms that are linear in the nodal coordinates.

    Parameters
    ----------
    scope : Scope
        What formulas know.
    texts : mapping
        Formulas by their keys in the file.
    coordinates : sequence of sympy.Symbol
        The columns.

    Raises
    ------
    InputError
        For a formula with products of nodal coordinates, or with what does not vanish with them.
    """
    rows = []
    for where, text in texts.items():
        value = formula(scope, text, where)
        rows.append(_linear_row(value, coordinates, where, text))
    return sympy.ImmutableMatrix(rows).applyfunc(factored)


def _linear_row(
    value: sympy.Expr, coordinates: Coordinates, where: str, text: str
) -> list[sympy.Expr]:
    """Return the derivatives of a form by the nodal coordinates."""
    known = set(coordinates)
    row = [sympy.diff(value, c) for c in coordinates]
    for k, rate in enumerate(row):
        if rate.free_symbols & known:
            row[k] = sympy.expand(rate)
            if row[k].free_symbols & known:
                raise InputError(
                    f"{where}: found '{text}'; expected what is linear in the nodal coordinates"
                )
    rest = value.xreplace(dict.fromkeys(coordinates, sympy.Integer(0)))
    if rest != 0 and sympy.cancel(rest) != 0:
        raise InputError(
            f"{where}: found '{text}', which is {brief(str(rest))} where nothing moves; expected "
            "what vanishes with the nodal coordinates"
        )
    return row


def factored(entry: sympy.Expr) -> sympy.Expr:
    """Return an entry in factors, which take fewest operations, where it has few parts.

    Factors of many variables are dear to find and seldom there.
    """
    few = len(entry.free_symbols) <= _MOST_SYMBOLS and sympy.count_ops(entry) <= _MOST_OPERATIONS
    return sympy.factor(entry) if few else entry


class _Rates(Mapping[str, sympy.Expr]):
    """The names of a scope, where what moves is a symbol g1, g2, .. in the order of its use."""

    def __init__(self, scope: Scope, coordinates: Coordinates) -> None:
        self._scope, self._coordinates = scope, set(coordinates)
        self.found: dict[str, tuple[sympy.Symbol, sympy.Expr]] = {}

    def __getitem__(self, name: str) -> sympy.Expr:
        if name in self.found:
            return self.found[name][0]
        value = self._scope[name]
        if not value.free_symbols & self._coordinates:
            return value
        symbol = sympy.Symbol(f"g{len(self.found) + 1}", real=True)
        self.found[name] = symbol, value
        return symbol

    def __contains__(self, name: object) -> bool:
        return name in self._scope

    def __iter__(self) -> Iterator[str]:
        return iter(self._scope)

    def __len__(self) -> int:
        return len(self._scope)


def read_stiffening(
    scope: Scope,
    constants: Mapping[str, sympy.Expr],
    data: Any,
    coordinates: Coordinates,
    strain: sympy.ImmutableMatrix,
) -> Stiffening:
    """Return the strains of second order and the law of the stress that does work on them.

    Parameters
    ----------
    scope : Scope
        What formulas of strains know.
    constants : mapping
        What formulas of the law know.
    data : object
        The table ``stiffening``: ``strain``, a list, and ``law``, a matrix.
    coordinates : sequence of sympy.Symbol
        The nodal coordinates.
    strain : sympy.ImmutableMatrix
        The strains of the law, in these columns.

    Raises
    ------
    InputError
        For a strain without a quadratic part, or of higher order.
    """
    if not isinstance(data, dict):
        raise InputError(f"stiffening: found {brief(data)}; expected a table")
    for key in (*data, *_KEYS):
        if key not in _KEYS:
            raise InputError(f"stiffening.{key}: unknown key{nearest(key, _KEYS)}")
        if key not in data:
            raise InputError(f"stiffening.{key}: missing; expected strain = [..], law = [[..]]")
    rates = _Rates(scope, coordinates)
    strains = [
        parse(text, rates, f"stiffening.strain[{i}]", ratios=True, calls={"sqrt": square_root})
        for i, text in enumerate(entries(data, "strain"))
    ]
    symbols = [symbol for symbol, _ in rates.found.values()]
    values = [value for _, value in rates.found.values()]
    linear, quadratic = [], []
    for i, whole_strain in enumerate(strains):
        first, second = _parts(whole_strain, symbols, f"stiffening.strain[{i}]", data["strain"][i])
        linear.append(first)
        quadratic.append(second)
    law = _law(constants, data["law"], len(strains))
    used = [k for k in range(len(symbols)) if any(any(q[k, :]) for q in quadratic)]
    kept = tuple(sympy.ImmutableMatrix(q.extract(used, used)) for q in quadratic)
    forms = linear_forms(values, coordinates).applyfunc(factored)
    whole = sympy.Matrix(linear)
    within = set(used) >= {k for k in range(len(symbols)) if any(whole[:, k])}
    return Stiffening(
        rates=sympy.ImmutableMatrix(forms.extract(used, list(range(forms.cols)))),
        quadratic=kept,
        law=law,
        linear=sympy.ImmutableMatrix(whole.extract(list(range(len(strains))), used))
        if within
        else None,
        strain=None if within else sympy.ImmutableMatrix(whole * forms),
        warms=_same(whole * forms, strain[: whole.rows, :], scope),
    )


def _same(fibre: sympy.Matrix, strain: sympy.Matrix, scope: Scope) -> bool:
    """Whether strains of a fibre on the axis are those of the law, by values at a few places."""
    axis = dict.fromkeys(scope.across, sympy.Integer(0))
    symbols = sorted((fibre.free_symbols | strain.free_symbols) - axis.keys(), key=str)
    if fibre.shape != strain.shape:
        return False
    draw = Random(1)
    for _ in range(_PLACES):
        at = axis | {s: sympy.Rational(draw.randint(2, 10**6), 10**6 + 3) for s in symbols}
        if fibre.xreplace(at) != strain.xreplace(at):
            return False
    return True


def _parts(
    strain: sympy.Expr, symbols: list[sympy.Symbol], where: str, text: str
) -> tuple[list[sympy.Expr], sympy.Matrix]:
    """Return the linear part of a strain, and the matrix Q of its quadratic one."""
    still = dict.fromkeys(symbols, 0)
    second = sympy.Matrix(
        len(symbols), len(symbols), lambda i, j: sympy.diff(strain, symbols[i], symbols[j])
    ).applyfunc(sympy.cancel)
    if not all(entry.is_Rational for entry in second):
        high = any(entry.free_symbols & set(symbols) for entry in second)
        what = "of higher order" if high else "with factors that are not numbers"
        raise InputError(
            f"{where}: found '{text}', {what} in its quadratic part; expected squares and products "
            "of derivatives and functions times numbers"
        )
    if second.is_zero_matrix:
        raise InputError(
            f"{where}: found '{text}', which is linear; expected a quadratic part as well, such as "
            "ux_x + uy_x**2/2"
        )
    if sympy.cancel(strain.subs(still)) != 0:
        raise InputError(f"{where}: found '{text}'; expected what vanishes where nothing moves")
    return [sympy.diff(strain, s).subs(still) for s in symbols], second


def _law(constants: Mapping[str, sympy.Expr], found: Any, size: int) -> sympy.ImmutableMatrix:
    """Return the matrix from the linear strains to the stresses."""
    square = isinstance(found, list) and len(found) == size
    if not square or not all(isinstance(row, list) and len(row) == size for row in found):
        raise InputError(
            f"stiffening.law: found {brief(found)}; expected {size} rows of {size}, as many as "
            "stiffening.strain has"
        )
    return sympy.ImmutableMatrix(
        size,
        size,
        lambda i, j: parse(
            found[i][j],
            constants,
            f"stiffening.law[{i}][{j}]",
            ratios=True,
            calls={"sqrt": square_root},
        ),
    )
