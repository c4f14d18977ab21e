# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of responses over the speed: amplitudes, phases, peaks, forces of bearings, orbits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flexforge.runtime.results.bode import response_plots
from flexforge.runtime.unit_systems import system_of

SPEEDS = np.linspace(0.02, 0.2, 10)  # rad/ms


def summary(**others: Any) -> dict[str, Any]:
    """Return what a run in mm, kg, ms says of a response."""
    return {"response": {
        "frequency_Hz": (SPEEDS / 2 / np.pi).tolist(), "speed_rad_s": SPEEDS.tolist(),
        "probes": [{"name": "tip", "unit": "m", "amplitude": [1.0] * 9 + [4.0],
                    "phase_deg": [*range(0, 180, 20), -170]}],
        "peaks": [{"probe": "tip", "unit": "m", "speed_rad_s": 0.1, "amplitude": 3.0,
                   "factor": 5.0, "margin": 0.1, "required": 0.12, "kept": False},
                  {"probe": "other", "unit": "m", "speed_rad_s": 0.1, "amplitude": 3.0,
                   "factor": None, "margin": 0.1, "required": 0.0, "kept": True}],
        "operating_rad_s": [0.15, 0.18], **others,
    }}  # fmt: skip


def test_bode_plots_have_phases_peaks_and_the_operating_range() -> None:
    """In rpm whatever the unit of time; phases go on beyond half a turn; margins are told."""
    (drawn,) = response_plots(summary(), system_of("mm-kg-ms"))
    rpm = 30e3 / np.pi
    assert drawn["unit"] == "mm" and drawn["time"] == "rpm"
    (line,) = drawn["lines"]
    assert line["x"] == pytest.approx(rpm * SPEEDS, rel=1e-6)
    assert line["phase"]["y"][-1] == 190.0
    assert drawn["band"] == pytest.approx([rpm * 0.15, rpm * 0.18])
    (mark,) = drawn["peaks"]
    assert mark["x"] == pytest.approx(rpm * 0.1) and mark["y"] == 3.0 and not mark["kept"]
    assert mark["text"] == "954.9 rpm<br>AF 5<br>SM 10 % < 12 %"


def test_prefixes_of_peaks_are_those_of_their_curve() -> None:
    """Of metres in SI: a curve in micrometres has its peak there."""
    given = summary()
    given["response"]["probes"][0]["amplitude"] = (np.arange(10) * 1e-5).tolist()
    given["response"]["peaks"][0]["amplitude"] = 5e-5
    (drawn,) = response_plots(given)
    assert drawn["unit"] == "µm" and drawn["peaks"][0]["y"] == 50.0


def test_forces_and_orbits_follow() -> None:
    """Three curves for a bearing, and the ellipse of an orbit from phase zero on."""
    forces = {"name": "film", "x": [1.0] * 10, "y": [2.0] * 10, "largest": [3.0] * 10}
    orbit = {"name": "tip", "components": "zx", "at": "peak", "speed_rad_s": 0.1,
             "x": [2.0, 0.0], "y": [0.0, -1.0], "major": 2.0, "whirl": "forward"}  # fmt: skip
    given = summary(bearings=[forces], orbits=[orbit])
    _, film, tip = response_plots(given, system_of("mm-kg-ms"))
    assert film["name"] == "force of film" and film["unit"] == "kN"
    assert [one["name"] for one in film["lines"]] == ["x", "y", "largest"]
    assert [one["y"][0] for one in film["lines"]] == [1.0, 2.0, 3.0]
    assert tip["axis"] == "z" and tip["across"] == "x" and tip["equal"]
    assert tip["name"] == "tip at 954.93 rpm (peak), forward"
    (line,) = tip["lines"]
    assert line["x"][0] == 2.0 and line["y"][0] == 0.0 and line["y"][1] > 0.0  # with the clock: -
    assert np.hypot(np.array(line["x"]) / 2.0, line["y"]) == pytest.approx(1.0, rel=1e-6)
