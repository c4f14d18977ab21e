# SPDX-License-Identifier: BSD-3-Clause
"""Functions of a field element: written out, or the ones of a space that satisfy conditions.

A deflection, for example, is the cubic whose values and slopes at two nodes are those of the nodes:

    bend = { basis = ["1", "xi", "xi**2", "xi**3"], conditions = [
      { at = [-1], value = "bend", equals = "uy1" }, ..
    ] }

A value is any formula in the function and its derivatives, linear in it; what it equals is linear
in the nodal coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy
from flexforge.codegen.elements.expressions import parse
from flexforge.codegen.elements.field_scope import Scope, square_root
from flexforge.codegen.elements.user_values import brief, entries, number
from flexforge.codegen.errors import InputError, nearest
from sympy.polys.matrices import DomainMatrix
from sympy.polys.matrices.exceptions import DMError

#: Coefficients of a function that conditions determine; a plate's quintic has 21.
_MOST = 24
_KEYS = ("basis", "conditions")
_CONDITION = ("at", "value", "equals")


def formula(scope: Scope, found: Any, where: str) -> sympy.Expr:
    """Return what a formula of the declaration says."""
    return parse(found, scope, where, ratios=True, calls={"sqrt": square_root, "at": scope.sampled})


def add_functions(
    scope: Scope, data: Mapping[str, Any], coordinates: Sequence[sympy.Symbol]
) -> None:
    """Add the functions of a declaration to the names that formulas know, in order.

    Parameters
    ----------
    scope : Scope
        What formulas know.
    data : mapping
        Functions by name: formulas, or tables with ``basis`` and ``conditions``.
    coordinates : sequence of sympy.Symbol
        The nodal coordinates.

    Raises
    ------
    InputError
        For a formula that is not linear in the nodal coordinates, or conditions that do not
        determine a function.
    """
    for name, found in data.items():
        where = f"functions.{name}"
        if isinstance(found, dict):
            value = _determined(scope, name, found, coordinates, where)
        else:
            value = formula(scope, found, where)
            check_degree(value, coordinates, where, str(found))
        scope.add(name, value, where, function=True)


def check_degree(
    value: sympy.Expr, coordinates: Sequence[sympy.Symbol], where: str, text: str
) -> None:
    """Refuse what is not linear in the nodal coordinates: a function of the place may hold none."""
    for c in coordinates:
        rate = sympy.diff(value, c)
        others = [d for d in coordinates if d in rate.free_symbols]
        for d in others:
            if sympy.expand(sympy.diff(rate, d)) != 0:
                raise InputError(
                    f"{where}: found '{text}', with a product of {c} and {d}; expected what is "
                    "linear in the nodal coordinates"
                )


def _determined(
    scope: Scope, name: str, data: dict[str, Any], coordinates: Sequence[sympy.Symbol], where: str
) -> sympy.Expr:
    """Return the function of a space that satisfies conditions."""
    for key in (*data, *_KEYS):
        if key not in _KEYS:
            raise InputError(f"{where}: unknown key '{key}'{nearest(key, _KEYS)}")
        if key not in data:
            raise InputError(f"{where}.{key}: missing; expected {{ basis = .., conditions = .. }}")
    basis = [
        formula(scope, text, f"{where}.basis[{i}]") for i, text in enumerate(entries(data, "basis"))
    ]
    conditions = entries(data, "conditions")
    if len(basis) > _MOST:
        raise InputError(f"{where}.basis: found {len(basis)} entries; expected at most {_MOST}")
    if len(conditions) != len(basis):
        raise InputError(
            f"{where}.conditions: found {len(conditions)} for the {len(basis)} coefficients of its "
            "basis; expected as many"
        )
    unknowns = sympy.symbols(f"coefficient1:{len(basis) + 1}", real=True)
    trial = scope.extended(
        name, sympy.Add(*(c * b for c, b in zip(unknowns, basis, strict=True))), where
    )
    rows, sides = [], []
    for i, condition in enumerate(conditions):
        value, side = _condition(trial, condition, f"{where}.conditions[{i}]")
        rows.append([sympy.diff(value, c) for c in unknowns])
        check_degree(side, coordinates, f"{where}.conditions[{i}].equals", condition["equals"])
        if any({*unknowns} & entry.free_symbols for entry in rows[-1]):
            raise InputError(
                f"{where}.conditions[{i}].value: found '{condition['value']}'; expected what is "
                f"linear in '{name}'"
            )
        sides.append(side - value.subs(dict.fromkeys(unknowns, 0)))
    inverse = _inverse(sympy.Matrix(rows), where)
    found = inverse * sympy.Matrix(sides)
    return sympy.Add(*(c * b for c, b in zip(found, basis, strict=True)))


def _condition(scope: Scope, data: Any, where: str) -> tuple[sympy.Expr, sympy.Expr]:
    """Return both sides of a condition, at its place."""
    if not isinstance(data, dict) or set(data) != set(_CONDITION):
        raise InputError(
            f'{where}: found {brief(data)}; expected {{ at = [..], value = "..", equals = ".." }}'
        )
    place = data["at"]
    if not isinstance(place, list) or len(place) != len(scope.reference):
        raise InputError(
            f"{where}.at: found {brief(place)}; expected {len(scope.reference)} reference "
            "coordinates"
        )
    exact = [number(x, f"{where}.at") for x in place]
    sides = (formula(scope, data[key], f"{where}.{key}") for key in ("value", "equals"))
    value, side = (scope.sampled(text, *exact) for text in sides)
    return value, side


def _inverse(matrix: sympy.Matrix, where: str) -> sympy.Matrix:
    """Return the inverse of the matrix of conditions, whose entries are rational functions."""
    try:
        found = DomainMatrix.from_Matrix(matrix).to_field().inv()
    except DMError:
        raise InputError(
            f"{where}.conditions: found some that depend on each other or contradict each other "
            "(their matrix is singular); expected conditions that determine every coefficient"
        ) from None
    return found.to_Matrix()
