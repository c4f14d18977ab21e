# SPDX-License-Identifier: BSD-3-Clause
"""Forces of bearings over the speed: along their axes, and the largest within a turn."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.plots import curves
from flexforge.runtime.results.turns import largest_in_a_turn
from flexforge.runtime.unit_systems import SI, UnitSystem

RPM = 30.0 / np.pi  # of 1 rad/s
_ALONG = ("x", "y", "largest")


class BearingForces:
    """Forces of bearings over the speed.

    Parameters
    ----------
    names : sequence of str
        The bearings.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._speeds: list[float] = []
        self._sizes: list[Floats] = []

    def add(self, speeds: Floats, forces: Sequence[tuple[Sequence[int], Complex]]) -> None:
        """Add forces at speeds, rad/s: of every bearing multiples and amplitudes (S, F, 2), N."""
        self._speeds += speeds.tolist()
        each = [largest_in_a_turn(*one) for one in forces]
        self._sizes += list(np.array(each).reshape(len(each), len(speeds), 3).swapaxes(0, 1))

    def csv(self) -> str:
        """Return amplitudes along x and y, and the largest force within a turn, as CSV."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        heads = [f"{name} {along} [N]" for name in self._names for along in _ALONG]
        writer.writerow(["speed [rad/s]", *heads])
        for speed, sizes in zip(self._speeds, self._sizes, strict=True):
            writer.writerow([repr(speed), *map(repr, sizes.ravel().tolist())])
        return text.getvalue()

    def data(self) -> list[dict[str, Any]]:
        """Return names and amplitudes, N, of all bearings as plain data."""
        sizes = np.array(self._sizes).reshape(-1, len(self._names), len(_ALONG))
        return [
            {"name": name} | {a: sizes[:, i, j].tolist() for j, a in enumerate(_ALONG)}
            for i, name in enumerate(self._names)
        ]

    @property
    def names(self) -> list[str]:
        """The bearings."""
        return self._names

    def figures(self) -> dict[str, list[object]]:
        """Return the largest force of every bearing and its speed."""
        found: dict[str, list[object]] = {}
        if not self._speeds:
            return found
        largest = np.array(self._sizes)[..., -1]
        for name, sizes in zip(self._names, largest.T, strict=True):
            place = int(sizes.argmax())
            found[f"largest force of {name}"] = [float(sizes[place]), "N"]
            found[f"speed of the largest force of {name}"] = [self._speeds[place], "rad/s"]
        return found


def bearing_plots(summary: Mapping[str, Any], units: UnitSystem = SI) -> list[dict[str, Any]]:
    """Return the forces of bearings in a summary as curves over the speed, a plot for each."""
    found = summary.get("response", {})
    speeds = np.array(found.get("speed_rad_s", ()))
    if len(speeds) < 2:
        return []
    plots = []
    for one in found.get("bearings", ()):
        each = [(Column(f"{one['name']} {a}", "N"), np.array(one[a])) for a in _ALONG]
        drawn = curves(RPM * units.second * speeds, each, "rpm", units)
        drawn["lines"][-1] |= {"dash": "dot", "color": "#3c4753"}
        head = {"name": f"force of {one['name']}", "axis": "speed", "letter": "N", "inside": True}
        band = {"band": operating} if (operating := operating_rpm(found, units)) else {}
        plots.append(drawn | head | band)
    return plots


def operating_rpm(response: Mapping[str, Any], units: UnitSystem) -> list[float] | None:
    """Return the range in which a machine runs, rpm, of what a summary has of a response."""
    given = response.get("operating_rad_s")
    return given and [RPM * units.second * one for one in given]
