# SPDX-License-Identifier: BSD-3-Clause
"""The table of modes: frequencies, participation factors, effective masses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.listing import fortran

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
    heads += [f"effective mass {one}" for one in motions]
    lines = [",".join(heads)]
    for number, (frequency, row) in enumerate(zip(frequencies, factors, strict=True), start=1):
        values = [frequency, *row, *(row**2)]
        lines.append(",".join([f"{number}", *(repr(float(value)) for value in values)]))
    lines.append(",".join(["all", "", *("" for _ in motions), *(repr(float(t)) for t in total)]))
    return "\n".join(lines) + "\n"


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
