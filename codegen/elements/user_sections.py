# SPDX-License-Identifier: BSD-3-Clause
"""Sections of a user's beam or shell: fibres, degrees of quadrature, names of section forces."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import sympy
from flexforge.codegen.elements.calls import CALLS
from flexforge.codegen.elements.expressions import parse
from flexforge.codegen.elements.field import Fibre
from flexforge.codegen.elements.field_points import CellPoints
from flexforge.codegen.elements.user_rules import read_degree
from flexforge.codegen.elements.user_values import (
    IDENTIFIER,
    brief,
    check_keys,
    entries,
    table,
)
from flexforge.codegen.errors import InputError

_PURPOSES = ("stiffness", "mass", "geometric")


def read_fibres(
    data: dict[str, Any], constants: Mapping[str, sympy.Expr], size: int
) -> dict[str, tuple[Fibre, ...]]:
    """Return the fibres of the section by purpose."""
    tables = table(data, "fibres")
    check_keys(tables, _PURPOSES[:2], _PURPOSES[2:], where="fibres.")
    return {
        key: tuple(
            _fibre(fibre, constants, size, f"fibres.{key}[{i}]")
            for i, fibre in enumerate(entries(tables, key))
        )
        for key in tables
    }


def _fibre(found: Any, constants: Mapping[str, sympy.Expr], size: int, where: str) -> Fibre:
    if not isinstance(found, dict) or set(found) != {"at", "weight"}:
        raise InputError(f'{where}: found {brief(found)}; expected {{ at = [..], weight = ".." }}')
    if not isinstance(found["at"], list) or len(found["at"]) != size:
        raise InputError(
            f"{where}.at: found {brief(found['at'])}; expected {size} coordinates, as across has"
        )
    place = tuple(
        parse(x, constants, f"{where}.at[{k}]", ratios=True, calls=CALLS)
        for k, x in enumerate(found["at"])
    )
    return Fibre(
        place, parse(found["weight"], constants, f"{where}.weight", ratios=True, calls=CALLS)
    )


def read_degrees(data: dict[str, Any], fibres: Mapping[str, Any]) -> dict[str, int]:
    """Return the degree that the quadrature along the cell integrates exactly, by purpose."""
    found = data["degree"]
    if not isinstance(found, dict) or set(found) != set(fibres):
        expected = ", ".join(f"{key} = .." for key in fibres)
        raise InputError(f"degree: found {brief(found)}; expected {{ {expected} }}")
    return {
        key: read_degree(found[key], f"degree.{key}", data["cell"])
        for key in _PURPOSES
        if key in found
    }


def read_points(data: dict[str, Any]) -> CellPoints:
    """Return the points of integration, at which quantities of the section are given.

    Raises
    ------
    InputError
        For another cell than an interval, large displacements, or purposes with different points.
    """
    if data["cell"] != "interval" or "finite" in data:
        found = "finite" if data["cell"] == "interval" else f"the cell {data['cell']}"
        raise InputError(f"varying: found with {found}; expected small strains of an interval")
    degrees = read_degrees(data, data["fibres"])
    if len({degree // 2 for degree in degrees.values()}) > 1:
        raise InputError(
            f"degree: found {brief(degrees)} with varying quantities; expected one degree for all, "
            "whose points they are given at"
        )
    return CellPoints.of(degrees["stiffness"])


def read_forces(data: dict[str, Any], size: int) -> tuple[str, ...]:
    """Return the names of the section forces, one per strain."""
    if "forces" not in data:
        return ()
    found = entries(data, "forces")
    if len(found) != size or not all(
        isinstance(one, str) and re.fullmatch(rf"-?{IDENTIFIER}|", one) for one in found
    ):
        raise InputError(
            f"forces: found {brief(found)}; expected {size} names, one per strain, with a "
            'minus sign where the law gives the negative, "" for none'
        )
    return tuple(found)
