# SPDX-License-Identifier: BSD-3-Clause
"""Frequencies of a wheel over its nodal diameters, as plain data for the page of the report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flexforge.runtime.results.safe import engine_order_lines, rpm_of
from flexforge.runtime.unit_systems import SI, UnitSystem

#: What the names of the frequencies of a wheel begin with.
FIGURE = "nodal diameter "
#: What a table says of the modes of a wheel, by key of the summary.
AROUND = {"nodal_diameter": "Nodal diameter", "travels": "Wave", "part": "Part of the shape"}


def around(summary: Mapping[str, Any]) -> list[str]:
    """Return the keys of what modes say of a wheel; none where they are not those of one."""
    rows = summary.get("modes", [])
    return [key for key in AROUND if rows and all(key in row for row in rows)]


def without_waves(figures: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, Any]:
    """Return figures without the frequencies of a wheel, which the table of modes has."""
    if not around(summary):
        return dict(figures)
    return {name: value for name, value in figures.items() if not name.startswith(FIGURE)}


def wave_plots(summary: Mapping[str, Any], units: UnitSystem = SI) -> list[dict[str, Any]]:
    """Return the frequencies of a wheel as curves over the nodal diameters, by their number.

    Waves that travel and standing ones, with none or as many nodal diameters as half the sectors,
    are on one curve, one for each sense. Of a wheel that turns there are also the lines of engine
    orders at a speed: a SAFE diagram.
    """
    safe = summary.get("safe")
    rows = summary.get("modes", []) if around(summary) else []
    rows = [row for row in rows if row["part"] == "real" and row["frequency_Hz"] is not None]
    if safe:  # at its own speed, which need not be that of the shapes
        rows = sorted(safe["modes"], key=lambda row: float(row["frequency_Hz"]))
    if len({row["nodal_diameter"] for row in rows}) < 2:
        return []
    senses = sorted({row["travels"] for row in rows} - {"standing"}) or ["standing"]
    curves: dict[tuple[int, str], tuple[list[int], list[float]]] = {}
    for sense in senses:
        counted: dict[int, int] = {}
        for row in rows:
            if row["travels"] in (sense, "standing"):
                n = row["nodal_diameter"]
                counted[n] = counted.get(n, 0) + 1
                x, y = curves.setdefault((counted[n], sense), ([], []))
                x.append(n)
                y.append(row["frequency_Hz"])
    lines = [
        {"name": f"{number}" if sense == "standing" else f"{number} {sense}", "x": x, "y": y}
        for (number, sense), (x, y) in sorted(curves.items())
    ]
    unit = units.label("Hz")
    name = "frequency of modes"
    if safe:
        top = 1.05 * max(row["frequency_Hz"] for row in rows)
        lines += engine_order_lines(safe, top)
        name = f"modes, orders at {rpm_of(safe, units)}"
    title = {"name": name, "unit": unit, "axis": "nodal diameters", "time": ""}
    return [title | {"lines": lines, "dots": True}]
