# SPDX-License-Identifier: BSD-3-Clause
"""Geometry of a declared field element: cell, axes, coordinates across, positions."""

from __future__ import annotations

from typing import Any

import sympy
from flexforge.codegen.elements.calls import is_vector
from flexforge.codegen.elements.declaration import CELL_DIMENSION
from flexforge.codegen.elements.field import nodal_position
from flexforge.codegen.elements.field_axes import RULES, LocalAxes
from flexforge.codegen.elements.field_scope import Scope
from flexforge.codegen.elements.interpolation import POSITION_SPACES, REFERENCE, nodal_basis
from flexforge.codegen.elements.reference_cells import check_corners, check_inside
from flexforge.codegen.elements.user_values import brief, choice, entries, points, table
from flexforge.codegen.errors import InputError


def read_places(
    data: dict[str, Any],
) -> tuple[tuple[tuple[sympy.Rational, ...], ...], tuple[sympy.Expr, ...]]:
    """Return the reference coordinates of the nodes and the functions of their positions."""
    cell = choice(data, "cell", tuple({cell: None for cell, _ in POSITION_SPACES}))
    places = points(data, "nodes")
    space = POSITION_SPACES.get((cell, len(places)))
    if space is None:
        counts = ", ".join(str(n) for c, n in POSITION_SPACES if c == cell)
        raise InputError(
            f"nodes: found {len(places)} entries; expected one of {counts} for the cell {cell!r}"
        )
    for i, place in enumerate(places):
        if len(place) != CELL_DIMENSION[cell]:
            raise InputError(
                f"nodes[{i}]: found {len(place)} coordinates; expected {CELL_DIMENSION[cell]}"
            )
    check_inside(cell, places)
    check_corners(cell, places)
    shape = nodal_basis(data["name"], space, places)
    return places, tuple(map(_in_factors, shape)) if CELL_DIMENSION[cell] == 2 else shape


def _in_factors(function: sympy.Expr) -> sympy.Expr:
    """Return a shape function as a product of factors positive at the origin, such as 1 - xi.

    The products along the two directions of a cell take fewer operations than expanded sums.
    """
    number, factors = sympy.factor_list(function)
    centre = dict.fromkeys(REFERENCE, 0)
    signs = [-1 if factor.subs(centre) < 0 else 1 for factor, _ in factors]
    positive = ((sign * f) ** power for sign, (f, power) in zip(signs, factors, strict=True))
    return sympy.Mul(number * sympy.prod(signs), *positive)


def read_axes(data: dict[str, Any], scope: Scope, nodes: int, components: int) -> LocalAxes:
    """Return the axes by the rule of the given name."""
    rules = RULES[CELL_DIMENSION[data["cell"]]]
    return rules[choice(data, "axes", tuple(rules))](scope, nodes, components)


def read_rates(data: dict[str, Any], scope: Scope, axes: LocalAxes) -> None:
    """Read the derivatives along the axes, which the axes of the frame do not define."""
    size = len(scope.reference)
    for letter, factors in table(data, "rates").items():
        where = f"rates.{letter}"
        if axes.along or letter not in [*"xyz"[:size]]:
            wanted = "none (the axes define them)" if axes.along else ", ".join("xyz"[:size])
            raise InputError(f"{where}: unknown direction; expected {wanted}")
        if not isinstance(factors, list) or len(factors) != size:
            raise InputError(
                f"{where}: found {brief(factors)}; expected {size} formulas, the factors of "
                "the derivatives with respect to the reference coordinates"
            )
        values = [scope.read(factor, f"{where}[{i}]") for i, factor in enumerate(factors)]
        scope.add_rate(letter, values)


def read_across(data: dict[str, Any], scope: Scope, components: int) -> tuple[sympy.Symbol, ...]:
    """Return the coordinates across the cell; formulas may use them and derivatives along them."""
    letters = [*"xyz"[CELL_DIMENSION[data["cell"]] : components]]
    found = data.get("across", [])
    if not isinstance(found, list) or found not in (letters, []):
        raise InputError(f"across: found {brief(found)}; expected {letters} or []")
    return tuple(scope.add_across(letter, "across") for letter in found)


def read_measure(data: dict[str, Any], scope: Scope, axes: LocalAxes) -> sympy.Expr:
    """Return the length or area per unit of the reference cell."""
    if (axes.measure is None) != ("measure" in data):
        found, wanted = ("missing", "the length or area per unit of the reference cell")
        if "measure" in data:
            found, wanted = "found with axes that define it", "none"
        raise InputError(f"measure: {found}; expected {wanted}")
    return scope.read(data["measure"], "measure") if axes.measure is None else axes.measure


def read_components(
    data: dict[str, Any], key: str, scope: Scope, components: int
) -> tuple[dict[str, sympy.Expr], dict[str, Any]]:
    """Return the components of a vector given by one formula or a list of them, and the texts."""
    found = data[key]
    if isinstance(found, str):
        value = scope.read(found, key, vectors=True)
        if not is_vector(value) or value.rows != components:
            raise InputError(f"{key}: found '{found}'; expected a vector of {components}")
        values = {f"{key}[{i}]": entry for i, entry in enumerate(value)}
        return values, dict.fromkeys(values, found)
    rows = entries(data, key)
    if len(rows) != components:
        raise InputError(f"{key}: found {len(rows)} rows; expected {components}, or a vector")
    texts = {f"{key}[{i}]": row for i, row in enumerate(rows)}
    return {where: scope.read(row, where) for where, row in texts.items()}, texts


def read_position(
    data: dict[str, Any], scope: Scope, axes: LocalAxes, components: int
) -> sympy.ImmutableMatrix:
    """Return the position of a point of the undeformed element."""
    known = data.get("across", [])
    default = {"position": [c if c in known else "0" for c in "xyz"[:components]]}
    local, _ = read_components(default | data, "position", scope, components)
    middle = [
        sympy.Add(*(h * nodal_position(a, i) for a, h in enumerate(scope.shape)))
        for i in range(components)
    ]
    offset = axes.rows.T * sympy.Matrix([*local.values()])
    return sympy.ImmutableMatrix(sympy.Matrix(middle) + offset)
