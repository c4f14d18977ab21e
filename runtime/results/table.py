# SPDX-License-Identifier: BSD-3-Clause
"""The table of probes: a CSV file with only complete lines at any moment."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.manifest import write_whole
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.stored import reading


class TableWriter:
    """Writes lines, those of one call on disk before those of the next.

    Parameters
    ----------
    path : Path
        The file; it must not exist, or be one to go on with.
    columns : sequence of Column
        Columns after the time.
    after : int, optional
        Number of lines of values after which the table goes on; later ones are removed.

    Raises
    ------
    InputError
        When a table to go on with is another one, or shorter.
    """

    def __init__(self, path: Path, columns: Sequence[Column], after: int | None = None) -> None:
        mode = "xb" if after is None else "r+b"
        self._file = open(path, mode, buffering=0)  # noqa: SIM115 - open as long as the run lasts
        self._width = len(columns)
        heads = [[Column("time", "s").title, *(column.title for column in columns)]]
        if after is None:
            self._write(_text(heads))
            return
        try:
            self._cut(path, heads, after)
        except BaseException:
            self.close()
            raise

    def _cut(self, path: Path, heads: Sequence[Sequence[object]], after: int) -> None:
        """Remove lines after those that are kept."""
        head, *lines = self._file.read().splitlines(keepends=True) or [b""]
        whole = [line for line in lines if line.endswith(b"\n")]
        if head != _text(heads) or len(whole) < after:
            raise InputError(
                f"{path}: found {len(whole)} lines; expected at least the {after} of the checkpoint"
            )
        end = len(head) + sum(len(line) for line in whole[:after])
        self._file.truncate(end)
        self._file.seek(end)

    def rows(self, times: Floats, values: Floats) -> None:
        """Write several lines.

        Parameters
        ----------
        times : ndarray, (T,)
            Times, s.
        values : ndarray, (T, columns)
            One per column.
        """
        if values.shape[1] != self._width:
            raise ValueError(f"{values.shape[1]} values for {self._width} columns")
        rows = np.column_stack([times, values]).tolist()
        # Floats to the last digit; the module csv takes longer for the same text.
        self._write("".join([f"{','.join(map(repr, row))}\n" for row in rows]).encode())

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, lines: bytes) -> None:
        # One call for whole lines: a killed process leaves no partial line.
        write_whole(self._file.fileno(), lines)


def _text(lines: Sequence[Sequence[object]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()


def read_table(path: Path) -> tuple[list[Column], Floats]:
    """Read a table of probes; a last line that a full disk cut off is dropped.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    columns : list of Column
        The time first.
    values : ndarray, (rows, columns)

    Raises
    ------
    InputError
        When it is damaged.
    """
    with reading(path):
        text = path.read_text("utf-8")
        lines = list(csv.reader(text[: text.rfind("\n") + 1].splitlines()))
        columns = [column_of(title) for title in lines[0]] if lines else []
        rows = [[float(field) for field in line] for line in lines[1:] if len(line) == len(columns)]
        return columns, np.array(rows, dtype=float).reshape(-1, len(columns))


def column_of(title: str) -> Column:
    """Return name and unit in a heading."""
    found = re.fullmatch(r"(.*) \[([^\]]*)\]", title)
    return Column(found[1], found[2]) if found else Column(title)
