# SPDX-License-Identifier: BSD-3-Clause
"""A SAFE diagram as a table and as the data of a picture.

The data are plain, as in ``summary.json`` under ``safe``: ``speed_rad_s``, ``sectors``, ``orders``,
``margin``, the ``modes`` at that speed and the ``crossings`` of modes with engine orders.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from flexforge.runtime.unit_systems import SI, UnitSystem

_RPM = 30.0 / math.pi
_HEADS = ("speed [rad/s]", "speed [rpm]", "nodal diameter", "mode", "wave", "engine order",
          "frequency [Hz]", "excitation [Hz]", "margin [%]")  # fmt: skip
_RED, _GREY = "#b3261e", "#a7afb7"


def safe_csv(crossings: Sequence[Mapping[str, Any]], second: float = 1.0) -> str:
    """Return modes near engine orders as CSV.

    Parameters
    ----------
    crossings : sequence of mapping
        As in the summary.
    second : float
        A second in the unit of time of the model, for rpm.
    """
    lines = [",".join(_HEADS)]
    for one in crossings:
        speed = one["speed_rad_s"]
        row = [speed, float(f"{_RPM * second * speed:.12g}"), one["nodal_diameter"], one["mode"],
               one["wave"], one["order"], one["frequency_Hz"], one["excitation_Hz"],
               100.0 * one["margin"]]  # fmt: skip
        lines.append(",".join(map(str, row)))
    return "\n".join(lines) + "\n"


def rpm_of(safe: Mapping[str, Any], units: UnitSystem = SI) -> str:
    """Return the speed of a SAFE diagram in words."""
    return f"{_RPM * units.second * safe['speed_rad_s']:.6g} rpm"


def engine_order_lines(safe: Mapping[str, Any], top: float) -> list[dict[str, Any]]:
    """Return the zigzag of engine orders over nodal diameters, and marks of modes on it.

    Parameters
    ----------
    safe : mapping
        As in the summary.
    top : float
        Frequency up to which lines are drawn, Hz.
    """
    hertz, half = safe["speed_rad_s"] / (2.0 * math.pi), safe["sectors"] / 2.0
    last, lines = max(safe["orders"], default=0), list[dict[str, Any]]()
    for branch in range(math.ceil(last / half)):
        low, high = branch * half, min((branch + 1) * half, last)
        high = min(high, top / hertz)
        if high <= low:
            break
        places = sorted({low, high, *range(math.ceil(low), math.floor(high) + 1)})
        wave = ("backward", "forward")[branch % 2]
        orders = f"{math.ceil(low)} to {math.floor(high)}"
        lines.append({
            "name": f"engine orders {orders}, {wave} waves",
            "x": [order - low if branch % 2 == 0 else half - (order - low) for order in places],
            "y": [order * hertz for order in places],
            "color": _GREY,
            "dash": "dash" if branch % 2 == 0 else "dot",
        })  # fmt: skip
    for one in safe["crossings"]:
        if one["speed_rad_s"] == safe["speed_rad_s"]:
            name = f"mode {one['mode']} with engine order {one['order']}, {one['wave']}"
            lines.append({
                "name": f"{name}, {100.0 * one['margin']:+.2f} %",
                "x": [one["nodal_diameter"]],
                "y": [one["frequency_Hz"]],
                "marks": True,
                "color": _RED,
                "open": True,
            })  # fmt: skip
    return lines
