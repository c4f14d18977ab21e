# SPDX-License-Identifier: BSD-3-Clause
"""Amplitudes and phases of probes over the frequency or the speed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.resonances import peaks_data


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
    operating : tuple of float, optional
        The range of speeds in which the machine runs, rad/s.
    unbalance : float, optional
        The sum of all unbalances, kg m, where nothing else excites.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        of_speeds: bool = False,
        of: Sequence[str] = (),
        operating: tuple[float, float] | None = None,
        unbalance: float | None = None,
    ) -> None:
        self._columns, self._of_speeds, self._of = columns, of_speeds, of
        self.operating, self._unbalance = operating, unbalance
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

    @property
    def names(self) -> list[str]:
        """The names of the probes."""
        return [column.name for column in self._columns]

    @property
    def speeds(self) -> Floats:
        """The speeds so far, (S,), rad/s."""
        return np.array(self._speeds)

    @property
    def values(self) -> Complex:
        """Amplitudes of all probes so far, (S, P)."""
        shape = len(self._values), len(self._columns)
        return np.array(self._values, dtype=complex).reshape(shape)

    def peaks(self) -> list[dict[str, Any]]:
        """Return the peaks over the speed as plain data."""
        sizes = np.abs(self.values)
        return peaks_data(self._columns, self.speeds, sizes, self.operating, self._unbalance)

    def data(self) -> dict[str, Any]:
        """Return frequencies, Hz, amplitudes and phases of all probes, as plain data."""
        sizes, angles = np.abs(self.values), np.angle(self.values, deg=True)
        found: dict[str, Any] = {"frequency_Hz": self._frequencies}
        if self._of_speeds:
            found["speed_rad_s"] = self._speeds
        if self.operating is not None:
            found["operating_rad_s"] = list(self.operating)
        found["probes"] = [
            {"name": column.name, "unit": column.unit, "amplitude": sizes[:, i].tolist()}
            | ({"of": self._of[i]} if self._of else {"phase_deg": angles[:, i].tolist()})
            for i, column in enumerate(self._columns)
        ]
        return found

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
