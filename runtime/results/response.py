# SPDX-License-Identifier: BSD-3-Clause
"""Amplitudes and phases of probes over the frequency or the speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.plots import curves
from flexforge.runtime.results.resonances import peaks_csv
from flexforge.runtime.unit_systems import SI, UnitSystem


class Response:
    """What probes see of steady vibrations.

    Parameters
    ----------
    columns : sequence of Column
        The probes.
    of_speeds : bool
        Whether frequencies follow a speed.
    of : sequence of str, optional
        What each of them belongs to, where several are seen together.
    """

    def __init__(
        self, columns: Sequence[Column], *, of_speeds: bool = False, of: Sequence[str] = ()
    ) -> None:
        self._columns, self._of_speeds, self._of = columns, of_speeds, of
        self._frequencies: list[float] = []
        self._speeds: list[float] = []
        self._values: list[Complex] = []

    def add(self, frequency: float, values: Complex, speed: float | None = None) -> None:
        """Add the complex amplitudes of all probes at a frequency, Hz, of a speed, rad/s."""
        self._frequencies.append(frequency)
        if speed is not None:
            self._speeds.append(speed)
        self._values.append(values)

    def csv(self) -> str:
        """Return amplitudes, and phases by which they are ahead, as CSV."""
        heads = ["speed [rad/s]"] * self._of_speeds + ["frequency [Hz]"]
        for column in self._columns:
            heads += [f"{column.name} [{column.unit}]", f"{column.name} phase [deg]"]
        lines = [",".join(heads)]
        for number, (frequency, values) in enumerate(
            zip(self._frequencies, self._values, strict=True)
        ):
            pairs = zip(np.abs(values), np.angle(values, deg=True), strict=True)
            row = [*self._speeds[number : number + 1], frequency]
            row += [float(one) for pair in pairs for one in pair]
            lines.append(",".join(map(repr, row)))
        return "\n".join(lines) + "\n"

    def peaks(self, operating: tuple[float, float] | None, second: float) -> str:
        """Return the peaks over the speed as CSV.

        Parameters
        ----------
        operating : tuple of float, optional
            The range of speeds in which the machine runs, rad/s.
        second : float
            A second in the unit of time of the model.
        """
        sizes = np.abs(np.array(self._values)).reshape(-1, len(self._columns))
        return peaks_csv(self._columns, np.array(self._speeds), sizes, operating, second)

    def data(self) -> dict[str, Any]:
        """Return frequencies, Hz, and amplitudes of all probes, as plain data."""
        sizes = np.abs(np.array(self._values)).reshape(-1, len(self._columns))
        speeds = {"speed_rad_s": self._speeds} if self._of_speeds else {}
        return speeds | {
            "frequency_Hz": self._frequencies,
            "probes": [
                {"name": column.name, "unit": column.unit, "amplitude": sizes[:, i].tolist()}
                | ({"of": self._of[i]} if self._of else {})
                for i, column in enumerate(self._columns)
            ],
        }

    def figures(self) -> dict[str, list[object]]:
        """Return the largest amplitude of every probe, and its frequency or speed."""
        found: dict[str, list[object]] = {}
        if not self._values:
            return found
        sizes = np.abs(np.array(self._values))
        for place, column in enumerate(self._columns):
            peak = int(sizes[:, place].argmax())
            found[f"{column.name}, largest amplitude"] = [float(sizes[peak, place]), column.unit]
            if self._of_speeds:
                found[f"{column.name}, speed of it"] = [self._speeds[peak], "rad/s"]
            else:
                found[f"{column.name}, frequency of it"] = [self._frequencies[peak], "Hz"]
        return found


def response_plots(summary: Mapping[str, Any], units: UnitSystem = SI) -> list[dict[str, Any]]:
    """Return the amplitudes in a summary as curves over the frequency, a plot for each probe.

    Those that are seen together are in one.
    """
    found = summary.get("response")
    if not found or len(found["frequency_Hz"]) < 2:
        return []
    axis, unit = ("speed", "rad/s") if "speed_rad_s" in found else ("frequency", "Hz")
    places = np.array(found["speed_rad_s" if axis == "speed" else "frequency_Hz"])
    plots, groups = [], dict[str, list[tuple[Column, Floats]]]()
    for one in found["probes"]:
        column, size = Column(one["name"], one["unit"]), np.array(one["amplitude"])
        groups.setdefault(one.get("of", one["name"]), []).append((column, size))
    for some in groups.values():
        drawn = curves(places, some, unit, units)
        plots.append(drawn | {"axis": axis, "log": True})
    return plots
