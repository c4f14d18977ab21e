# SPDX-License-Identifier: BSD-3-Clause
"""Peaks of responses over the speed, as data sheets of machines have them.

The amplification factor AF of a peak at the speed N is ``N / (N2 - N1)`` with the speeds at which
the amplitude is ``1 / sqrt(2)`` of the peak. Where machines run between two speeds, a peak with a
factor of 2.5 or more has to be away from them by (API 617, 7th edition, part 1, 2.6.2)

    17 % (1 - 1 / (AF - 1.5)) of the lower speed, 16 % at most, below it,
    10 % + 17 % (1 - 1 / (AF - 1.5)) of the upper one, 26 % at most, above it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results.data import Column
from flexforge.runtime.unit_systems import SI, UnitSystem

_DAMPED = 2.5  # amplification factor below which a speed is not critical
_RPM = 30.0 / np.pi


@dataclass(frozen=True, slots=True)
class Peak:
    """A peak of the amplitude of a probe.

    Attributes
    ----------
    speed : float
        rad/s.
    amplitude : float
        In the unit of the probe.
    factor : float
        Amplification factor; nan where the amplitude does not fall to half the power on both sides.
    """

    speed: float
    amplitude: float
    factor: float

    def margins(self, low: float, high: float) -> tuple[float, float]:
        """Return the distance from a range of speeds (rad/s), and the one required, as fractions.

        Distances are negative within the range, and no distance is required of damped peaks.
        """
        below = self.speed < low or (self.speed < high and self.speed - low < high - self.speed)
        found = (low - self.speed) / low if below else (self.speed - high) / high
        if not self.factor >= _DAMPED:  # nor of those without a factor
            return found, 0.0
        wanted = 0.17 * (1.0 - 1.0 / (self.factor - 1.5))
        return found, min(wanted, 0.16) if below else min(0.1 + wanted, 0.26)


def peaks_of(speeds: Floats, amplitudes: Floats) -> list[Peak]:
    """Return the peaks of an amplitude over the speed, ascending.

    Parameters
    ----------
    speeds : ndarray, (n,)
        Ascending, rad/s.
    amplitudes : ndarray, (n,)
        At these speeds.
    """
    inner = amplitudes[1:-1]
    tops = np.flatnonzero((inner > amplitudes[:-2]) & (inner >= amplitudes[2:])) + 1
    return [_peak(speeds, amplitudes, int(top)) for top in tops]


def _peak(speeds: Floats, amplitudes: Floats, top: int) -> Peak:
    """Return the peak of a parabola through the logarithms of a value and its neighbours."""
    near = slice(top - 1, top + 2)
    with np.errstate(divide="ignore"):
        curve = np.polynomial.Polynomial.fit(speeds[near], np.log(amplitudes[near]), 2)
    (place,) = curve.deriv().roots() if np.isfinite(curve.coef).all() else (speeds[top],)
    speed = float(np.clip(place, speeds[top - 1], speeds[top + 1]))
    size = float(np.exp(curve(speed))) if np.isfinite(curve.coef).all() else float(amplitudes[top])
    half = size / np.sqrt(2.0)
    lower = _falls_to(speeds[: top + 1][::-1], amplitudes[: top + 1][::-1], half)
    upper = _falls_to(speeds[top:], amplitudes[top:], half)
    width = upper - lower
    return Peak(speed, size, float(speed / width) if width > 0.0 else np.nan)


def _falls_to(speeds: Floats, amplitudes: Floats, size: float) -> float:
    """Return where an amplitude first falls to a size, nan where it does not."""
    below = np.flatnonzero(amplitudes < size)
    if not len(below) or not below[0]:
        return float(speeds[0]) if len(below) else float("nan")
    after = int(below[0])
    part = (amplitudes[after - 1] - size) / (amplitudes[after - 1] - amplitudes[after])
    return float(speeds[after - 1] + part * (speeds[after] - speeds[after - 1]))


def peaks_data(
    columns: Sequence[Column],
    speeds: Floats,
    amplitudes: Floats,
    operating: tuple[float, float] | None,
    unbalance: float | None = None,
) -> list[dict[str, Any]]:
    """Return the peaks of all probes as plain data, as ``summary.json`` has them.

    Parameters
    ----------
    columns : sequence of Column
        The probes.
    speeds : ndarray, (n,)
        rad/s.
    amplitudes : ndarray, (n, probes)
        Of the probes.
    operating : tuple of float, optional
        The range in which the machine runs, rad/s.
    unbalance : float, optional
        The sum of all unbalances, kg m, where nothing else excites; the amplitude over it is the
        sensitivity to unbalance.
    """
    found = []
    for column, each in zip(columns, amplitudes.T, strict=True):
        for peak in peaks_of(speeds, each):
            row = {
                "probe": column.name,
                "unit": column.unit,
                "speed_rad_s": peak.speed,
                "amplitude": peak.amplitude,
                "factor": peak.factor if np.isfinite(peak.factor) else None,
            }
            if unbalance is not None:
                row["sensitivity"] = peak.amplitude / unbalance
            if operating is not None:
                margin, wanted = peak.margins(*operating)
                row |= {"margin": margin, "required": wanted, "kept": margin >= wanted}
            found.append(row)
    return found


def peaks_csv(rows: Sequence[Mapping[str, Any]], *, margins: bool, units: UnitSystem = SI) -> str:
    """Return peaks as CSV.

    Parameters
    ----------
    rows : sequence of mapping
        As from :func:`peaks_data`.
    margins : bool
        Whether there is a range in which the machine runs.
    units : UnitSystem
        The units of the model.
    """
    heads = ["probe", "speed [rpm]", "speed [rad/s]", "amplitude", "unit", "amplification factor"]
    sensitive = any("sensitivity" in row for row in rows)
    if sensitive:
        heads += ["per unbalance", "unit of it"]
    if margins:
        heads += ["separation margin [%]", "required [%]", "margin kept"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    for row in rows:
        speed, factor = row["speed_rad_s"], row["factor"]
        cells = [row["probe"], repr(_RPM * units.second * speed), repr(speed)]
        cells += [repr(row["amplitude"]), units.label(row["unit"])]
        cells.append("nan" if factor is None else repr(factor))
        if sensitive:
            cells += [repr(row["sensitivity"]), units.label(f"{row['unit']}/(kg m)")]
        if margins:
            cells += [repr(100.0 * row[key]) for key in ("margin", "required")]
            cells.append("yes" if row["kept"] else "no")
        writer.writerow(cells)
    return text.getvalue()
