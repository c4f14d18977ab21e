# SPDX-License-Identifier: BSD-3-Clause
"""Quadrature of a user's element: a degree or a given rule."""

from __future__ import annotations

from typing import Any

import sympy
from flexforge.codegen.elements.declaration import CELL_DIMENSION
from flexforge.codegen.elements.limits import HIGHEST
from flexforge.codegen.elements.quadrature import Degree, GivenRule, rule
from flexforge.codegen.elements.reference_cells import check_inside
from flexforge.codegen.elements.user_values import entries, number, whole
from flexforge.codegen.errors import InputError

#: Distance outside the cell that decimals of a point on its boundary may have.
_DECIMALS = sympy.Rational(1, 10**12)


def read_rules(data: dict[str, Any], cell: str) -> dict[str, Degree]:
    """Return the degree or the rule for stiffness and mass."""
    given = data.get("quadrature", {})
    if not isinstance(given, dict) or not set(given) <= {"stiffness", "mass"}:
        raise InputError(f"quadrature: found {given!r}; expected tables 'stiffness' and 'mass'")
    degrees = data.get("degree", {})
    wanted = {"stiffness", "mass"} - set(given)
    if not isinstance(degrees, dict) or set(degrees) != wanted:
        expected = ", ".join(f"{key} = .." for key in sorted(wanted)) or "none"
        raise InputError(f"degree: found {degrees!r}; expected {{ {expected} }}")
    exact: dict[str, Degree] = {
        key: read_degree(value, f"degree.{key}", cell, f", or a rule as quadrature.{key}")
        for key, value in degrees.items()
    }
    return exact | {key: _rule(f"quadrature.{key}", table, cell) for key, table in given.items()}


def read_degree(found: Any, key: str, cell: str, otherwise: str = "") -> int:
    """Return a degree for which the cell has a rule; messages name what else is possible."""
    return whole(found, key, HIGHEST[cell], f", the highest of a {cell}{otherwise}")


def _rule(where: str, data: Any, cell: str) -> GivenRule:
    if not isinstance(data, dict) or set(data) != {"points", "weights"}:
        raise InputError(f"{where}: found {data!r}; expected {{ points = .., weights = .. }}")
    points, weights = entries(data, "points"), entries(data, "weights")
    if len(points) != len(weights):
        raise InputError(
            f"{where}: found {len(points)} points but {len(weights)} weights; expected as many"
        )
    size = CELL_DIMENSION[cell]
    for i, point in enumerate(points):
        if not isinstance(point, list) or len(point) != size:
            raise InputError(f"{where}.points[{i}]: found {point!r}; expected {size} coordinates")
    numbers = tuple(float(number(x, f"{where}.weights[{i}]")) for i, x in enumerate(weights))
    measure = sum(rule(cell, 0)[1])
    if abs(sum(numbers) - measure) > 1e-12 * measure:
        raise InputError(
            f"{where}.weights: their sum is {sum(numbers):.15g}; expected {measure:.15g}, the "
            f"measure of the {cell}"
        )
    places = [[number(x, f"{where}.points[{i}]") for x in point] for i, point in enumerate(points)]
    check_inside(cell, places, f"{where}.points", _DECIMALS)
    return GivenRule(tuple(tuple(float(x) for x in place) for place in places), numbers)
