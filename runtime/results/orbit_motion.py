# SPDX-License-Identifier: BSD-3-Clause
"""Orbits of motions in time: pictures of them, full spectra, and waterfalls where speeds vary.

They are of pairs of probes of one place that see it along both directions across a shaft, which a
summary names in ``orbits``, with the speed of the shaft over time. Nothing of it is computed in a
step: it is read from the table of probes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.full_spectrum import evenly, full_spectrum, waterfall
from flexforge.runtime.results.plots import extremes, numbers
from flexforge.runtime.results.units import prefix
from flexforge.runtime.unit_systems import SI, UnitSystem

_RPM = 30.0 / np.pi  # of 1 rad/s
_FEW = 64  # instants of a piece of a motion: of fewer there is no spectrum
_TURNS = 3  # of a drawn orbit
_PIECES, _SHARE = 100, 16  # of a waterfall, and how many times the motion is as long as a piece
_ROWS = 240  # frequencies of a waterfall
_ORDERS = (-3, -2, -1, 1, 2, 3)
_REACH = 3.5  # largest frequency shown, over that of the largest speed
_STEADY = 1e-3  # relative change of a speed that counts as none


@dataclass(frozen=True, slots=True)
class _Motion:
    """A motion across a shaft: times, s, x + i y, m, and the speed of the shaft, rad/s."""

    name: str
    components: str
    times: Floats
    values: Complex
    speeds: Floats

    @property
    def is_steady(self) -> bool:
        """Whether the speed is constant."""
        return bool(np.ptp(self.speeds) <= _STEADY * np.abs(self.speeds).max())

    @property
    def step(self) -> float:
        """Between two instants, s."""
        return float(self.times[-1] - self.times[0]) / (len(self.times) - 1)

    @property
    def reach(self) -> float:
        """The largest frequency that is shown, Hz."""
        top = _REACH * float(np.abs(self.speeds).max()) / (2.0 * np.pi)
        return min(top, 0.5 / self.step) if top else 0.5 / self.step


def motion_plots(
    summary: Mapping[str, Any],
    columns: Sequence[Column],
    rows: Floats,
    units: UnitSystem = SI,
) -> list[dict[str, Any]]:
    """Return pictures of the orbits of a motion in time; none of runs without pairs of probes.

    Parameters
    ----------
    summary : mapping
        Of the run.
    columns : sequence of Column
        Time, and the probes.
    rows : ndarray, (T, 1 + P)
        Their values.
    units : UnitSystem
        The units of the model.
    """
    found = summary.get("orbits")
    if not found or len(rows) < 2 * _FEW or not np.isfinite(rows).all():
        return []
    places = {column.name: number for number, column in enumerate(columns)}
    plots: list[dict[str, Any]] = []
    for pair in found["pairs"]:
        if not {pair["x"], pair["y"]} <= places.keys():
            continue
        x, y = (rows[:, places[pair[key]]] for key in "xy")
        times, values = evenly(rows[:, 0], x + 1j * y)
        speeds = np.interp(times, found["times"], found["speeds_rad_s"])
        motion = _Motion(pair["name"], pair["components"], times, values, speeds)
        plots += _orbits(motion, units)
        plots.append(_spectrum(motion, units))
        if not motion.is_steady:
            plots.append(_waterfall(motion, units))
    return plots


def _orbits(motion: _Motion, units: UnitSystem) -> Iterator[dict[str, Any]]:
    """Yield the last turns, and where the speed varies those around the largest radius."""
    yield _turns(motion, len(motion.times) - 1, "last turns", units)
    if not motion.is_steady:
        peak = int(np.abs(motion.values - motion.values.mean()).argmax())
        yield _turns(motion, peak, "largest radius", units)


def _turns(motion: _Motion, place: int, what: str, units: UnitSystem) -> dict[str, Any]:
    """Return the picture of some turns around an instant."""
    speed = abs(float(motion.speeds[place]))
    count = int(_TURNS * 2.0 * np.pi / (speed * motion.step)) if speed else len(motion.times)
    count = min(max(count, 2), len(motion.times))
    begin = min(max(place - count // 2, 0), len(motion.times) - count)
    z = motion.values[begin : begin + count]
    factor, unit = prefix(float(np.abs(z).max()), "m", units)
    first, second = motion.components[0], motion.components[1]
    rpm = _RPM * units.second * speed
    line = {"name": "orbit", "x": numbers(z.real / factor), "y": numbers(z.imag / factor)}
    return {
        "name": f"{motion.name}, {what}, {rpm:.5g} rpm", "unit": unit, "time": unit,
        "axis": first, "across": second, "letter": first, "equal": True,
        "lines": [line | {"start": True}],
    }  # fmt: skip


def _spectrum(motion: _Motion, units: UnitSystem) -> dict[str, Any]:
    """Return the full spectrum: of the second half at a steady speed, else of the whole motion."""
    half = len(motion.values) // 2 if motion.is_steady else 0
    frequencies, amplitudes = full_spectrum(motion.step, motion.values[half:])
    shown = np.abs(frequencies) <= motion.reach
    factor, unit = prefix(float(amplitudes[shown].max()), "m", units)
    x, y = extremes(frequencies[shown], amplitudes[shown] / factor)
    return {
        "name": f"{motion.name}, full spectrum", "unit": unit,
        "axis": "backward | forward frequency", "time": units.label("Hz"), "letter": "f",
        "lines": [{"name": "radius", "x": numbers(x), "y": numbers(y)}],
    }  # fmt: skip


def _waterfall(motion: _Motion, units: UnitSystem) -> dict[str, Any]:
    """Return full spectra over the speed where it goes one way, else over time, with orders."""
    length = max(len(motion.times) // _SHARE, _FEW)
    count = min(_PIECES, len(motion.times) - length + 1)
    middles, frequencies, amplitudes = waterfall(
        motion.times, motion.values, length, count, motion.reach
    )
    frequencies, amplitudes = _thinned(frequencies, amplitudes)
    factor, unit = prefix(float(amplitudes.max()), "m", units)
    speeds = np.interp(middles, motion.times, motion.speeds)
    ways = np.diff(speeds)
    over_speed = bool((ways > 0.0).all() or (ways < 0.0).all())
    rpm = _RPM * units.second * np.abs(speeds)
    x = rpm if over_speed else middles
    hertz = np.abs(speeds) / (2.0 * np.pi)
    orders = [
        {"name": f"{order}x", "x": numbers(x), "y": numbers(_within(order * hertz, motion.reach))}
        for order in _ORDERS
        if (np.abs(order) * hertz <= motion.reach).any()
    ]
    order = np.argsort(x)
    return {
        "name": f"{motion.name}, spectrum over the {'speed' if over_speed else 'time'}",
        "unit": unit, "wide": True,
        "axis": "speed" if over_speed else "time",
        "time": "rpm" if over_speed else units.label("s"),
        "across": units.heading("frequency, backward below zero [Hz]"),
        "heat": {
            "x": numbers(x[order]), "y": numbers(frequencies),
            "z": [numbers(row) for row in (amplitudes[order].T / factor)],
        },
        "lines": orders,
    }  # fmt: skip


def _thinned(frequencies: Floats, amplitudes: Floats) -> tuple[Floats, Floats]:
    """Return the largest amplitude of each of some stretches of frequencies."""
    several = -(-len(frequencies) // _ROWS)
    count = len(frequencies) // several
    kept = amplitudes[:, : count * several].reshape(len(amplitudes), count, several)
    return frequencies[: count * several].reshape(count, several).mean(axis=1), kept.max(axis=2)


def _within(values: Floats, reach: float) -> Floats:
    """Return values, nan where they are beyond what is shown."""
    return np.where(np.abs(values) <= reach, values, np.nan)
