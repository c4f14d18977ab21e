# SPDX-License-Identifier: BSD-3-Clause
"""A Campbell diagram as tables and as the data of a figure.

The data are plain, as in ``summary.json``: ``units``, the system of all numbers,
``speeds_rad_s``, ``modes`` with one list entry per speed (null where a mode was not tracked),
``critical_speeds`` and ``instabilities``. Those of a wheel from one sector have ``sectors``, and
modes and critical speeds the number of nodal diameters.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.unit_systems import DEFAULT, UnitSystem, system_of

_SAME = 1e-9  # relative difference of frequencies that are one
_RPM = 30.0 / math.pi  # of 1 rad/s
_SPEED = "rad/s"
_DASHES = ("dash", "dot", "dashdot", "longdash", "longdashdot")
_INK, _GREYS = "#222a33", ("#6b757f", "#a7afb7")
_LINES = ("#1f5fa8", "#c8641c", "#2a8a57", "#8a3b8f", "#3c4753", "#4f9aa8", "#8c7a1f", "#5b6672")
_MARKS = {"forward": "triangle-up", "backward": "triangle-down", "standing": "circle", "": "circle"}
_UNSTABLE = "#b3261e"
_AROUND = "nodal_diameter"

Data = Mapping[str, Any]


def _units(data: Data) -> UnitSystem:
    return system_of(data.get("units", DEFAULT))


def _rpm_of(data: Data) -> float:
    """Return the revolutions per minute of a unit of speed."""
    return _RPM * _units(data).second


def table(data: Data) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows, one row per speed.

    After a frequency, ``f`` or ``b`` means that its shape travels forward or backward in the
    rotating frame, and ``+`` with a number is its growth per unit of time.
    """
    units, rpm = _units(data), _rpm_of(data)
    modes = [units.heading(f"{name_of(mode)} [Hz]") for mode in data["modes"]]
    heads = ["rpm", units.label(_SPEED) or "speed", *modes]
    rows = [
        [
            f"{rpm * speed:.6g}",
            f"{speed:.6g}",
            *(_cell(mode, place) for mode in data["modes"]),
        ]
        for place, speed in enumerate(data["speeds_rad_s"])
    ]
    return heads, rows


def tables(data: Data) -> list[tuple[list[str], list[list[str]]]]:
    """Return what :func:`table` does, of a wheel for each number of nodal diameters by itself."""
    groups: dict[Any, list[Data]] = {}
    for mode in data["modes"]:
        groups.setdefault(mode.get(_AROUND), []).append(mode)
    if not groups:
        return [table(data)]
    return [table({**data, "modes": some}) for some in groups.values()]


def _cell(mode: Data, place: int) -> str:
    frequency = mode["frequency_Hz"][place]
    if frequency is None or math.isnan(frequency):
        return "-"
    whirl = {"forward": " f", "backward": " b"}.get(mode["whirl"][place], "")
    growth = mode["growth_1_s"][place]
    return f"{frequency:.6g}{whirl}" + (f" +{growth:.3g}" if growth > 0.0 else "")


def name_of(mode: Data) -> str:
    """Return what a mode is called."""
    name = f"mode {mode['mode']}"
    return f"{name} (n = {mode[_AROUND]})" if _AROUND in mode else name


def critical_rows(data: Data) -> list[list[str]]:
    """Return one row per critical speed: order, rpm, speed, mode, frequency.

    Of a wheel also the number of nodal diameters, and how the wave travels that is excited.
    """
    rpm = _rpm_of(data)
    return [
        [
            f"{one['order']}x",
            f"{one['speed_rad_s'] * rpm:.6g}",
            f"{one['speed_rad_s']:.6g}",
            str(one["mode"]),
            f"{one['frequency_Hz']:.6g}",
            *(str(one[key]) for key in _of_waves(data)),
        ]
        for one in data["critical_speeds"]
    ]


def _of_waves(data: Data) -> dict[str, str]:
    """Return what is told of critical speeds of a wheel: keys and headings."""
    return {_AROUND: "nodal diameter", "travels": "wave"} if "sectors" in data else {}


def numbers_at_end(data: Data, frequencies: Sequence[float]) -> list[str]:
    """Return the numbers of branches that have given frequencies at the last speed, as texts.

    Branches of equal frequency there have one of these places each.

    Parameters
    ----------
    data : mapping
        The diagram.
    frequencies : sequence of float
        Of the modes at the last speed, Hz.
    """
    left = {mode["mode"]: mode["frequency_Hz"][-1] for mode in data["modes"]}
    found = []
    for frequency in frequencies:
        same = (
            number
            for number, one in left.items()
            if one is not None and abs(one - frequency) <= _SAME * abs(frequency)
        )
        number = next(same, None)
        left.pop(number, None)
        found.append("–" if number is None else str(number))
    return found


def critical_heads(data: Data) -> list[str]:
    """Return the headings of :func:`critical_rows`."""
    units = _units(data)
    speed, frequency = units.label(_SPEED) or "speed", units.heading("frequency [Hz]")
    return ["order", "critical at rpm", speed, "mode", frequency, *_of_waves(data).values()]


def growth_note(data: Data) -> str:
    """Return what marks in the cells of :func:`table` mean."""
    unit = _units(data).with_unit("growth,", "1/s").rstrip(",")
    return f"f, b: forward, backward in {frame_of(data)}; +: {unit}"


def frame_of(data: Data) -> str:
    """Return in words where frequencies and whirl of a diagram are seen from."""
    return "axes at rest" if data.get("stands") else "the turning frame"


def instability_lines(data: Data) -> list[str]:
    """Return one line per range of speeds in which a mode grows."""
    lines = []
    told = _units(data).with_unit
    for one in data["instabilities"]:
        growth = one["growth_1_s"]
        begins = (
            "from the first speed"
            if one["onset_rad_s"] is None
            else f"from {_both(data, one['onset_rad_s'])}"
        )
        ends = "on" if one["end_rad_s"] is None else f"to {_both(data, one['end_rad_s'])}"
        lines.append(
            f"unstable: {name_of(one)}, {one['kind']} {begins} {ends}, "
            f"growth up to {told(f'{growth:.4g}', '1/s')}"
        )
    return lines


def _both(data: Data, speed: float) -> str:
    told = _units(data).with_unit(f"{speed:.6g}", _SPEED)
    return f"{_rpm_of(data) * speed:.6g} rpm ({told})"


def _orders(data: Data) -> Sequence[int]:
    """Return the orders of excitation; results from before there was a choice do not say."""
    orders: Sequence[int] = data.get("orders", (0, 1, 2))
    return orders


def no_criticals(data: Data) -> str:
    """Return what to say of critical speeds where there are none; else an empty text."""
    if data["critical_speeds"]:
        return ""
    speeds = data["speeds_rad_s"]
    orders = ", ".join(f"{order}x" for order in _orders(data))
    both = [_both(data, speeds[place]) for place in (0, -1)]
    return f"no critical speeds of orders {orders} from {both[0]} to {both[1]}"


def section(data: Data | None) -> dict[str, Any] | None:
    """Return the section of the report on a diagram: its tables."""
    if not data or not data["modes"]:
        return None
    return {
        "tables": tables(data),
        "critical_heads": critical_heads(data),
        "criticals": critical_rows(data),
        "no_criticals": no_criticals(data),
        "instabilities": instability_lines(data),
        "last": _both(data, data["speeds_rad_s"][-1]),
        "frame": frame_of(data),
        "around": "sectors" in data,
    }


def other_figures(summary: Data) -> dict[str, Any]:
    """Return the figures of a summary, except those of single speeds that the table contains.

    Critical speeds and those of instabilities are the first, in rpm.
    """
    figures = dict(summary.get("figures", {}))
    if "campbell" not in summary and "undamped" not in summary:
        return figures
    unit, rpm = _units(summary).label(_SPEED), _rpm_of(summary)
    numbers = {mode["mode"] for mode in summary.get("campbell", {}).get("modes", [])}
    single = tuple(f"mode {number} at " for number in numbers)
    figures = {k: v for k, v in figures.items() if not (single and k.startswith(single))}
    speeds = {
        name: [rpm * value[0], "rpm"]
        for name, value in figures.items()
        if unit and isinstance(value, list) and value[1] == unit
    }
    return speeds | {name: value for name, value in figures.items() if name not in speeds}


def as_csv(data: Data) -> bytes:
    """Return frequencies, growths, decrements and whirl as CSV, without columns that are empty."""
    speeds, rpm = data["speeds_rad_s"], _rpm_of(data)
    columns = {
        "speed [rad/s]": list(map(repr, speeds)),
        "speed [rpm]": [_rpm(rpm * speed) for speed in speeds],
    }
    for mode in data["modes"]:
        number, name = mode["mode"], name_of(mode)
        known, growth, seen = (
            ["" if math.isnan(one) else str(one) for one in _numbers(mode[key]).tolist()]
            for key in ("frequency_Hz", "growth_1_s", "inertial_frequency_Hz")
        )
        columns |= {
            f"{name} [Hz]": known,
            f"growth {number} [1/s]": growth,
            f"logarithmic decrement {number}": _decrements(mode),
            f"whirl {number}": mode["whirl"],
            f"mode {number} seen from outside [Hz]": seen,
        }
    told = {head: column for head, column in columns.items() if any(column)}
    return _csv(list(told), zip(*told.values(), strict=True))


def _decrements(mode: Data) -> list[str]:
    """Return the logarithmic decrements of a mode; nothing of one that no damper moves.

    They are ``-2 pi growth / omega``; empty where there is no vibration.
    """
    growth, frequency = (_numbers(mode[key]) for key in ("growth_1_s", "frequency_Hz"))
    if not np.nan_to_num(growth).any():
        return [""] * len(growth)
    pairs = zip(growth.tolist(), frequency.tolist(), strict=True)
    return [str(-rate / hertz + 0.0) if hertz > 0.0 else "" for rate, hertz in pairs]


def criticals_as_csv(data: Data) -> bytes:
    """Return the critical speeds as CSV: order, mode, speed in rpm and rad/s, frequency in Hz."""
    more = _of_waves(data)
    heads = ["order", "mode", "speed [rpm]", "speed [rad/s]", "frequency [Hz]", *more.values()]
    return _csv(
        heads,
        (
            [
                str(one["order"]),
                str(one["mode"]),
                _rpm(_rpm_of(data) * one["speed_rad_s"]),
                repr(one["speed_rad_s"]),
                repr(one["frequency_Hz"]),
                *(str(one[key]) for key in more),
            ]
            for one in data["critical_speeds"]
        ),
    )


def _csv(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows(rows)
    return text.getvalue().encode()


def _rpm(speed: float) -> str:
    """Return a speed in rpm without the round-off of the conversion."""
    return f"{speed:.12g}"


def diagram(data: Data) -> dict[str, Any]:
    """Return the diagram as plain data for the page of the report: every line, over rpm.

    Upward triangles are forward modes in the frame of the shapes, downward triangles are backward;
    rings are critical speeds, crosses unstable modes. Those of a wheel have a colour for each
    number of nodal diameters.
    """
    speeds = _numbers(data["speeds_rad_s"])
    found = [f for mode in data["modes"] for f in _numbers(mode["frequency_Hz"])]
    top = 1.08 * max((f for f in found if not math.isnan(f)), default=1.0) or 1.0
    last = max(float(speeds[-1]), 1e-300)
    lines = [order for order in _orders(data) if order]
    units, rpm = _units(data), _rpm_of(data)
    hertz = units.label("Hz")
    traces = [_order(i, order, (last, top), rpm, hertz) for i, order in enumerate(lines)]
    groups: set[str] = set()
    for mode in data["modes"]:
        traces += _lines(rpm * speeds, mode, hertz, groups)
    criticals = data["critical_speeds"]
    traces += [_criticals(criticals, rpm, hertz)] if criticals else []
    grows = bool(data["instabilities"])
    if grows:
        rate = units.label("1/s")
        traces += [_growth(rpm * speeds, mode, rate) for mode in data["modes"]]
    end = last if last > speeds[0] else speeds[0] + 1.0
    return {
        "traces": traces,
        "growths": grows,
        "top": top,
        "first": rpm * float(speeds[0]),
        "last": rpm * end,
        "frequency": units.heading(f"frequency in {frame_of(data)} [Hz]"),
        "growth": units.heading("growth [1/s]"),
    }


def _order(
    number: int, order: int, ends: tuple[float, float], rpm: float, hertz: str
) -> dict[str, Any]:
    """Return the line of an engine order, excitation so many times per revolution, with its name.

    It ends at the last speed or at the top of the diagram.

    The number is its place among the lines: neighbours differ in dash, and from one cycle of dashes
    to the next in their grey.
    """
    last, top = ends
    reach = min(last, 2 * math.pi * top / order)
    return {
        "name": f"engine order {order}",
        "showlegend": False,
        "x": [0.0, rpm * reach],
        "y": [0.0, order * reach / (2 * math.pi)],
        "mode": "lines+text",
        "text": ["", f"{order}x"],
        "textposition": "middle right" if reach == last else "top center",
        "textfont": {"size": 11, "color": _INK},
        "cliponaxis": False,
        "line": {
            "color": _GREYS[number // len(_DASHES) % len(_GREYS)],
            "width": 1.3,
            "dash": _DASHES[number % len(_DASHES)],
        },
        "hovertemplate": f"engine order {order}<br>%{{y:.5g}} {hertz} at %{{x:.5g}} rpm"
        "<extra></extra>",
    }


def _lines(speeds: Floats, mode: Data, hertz: str, groups: set[str]) -> list[dict[str, Any]]:
    """Return the line of a mode over speeds in rpm, and its marks; add its group to those told."""
    signed = _numbers(mode["signed_frequency_Hz"])
    # Through zero and up again: the line touches the axis in between.
    turns = np.flatnonzero(signed[:-1] * signed[1:] < 0.0)
    share = signed[turns] / (signed[turns] - signed[turns + 1])
    x = np.insert(speeds, turns + 1, speeds[turns] + share * np.diff(speeds)[turns])
    y = np.insert(np.abs(signed), turns + 1, 0.0)
    known = np.flatnonzero(~np.isnan(signed))
    unstable = [mode["growth_1_s"][place] > 0.0 for place in known]
    whirl = [mode["whirl"][place] for place in known]
    color, name, group = _color(mode), name_of(mode), _group(mode)
    line = {
        "name": group,
        "legendgroup": group,
        "showlegend": group not in groups,
        "x": x.tolist(),
        "y": [None if math.isnan(one) else one for one in y.tolist()],
        "mode": "lines",
        "line": {"color": color, "width": 1.8},
        "hoverinfo": "skip",
    }
    groups.add(group)
    marks = {
        "legendgroup": group,
        "showlegend": False,
        "x": speeds[known].tolist(),
        "y": np.abs(signed[known]).tolist(),
        "mode": "markers",
        "cliponaxis": False,
        "marker": {
            "symbol": [
                "x" if bad else _MARKS[way] for bad, way in zip(unstable, whirl, strict=True)
            ],
            "size": 8,
            "color": [_UNSTABLE if bad else color for bad in unstable],
        },
        "text": whirl,
        "hovertemplate": f"{name} %{{text}}<br>%{{y:.6g}} {hertz} at %{{x:.6g}} rpm<extra></extra>",
    }
    return [line, marks]


def _criticals(criticals: Sequence[Data], rpm: float, hertz: str) -> dict[str, Any]:
    return {
        "name": "critical speed",
        "x": [rpm * one["speed_rad_s"] for one in criticals],
        "y": [one["frequency_Hz"] for one in criticals],
        "text": [f"{name_of(one)}, order {one['order']}" for one in criticals],
        "mode": "markers",
        "cliponaxis": False,
        "marker": {"symbol": "circle-open", "size": 13, "color": _INK, "line": {"width": 1.8}},
        "hovertemplate": f"critical speed: %{{text}}<br>%{{x:.6g}} rpm, %{{y:.6g}} {hertz}"
        "<extra></extra>",
    }


def _growth(speeds: Floats, mode: Data, rate: str) -> dict[str, Any]:
    growth = np.maximum(_numbers(mode["growth_1_s"]), 0.0)
    return {
        "legendgroup": _group(mode),
        "showlegend": False,
        "yaxis": "y2",
        "x": speeds.tolist(),
        "y": [None if math.isnan(one) else one for one in growth.tolist()],
        "mode": "lines",
        "line": {"color": _color(mode), "width": 1.6},
        "hovertemplate": f"mode {mode['mode']}<br>%{{y:.4g}} {rate} at %{{x:.6g}} rpm"
        "<extra></extra>",
    }


def _group(mode: Data) -> str:
    """Return what is told by one colour: a mode, or those of a number of nodal diameters."""
    return f"nodal diameter {mode[_AROUND]}" if _AROUND in mode else name_of(mode)


def _color(mode: Data) -> str:
    return _LINES[int(mode.get(_AROUND, mode["mode"] - 1)) % len(_LINES)]


def _numbers(values: Sequence[float | None]) -> Floats:
    """Return numbers as an array: nan where a mode was not followed, which JSON has as null."""
    return np.array(values, dtype=float)
