# SPDX-License-Identifier: BSD-3-Clause
"""Undamped critical speeds, their map over the stiffness of bearings, and sensitivities."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.unit_systems import SI, UnitSystem

_RPM = 30.0 / np.pi  # of 1 rad/s
_COLOURS = {"forward": "#c8641c", "backward": "#1f5fa8", "standing": "#8c7a1f", "": "#1f5fa8"}
_INK = "#3c4753"
_NONE = 1e-9  # a sensitivity that is round-off


class _Part(Protocol):
    """What a critical speed owes to a part: its name, and both relative changes."""

    @property
    def name(self) -> str: ...
    @property
    def stiffness(self) -> float: ...
    @property
    def mass(self) -> float: ...


@dataclass(frozen=True, slots=True)
class UndampedRow:
    """A critical speed with the model's own bearings, rad/s."""

    order: int
    number: int
    speed: float
    whirl: str
    parts: Sequence[_Part]


@dataclass(frozen=True, slots=True)
class MapRow:
    """The critical speeds, rad/s, for one stiffness of bearings, N/m."""

    order: int
    stiffness: float
    speeds: Sequence[float]
    whirl: Sequence[str]


class UndampedSpeeds:
    """What is told of undamped critical speeds.

    Parameters
    ----------
    second : float
        A second in the unit of time of the model, for rpm.

    Attributes
    ----------
    rows : list of UndampedRow
        Critical speeds with the model's own bearings.
    """

    def __init__(self, second: float = 1.0) -> None:
        self._rpm = _RPM * second
        self.rows: list[UndampedRow] = []
        self._map: list[MapRow] = []
        self._laws: list[tuple[str, Floats, Floats]] = []

    def add(self, row: UndampedRow) -> None:
        """Add a critical speed."""
        self.rows.append(row)

    def add_to_map(self, row: MapRow) -> None:
        """Add the critical speeds of a stiffness."""
        self._map.append(row)

    def laws(self, laws: Sequence[tuple[str, Floats, Floats]]) -> None:
        """Take the bearings of a map: names, speeds (S,), and stiffness along both axes (2, S)."""
        self._laws = list(laws)

    def figures(self) -> dict[str, list[object]]:
        """Return the critical speeds by name."""
        return {
            f"undamped critical speed, order {one.order}, {one.number}": [one.speed, "rad/s"]
            for one in self.rows
        }

    def tables(self) -> Iterator[tuple[str, str]]:
        """Yield names and texts of the CSV files."""
        heads = ["order", "number", "speed [rpm]", "speed [rad/s]", "whirl"]
        yield "undamped", _csv(heads, (
            [one.order, one.number, self._rpm * one.speed, one.speed, one.whirl]
            for one in self.rows
        ))  # fmt: skip
        heads = ["order", "number", "part", "stiffness", "mass"]
        yield "sensitivities", _csv(heads, (
            [one.order, one.number, part.name, part.stiffness, part.mass]
            for one in self.rows for part in one.parts
        ))  # fmt: skip
        if self._map:
            heads = ["order", "stiffness [N/m]", "number", "speed [rpm]", "speed [rad/s]", "whirl"]
            yield "critical_map", _csv(heads, (
                [row.order, row.stiffness, number, self._rpm * speed, speed, whirl]
                for row in self._map
                for number, (speed, whirl) in enumerate(zip(row.speeds, row.whirl, strict=True), 1)
            ))  # fmt: skip

    def data(self) -> dict[str, Any]:
        """Return all of it as plain data, for the summary and the report."""
        return {
            "critical_speeds": [
                {
                    "order": one.order,
                    "number": one.number,
                    "speed_rad_s": one.speed,
                    "whirl": one.whirl,
                    "sensitivities": [
                        {"part": part.name, "stiffness": part.stiffness, "mass": part.mass}
                        for part in one.parts
                    ],
                }
                for one in self.rows
            ],
            "map": [
                {
                    "order": row.order,
                    "stiffness_N_m": row.stiffness,
                    "speeds_rad_s": list(row.speeds),
                    "whirl": list(row.whirl),
                }
                for row in self._map
            ],
            "bearings": [
                {"name": name, "speeds_rad_s": speeds.tolist(), "stiffness_N_m": stiff.tolist()}
                for name, speeds, stiff in self._laws
            ],
        }


def map_plots(summary: Mapping[str, Any], units: UnitSystem = SI) -> list[dict[str, Any]]:
    """Return critical speeds over the stiffness of bearings, a plot for each order.

    The stiffness that bearings have over the speed, along both axes, crosses them at critical
    speeds of the machine.
    """
    found = summary.get("undamped", {})
    rpm = _RPM * units.second
    plots = []
    for order in sorted({row["order"] for row in found.get("map", [])}):
        rows = [row for row in found["map"] if row["order"] == order]
        if len(rows) < 2 or not any(row["speeds_rad_s"] for row in rows):
            continue
        lines = [*_lines(rows, rpm), *_laws(found["bearings"], rows, rpm)]
        head = {"name": f"undamped critical speeds, order {order}", "unit": "rpm", "letter": "k"}
        over = {"axis": "stiffness of each bearing", "time": units.label("N/m")}
        drawn = {"wide": True, "log": True, "log_axis": True, "lines": lines}
        plots.append(head | over | drawn)
    return plots


def sensitivity_rows(text: str, units: UnitSystem = SI) -> tuple[list[str], list[list[str]]]:
    """Return heads and rows of ``sensitivities.csv``, a column for each critical speed.

    Parameters
    ----------
    text : str
        Content of the file.
    units : UnitSystem
        The units of the model, which do not matter.
    """
    del units
    every = list(csv.DictReader(text.splitlines()))
    speeds = list(dict.fromkeys((row["order"], row["number"]) for row in every))
    found: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    for row in every:
        for key in ("stiffness", "mass"):
            of_speeds = found.setdefault((row["part"], key), {})
            of_speeds[row["order"], row["number"]] = float(row[key])
    heads = ["Part", "of its", *(f"order {order}, {number}" for order, number in speeds)]
    rows = [
        [part, key, *(f"{of_speeds.get(one, 0.0):.3f}" for one in speeds)]
        for (part, key), of_speeds in found.items()
        if max(map(abs, of_speeds.values())) > _NONE
    ]
    return heads, rows


def _lines(rows: Sequence[Mapping[str, Any]], rpm: float) -> Iterator[dict[str, Any]]:
    """Yield curves of critical speeds, by their whirl and their number among those of it."""
    curves: dict[tuple[str, int], tuple[list[float], list[float]]] = {}
    for row in rows:
        counted: Counter[str] = Counter()
        for speed, whirl in zip(row["speeds_rad_s"], row["whirl"], strict=True):
            counted[whirl] += 1
            x, y = curves.setdefault((whirl, counted[whirl]), ([], []))
            x.append(row["stiffness_N_m"])
            y.append(rpm * speed)
    for (whirl, number), (x, y) in sorted(curves.items()):
        yield {"name": f"{whirl} {number}", "color": _COLOURS[whirl], "x": x, "y": y}


def _laws(
    bearings: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]], rpm: float
) -> Iterator[dict[str, Any]]:
    """Yield the stiffness of bearings along both axes; without a table as an upright line."""
    speeds = [speed for row in rows for speed in row["speeds_rad_s"]]
    ends = [min(speeds), max(speeds)]
    for one in bearings:
        along = one["stiffness_N_m"]
        places = one["speeds_rad_s"] or ends
        for axis, values in zip("xy", along, strict=True):
            if axis == "y" and values == along[0]:
                continue
            values = values if one["speeds_rad_s"] else 2 * list(values)
            pairs = [(k, rpm * w) for k, w in zip(values, places, strict=True) if k > 0.0 < w]
            name = f"{one['name']} k{axis}{axis}" if along[0] != along[1] else one["name"]
            x, y = ([pair[i] for pair in pairs] for i in (0, 1))
            yield {"name": name, "x": x, "y": y, "dash": "dot", "color": _INK}


def _csv(heads: Sequence[str], rows: Any) -> str:
    lines = [",".join(heads)]
    for row in rows:
        cells = (repr(one) if isinstance(one, float) else str(one) for one in row)
        lines.append(",".join(f'"{one}"' if "," in one else one for one in cells))
    return "\n".join(lines) + "\n"
