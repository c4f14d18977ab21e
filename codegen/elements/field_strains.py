# SPDX-License-Identifier: BSD-3-Clause
"""Strains of a field element: linear strains, and second-order strains on which stress does work.

A second-order strain is stated in full, such as ``ux_x + (ux_x**2 + uy_x**2 + uz_x**2)/2``. Its
linear part gives the stress, by a law; the geometric stiffness is derived as the second derivative
of the work of that stress on the quadratic part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import sympy
from flexforge.codegen.elements.calls import CALLS, Value, is_vector
from flexforge.codegen.elements.expressions import parse
from flexforge.codegen.elements.field_scope import Scope
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.linear import homogeneous
from flexforge.codegen.elements.stiffening import Stiffening
from flexforge.codegen.elements.user_laws import read_stresses, stress_matrix
from flexforge.codegen.elements.user_values import brief, check_keys, table
from flexforge.codegen.errors import InputError

Coordinates = Sequence[sympy.Symbol]
_PLACES = 2
#: Limits of entries that are factored: those of beams have up to 8 variables and 51 operations.
_MOST_SYMBOLS = 8
_MOST_OPERATIONS = 60


def linear_rows(
    values: Mapping[str, sympy.Expr], texts: Mapping[str, Any], coordinates: Coordinates
) -> sympy.ImmutableMatrix:
    """Return the matrix of forms that are linear in the nodal coordinates.

    Parameters
    ----------
    values, texts : mapping
        The forms by their keys in the file, and the text of the file there.
    coordinates : sequence of sympy.Symbol
        The columns.

    Raises
    ------
    InputError
        For a formula with products of nodal coordinates or with a constant part.
    """
    forms = [homogeneous(value, coordinates, key, texts[key]) for key, value in values.items()]
    return _matrix(forms, coordinates).applyfunc(factored)


def _matrix(
    forms: Sequence[Mapping[sympy.Expr, sympy.Expr]], columns: Coordinates
) -> sympy.ImmutableMatrix:
    """Return the coefficients of linear forms, one row per form."""
    rows = [[form.get(c, sympy.Integer(0)) for c in columns] for form in forms]
    return sympy.ImmutableMatrix(len(rows), len(columns), [x for row in rows for x in row])


def factored(entry: sympy.Expr) -> sympy.Expr:
    """Return an entry in factored form, which takes fewest operations, if it is small.

    Factors in many variables are expensive to find and rarely exist; on surfaces, factoring would
    also split what entries share, such as products of area coordinates.
    """
    known = entry.free_symbols
    few = len(known) <= _MOST_SYMBOLS and sympy.count_ops(entry) <= _MOST_OPERATIONS
    return sympy.factor(entry) if few and REFERENCE[1] not in known else entry


class _Rates(Mapping[str, Value]):
    """The names of a scope, with each moving quantity replaced by a symbol g1, g2, .. on first use.

    Parameters
    ----------
    scope : Scope
        The names.
    coordinates : sequence of sympy.Symbol
        The nodal coordinates.
    strain : mapping
        Strains by name, as rows over these columns.
    """

    def __init__(
        self, scope: Scope, coordinates: Coordinates, strain: Mapping[str, sympy.ImmutableMatrix]
    ) -> None:
        self._scope, self._coordinates, self._strain = scope, coordinates, strain
        self._named: dict[str, Value] = {}
        #: The symbols, and their rows over the columns.
        self.symbols: list[sympy.Symbol] = []
        self.rows: list[sympy.ImmutableMatrix] = []

    def __getitem__(self, name: str) -> Value:
        if name not in self._named:
            self._named[name] = self._new(name)
        return self._named[name]

    def _new(self, name: str) -> Value:
        if name in self._strain:
            return self._symbol(self._strain[name])
        value = self._scope[name]
        if not value.free_symbols & set(self._coordinates):
            return value
        return value.applyfunc(self._moving) if is_vector(value) else self._moving(value)

    def _moving(self, value: sympy.Expr) -> sympy.Symbol:
        return self._symbol(
            linear_rows({"stiffening": value}, {"stiffening": ""}, self._coordinates)
        )

    def _symbol(self, row: sympy.ImmutableMatrix) -> sympy.Symbol:
        self.symbols.append(sympy.Symbol(f"g{len(self.rows) + 1}", real=True))
        self.rows.append(row)
        return self.symbols[-1]

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
    strain: Mapping[str, sympy.ImmutableMatrix],
) -> Stiffening:
    """Return the second-order strains and the law of the stress that does work on them.

    Parameters
    ----------
    scope : Scope
        Names known in formulas of strains.
    constants : mapping
        Names known in formulas of the stress.
    data : object
        The table ``stiffening``: ``strain`` and ``stress``, two tables with the same names.
    coordinates : sequence of sympy.Symbol
        The nodal coordinates.
    strain : mapping
        The strains of the law by name, as rows over these columns.

    Raises
    ------
    InputError
        For a strain without a quadratic part, or of higher order.
    """
    if not isinstance(data, dict):
        raise InputError(f"stiffening: found {brief(data)}; expected a table")
    check_keys(data, ("strain", "stress"), where="stiffening.")
    rates = _Rates(scope, coordinates, strain)
    texts = table(data, "strain", "stiffening.")
    if not texts:
        raise InputError("stiffening.strain: found none; expected second-order strains")
    strains = {
        name: parse(text, rates, f"stiffening.strain.{name}", ratios=True, calls=CALLS)
        for name, text in texts.items()
    }
    symbols = rates.symbols
    linear, quadratic = [], []
    for name, whole_strain in strains.items():
        where = f"stiffening.strain.{name}"
        first, second = _parts(whole_strain, symbols, where, texts[name])
        linear.append(first)
        quadratic.append(second)
    used = [k for k in range(len(symbols)) if any(any(q[k, :]) for q in quadratic)]
    kept = tuple(sympy.ImmutableMatrix(q.extract(used, used)) for q in quadratic)
    forms = sympy.Matrix.vstack(*rates.rows)
    whole = sympy.Matrix(linear)
    fibre = dict(zip(strains, [(whole[k, :] * forms) for k in range(whole.rows)], strict=True))
    stresses = read_stresses(
        table(data, "stress", "stiffening."), tuple(strains), (*strains, *strain), constants
    )
    taken = [name for name in (*strains, *strain) if any(name in form for form in stresses)]
    rows = sympy.Matrix.vstack(*((fibre | dict(strain))[name] for name in taken))
    own = taken == [*strains]
    within = own and set(used) >= {k for k in range(len(symbols)) if any(whole[:, k])}
    return Stiffening(
        rates=sympy.ImmutableMatrix(forms.extract(used, list(range(forms.cols)))),
        quadratic=kept,
        law=stress_matrix(stresses, taken),
        linear=sympy.ImmutableMatrix(whole.extract(list(range(whole.rows)), used))
        if within
        else None,
        strain=None if within else sympy.ImmutableMatrix(rows),
        warmed=_coinciding(rows, sympy.Matrix.vstack(*strain.values()), scope),
    )


def _coinciding(fibre: sympy.Matrix, strain: sympy.Matrix, scope: Scope) -> tuple[int, ...] | None:
    """Return which strains of the law those of a fibre on the axis are; None if one is none."""
    found = []
    for place in range(fibre.rows):
        order = sorted(range(strain.rows), key=lambda number: number != place)
        alike = (n for n in order if _same(fibre[place, :], strain[n, :], scope))
        number = next(alike, None)
        if number is None:
            return None
        found.append(number)
    return tuple(found)


def _same(fibre: sympy.Matrix, strain: sympy.Matrix, scope: Scope) -> bool:
    """Whether strains of a fibre on the axis are those of the law, tested at a few points."""
    axis = dict.fromkeys(scope.across, sympy.Integer(0))
    symbols = sorted((fibre.free_symbols | strain.free_symbols) - axis.keys(), key=str)
    if fibre.shape != strain.shape:
        return False
    if fibre.xreplace(axis) == strain:  # as written
        return True
    draw = Random(1)
    for _ in range(_PLACES):
        at = axis | {s: sympy.Integer(draw.randint(2, 10**4)) for s in symbols}
        if fibre.xreplace(at) != strain.xreplace(at):
            return False
    return True


def _parts(
    strain: sympy.Expr, symbols: list[sympy.Symbol], where: str, text: str
) -> tuple[list[sympy.Expr], sympy.Matrix]:
    """Return the linear part of a strain, and the matrix Q of its quadratic part."""
    linear: list[sympy.Expr] = [sympy.Integer(0)] * len(symbols)
    second = sympy.zeros(len(symbols), len(symbols))
    for powers, factor in sympy.Poly(strain, *symbols).terms() if symbols else [((), strain)]:
        which = [k for k, power in enumerate(powers) for _ in range(power)]
        if len(which) > 2 or (len(which) == 2 and not factor.is_Rational):
            what = "of higher order" if len(which) > 2 else "with coefficients that are not numbers"
            raise InputError(
                f"{where}: found '{text}', {what} in its quadratic part; expected squares and "
                "products of derivatives and functions times numbers"
            )
        if not which and factor != 0:
            raise InputError(f"{where}: found '{text}'; expected what vanishes without motion")
        if len(which) == 1:
            linear[which[0]] = factor
        if len(which) == 2:
            i, j = which
            second[i, j] += factor
            second[j, i] += factor
    if second.is_zero_matrix:
        raise InputError(
            f"{where}: found '{text}', which is linear; expected a quadratic part as well, such as "
            "ux_x + uy_x**2/2"
        )
    return linear, second
