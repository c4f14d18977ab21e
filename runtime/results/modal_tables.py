# SPDX-License-Identifier: BSD-3-Clause
"""The table of modes: frequencies, participation factors, effective masses."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.listing import fortran
from flexforge.runtime.unit_systems import SI, UnitSystem

_EFFECTIVE = "effective mass "
_LEAST = 1e-9  # of the largest sum of its kind, below which a motion has no mass
_HEADS = ("X-COMPONENT", "Y-COMPONENT", "Z-COMPONENT", "X-ROTATION", "Y-ROTATION", "Z-ROTATION")


def modes_csv(frequencies: Floats, motions: Sequence[str], factors: Floats, total: Floats) -> str:
    """Return frequencies, participation factors and effective masses as CSV.

    Parameters
    ----------
    frequencies : ndarray, (count,)
        Hz.
    motions : sequence of str
        Names of the rigid motions.
    factors : ndarray, (count, m)
        Participation factors of modes of unit mass.
    total : ndarray, (m,)
        What the effective masses of all modes add up to.
    """
    heads = ["mode", "frequency [Hz]"]
    heads += [f"participation {one}" for one in motions]
    heads += [f"{_EFFECTIVE}{one}" for one in motions]
    lines = [",".join(heads)]
    for number, (frequency, row) in enumerate(zip(frequencies, factors, strict=True), start=1):
        values = [frequency, *row, *(row**2)]
        lines.append(",".join([f"{number}", *(repr(float(value)) for value in values)]))
    lines.append(",".join(["all", "", *("" for _ in motions), *(repr(float(t)) for t in total)]))
    return "\n".join(lines) + "\n"


def shares(text: str, units: UnitSystem = SI) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of the effective masses in ``modes.csv``, in per cent of their sums.

    Parameters
    ----------
    text : str
        Content of the file, as of :func:`modes_csv`.
    units : UnitSystem
        The units of the model.
    """
    heads, *lines = csv.reader(text.splitlines())
    columns = [k for k, head in enumerate(heads) if head.startswith(_EFFECTIVE)]
    *modes, total = lines
    masses = np.array([[float(row[k]) for k in columns] for row in modes])
    sums = np.array([float(total[k]) for k in columns])
    parts = 100.0 * masses / np.where(sums > 0.0, sums, 1.0)
    turns = np.array([heads[k].startswith(f"{_EFFECTIVE}r") for k in columns], dtype=bool)
    # A motion without mass, such as a turn about a line, has no shares.
    least = [_LEAST * sums[turns == one].max(initial=0.0) for one in turns]
    known = np.flatnonzero(sums > np.array(least))
    rows = [
        [row[0], f"{float(row[1]):.6g}", *(f"{part:.1f}" for part in of[known])]
        for row, of in zip(modes, parts, strict=True)
    ]
    together = ["Together", "", *(f"{part:.1f}" for part in parts.sum(axis=0)[known])]
    named = [f"{heads[columns[k]].removeprefix(_EFFECTIVE)} [%]" for k in known]
    return ["Mode", units.heading("Frequency [Hz]"), *named], [*rows, together]


def printed_modes(frequencies: Floats, factors: Floats, total: Floats) -> str:
    """Return the tables that CalculiX prints of modes; parameters as of :func:`modes_csv`."""
    speeds = 2.0 * np.pi * frequencies
    lines = [
        "",
        "     E I G E N V A L U E   O U T P U T",
        "",
        " MODE NO    EIGENVALUE                       FREQUENCY   ",
        "                                     REAL PART            IMAGINARY PART",
        "                           (RAD/TIME)      (CYCLES/TIME     (RAD/TIME)",
        "",
    ]
    for number, speed in enumerate(speeds, start=1):
        values = (speed**2, speed, speed / (2.0 * np.pi), 0.0)
        lines.append(f"{number:7d}{_row(values, 2)}")
    for title, rows, last in (
        ("P A R T I C I P A T I O N   F A C T O R S", factors, None),
        ("E F F E C T I V E   M O D A L   M A S S", factors**2, (factors**2).sum(axis=0)),
    ):
        lines += ["", f"     {title}", "", f"MODE NO.   {'     '.join(_HEADS)}", ""]
        lines += [f"{number:7d}{_row(row)}" for number, row in enumerate(rows, start=1)]
        lines += [f"TOTAL  {_row(last)}"] if last is not None else []
    lines += ["", "     T O T A L   E F F E C T I V E   M A S S", ""]
    lines += [f"MODE NO.   {'     '.join(_HEADS)}", "", f"{'':7s}{_row(total)}"]
    return "\n".join(lines) + "\n"


def printed_factors(factors: Floats) -> str:
    """Return the table that CalculiX prints of buckling factors (count,)."""
    lines = ["", "     B U C K L I N G   F A C T O R   O U T P U T", ""]
    lines += [" MODE NO       BUCKLING", "                FACTOR", ""]
    lines += [f"{number:7d}{_row([factor])}" for number, factor in enumerate(factors, start=1)]
    return "\n".join(lines) + "\n"


def _row(values: Iterable[float], gap: int = 2) -> str:
    return "".join(" " * gap + fortran(float(value)) for value in values)
