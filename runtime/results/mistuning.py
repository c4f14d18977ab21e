# SPDX-License-Identifier: BSD-3-Clause
"""Modes of a wheel whose sectors differ, as a table and as the data of a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flexforge.runtime.results.rows import csv_rows
from flexforge.runtime.unit_systems import SI, UnitSystem

_HEADS = {
    "mode": "mode",
    "frequency_Hz": "frequency [Hz]",
    "growth_1_s": "growth [1/s]",
    "nodal_diameter": "nodal diameter",
    "share": "share of it",
    "localization": "localization",
    "sector": "sector",
}


def mistuned_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the modes of a wheel as CSV.

    Parameters
    ----------
    rows : sequence of mapping
        Of every mode frequency and growth; the nodal diameter that it has most of, and its share;
        the sector with most of the kinetic energy, and N times that share (localization); and the
        shares of all sectors.
    """
    count = len(rows[0]["energy"]) if rows else 0
    heads = [*_HEADS.values(), *(f"energy of sector {k + 1}" for k in range(count))]
    lines = [",".join(heads)]
    lines += [",".join(map(str, [*(row[key] for key in _HEADS), *row["energy"]])) for row in rows]
    return "\n".join(lines) + "\n"


def mistuned_rows(text: str, units: UnitSystem = SI) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of the table, without the shares of the sectors.

    Parameters
    ----------
    text : str
        Content of the file.
    units : UnitSystem
        The units of the model, which the heads name.
    """
    heads, rows = csv_rows(text, units)
    count = len(_HEADS)
    return heads[:count], [row[:count] for row in rows]


def localization_plots(summary: Mapping[str, Any], units: UnitSystem = SI) -> list[dict[str, Any]]:
    """Return the localization of modes over their frequency, and that of equal sectors."""
    rows = summary.get("mistuned_modes", [])
    if len(rows) < 2:
        return []
    frequencies = [row["frequency_Hz"] for row in rows]
    modes = {
        "name": "modes",
        "x": frequencies,
        "y": [row["localization"] for row in rows],
        "marks": True,
    }
    count = len(rows[0]["energy"])
    ends = {"x": [min(frequencies), max(frequencies)], "color": "#a7afb7", "dash": "dash"}
    alike = {"name": "all sectors alike", "y": [1.0, 1.0]} | ends
    single = {"name": "one sector alone", "y": [float(count)] * 2} | ends
    return [{
        "name": "localization of the modes of the mistuned wheel",
        "unit": "",
        "axis": "frequency",
        "time": units.label("Hz"),
        "lines": [modes, alike, single],
        "dots": False,
    }]  # fmt: skip
