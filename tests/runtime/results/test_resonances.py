# SPDX-License-Identifier: BSD-3-Clause
"""Peaks of responses over the speed: place, size, amplification, margins."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from flexforge.runtime.results.campbell import as_csv
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.resonances import Peak, peaks_csv, peaks_data, peaks_of
from flexforge.runtime.unit_systems import system_of


@pytest.mark.parametrize("ratio", [0.02, 0.05])
def test_a_peak_is_that_of_an_oscillator(ratio: float) -> None:
    """Unbalance response r^2 / |1 - r^2 + 2 i zeta r| of a Jeffcott rotor: its peak is at
    1 / sqrt(1 - 2 zeta^2), of the size 1 / (2 zeta sqrt(1 - zeta^2)), and AF = 1 / (2 zeta) to
    second order in zeta (closed forms)."""
    speeds = np.linspace(20.0, 200.0, 1801)
    r = speeds / 100.0
    (peak,) = peaks_of(speeds, np.abs(r**2 / (1 - r**2 + 2j * ratio * r)))
    assert peak.speed == pytest.approx(100.0 / np.sqrt(1 - 2 * ratio**2), rel=1e-5)
    assert peak.amplitude == pytest.approx(0.5 / (ratio * np.sqrt(1 - ratio**2)), rel=1e-4)
    assert peak.factor == pytest.approx(0.5 / ratio, rel=4 * ratio**2 + 1e-3)


def test_what_has_no_half_power_has_no_factor() -> None:
    """At the end of the range, and where the next peak begins before."""
    speeds = np.arange(6.0)
    first, second = peaks_of(speeds, np.array([1.0, 1.1, 1.0, 5.0, 4.9, 4.8]))
    assert np.isnan(first.factor)
    assert np.isnan(second.factor)
    assert peaks_of(speeds, np.ones(6)) == []
    assert peaks_of(speeds, speeds) == []


def test_margins_are_those_of_the_standard() -> None:
    """API 617: 17 % (1 - 1 / (AF - 1.5)), at most 16 % below; 10 % more above, at most 26 %."""
    found, wanted = Peak(80.0, 1.0, 5.0).margins(100.0, 120.0)
    assert found == pytest.approx(0.2)
    assert wanted == pytest.approx(0.17 * (1 - 1 / 3.5))
    found, wanted = Peak(150.0, 1.0, 5.0).margins(100.0, 120.0)
    assert found == pytest.approx(0.25)
    assert wanted == pytest.approx(0.1 + 0.17 * (1 - 1 / 3.5))
    assert Peak(80.0, 1.0, 50.0).margins(100.0, 120.0)[1] == 0.16
    assert Peak(150.0, 1.0, 50.0).margins(100.0, 120.0)[1] == 0.26
    assert Peak(80.0, 1.0, 2.4).margins(100.0, 120.0)[1] == 0.0
    assert Peak(104.0, 1.0, 9.0).margins(100.0, 120.0)[0] == pytest.approx(-0.04)
    assert Peak(118.0, 1.0, 9.0).margins(100.0, 120.0)[0] == pytest.approx(-2 / 120)


def test_the_table_names_probes_and_units() -> None:
    """A row for every peak of every probe, with rpm whatever the unit of time."""
    speeds = np.linspace(0.05, 0.2, 400)  # rad/ms
    sizes = np.abs(1 / (1 - (speeds / 0.1) ** 2 + 0.1j))[:, None]
    found = peaks_data([Column("tip, y", "m")], speeds, sizes, (0.15, 0.18))
    text = peaks_csv(found, margins=True, units=system_of("mm-kg-ms"))
    (row,) = csv.DictReader(text.splitlines())
    assert row["probe"] == "tip, y"
    assert row["unit"] == "mm"
    assert float(row["speed [rpm]"]) == pytest.approx(100 * 30 / np.pi, rel=1e-2)
    assert float(row["separation margin [%]"]) == pytest.approx(100 / 3, rel=1e-2)
    assert row["margin kept"] == "yes"


def test_decrements_are_those_of_growths() -> None:
    """-2 pi growth / omega: amplitudes of one period to the next are as exp of it; none of modes
    without damping, nor where nothing vibrates."""
    mode = {
        "mode": 1, "frequency_Hz": [10.0, 0.0], "growth_1_s": [-0.5, -3.0],
        "inertial_frequency_Hz": [10.0, 0.0], "whirl": ["forward", "standing"],
    }  # fmt: skip
    bare = mode | {"mode": 2, "growth_1_s": [0.0, 0.0]}
    data = {"speeds_rad_s": [1.0, 2.0], "modes": [mode, bare], "orders": [1]}
    first, second = csv.DictReader(as_csv(data).decode().splitlines())
    assert float(first["logarithmic decrement 1"]) == 0.05
    assert second["logarithmic decrement 1"] == ""
    assert "logarithmic decrement 2" not in first
