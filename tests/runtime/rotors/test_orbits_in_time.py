# SPDX-License-Identifier: BSD-3-Clause
"""Orbits of motions in time beside those of steady vibrations, and what a summary has of them."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from flexforge.runtime.results.orbit_motion import motion_plots
from flexforge.runtime.results.read import Results
from rotor_equations import Bearing
from shafts import PROGRESS, SOFT, Tables, probes, run, tables, unbalance

ROTOR = replace(SOFT, beta=1e-3, bearings=[*SOFT.bearings, Bearing(1, damping=4e3 * np.eye(2))])


def plots(folder: Path) -> list[Tables]:
    """Return the pictures of the orbits of a run."""
    results = Results(folder)
    return motion_plots(results.summary, *results.probe_table(), results.units)


@pytest.mark.parametrize("sense", [pytest.param(1.0, marks=pytest.mark.slow), -1.0])
def test_a_settled_motion_has_the_orbit_of_the_vibration(sense: float, tmp_path: Path) -> None:
    """Half the sum of the semi-axes forward, half the difference backward, whichever way it turns.

    The vibration is that of ``speeds``; the line of a spectrum keeps 99.7 % at least.
    """
    given: Tables = {"loads": [unbalance(1, 1e-3, 0.4)], "probes": probes(1)}
    run(tables(ROTOR, sense * 100.0, analysis=PROGRESS | {"duration": 1.0}, **given), tmp_path)
    orbit, spectrum = plots(tmp_path)
    analysis = {"kind": "harmonic", "speeds": [90.0, 100.0, 110.0], "operating": [100.0, 100.0]}
    run(tables(ROTOR, sense, analysis=analysis, **given), tmp_path / "steady")
    rows = csv.DictReader((tmp_path / "steady" / "orbits.csv").open())
    (row,) = (one for one in rows if float(one["speed [rad/s]"]) == 100.0)
    major, minor = (float(row[f"semi-{one} axis [m]"]) for one in ("major", "minor"))
    assert abs(minor) < 0.98 * major  # bearings differ: the orbit has both parts
    factor = {"mm": 1e-3, "µm": 1e-6}[spectrum["unit"]]
    f, r = (np.array(spectrum["lines"][0][key]) for key in "xy")
    for side, expected in ((1, major + minor), (-1, major - minor)):
        near = np.abs(f - side * 100.0 / (2 * np.pi)) < 2.0
        assert factor * r[near].max() == pytest.approx(0.5 * expected, rel=8e-3)
    x, y = (np.array(orbit["lines"][0][key]) * factor for key in "xy")
    assert np.hypot(x, y).max() == pytest.approx(major, rel=5e-3)
    assert orbit["name"].endswith("954.93 rpm") and orbit["axis"] == ("x" if sense > 0 else "y")


def test_what_a_summary_has_of_pairs(tmp_path: Path) -> None:
    """A ramp has its speeds and a waterfall; probes of one direction, and of velocities, none."""
    spin = {"ramp": {"to": 120.0, "duration": 0.3}}
    # 150 steps: a motion of less than 128 instants has no pictures anyway.
    analysis = {"kind": "transient", "method": "newmark", "step": 2e-3, "duration": 0.3}
    given: Tables = {"loads": [unbalance(1, 1e-3)], "analysis": analysis}
    run(tables(ROTOR, spin, probes=probes(1), **given), tmp_path / "both")
    found = json.loads((tmp_path / "both" / "summary.json").read_text())["orbits"]
    (pair,) = found["pairs"]
    assert (pair["x"], pair["y"], pair["components"]) == ("x1", "y1", "xy")
    assert found["times"][-1] == 0.3
    assert found["speeds_rad_s"][0] == 0.0 and found["speeds_rad_s"][-1] == pytest.approx(120.0)
    drawn = plots(tmp_path / "both")
    assert ["heat" in one for one in drawn] == [False, False, False, True]
    others = {
        "one": tables(ROTOR, 120.0, probes=probes(1)[:1], **given),
        "velocity": tables(ROTOR, 120.0, probes=probes(1, quantity="velocity"), **given),
    }
    for name, data in others.items():
        run(data, tmp_path / name)
        assert "orbits" not in json.loads((tmp_path / name / "summary.json").read_text())
        assert plots(tmp_path / name) == []
