# SPDX-License-Identifier: BSD-3-Clause
"""Orbits of places on a shaft in steady vibrations: tables and pictures.

They are those at the computed speeds nearest to the peaks of either probe, and to both ends of the
range in which the machine runs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.results.ellipses import ellipses
from flexforge.runtime.results.plots import numbers
from flexforge.runtime.results.units import prefix
from flexforge.runtime.unit_systems import SI, UnitSystem

_RPM = 30.0 / np.pi  # of 1 rad/s
_POINTS = 73  # of a drawn orbit
_ROUND = 1e-9  # of the major axis: a minor one that is round-off


@dataclass(frozen=True, slots=True)
class OrbitPair:
    """Two probes of one place across a shaft.

    Attributes
    ----------
    name : str
        What both names begin with.
    first, second : int
        Numbers of the probes; a quarter turn from the first to the second is about the axis.
    components : str
        Their components, such as ``"yz"``.
    """

    name: str
    first: int
    second: int
    components: str


def orbits_data(
    pairs: Sequence[OrbitPair],
    names: Sequence[str],
    speeds: Floats,
    values: Complex,
    peaks: Sequence[Mapping[str, Any]],
    operating: tuple[float, float] | None,
) -> list[dict[str, Any]]:
    """Return the orbits of pairs of probes as plain data, as ``summary.json`` has them.

    Parameters
    ----------
    pairs : sequence of OrbitPair
        The pairs.
    names : sequence of str
        The names of all probes.
    speeds : ndarray, (S,)
        rad/s.
    values : ndarray of complex, (S, P)
        Amplitudes of all probes, m.
    peaks : sequence of mapping
        Those of the probes.
    operating : tuple of float, optional
        The range in which the machine runs, rad/s.
    """
    found = []
    for pair in pairs:
        own = {names[pair.first], names[pair.second]}
        of_peaks = [one["speed_rad_s"] for one in peaks if one["probe"] in own]
        reasons: dict[int, str] = {}
        for why, wanted in (("peak", of_peaks), ("operating", operating or ())):
            for speed in wanted:
                reasons.setdefault(int(np.abs(speeds - speed).argmin()), why)
        for place, why in sorted(reasons.items()):
            x, y = values[place, pair.first], values[place, pair.second]
            made = ellipses(x, y)
            found.append({
                "name": pair.name, "components": pair.components, "at": why,
                "speed_rad_s": float(speeds[place]),
                "x": [x.real, x.imag], "y": [y.real, y.imag],
                "major": float(made.major), "minor": float(made.minor),
                "inclination_deg": float(np.degrees(made.inclination)),
                "whirl": _whirl(float(made.major), float(made.minor)),
            })  # fmt: skip
    return found


def _whirl(major: float, minor: float) -> str:
    if abs(minor) <= _ROUND * major:
        return "standing"
    return "forward" if minor > 0.0 else "backward"


def orbits_csv(rows: Sequence[Mapping[str, Any]], units: UnitSystem = SI) -> str:
    """Return orbits as CSV.

    Parameters
    ----------
    rows : sequence of mapping
        As from :func:`orbits_data`.
    units : UnitSystem
        The units of the model.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([
        "orbit", "across", "at", "speed [rpm]", "speed [rad/s]", "semi-major axis [m]",
        "semi-minor axis [m]", "inclination [deg]", "whirl",
    ])  # fmt: skip
    for row in rows:
        speed = row["speed_rad_s"]
        writer.writerow([
            row["name"], row["components"], row["at"], repr(_RPM * units.second * speed),
            *(repr(row[key]) for key in ("speed_rad_s", "major", "minor", "inclination_deg")),
            row["whirl"],
        ])  # fmt: skip
    return text.getvalue()


def orbit_plots(summary: Mapping[str, Any], units: UnitSystem = SI) -> list[dict[str, Any]]:
    """Return the orbits in a summary as pictures, one for each pair and speed."""
    return [_picture(one, units) for one in summary.get("response", {}).get("orbits", ())]


def _picture(orbit: Mapping[str, Any], units: UnitSystem) -> dict[str, Any]:
    """Return the picture of an orbit; it begins with a dot at phase zero and leaves a gap."""
    factor, unit = prefix(orbit["major"], "m", units)
    turn = np.exp(2j * np.pi * np.linspace(0.0, 0.93, _POINTS))
    x, y = ((complex(*orbit[key]) * turn).real / factor for key in "xy")
    rpm = _RPM * units.second * orbit["speed_rad_s"]
    first, second = orbit["components"]
    return {
        "name": f"{orbit['name']} at {rpm:.5g} rpm ({orbit['at']}), {orbit['whirl']}",
        "unit": unit, "time": unit, "axis": first, "across": second, "letter": first, "equal": True,
        "lines": [{"name": "orbit", "x": numbers(x), "y": numbers(y), "start": True}],
    }  # fmt: skip
