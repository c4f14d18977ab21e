# SPDX-License-Identifier: BSD-3-Clause
"""Functions of a field element: written out, or determined in a space by conditions.

A deflection, for example, is the cubic that takes the nodal values and slopes at two nodes:

    bend = { basis = ["1", "xi", "xi**2", "xi**3"], conditions = [
      { at = [-1], value = "bend", equals = "uy1" }, ..
    ] }

``value`` is a formula that is linear in the function and its derivatives, ``equals`` one that is
linear in the nodal coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy
from flexforge.codegen.elements.calls import is_vector
from flexforge.codegen.elements.field_scope import Scope
from flexforge.codegen.elements.linear import linear_form
from flexforge.codegen.elements.user_values import (
    brief,
    check_keys,
    checked_name,
    entries,
    number,
)
from flexforge.codegen.errors import InputError
from sympy.polys.matrices import DomainMatrix
from sympy.polys.matrices.exceptions import DMError

#: Most coefficients of a function determined by conditions; a quintic of a plate has 21.
_MOST = 24
_KEYS = ("basis", "conditions")
_CONDITION = ("at", "value", "equals")


def add_functions(
    scope: Scope, data: Mapping[str, Any], coordinates: Sequence[sympy.Symbol]
) -> None:
    """Add the functions of a declaration to the names known in formulas, in order.

    Parameters
    ----------
    scope : Scope
        The names known in formulas.
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
        where = f"functions.{checked_name(name, f'functions.{name}')}"
        if isinstance(found, dict):
            value = _determined(scope, name, found, coordinates, where)
        else:
            value = scope.read(found, where, vectors=True)
            for entry in value if is_vector(value) else (value,):
                linear_form(entry, coordinates, where, found)
        scope.add(name, value, where, function=True)


def _determined(
    scope: Scope, name: str, data: dict[str, Any], coordinates: Sequence[sympy.Symbol], where: str
) -> sympy.Expr:
    """Return the function of a space that satisfies the conditions."""
    check_keys(data, _KEYS, where=f"{where}.")
    basis = [
        scope.read(text, f"{where}.basis[{i}]") for i, text in enumerate(entries(data, "basis"))
    ]
    conditions = entries(data, "conditions")
    if len(basis) > _MOST:
        raise InputError(f"{where}.basis: found {len(basis)} entries; expected at most {_MOST}")
    if len(conditions) != len(basis):
        raise InputError(
            f"{where}.conditions: found {len(conditions)} entries for {len(basis)} coefficients of "
            "the basis; expected as many"
        )
    unknowns = sympy.symbols(f"coefficient1:{len(basis) + 1}", real=True)
    trial = scope.extended(
        name, sympy.Add(*(c * b for c, b in zip(unknowns, basis, strict=True))), where
    )
    rows, sides = [], []
    for i, condition in enumerate(conditions):
        here = f"{where}.conditions[{i}]"
        value, side = _condition(trial, condition, here)
        linear_form(side, coordinates, f"{here}.equals", condition["equals"])
        form = linear_form(value, unknowns, f"{here}.value", condition["value"], f"'{name}'")
        rows.append([form.get(c, sympy.Integer(0)) for c in unknowns])
        sides.append(side - form.get(sympy.Integer(1), 0))
    inverse = _inverse(sympy.Matrix(rows), where)
    found = inverse * sympy.Matrix(sides)
    return sympy.Add(*(c * b for c, b in zip(found, basis, strict=True)))


def _condition(scope: Scope, data: Any, where: str) -> tuple[sympy.Expr, sympy.Expr]:
    """Return both sides of a condition, evaluated at its point."""
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
    sides = (scope.read(data[key], f"{where}.{key}") for key in ("value", "equals"))
    value, side = (scope.sampled(text, *exact) for text in sides)
    return value, side


def _inverse(matrix: sympy.Matrix, where: str) -> sympy.Matrix:
    """Return the inverse of the matrix of conditions, whose entries are rational functions."""
    try:
        found = DomainMatrix.from_Matrix(matrix).to_field().inv()
    except DMError:
        raise InputError(
            f"{where}.conditions: found conditions that depend on or contradict each other "
            "(their matrix is singular); expected conditions that determine every coefficient"
        ) from None
    return found.to_Matrix()
