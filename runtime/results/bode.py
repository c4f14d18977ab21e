# SPDX-License-Identifier: BSD-3-Clause
"""Amplitudes and phases over the frequency or the speed, as pictures: Bode plots.

Over the speed they are in revolutions per minute, with the peaks, the range in which the machine
runs, and how far peaks are from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.bearing_loads import RPM, bearing_plots, operating_rpm
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.orbits import orbit_plots
from flexforge.runtime.results.plots import curves, extremes, numbers
from flexforge.runtime.results.units import prefix
from flexforge.runtime.unit_systems import SI, UnitSystem


def response_plots(summary: Mapping[str, Any], units: UnitSystem = SI) -> list[dict[str, Any]]:
    """Return the amplitudes and phases in a summary as curves, a plot for each probe.

    Those that are seen together are in one. Forces of bearings and orbits follow.
    """
    found = summary.get("response")
    if not found or len(found["frequency_Hz"]) < 2:
        return []
    over_speed = "speed_rad_s" in found
    axis, unit = ("speed", "rpm") if over_speed else ("frequency", "Hz")
    places = np.array(found["speed_rad_s" if over_speed else "frequency_Hz"])
    places = places * (RPM * units.second if over_speed else 1.0)
    operating = operating_rpm(found, units)
    plots, groups = [], dict[str, list[Mapping[str, Any]]]()
    for one in found["probes"]:
        groups.setdefault(one.get("of", one["name"]), []).append(one)
    for some in groups.values():
        each = [(Column(one["name"], one["unit"]), np.array(one["amplitude"])) for one in some]
        drawn = curves(places, each, unit, units) | {"axis": axis, "log": True}
        if over_speed:
            drawn["letter"] = "N"
        for line, one in zip(drawn["lines"], some, strict=True):
            if "phase_deg" in one:
                line["phase"] = _phases(places, np.array(one["phase_deg"]))
        marks = list(_marks(found.get("peaks", ()), some, units))
        plots.append(drawn | _if(peaks=marks, band=operating))
    return plots + bearing_plots(summary, units) + orbit_plots(summary, units)


def _if(**given: Any) -> dict[str, Any]:
    """Return what is there."""
    return {key: value for key, value in given.items() if value}


def _phases(places: Floats, phases: Floats) -> dict[str, Any]:
    """Return a curve of phases, deg, that does not jump by a turn."""
    x, y = extremes(places, np.unwrap(phases, period=360.0))
    return {"x": numbers(x), "y": numbers(y)}


def _marks(
    peaks: Any, probes: list[Mapping[str, Any]], units: UnitSystem
) -> Iterator[dict[str, Any]]:
    """Yield the marks of peaks: where they are, and what is to be read there."""
    names = {one["name"] for one in probes}
    most = max((max(one["amplitude"], default=0.0) for one in probes), default=0.0)
    factor, _ = prefix(most, probes[0]["unit"], units)
    for peak in peaks:
        if peak["probe"] not in names:
            continue
        rpm = RPM * units.second * peak["speed_rad_s"]
        told = [f"{rpm:.4g} rpm"]
        if peak["factor"] is not None:
            told.append(f"AF {peak['factor']:.3g}")
        if peak.get("required"):
            sign = "≥" if peak["kept"] else "<"
            told.append(f"SM {100 * peak['margin']:.3g} % {sign} {100 * peak['required']:.3g} %")
        yield {
            "x": float(f"{rpm:.7g}"),
            "y": float(f"{peak['amplitude'] / factor:.7g}"),
            "text": "<br>".join(told),
            "kept": bool(peak.get("kept", True)),
        }
