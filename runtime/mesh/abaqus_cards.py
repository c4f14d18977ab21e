# SPDX-License-Identifier: BSD-3-Clause
"""The cards of an Abaqus input file: keyword, parameters, data lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.reading import read_bytes
from flexforge.runtime.machine.memory import COPIES_OF_FILE, require_memory
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Card:
    """One keyword with its parameters and data.

    Parameters
    ----------
    keyword : str
        In capitals, without the star.
    options : dict
        Parameters, with names in capitals; a parameter without a value is empty.
    lines : list of str
        The data lines, stripped, without comments and empty lines.
    where : str
        File and line of the keyword, for messages.
    places : list of int
        Number of every data line in its file.
    """

    keyword: str
    options: dict[str, str]
    lines: list[str]
    where: str
    places: list[int] = field(default_factory=list)

    def at(self, row: int) -> str:
        """Return file and line of a data line, for messages."""
        return f"{self.where.rpartition(':')[0]}:{self.places[row]}"

    def rows(self) -> Iterator[tuple[list[str], str]]:
        """Yield the fields of every data line, stripped, and where the line is."""
        for row, line in enumerate(self.lines):
            yield [one.strip().strip('"') for one in line.split(",")], self.at(row)

    def need(self, option: str) -> str:
        """Return a required parameter."""
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
        """Return data with one row per line; missing or blank values are zero."""
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
        """Return the error for data that should be numbers."""
        return InputError(f"{self.where}: *{self.keyword} has data that are not numbers")


#: Limits on nesting, number of files, and bytes: a file that includes itself twice would be read a
#: million times at a depth of twenty.
DEEPEST = 20
MOST_FILES = 1000
MOST_BYTES = 2**33


@dataclass(slots=True)
class _Read:
    """Amount read so far."""

    files: int = 0
    size: int = 0

    def text(self, path: Path) -> str:
        """Return the text of one more file."""
        data = read_bytes(path, "an Abaqus input file", MOST_BYTES)
        self.files, self.size = self.files + 1, self.size + len(data)
        if self.files > MOST_FILES or self.size > MOST_BYTES:
            raise InputError(
                f"{path}: found {self.files} files of {self.size >> 20} MiB by *INCLUDE; expected "
                f"at most {MOST_FILES} files of {MOST_BYTES >> 20} MiB together"
            )
        require_memory(COPIES_OF_FILE * self.size, str(path), "files by *INCLUDE")
        return data.decode("utf-8", "replace")


def cards(path: Path) -> Iterator[Card]:
    """Read a file card by card, with included files in place.

    Parameters
    ----------
    path : Path
        The file.

    Yields
    ------
    Card

    Raises
    ------
    InputError
        If files include each other in a circle, too deeply, too many or too large ones, or one is
        not a regular file.
    """
    yield from _cards(path, (), _Read())


def _cards(path: Path, around: tuple[Path, ...], read: _Read) -> Iterator[Card]:
    """Yield the cards of a file; ``around`` are the files that include it."""
    if path.resolve() in around:
        raise InputError(f"{path}: found a circular *INCLUDE; expected none")
    if len(around) > DEEPEST:
        raise InputError(f"{path}: *INCLUDE nested deeper than {DEEPEST} files")
    inside = (*around, path.resolve())
    lines = [line.strip() for line in read.text(path).splitlines()]
    starts = [i for i, line in enumerate(lines) if line[:1] == "*" and line[:2] != "**"]
    for start, end in pairwise([*starts, len(lines)]):
        head, body = lines[start], start + 1
        while head.endswith(",") and body < end:
            head, body = head + lines[body], body + 1
        rows = [row for row in range(body, end) if lines[row] and lines[row][:2] != "**"]
        data, places = [lines[row] for row in rows], [row + 1 for row in rows]
        keyword, _, rest = head[1:].partition(",")
        options = {}
        for piece in filter(None, (one.strip() for one in rest.split(","))):
            name, _, value = piece.partition("=")
            options[name.strip().upper()] = value.strip().strip('"')
        name = " ".join(keyword.upper().split())
        card = Card(name, options, data, f"{path}:{start + 1}", places)
        if card.keyword == "INCLUDE":
            name = card.need("INPUT")
            if "\0" in name:
                raise InputError(f"{card.where}: found no file name; expected INPUT=")
            yield from _cards(path.parent / name, inside, read)
        else:
            yield card
