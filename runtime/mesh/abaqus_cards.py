# SPDX-License-Identifier: BSD-3-Clause
"""The cards of an Abaqus input file: keyword, parameters, data lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import InputError
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Card:
    """One keyword with what belongs to it.

    Parameters
    ----------
    keyword : str
        In capitals, without the star.
    options : dict
        Parameters, their names in capitals; a parameter without a value has an empty one.
    lines : list of str
        The data lines, stripped, without comments and empty lines.
    where : str
        File and line of the keyword, for messages.
    """

    keyword: str
    options: dict[str, str]
    lines: list[str]
    where: str

    def need(self, option: str) -> str:
        """Return a parameter that must be there."""
        if not self.options.get(option):
            raise InputError(f"{self.where}: *{self.keyword} without {option}=")
        return self.options[option]

    def integers(self) -> NDArray[np.int64]:
        """Return all data as one row of whole numbers."""
        text = " ".join(self.lines).replace(",", " ").split()
        try:
            return np.array(text, dtype=np.int64) if text else np.empty(0, dtype=np.int64)
        except (ValueError, OverflowError):
            raise self.not_numbers() from None

    def table(self, columns: int) -> NDArray[np.float64]:
        """Return data of one row a line, what is left out or blank being zero."""
        rows = [line.rstrip(",") for line in self.lines]
        text = ",".join(rows)
        if not (re.search(r",\s*,", text) or text.count(",") + 1 != columns * len(rows)):
            fields = text.split(",")
        else:
            padded = ((row.split(",") + ["0"] * columns)[:columns] for row in rows)
            fields = [field.strip() or "0" for row in padded for field in row]
        try:
            return np.array(fields, dtype=float).reshape(-1, columns)
        except ValueError:
            pass
        try:  # 1.D-3 is how Fortran writes 1e-3
            exponents = [re.sub("[dD]", "e", field) for field in fields]
            return np.array(exponents, dtype=float).reshape(-1, columns)
        except ValueError:
            raise self.not_numbers() from None

    def not_numbers(self) -> InputError:
        """Make the error of data that should be numbers."""
        return InputError(f"{self.where}: *{self.keyword} has data that are not numbers")


def cards(path: Path, depth: int = 0) -> Iterator[Card]:
    """Read a file card by card, included files in their place.

    Parameters
    ----------
    path : Path
        The file.
    depth : int
        How many files have included it.

    Yields
    ------
    Card
    """
    if depth > 20:
        raise InputError(f"{path}: *INCLUDE goes round in a circle")
    try:
        lines = [line.strip() for line in path.read_text("utf-8", "replace").splitlines()]
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    starts = [i for i, line in enumerate(lines) if line[:1] == "*" and line[:2] != "**"]
    for start, end in pairwise([*starts, len(lines)]):
        head, body = lines[start], start + 1
        while head.endswith(",") and body < end:
            head, body = head + lines[body], body + 1
        data = [line for line in lines[body:end] if line and line[:2] != "**"]
        keyword, _, rest = head[1:].partition(",")
        options = {}
        for piece in filter(None, (one.strip() for one in rest.split(","))):
            name, _, value = piece.partition("=")
            options[name.strip().upper()] = value.strip().strip('"')
        card = Card(" ".join(keyword.upper().split()), options, data, f"{path}:{start + 1}")
        if card.keyword == "INCLUDE":
            yield from cards(path.parent / card.need("INPUT"), depth + 1)
        else:
            yield card
