# SPDX-License-Identifier: BSD-3-Clause
"""Tables of time in CSV files: a column of times, columns of values, a heading or none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.files.reading import read_text
from flexforge.runtime.model.base import LARGEST as LARGEST_NUMBER
from numpy.typing import NDArray

LARGEST = 256 * 2**20  # bytes
#: Smallest distance of two times, relative to the latest: below it, slopes overflow.
CLOSEST = 1e-15


def read_table(
    path: Path, column: int | str = 2
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read times and one column of values.

    Separators are commas, semicolons or white space; empty lines and lines that begin with ``#``
    are skipped; the first line may be a heading.

    Parameters
    ----------
    path : Path
        The file.
    column : int or str
        Number of the column from 1 (time is column 1), or its heading.

    Returns
    -------
    times, values : (n,) array
        Strictly increasing times (s), and the values.

    Raises
    ------
    InputError
        Naming file and line, with the value found and the value expected.
    """
    rows = _rows(path)
    if not rows:
        raise InputError(f"{path}: found no rows; expected a column of times and one of values")
    heading: list[str] = []
    if not _is_number(rows[0][1][0]):
        heading = [cell.strip("\"' ") for cell in rows[0][1]]
        rows = rows[1:]
    index = _column_index(path, column, heading)
    if len(rows) < 2:
        raise InputError(f"{path}: found {len(rows)} rows of numbers; expected at least 2")
    table = np.empty((len(rows), 2))
    for position, (line, cells) in enumerate(rows):
        if len(cells) <= index:
            raise InputError(
                f"{path}:{line}: found {len(cells)} columns; expected at least {index + 1}"
            )
        for place, cell in enumerate((cells[0], cells[index])):
            if not _is_number(cell) or not abs(float(cell)) <= LARGEST_NUMBER:  # nor is nan
                raise InputError(
                    f"{path}:{line}: found '{cell[:40]}'; expected a finite number of magnitude at "
                    f"most {LARGEST_NUMBER:g}"
                )
            table[position, place] = float(cell)
    steps = np.diff(table[:, 0])
    backwards = np.flatnonzero(steps <= CLOSEST * max(float(np.abs(table[:, 0]).max()), 1e-30))
    if len(backwards):
        row = int(backwards[0]) + 1
        raise InputError(
            f"{path}:{rows[row][0]}: found t = {table[row, 0]:g} after t = {table[row - 1, 0]:g}; "
            f"expected increasing times, by more than {CLOSEST:g} of the last"
        )
    return table[:, 0].copy(), table[:, 1].copy()


def read_columns(path: Path, first: Sequence[str]) -> tuple[list[str], NDArray[np.float64]]:
    """Read a table whose columns have headings, the first of them one of some.

    Parameters
    ----------
    path : Path
        The file; separators and comments are those of :func:`read_table`.
    first : sequence of str
        Headings that the first columns may have, in this order. The values of a single one of them
        increase.

    Returns
    -------
    names : list of str
        Headings of all columns.
    values : ndarray, (n, names)
        All columns.

    Raises
    ------
    InputError
        Naming file and line, with what was found and is expected.
    """
    rows = _rows(path, f"a CSV file: a column {first[0]} and others with headings")
    heading = [cell.strip("\"' ") for cell in rows[0][1]] if rows else []
    if not heading or heading[0] not in first:
        found = f"the heading '{heading[0]}'" if heading else "no rows"
        wanted = " or ".join(first)
        raise InputError(f"{path}: found {found}; expected a line of headings that begins {wanted}")
    twice = next((name for name in heading if heading.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{path}: found the heading '{twice}' twice; expected every one once")
    if len(rows) < 2:
        raise InputError(f"{path}: found no rows of numbers; expected at least 1")
    table = np.empty((len(rows) - 1, len(heading)))
    for place, (line, cells) in enumerate(rows[1:]):
        if len(cells) != len(heading):
            raise InputError(f"{path}:{line}: found {len(cells)} columns; expected {len(heading)}")
        for k, cell in enumerate(cells):
            if not _is_number(cell) or not abs(float(cell)) <= LARGEST_NUMBER:  # nor is nan
                raise InputError(
                    f"{path}:{line}: found '{cell[:40]}'; expected a finite number of magnitude at "
                    f"most {LARGEST_NUMBER:g}"
                )
            table[place, k] = float(cell)
    falls = np.flatnonzero(np.diff(table[:, 0]) <= 0.0)
    if len(falls) and sum(name in first for name in heading) == 1:
        row = int(falls[0]) + 1
        raise InputError(
            f"{path}:{rows[row + 1][0]}: found {heading[0]} {table[row, 0]:g} after "
            f"{table[row - 1, 0]:g}; expected increasing values"
        )
    return heading, table


def _rows(path: Path, what: str = "a CSV file: a table of time") -> list[tuple[int, list[str]]]:
    """Line numbers and cells of the non-empty lines."""
    text = read_text(path, what, LARGEST)
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            separator = next((mark for mark in ",;" if mark in stripped), None)
            rows.append((number, [cell.strip() for cell in stripped.split(separator)]))
    return rows


def _column_index(path: Path, column: int | str, heading: list[str]) -> int:
    if isinstance(column, int):
        return column - 1
    if column not in heading:
        known = (
            f"one of {', '.join(heading)}" if heading else "a column number, as it has no heading"
        )
        raise InputError(
            f"{path}: found no column '{column}'; expected {known}{nearest(column, heading)}"
        )
    return heading.index(column)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell
