# SPDX-License-Identifier: BSD-3-Clause
"""A Campbell diagram as a table and as a picture.

The data are plain, as in ``summary.json``: ``speeds_rad_s``, ``modes`` with one list entry per
speed (null where a mode was not tracked), ``critical_speeds`` and ``instabilities``.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.files import embedded

_INK, _FAINT, _GREY = "#222a33", "#d9dee4", "#8a949e"
_LINES = ("#1f5fa8", "#c8641c", "#2a8a57", "#8a3b8f", "#3c4753", "#4f9aa8", "#8c7a1f", "#5b6672")
_MARKS = {"forward": "^", "backward": "v", "standing": "o", "": "o"}
_UNSTABLE = "#b3261e"

Data = Mapping[str, Any]


def table(data: Data) -> tuple[list[str], list[list[str]]]:
    """Return headings and rows, one row per speed.

    After a frequency, ``f`` or ``b`` means that its shape travels forward or backward in the
    rotating frame, and ``+`` with a number is its growth per second.
    """
    heads = ["rad/s", *(f"mode {mode['mode']} [Hz]" for mode in data["modes"])]
    rows = [
        [f"{speed:.6g}", *(_cell(mode, place) for mode in data["modes"])]
        for place, speed in enumerate(data["speeds_rad_s"])
    ]
    return heads, rows


def _cell(mode: Data, place: int) -> str:
    frequency = mode["frequency_Hz"][place]
    if frequency is None or math.isnan(frequency):
        return "-"
    whirl = {"forward": " f", "backward": " b"}.get(mode["whirl"][place], "")
    growth = mode["growth_1_s"][place]
    return f"{frequency:.6g}{whirl}" + (f" +{growth:.3g}" if growth > 0.0 else "")


def critical_rows(data: Data) -> list[list[str]]:
    """Return one row per critical speed: order, rad/s, rpm, mode, frequency in Hz."""
    return [
        [
            f"{one['order']}x",
            f"{one['speed_rad_s']:.6g}",
            f"{one['speed_rad_s'] * 30.0 / math.pi:.6g}",
            str(one["mode"]),
            f"{one['frequency_Hz']:.6g}",
        ]
        for one in data["critical_speeds"]
    ]


CRITICAL_HEADS = ["order", "critical at rad/s", "rpm", "mode", "frequency [Hz]"]


def instability_lines(data: Data) -> list[str]:
    """Return one line per range of speeds in which a mode grows."""
    lines = []
    for one in data["instabilities"]:
        begins = (
            "from the first speed"
            if one["onset_rad_s"] is None
            else (f"from {one['onset_rad_s']:.6g} rad/s")
        )
        ends = "on" if one["end_rad_s"] is None else f"to {one['end_rad_s']:.6g} rad/s"
        lines.append(
            f"unstable: mode {one['mode']}, {one['kind']} {begins} {ends}, "
            f"growth up to {one['growth_1_s']:.4g} 1/s"
        )
    return lines


def section(data: Data | None) -> dict[str, Any] | None:
    """Return the section of the report on a diagram: picture and tables."""
    if not data or not data["modes"]:
        return None
    heads, rows = table(data)
    return {
        "source": embedded("svg+xml", draw(data)),
        "heads": heads,
        "rows": rows,
        "critical_heads": CRITICAL_HEADS,
        "criticals": critical_rows(data),
        "instabilities": instability_lines(data),
    }


def other_figures(summary: Data) -> dict[str, Any]:
    """Return the figures of a summary, except those of single speeds that the table contains."""
    figures = dict(summary.get("figures", {}))
    if "campbell" in summary:
        figures = {k: v for k, v in figures.items() if not k.endswith(" rad/s")}
    return figures


def as_csv(data: Data) -> bytes:
    """Return the table of frequencies, growths and whirl as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    heads = ["speed [rad/s]"]
    columns = [list(map(repr, data["speeds_rad_s"]))]
    for mode in data["modes"]:
        number = mode["mode"]
        heads += [
            f"mode {number} [Hz]",
            f"growth {number} [1/s]",
            f"whirl {number}",
            f"mode {number} seen from outside [Hz]",
        ]
        known, growth, seen = (
            ["" if math.isnan(one) else str(one) for one in _numbers(mode[key]).tolist()]
            for key in ("frequency_Hz", "growth_1_s", "inertial_frequency_Hz")
        )
        columns += [known, growth, mode["whirl"], seen]
    writer.writerow(heads)
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue().encode()


def draw(data: Data) -> bytes:
    """Return the diagram as SVG: frequencies over the speed, with growths below if there are any.

    Upward triangles are forward modes in the rotating frame, downward triangles are backward; rings
    are critical speeds, crosses unstable modes.
    """
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    grows = bool(data["instabilities"])
    figure = Figure(figsize=(8.4, 5.9 if grows else 4.6), facecolor="white")
    FigureCanvasSVG(figure)
    bottom = 0.36 if grows else 0.115
    axes = figure.add_axes((0.085, bottom, 0.87, 0.93 - bottom))
    found = [f for mode in data["modes"] for f in _numbers(mode["frequency_Hz"])]
    top = max((f for f in found if not math.isnan(f)), default=1.0)
    last = max(data["speeds_rad_s"][-1], 1e-300)
    for order in (1, 2):
        reach = min(last, 2 * math.pi * 1.08 * top / order)
        height = order * reach / (2 * math.pi)
        axes.plot([0, reach], [0, height], color=_GREY, lw=0.9, ls=(0, (4, 3)), zorder=1)
        axes.annotate(
            f"{order}x",
            (0.8 * reach, 0.8 * height),
            fontsize=8,
            color=_GREY,
            ha="center",
            va="center",
            zorder=1.5,
            bbox={"fc": "white", "ec": "none", "pad": 1.0},
        )
    for mode in data["modes"]:
        _draw_mode(axes, _numbers(data["speeds_rad_s"]), mode)
    for one in data["critical_speeds"]:
        axes.plot(
            one["speed_rad_s"],
            one["frequency_Hz"],
            "o",
            ms=8,
            mfc="none",
            mec=_INK,
            mew=1.1,
            zorder=4,
            clip_on=False,
        )
    axes.set_ylim(0.0, 1.08 * top or 1.0)
    axes.set_title("frequency in the turning frame [Hz]", fontsize=9.5, color=_INK, loc="left")
    panels = [axes]
    if grows:
        below = figure.add_axes((0.085, 0.09, 0.87, 0.19))
        for mode in data["modes"]:
            growth = np.maximum(_numbers(mode["growth_1_s"]), 0.0)
            below.plot(data["speeds_rad_s"], growth, color=_color(mode), lw=1.3)
        below.set_ylim(bottom=0.0)
        below.set_title("growth [1/s]", fontsize=9.5, color=_INK, loc="left")
        panels.append(below)
    for panel in panels:
        _style(panel, data["speeds_rad_s"][0], last)
    panels[-1].set_xlabel("speed [rad/s]", fontsize=8.5, color=_INK)
    out = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "flexforge", "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": "flexforge"})
    return out.getvalue()


def _draw_mode(axes: Any, speeds: Floats, mode: Data) -> None:
    color = _color(mode)
    signed = _numbers(mode["signed_frequency_Hz"])
    # Through zero and up again: the line touches the axis in between.
    turns = np.flatnonzero(signed[:-1] * signed[1:] < 0.0)
    share = signed[turns] / (signed[turns] - signed[turns + 1])
    x = np.insert(speeds, turns + 1, speeds[turns] + share * np.diff(speeds)[turns])
    y = np.insert(np.abs(signed), turns + 1, 0.0)
    axes.plot(x, y, color=color, lw=1.3, solid_joinstyle="round", zorder=2)
    known = np.flatnonzero(~np.isnan(signed))
    for place in known:
        unstable = mode["growth_1_s"][place] > 0.0
        mark = "x" if unstable else _MARKS[mode["whirl"][place]]
        size = 5 if mark in "^vx" else 3
        axes.plot(
            speeds[place],
            abs(signed[place]),
            mark,
            ms=size,
            color=_UNSTABLE if unstable else color,
            zorder=3,
            clip_on=False,
        )
    if len(known):
        axes.annotate(
            str(mode["mode"]),
            (speeds[known[-1]], abs(signed[known[-1]])),
            xytext=(7, -3),
            textcoords="offset points",
            fontsize=8.5,
            color=color,
            annotation_clip=False,
        )


def _style(axes: Any, first: float, last: float) -> None:
    axes.set_xlim(first, last if last > first else first + 1.0)
    axes.grid(color=_FAINT, lw=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_GREY)
    axes.tick_params(labelsize=8, colors=_INK, color=_GREY, length=3)


def _color(mode: Data) -> str:
    return _LINES[(int(mode["mode"]) - 1) % len(_LINES)]


def _numbers(values: Sequence[float | None]) -> Floats:
    """Return numbers as an array: nan where a mode was not followed, which JSON has as null."""
    return np.array(values, dtype=float)
