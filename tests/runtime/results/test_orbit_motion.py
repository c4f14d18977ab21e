# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of orbits in time: the last turns, full spectra, waterfalls over speed or time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.orbit_motion import motion_plots
from flexforge.runtime.unit_systems import SI, UnitSystem, system_of

TIMES = np.linspace(0.0, 4.0, 4001)
COLUMNS = [Column("time", "s"), Column("tip z", "m"), Column("other", "m"), Column("tip x", "m")]


def pictures(z: Any, speeds: Any, units: UnitSystem = SI, times: Any = TIMES) -> list[Any]:
    """Return the pictures of a motion ``first + i second`` seen by z and x."""
    rows = np.column_stack([times, z.real, 9.0 + 0 * times, z.imag])
    pair = {"name": "tip", "components": "zx", "x": "tip z", "y": "tip x"}
    found = {"pairs": [pair], "times": times.tolist(), "speeds_rad_s": speeds.tolist()}
    return motion_plots({"orbits": found}, COLUMNS, rows, units)


def test_a_steady_orbit_has_its_turns_and_both_parts() -> None:
    """2 mm forward and 0.5 mm backward at 25 Hz: three turns, and two lines of a spectrum."""
    w = 2 * np.pi * 25.0
    z = 2e-3 * np.exp(1j * w * TIMES) + 0.5e-3 * np.exp(-1j * w * TIMES)
    orbit, spectrum = pictures(z, 0 * TIMES + w)
    assert orbit["name"] == "tip, last turns, 1500 rpm"
    assert orbit["unit"] == "mm" and orbit["axis"] == "z" and orbit["across"] == "x"
    (line,) = orbit["lines"]
    assert len(line["x"]) == 120 and max(line["x"]) == pytest.approx(2.5, rel=1e-3)
    assert max(line["y"]) == pytest.approx(1.5, rel=1e-3)
    f, r = (np.array(spectrum["lines"][0][key]) for key in "xy")
    assert spectrum["unit"] == "mm" and f.max() < 3.6 * 25
    for side, expected in ((1, 2.0), (-1, 0.5)):
        top = r[side * f > 5.0].argmax()
        assert r[side * f > 5.0][top] == pytest.approx(expected, rel=3e-3)
        assert f[side * f > 5.0][top] == pytest.approx(side * 25.0, abs=0.3)


@pytest.mark.parametrize("units", ["m-kg-s", "mm-kg-ms"])
def test_a_run_up_has_a_waterfall_over_the_speed(units: str) -> None:
    """A circle that follows the speed lies on the line of 1x, forward, in any unit of time."""
    own = system_of(units)
    times = TIMES * own.second
    speeds = 2 * np.pi * (5.0 + 10.0 * TIMES) / own.second
    angle = 2 * np.pi * (5.0 * TIMES + 5.0 * TIMES**2)
    *_, drawn = pictures(np.exp(1j * angle), speeds, own, times)
    heat, (one,) = drawn["heat"], (line for line in drawn["lines"] if line["name"] == "1x")
    assert drawn["time"] == "rpm" and drawn["axis"] == "speed"
    assert one["x"] == heat["x"] and min(heat["x"]) > 300 and max(heat["x"]) < 60 * 45
    tops = np.array(heat["y"])[np.array(heat["z"]).argmax(axis=0)]
    assert tops == pytest.approx(np.array(one["y"]), abs=2.0 / own.second * 1.5)
    assert np.array(one["x"]) == pytest.approx(60 * own.second * np.array(one["y"]), rel=1e-6)


def test_a_speed_that_rises_and_falls_is_over_time() -> None:
    """Backward circles at twice a speed that goes up and down again: the line of -2x."""
    speeds = 2 * np.pi * (20 + 10 * np.sin(0.5 * np.pi * TIMES))
    angle = np.concatenate([[0.0], np.cumsum(0.5 * (speeds[1:] + speeds[:-1]) * 1e-3)])
    last, largest, _, drawn = pictures(np.exp(-2j * angle), speeds)
    assert "last turns" in last["name"] and "largest radius" in largest["name"]
    assert drawn["time"] == "s" and drawn["axis"] == "time"
    (two,) = (line for line in drawn["lines"] if line["name"] == "-2x")
    tops = np.array(drawn["heat"]["y"])[np.array(drawn["heat"]["z"]).argmax(axis=0)]
    assert tops == pytest.approx(np.array(two["y"]), abs=6.0)


def test_there_is_nothing_without_pairs() -> None:
    """Without a pair, of probes that are not there, of few instants, and of broken runs."""
    z = np.exp(30j * TIMES)
    rows = np.column_stack([TIMES, z.real, z.imag])
    assert motion_plots({}, COLUMNS, rows) == []
    pair = {"name": "tip", "components": "zx", "x": "tip z", "y": "gone"}
    found = {"orbits": {"pairs": [pair], "times": [0, 4], "speeds_rad_s": [1, 1]}}
    assert motion_plots(found, COLUMNS[:3], rows) == []
    pair["y"] = "other"
    assert motion_plots(found, COLUMNS[:3], rows[:100]) == []
    assert len(motion_plots(found, COLUMNS[:3], rows)) == 2
    rows[5, 1] = np.nan
    assert motion_plots(found, COLUMNS[:3], rows) == []


def test_a_shaft_at_rest_has_all_its_motion() -> None:
    """Without any speed there are no turns: the orbit is the whole motion."""
    orbit, spectrum = pictures(np.exp(30j * TIMES), 0 * TIMES)
    assert len(orbit["lines"][0]["x"]) == 4001
    assert max(spectrum["lines"][0]["x"]) == pytest.approx(500.0, rel=1e-2)
