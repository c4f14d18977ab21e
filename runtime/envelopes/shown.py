# SPDX-License-Identifier: BSD-3-Clause
"""What results show of a case at one time: states of bodies, tables, probes."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.data import BodyState
from flexforge.runtime.results.read import Results

#: Columns of tables that are no values.
_LABELS = ("time", "node", "element", "point")


@dataclass(frozen=True, slots=True)
class Table:
    """Values of a table at one time.

    Attributes
    ----------
    heads : tuple of str
        Of the columns of labels, then of the values.
    labels : tuple of tuple of str
        Of every row.
    values : ndarray, (n, c)
        Components.
    """

    heads: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    values: Floats

    @property
    def label_heads(self) -> tuple[str, ...]:
        """Heads of the columns of labels."""
        return tuple(head for head in self.heads if head in _LABELS)

    @property
    def value_heads(self) -> tuple[str, ...]:
        """Heads of the columns of values."""
        return tuple(head for head in self.heads if head not in _LABELS)


@dataclass(frozen=True, slots=True)
class Shown:
    """What results show of a case at one time.

    Attributes
    ----------
    case : str
        Name of the case.
    time : float
        Time, s.
    states : dict of str to BodyState
        By body.
    tables : dict of str to Table
        By name.
    probes : dict of str to float
        By name.
    both : bool
        Whether values are of either sign: peaks of a response spectrum, root mean squares.
    """

    case: str
    time: float
    states: dict[str, BodyState]
    tables: dict[str, Table]
    probes: dict[str, float]
    both: bool = False


def frames_of(case: str, results: Results) -> Iterator[Shown]:
    """Yield what results show, frame by frame.

    Parameters
    ----------
    case : str
        Its name.
    results : Results
        The results; of format hdf5.

    Raises
    ------
    InputError
        When tables are damaged, or have other times than frames.
    """
    kind = results.summary.get("settings", {}).get("analysis", {}).get("kind")
    times = results.times()
    tables = {
        path.stem: _at_times(path.read_text(encoding="utf-8"), str(path))
        for path in sorted((results.folder / "tables").glob("*.csv"))
    }
    columns, rows = results.probe_table()
    for number, time in enumerate(times.tolist()):
        row = int(np.argmin(np.abs(rows[:, 0] - time))) if len(rows) else 0
        probes = {
            column.title: float(rows[row, place])
            for place, column in enumerate(columns)
            if place and len(rows)
        }
        here = {}
        for name, found in tables.items():
            if len(found) != len(times):
                raise InputError(
                    f"{results.folder / 'tables' / name}.csv: found {len(found)} times; expected "
                    f"the {len(times)} of the frames"
                )
            here[name] = found[number]
        states = results.frame(number).states
        yield Shown(case, time, states, here, probes, both=kind in ("spectrum", "random"))


def _at_times(text: str, where: str) -> list[Table]:
    """Return a table at every time in a CSV file, in their order."""
    lines = csv.reader(text.splitlines())
    heads = tuple(next(lines, []))
    count = sum(1 for head in heads if head in _LABELS)
    found: list[Table] = []
    rows: list[list[str]] = []

    def close() -> None:
        if rows:
            labels = tuple(tuple(row[1 : len(row) - len(heads) + count]) for row in rows)
            values = np.array([[float(x) for x in row[len(row) - len(heads) + count :]]
                               for row in rows])  # fmt: skip
            found.append(Table(heads[1:], labels, values))

    try:
        for line in lines:
            again = rows and line[1:count] == rows[0][1:count]  # of another frame at that time
            if rows and (again or line[0] != rows[0][0]):
                close()
                rows = []
            rows.append(line)
        close()
    except (ValueError, IndexError):
        raise InputError(f"{where}: is damaged; expected a table of flexforge") from None
    return found
