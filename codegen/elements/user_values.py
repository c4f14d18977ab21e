# SPDX-License-Identifier: BSD-3-Clause
"""Values of a user's element file, each checked: texts, lists, numbers, names."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy
from flexforge.codegen.errors import InputError, nearest

IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]{0,63}"
_MOST = 64


def text(data: dict[str, Any], key: str) -> str:
    """Return a text."""
    if not isinstance(data[key], str):
        raise InputError(f"{key}: found {data[key]!r}; expected a text")
    return str(data[key])


def entries(data: dict[str, Any], key: str) -> list[Any]:
    """Return a list that is neither empty nor too long."""
    found = data[key]
    if not isinstance(found, list) or not 0 < len(found) <= _MOST:
        raise InputError(f"{key}: found {found!r}; expected a list of 1 to {_MOST} entries")
    if key == "nodes" and not all(isinstance(node, list) for node in found):
        raise InputError(f"{key}: found {found!r}; expected a list of lists of coordinates")
    return found


def choice(data: dict[str, Any], key: str, options: tuple[str, ...]) -> str:
    """Return one of some names."""
    value = text(data, key)
    if value not in options:
        raise InputError(
            f"{key}: found '{value}'; expected one of {', '.join(options)}{nearest(value, options)}"
        )
    return value


def number(found: Any, key: str) -> sympy.Rational:
    """Return a number, exactly."""
    if isinstance(found, (int, float, str)) and not isinstance(found, bool):
        try:
            exact = Fraction(found)
        except (ValueError, ZeroDivisionError, OverflowError):
            pass
        else:
            return sympy.Rational(exact.numerator, exact.denominator)
    raise InputError(f"{key}: found {found!r}; expected a number, or a fraction such as '1/2'")
