# SPDX-License-Identifier: BSD-3-Clause
"""Checked values of a user's element file: texts, lists, numbers, names."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flexforge.codegen.elements.limits import MOST_ENTRIES
from flexforge.codegen.elements.parameters import check_word
from flexforge.codegen.errors import InputError, nearest

if TYPE_CHECKING:
    import sympy

IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]{0,63}"
#: Largest number in a declaration: reference cells are of size one, weights sum to their volume.
LARGEST = 10**6
#: Most characters of a number written as text, and its largest exponent: ``"1e999999999"`` would
#: be an integer of a billion digits.
_LONGEST = 64
_EXPONENT = 40
#: Description of an element whose file has none.
UNDESCRIBED = "a user's element"


def text(data: dict[str, Any], key: str) -> str:
    """Return a text."""
    if not isinstance(data[key], str):
        raise InputError(f"{key}: found {brief(data[key])}; expected a text")
    return str(data[key])


def entries(data: dict[str, Any], key: str) -> list[Any]:
    """Return a list that is neither empty nor too long."""
    found = data[key]
    if not isinstance(found, list) or not 0 < len(found) <= MOST_ENTRIES:
        raise InputError(
            f"{key}: found {brief(found)}; expected a list of 1 to {MOST_ENTRIES} entries"
        )
    if key == "nodes" and not all(isinstance(node, list) for node in found):
        raise InputError(f"{key}: found {brief(found)}; expected a list of lists of coordinates")
    return found


def table(data: Mapping[str, Any], key: str, prefix: str = "") -> dict[str, Any]:
    """Return a table of names, empty if missing; messages prepend ``prefix`` to its key."""
    found = data.get(key, {})
    if not isinstance(found, dict) or len(found) > MOST_ENTRIES:
        raise InputError(
            f"{prefix}{key}: found {brief(found)}; expected a table of at most {MOST_ENTRIES} names"
        )
    return found


def check_keys(
    data: Mapping[str, Any],
    required: Iterable[str],
    optional: Iterable[str] = (),
    where: str = "",
    *,
    elsewhere: Iterable[str] = (),
) -> None:
    """Raise an error for a table with an unknown key, or without a required one.

    Keys of a table of another kind (`elsewhere`) are hints for misspelled ones.
    """
    known = (*required, *optional)
    for key in data:
        if key not in known:
            raise InputError(f"{where}{key}: unknown key{nearest(key, (*known, *elsewhere))}")
    for key in required:
        if key not in data:
            raise InputError(f"{where}{key}: missing; expected {', '.join(required)}")


def checked_name(name: str, where: str) -> str:
    """Return a valid C identifier."""
    if not re.fullmatch(IDENTIFIER, name):
        raise InputError(f"{where}: found '{name}'; expected a C identifier of up to 64 characters")
    return name


def named(data: dict[str, Any], key: str, default: str = "") -> str:
    """Return the name of a parameter under a key, or the default where the key is missing."""
    if key not in data:
        return default
    name = checked_name(text(data, key), key)
    check_word(name, key)
    return name


def identifiers(data: dict[str, Any], key: str, prefix: str = "") -> tuple[str, ...]:
    """Return a list of distinct names; messages prepend ``prefix`` to the key."""
    found = data[key]
    if not isinstance(found, list) or not all(
        isinstance(name, str) and re.fullmatch(IDENTIFIER, name) for name in found
    ):
        raise InputError(f"{prefix}{key}: found {brief(found)}; expected a list of C identifiers")
    if len(found) > MOST_ENTRIES:
        raise InputError(
            f"{prefix}{key}: found {len(found)} names; expected at most {MOST_ENTRIES}"
        )
    return tuple(found)


#: Units stand in comments and strings of C, in Markdown, and in Python.
_UNITS = re.compile(r"[A-Za-z0-9^ ./()-]{1,32}")


def read_units(data: dict[str, Any], names: Container[str]) -> dict[str, str]:
    """Return the units of parameters from the table ``units``, texts such as ``N/m^2``."""
    found = table(data, "units")
    for name, units in found.items():
        if not isinstance(units, str) or not _UNITS.fullmatch(units):
            raise InputError(
                f"units.{name}: found {brief(units)}; expected a text such as 'N/m^2', '1' for none"
            )
    # What a file inherits may be about parameters that it has replaced.
    return {name: units for name, units in found.items() if name in names}


def check_units(own: Iterable[str], names: Iterable[str]) -> None:
    """Raise an error for units that a file states of something that is not a parameter."""
    known = tuple(names)
    for name in own:
        if name not in known:
            raise InputError(
                f"units.{name}: is not a parameter; expected names among {', '.join(known)}"
                f"{nearest(name, known)}"
            )


def choice(data: dict[str, Any], key: str, options: tuple[str, ...]) -> str:
    """Return one of several options."""
    value = text(data, key)
    if value not in options:
        raise InputError(
            f"{key}: found {brief(value)}; expected one of {', '.join(options)}"
            f"{nearest(value, options)}"
        )
    return value


def components_of(data: dict[str, Any]) -> int:
    """Return the number of components of a vector."""
    found = data["components"]
    if found not in (2, 3) or isinstance(found, bool):
        raise InputError(f"components: found {brief(found)}; expected 2 or 3")
    return int(found)


def whole(found: Any, key: str, most: int, why: str = "") -> int:
    """Return a non-negative integer; a message ends with the reason of its bound."""
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= most:
        raise InputError(
            f"{key}: found {brief(found)}; expected a whole number from 0 to {most}{why}"
        )
    return found


def points(data: dict[str, Any], key: str) -> tuple[tuple[sympy.Rational, ...], ...]:
    """Return the reference coordinates of points."""
    return tuple(
        tuple(number(x, f"{key}[{i}]") for x in point) for i, point in enumerate(entries(data, key))
    )


def number(found: Any, key: str) -> sympy.Rational:
    """Return a number as an exact fraction."""
    import sympy  # the runtime reads the names of section forces without it

    if isinstance(found, (int, float, str)) and not isinstance(found, bool) and _is_short(found):
        try:
            exact = Fraction(found)
        except (ValueError, ZeroDivisionError, OverflowError):
            pass
        else:
            if abs(exact) <= LARGEST:
                return sympy.Rational(exact.numerator, exact.denominator)
    raise InputError(
        f"{key}: found {brief(found)}; expected a number of at most {LARGEST:g}, or a fraction "
        "such as '1/2'"
    )


def _is_short(found: float | str) -> bool:
    """Whether a number has few digits when written out."""
    if not isinstance(found, str):
        return True
    exponent = re.search(r"[eE][+-]?(\d+)", found)
    return (
        len(found) <= _LONGEST
        and "_" not in found
        and (exponent is None or int(exponent[1]) <= _EXPONENT)
    )


def brief(found: Any) -> str:
    """Return a short text of a value, for a message of one line."""
    shown = repr(found) if not isinstance(found, int) or abs(found) < 10**30 else "a huge number"
    return shown if len(shown) <= 80 else f"{shown[:77]}..."
