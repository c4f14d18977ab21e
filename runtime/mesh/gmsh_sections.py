# SPDX-License-Identifier: BSD-3-Clause
"""The sections of a .msh file, and a cursor over their numbers, text or binary alike."""

from __future__ import annotations

import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.build import whole
from numpy.typing import NDArray

#: Cells of one type: Gmsh's number of the type, labels, physical groups, nodes.
Run = tuple[int, Ints, Ints, Ints]


class Sections:
    """A file cut at its ``$Name`` ... ``$EndName`` marks."""

    def __init__(self, path: Path, data: bytes, binary: bool, size: int) -> None:
        self.path, self.data, self.binary, self.size = path, data, binary, size

    def body(self, name: str) -> bytes | None:
        """Return the content of a section, None if there is no such section."""
        start = self.data.find(f"${name}".encode() + b"\n")
        if start < 0:
            start = self.data.find(f"${name}".encode() + b"\r\n")
        if start < 0:
            return None
        start = self.data.index(b"\n", start) + 1
        end = self.data.find(f"$End{name}".encode(), start)
        if end < 0:
            raise InputError(f"{self.path}: is truncated: ${name} is not closed by $End{name}")
        return self.data[start:end]

    def cursor(self, name: str) -> Cursor:
        """Return a cursor over the numbers of a required section."""
        body = self.body(name)
        if body is None:
            raise InputError(f"{self.path}: has no ${name} section; truncated?")
        where = f"{self.path}: ${name}"
        return Binary(body, where, self.size) if self.binary else Text(body, where)

    def names(self) -> dict[tuple[int, int], str]:
        """Return the name of each physical group by (dimension, number)."""
        body = self.body("PhysicalNames")
        text = "" if body is None else body.decode("utf-8", "replace")
        found = re.findall(r'^\s*(\d+)\s+(-?\d+)\s+"(.*)"\s*$', text, re.MULTILINE)
        return {(int(dim), abs(int(tag))): name for dim, tag, name in found}


class Cursor(ABC):
    """Reads numbers from a section one after the other."""

    def __init__(self, where: str) -> None:
        self.where, self.place = where, 0

    def ints(self, n: int) -> Ints:
        """Read n numbers of C's type int."""
        return whole(self._take(n, "<i4"), self.where)

    def sizes(self, n: int) -> Ints:
        """Read n numbers of C's type size_t."""
        return whole(self._take(n, "size"), self.where)

    def doubles(self, n: int) -> Floats:
        """Read n numbers of C's type double."""
        return self._take(n, "<f8").astype(np.float64)

    def count(self) -> int:
        """Read the number of entries at the beginning of a section of version 2.2."""
        return int(self._line())

    def short(self) -> InputError:
        """Return the error for a section that ends too early."""
        return InputError(f"{self.where} ends before the numbers it announces; truncated?")

    @abstractmethod
    def points(self, n: int) -> tuple[NDArray[Any], Floats]:
        """Read the labels and positions of n nodes of version 2.2."""

    @abstractmethod
    def runs(self, n: int, nodes_of: Callable[[int], int]) -> list[Run]:
        """Read n cells of version 2.2, whose numbers of nodes follow from their types."""

    @abstractmethod
    def _take(self, n: int, kind: str) -> NDArray[Any]:
        """Read the next n numbers."""

    @abstractmethod
    def _line(self) -> float:
        """Read the number on a line of its own."""


class Text(Cursor):
    """A section of a text file."""

    def __init__(self, body: bytes, where: str) -> None:
        super().__init__(where)
        # Node and cell numbers stay exact as doubles up to 2^53.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                self.numbers = np.fromstring(body.decode("latin-1"), dtype=float, sep=" ")
            except (DeprecationWarning, ValueError):
                raise InputError(f"{where} contains a value that is not a number") from None

    def points(self, n: int) -> tuple[NDArray[Any], Floats]:
        """Read the labels and positions of n nodes."""
        table = self.doubles(4 * n).reshape(n, 4)
        return table[:, 0], table[:, 1:]

    def runs(self, n: int, nodes_of: Callable[[int], int]) -> list[Run]:
        """Cut the flat list of numbers into runs of rows with the same type and tag count."""
        flat = whole(self.numbers[self.place :], self.where)
        place, left, guess, found = 0, n, 64, list[Run]()
        while left > 0:
            if place + 3 > len(flat):
                raise self.short()
            number, n_tags = int(flat[place + 1]), int(flat[place + 2])
            width = 3 + n_tags + nodes_of(number)
            count = min(left, guess, (len(flat) - place) // width)
            if count == 0:
                raise self.short()
            rows = flat[place : place + count * width].reshape(count, width)
            other = (rows[:, 1] != number) | (rows[:, 2] != n_tags)
            # Rows are aligned up to the first that differs, so later ones are not examined.
            run = int(np.argmax(other)) if other.any() else count
            rows, guess = rows[:run], 2 * run + 64
            tags = np.abs(rows[:, 3]) if n_tags else np.zeros(run, dtype=np.int64)
            found.append((number, rows[:, 0], tags, rows[:, 3 + n_tags :]))
            place, left = place + run * width, left - run
        return found

    def _take(self, n: int, kind: str) -> NDArray[Any]:
        taken = self.numbers[self.place : self.place + n]
        if n < 0 or len(taken) < n:
            raise self.short()
        self.place += n
        return taken

    def _line(self) -> float:
        return float(self._take(1, "<f8")[0])


class Binary(Cursor):
    """A section of a binary file, little-endian."""

    def __init__(self, body: bytes, where: str, size: int) -> None:
        super().__init__(where)
        self.body, self.size = body, f"<u{size}"

    def records(self, n: int, dtype: np.dtype[np.void]) -> NDArray[np.void]:
        """Read n records."""
        if n < 0 or self.place + n * dtype.itemsize > len(self.body):
            raise self.short()
        taken = np.frombuffer(self.body, dtype, n, self.place)
        self.place += n * dtype.itemsize
        return taken

    def points(self, n: int) -> tuple[NDArray[Any], Floats]:
        """Read the labels and positions of n nodes."""
        rows = self.records(n, np.dtype([("label", "<i4"), ("x", "<f8", 3)]))
        return rows["label"], rows["x"]

    def runs(self, n: int, nodes_of: Callable[[int], int]) -> list[Run]:
        """Read n cells: they are written in runs, with a heading each."""
        left, found = n, list[Run]()
        while left > 0:
            number, count, n_tags = (int(one) for one in self.ints(3))
            width = 1 + n_tags + nodes_of(number)
            rows = self.ints(count * width).reshape(count, width)
            tags = np.abs(rows[:, 1]) if n_tags else np.zeros(count, dtype=np.int64)
            found.append((number, rows[:, 0], tags, rows[:, 1 + n_tags :]))
            left -= count
        return found

    def _take(self, n: int, kind: str) -> NDArray[Any]:
        return self.records(n, np.dtype(self.size if kind == "size" else kind))

    def _line(self) -> float:
        # A line of text, in binary files too.
        end = self.body.find(b"\n", self.place)
        text = self.body[self.place : max(end, self.place)].strip()
        if not text.isdigit():
            raise self.short()
        self.place = end + 1
        return float(text)
