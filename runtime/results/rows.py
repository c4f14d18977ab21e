# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the report as texts: figures, probes, timings, settings."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.units import CUSTOMARY, prefix

_FEW = 8  # probes whose peaks stand among the figures


#: Headings of :func:`probe_rows` over time, and of a single state, which has none.
PROBE_HEADS = ("Probe", "First", "Last", "Least", "at [s]", "Most", "at [s]")
STILL_HEADS = ("Probe", "Value")


def probe_heads(rows: Floats) -> tuple[str, ...]:
    """Return the headings of :func:`probe_rows`."""
    return STILL_HEADS if len(rows) == 1 else PROBE_HEADS


def probe_rows(columns: Sequence[Column], rows: Floats) -> list[list[str]]:
    """Return a row per probe: name, first, last, least and largest value with their times.

    Of a single state, such as that of a static analysis, name and value. The unit has the prefix
    that suits the largest size, as that of the peak among the figures has.
    """
    found = []
    for i, column in enumerate(columns[1:] if len(rows) else [], start=1):
        sizes = np.abs(rows[np.isfinite(rows[:, i]), i])
        factor, unit = prefix(float(sizes.max(initial=0.0)), column.unit)
        values = rows[:, i] / factor
        cells = [Column(column.name, unit).title, text(float(values[0]))]
        if len(rows) == 1:
            found.append(cells)
            continue
        cells.append(text(float(values[-1])))
        for at in (_first(values, np.fmin), _first(values, np.fmax)):
            cells += [text(float(values[at])), text(float(rows[at, 0]))]
        found.append(cells)
    return found


def _first(values: Floats, extreme: np.ufunc) -> int:
    """Return where values (T,) reach their extreme first; 0 where none is a number."""
    return int(np.argmax(values == extreme.reduce(values)))


def csv_rows(text: str) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of a CSV file with rounded numbers.

    Parameters
    ----------
    text : str
        Content of the file.
    """
    heads, *lines = csv.reader(text.splitlines())
    return heads, [[_rounded(cell) for cell in line] for line in lines]


def _rounded(cell: str) -> str:
    """Return a cell with five digits, if it is a number that is not whole."""
    try:
        return f"{float(cell):.5g}" if "." in cell or "e" in cell else cell
    except ValueError:
        return cell


#: Ends of the names of the figures of a probe over time, and headings of their columns.
_OF_PROBES = {", peak": "peak", ", time of the peak": "at [s]", ", at the end": "at the end"}


def peak_table(
    figures: Mapping[str, Any],
) -> tuple[list[str], list[list[str]], dict[str, Any]]:
    """Return headings and rows of the peaks of probes, a row each, and the other figures.

    Parameters
    ----------
    figures : mapping
        Name to number, or to a number with its unit.

    Examples
    --------
    >>> peaks = {"tip, peak": [-3.0, "m"], "tip, time of the peak": [0.1, "s"],
    ...          "tip, at the end": [1.0, "m"]}
    >>> peak_table(peaks | {"mass": [2.0, "kg"]})
    (['probe', 'peak', 'at [s]', 'at the end'], [['tip [m]', '-3', '0.1', '1']], \
{'mass': [2.0, 'kg']})
    """
    rows, rest = [], dict(figures)
    for name in figures:
        probe = name.removesuffix(", peak")
        keys = [f"{probe}{end}" for end in _OF_PROBES]
        if probe != name and all(key in figures for key in keys):
            (peak, unit), (time, _), (last, _) = (rest.pop(key) for key in keys)
            when = text(time) if peak else text(None)
            rows.append([f"{probe} [{unit}]" if unit else probe, text(peak), when, text(last)])
    return ["probe", *_OF_PROBES.values()], rows, rest


def without_probes(figures: Mapping[str, Any], columns: Sequence[Column]) -> dict[str, Any]:
    """Return the figures that are not those of probes, which have a table; of few the peaks too."""
    few = len(columns) - 1 <= _FEW
    ends = [end for end in _OF_PROBES if end != ", peak" or not few]
    probes = {f"{column.name}{end}" for column in columns[1:] for end in ends}
    return {name: value for name, value in figures.items() if name not in probes}


def figure_rows(figures: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Return name, amount and unit of each figure."""
    for name, value in figures.items():
        amount, unit = value if isinstance(value, list) and len(value) == 2 else (value, "")
        if isinstance(amount, float) and unit in CUSTOMARY:
            yield (name, *engineering(amount, unit))
        else:
            yield name, text(amount), str(unit)


def engineering(value: float, unit: str) -> tuple[str, str]:
    """Return a value with a readable prefix of its unit."""
    factor, prefixed = prefix(value, unit)
    return f"{value / factor + 0.0:.5g}", prefixed


def timing_rows(timings: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return phase, seconds and share of each phase, the longest first."""
    known = {phase: float(seconds) for phase, seconds in timings.items() if seconds is not None}
    parts = {phase: seconds for phase, seconds in known.items() if phase != "total"}
    total = known.get("total", sum(parts.values())) or 1.0
    ordered = sorted(parts.items(), key=lambda item: -item[1])
    rows = [(p, f"{s:.3f}", f"{100 * s / total:.1f}") for p, s in ordered]
    return [*rows, ("total", f"{total:.3f}", "100.0")] if rows else []


def flat_rows(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Return key and value of a table, with tables inside it key by key."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from flat_rows(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", text(value)


def text(value: Any) -> str:
    """Return a value as a person writes it."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value + 0.0:.6g}"  # which makes no minus of a zero
    if isinstance(value, list):
        return ", ".join(text(one) for one in value)
    return str(value)
