# SPDX-License-Identifier: BSD-3-Clause
"""Amplitudes and phases of probes over the frequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Complex
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.plots import curves
from flexforge.runtime.unit_systems import SI, UnitSystem


class Response:
    """What probes see of steady vibrations.

    Parameters
    ----------
    columns : sequence of Column
        The probes.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._frequencies: list[float] = []
        self._values: list[Complex] = []

    def add(self, frequency: float, values: Complex) -> None:
        """Add the complex amplitudes of all probes at a frequency, Hz."""
        self._frequencies.append(frequency)
        self._values.append(values)

    def csv(self) -> str:
        """Return amplitudes, and phases by which they are ahead, as CSV."""
        heads = ["frequency [Hz]"]
        for column in self._columns:
            heads += [f"{column.name} [{column.unit}]", f"{column.name}, phase [deg]"]
        lines = [",".join(heads)]
        for frequency, values in zip(self._frequencies, self._values, strict=True):
            pairs = zip(np.abs(values), np.angle(values, deg=True), strict=True)
            row = [frequency, *(float(number) for pair in pairs for number in pair)]
            lines.append(",".join(map(repr, row)))
        return "\n".join(lines) + "\n"

    def data(self) -> dict[str, Any]:
        """Return frequencies, Hz, and amplitudes of all probes, as plain data."""
        sizes = np.abs(np.array(self._values)).reshape(-1, len(self._columns))
        return {
            "frequency_Hz": self._frequencies,
            "probes": [
                {"name": column.name, "unit": column.unit, "amplitude": sizes[:, i].tolist()}
                for i, column in enumerate(self._columns)
            ],
        }

    def figures(self) -> dict[str, list[object]]:
        """Return the largest amplitude of every probe, and its frequency."""
        found: dict[str, list[object]] = {}
        if not self._values:
            return found
        sizes = np.abs(np.array(self._values))
        for place, column in enumerate(self._columns):
            peak = int(sizes[:, place].argmax())
            found[f"{column.name}, largest amplitude"] = [float(sizes[peak, place]), column.unit]
            found[f"{column.name}, frequency of it"] = [self._frequencies[peak], "Hz"]
        return found


def response_plots(summary: Mapping[str, Any], units: UnitSystem = SI) -> list[dict[str, Any]]:
    """Return the amplitudes in a summary as curves over the frequency, a plot for each probe."""
    found = summary.get("response")
    if not found or len(found["frequency_Hz"]) < 2:
        return []
    frequencies = np.array(found["frequency_Hz"])
    plots = []
    for one in found["probes"]:
        column = Column(one["name"], one["unit"])
        drawn = curves(frequencies, [(column, np.array(one["amplitude"]))], "Hz", units)
        plots.append(drawn | {"axis": "frequency", "log": True})
    return plots
