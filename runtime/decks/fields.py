# SPDX-License-Identifier: BSD-3-Clause
"""Numbers and names in the data lines of a deck."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh.abaqus_cards import Card


def number(fields: Sequence[str], place: int, where: str, default: float | None = None) -> float:
    """Return a number of a data line.

    Parameters
    ----------
    fields : sequence of str
        The fields of the line.
    place : int
        Which of them, from zero.
    where : str
        File and line, for messages.
    default : float, optional
        Its value where it is left out.

    Raises
    ------
    InputError
        When it is missing, or no finite number.
    """
    text = fields[place] if place < len(fields) else ""
    if not text:
        if default is None:
            raise InputError(f"{where}: found {len(fields)} values; expected {place + 1} or more")
        return default
    try:
        # 1.D-3 is how Fortran writes 1e-3, and 1.-3 a short form of it.
        value = float(re.sub(r"(?<=[\d.])([+-]\d+)$", r"e\1", re.sub("[dD]", "e", text)))
    except ValueError:
        raise InputError(f"{where}: found '{text[:40]}'; expected a number") from None
    if not math.isfinite(value):
        raise InputError(f"{where}: found '{text[:40]}'; expected a finite number")
    return value


def whole(fields: Sequence[str], place: int, where: str, default: int | None = None) -> int:
    """Return a whole number of a data line, as :func:`number` does."""
    value = number(fields, place, where, None if default is None else float(default))
    if value != int(value):
        raise InputError(f"{where}: found '{fields[place][:40]}'; expected a whole number")
    return int(value)


def numbers(card: Card) -> list[float]:
    """Return all numbers of a card, in a row, without empty fields at the ends of lines."""
    found = []
    for fields, where in card.rows():
        while fields and not fields[-1]:
            fields.pop()
        found += [number(fields, place, where) for place in range(len(fields))]
    return found


def plain_name(text: str) -> str:
    """Return a name of a deck as names in model files are: of letters, digits, space, _ . + -."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c in "_ .+-") else "_" for c in text)
    return (plain if plain[:1].isalnum() or plain[:1] == "_" else f"_{plain}")[:64]
