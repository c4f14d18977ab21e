# SPDX-License-Identifier: BSD-3-Clause
"""The data sheet of a rotor: from summaries of steps, and of a run of a mass on a bearing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.runtime.results.data_sheet import SheetRow, data_sheet, smallest_decrement
from flexforge.runtime.unit_systems import SI, system_of

RPM = np.pi / 30.0


def mode(number: int, hertz: list[Any], growth: list[Any]) -> dict[str, Any]:
    return {"mode": number, "frequency_Hz": hertz, "growth_1_s": growth}


DIAGRAM: dict[str, Any] = {
    "stands": True, "speeds_rad_s": [100.0, 200.0, 300.0],
    "modes": [mode(1, [10.0, 10.0, 20.0], [-4.0, -2.0, 6.0]),
              mode(2, [None, 30.0, 30.0], [None, -1.0, -9.0]),
              mode(3, [40.0, 40.0, 40.0], [0.0, 0.0, 0.0]),
              mode(4, [0.0, 0.0, 0.0], [-0.1, -0.1, -0.1])],
    "critical_speeds": [
        {"order": 1, "speed_rad_s": 250.0, "mode": 2, "frequency_Hz": 40.0},
        {"order": 1, "speed_rad_s": 120.0, "mode": 1, "frequency_Hz": 19.0},
        {"order": 2, "speed_rad_s": 60.0, "mode": 1, "frequency_Hz": 19.0},
    ],
    "instabilities": [{"mode": 1, "kind": "flutter", "onset_rad_s": 225.0, "end_rad_s": None,
                       "growth_1_s": 6.0}],
}  # fmt: skip
RESPONSE: dict[str, Any] = {
    "frequency_Hz": [1.0, 2.0, 3.0], "speed_rad_s": [100.0, 200.0, 300.0],
    "operating_rad_s": [150.0, 220.0],
    "probes": [{"name": "tip", "unit": "m", "amplitude": [3.0, 1.0, 2.0]},
               {"name": "mid", "unit": "m", "amplitude": [1.0, 1.5, 5.0]}],
    "bearings": [{"name": "film", "x": [0] * 3, "y": [0] * 3, "largest": [10.0, 20.0, 30.0]}],
    "peaks": [{"probe": "tip", "unit": "m", "speed_rad_s": 140.0, "amplitude": 3.0,
               "factor": 9.0, "margin": 0.0667, "required": 0.147, "kept": False},
              {"probe": "mid", "unit": "m", "speed_rad_s": 290.0, "amplitude": 5.0,
               "factor": None, "margin": 0.3, "required": 0.0, "kept": True}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("operating", "decrement", "name", "speed"),
    [
        (None, -6.0 / 20.0, "mode 1", 300.0),
        ((100.0, 199.0), 2.02 / 10.0, "mode 1", 199.0),
        ((100.0, 210.0), 1.0 / 30.0, "mode 2", 200.0),  # mode 1 has 1.2 / 11 at 210
        ((200.0, 200.0), 1.0 / 30.0, "mode 2", 200.0),
        ((205.0, 225.0), 0.0, "mode 1", 225.0),  # the onset of growth
        ((50.0, 110.0), 3.8 / 10.0, "mode 1", 110.0),
    ],
)
def test_the_smallest_decrement_is_of_the_range(
    operating: Any, decrement: float, name: str, speed: float
) -> None:
    """``-growth / f``, straight between speeds: modes 1 and 2, which are damped and vibrate."""
    found = smallest_decrement(DIAGRAM, operating)
    assert found is not None and found[1:] == (name, speed)
    assert found[0] == pytest.approx(decrement, abs=1e-12)


def test_there_is_no_decrement_beyond_the_diagram() -> None:
    assert smallest_decrement(DIAGRAM, (400.0, 500.0)) is None
    assert smallest_decrement(DIAGRAM | {"modes": DIAGRAM["modes"][2:]}, None) is None


def rows(sheet: list[SheetRow]) -> dict[str, tuple[str, str, bool]]:
    return {row.name: (row.value, row.remark, row.failed) for row in sheet}


def test_a_sheet_is_assembled_from_all_steps() -> None:
    """In the units of the model, rpm whatever the unit of time; what is not kept is marked."""
    units = system_of("mm-kg-ms")
    undamped = {"undamped": {"critical_speeds": [{"order": 1, "speed_rad_s": 100.0}]}}
    steps = [("map", undamped), ("whirl", {"campbell": DIAGRAM}), ("run", {"response": RESPONSE})]
    found = rows(data_sheet(steps, units))

    def rpm(speed: float) -> str:
        return f"{1000 * speed / RPM:.5g}"

    assert found["Operating range"] == (f"{rpm(150)} to {rpm(220)} rpm", "", False)
    assert found["Undamped critical speeds, 1x"] == (f"{rpm(100)} rpm", "map", False)
    assert found["Critical speeds, 1x"] == (
        f"{rpm(120)}, {rpm(250)} rpm", "modes 1, 2, whirl", False)  # fmt: skip
    assert found["Smallest logarithmic decrement in the operating range"] == (
        f"{0.4 / 12:.4g}", f"mode 1 at {rpm(220)} rpm, whirl", False)  # fmt: skip
    assert found["Vibrations grow from"] == (f"{rpm(225)} rpm", "mode 1, flutter, whirl", False)
    assert found["Peak of tip"] == (
        f"{rpm(140)} rpm; AF 9; margin 6.67 %; required 14.7 %; not kept", "run", True)  # fmt: skip
    assert not found["Peak of mid"][2] and "AF" not in found["Peak of mid"][0]
    assert found["Separation margins"] == ("1 of 2 not kept", "API 617, run", True)
    assert found["Largest bearing force"] == ("30 kN", f"film at {rpm(300)} rpm, run", False)
    assert found["Largest bearing force in the operating range"][0] == "20 kN"
    assert found["Largest amplitude"] == ("5 mm", f"mid at {rpm(300)} rpm, run", False)
    assert found["Largest amplitude in the operating range"] == (
        "1.5 mm", f"mid at {rpm(200)} rpm, run", False)  # fmt: skip


@pytest.mark.parametrize(
    ("onset", "end", "failed"),
    [(None, None, True), (None, 149.0, False), (100.0, 160.0, True), (210.0, 230.0, True),
     (221.0, None, False)],
)  # fmt: skip
def test_growth_in_the_operating_range_is_marked(onset: Any, end: Any, failed: bool) -> None:
    """From 150 to 220 rad/s: an onset below its end, unless growth has ended before it begins."""
    one = DIAGRAM["instabilities"][0] | {"onset_rad_s": onset, "end_rad_s": end}
    summary = {"campbell": DIAGRAM | {"instabilities": [one]}, "response": RESPONSE}
    assert rows(data_sheet([("", summary)], SI))["Vibrations grow from"][2] is failed


def test_growth_is_marked_without_a_range() -> None:
    """Where nobody says at which speeds the machine runs."""
    assert rows(data_sheet([("", {"campbell": DIAGRAM})], SI))["Vibrations grow from"][2]


def test_amplitudes_of_several_units_are_apart() -> None:
    """Displacements and forces; in units that are not declared without a label."""
    probes = [*RESPONSE["probes"], {"name": "foot", "unit": "N", "amplitude": [7.0, 8.0, 9.0]}]
    summary = {"response": RESPONSE | {"probes": probes}}
    found = rows(data_sheet([("", summary)], system_of("mm-t-s")))
    assert found["Largest amplitude [N]"][0] == "9 N"
    assert found["Largest amplitude [mm]"][0] == "5 mm"
    names = [row.name for row in data_sheet([("", summary)], system_of("undeclared"))]
    assert names.count("Largest amplitude") == 2


def test_shafts_below_their_critical_speeds_are_told() -> None:
    """A response without peaks; one that has not reached its first speed has nothing to tell."""
    found = rows(data_sheet([("", {"response": RESPONSE | {"peaks": []}})], SI))
    assert found["Peaks of responses"] == ("none", "from 954.93 rpm to 2864.8 rpm", False)
    assert "Separation margins" not in found
    none = {"speed_rad_s": [], "probes": [], "bearings": [], "operating_rad_s": [1.0, 2.0]}
    assert list(rows(data_sheet([("", {"response": none})], SI))) == ["Operating range"]


def test_models_that_are_no_rotors_have_none() -> None:
    """Blades in frames that turn, wheels, responses over the frequency."""
    for summary in (
        {"campbell": DIAGRAM | {"stands": False}},
        {"response": {"frequency_Hz": [1.0], "probes": []}},
        {"figures": {}},
    ):
        assert data_sheet([("", summary)], SI) == []


def test_a_run_of_steps_has_its_sheet(tmp_path: Path) -> None:
    """A mass m on k and c: decrement ``2 pi D / sqrt(1 - D^2)``, and the force of its resonance.

    Beside the peak ``m e w^2 |k + i w c| / |k - m w^2 + i w c|`` at a computed speed (closed form).
    """
    m, k, c, amount = 3.0, 4e4, 30.0, 1e-4
    ff.load_model({
        "mesh": {"points": {"hub": [0, 0, 0]}},
        "masses": [{"name": "hub", "group": "hub", "mass": m,
                    "spin": {"axis": [0, 0, 1], "velocity": 10.0}}],
        "connectors": [{"name": "film", "kind": "bearing", "at": "hub", "stiffness": k,
                        "damping": c}],
        "supports": [{"group": "hub", "components": ["z"]}],
        "loads": [{"kind": "unbalance", "group": "hub", "unbalance": amount, "steps": ["run"]}],
        "probes": [{"name": "hub", "group": "hub", "component": "x"}],
        "output": {"formats": ["csv", "report"]},
        "steps": [
            {"name": "whirl", "analysis": {"kind": "modes", "speeds": [50.0, 100.0, 150.0],
                                           "orders": [1], "count": 2}},
            {"name": "run", "analysis": {"kind": "harmonic", "speeds": "80:160:161",
                                         "operating": [120.0, 125.0]}},
        ],
    }).run(tmp_path / "out")  # fmt: skip
    page = (tmp_path / "out" / "report.html").read_text()
    cells = re.findall(r"<th>(.*?)</th><td>(.*?)</td><td>(.*?)</td></tr>", page)
    found = {name: value for name, value, _ in cells}
    damping = c / (2 * np.sqrt(k * m))
    decrement = 2 * np.pi * damping / np.sqrt(1 - damping**2)
    name = "Smallest logarithmic decrement in the operating range"
    assert float(found[name]) == pytest.approx(decrement, rel=1e-3)
    w = np.arange(80.0, 160.25, 0.5)
    forces = amount * w**2 * np.abs((k + 1j * w * c) / (k - m * w**2 + 1j * w * c))
    assert found["Largest bearing force"] == f"{forces.max():.5g} N"
    inside = forces[(w >= 120) & (w <= 125)].max()
    assert found["Largest bearing force in the operating range"] == f"{inside:.5g} N"
    assert "not kept" in found["Peak of hub"]  # at 115.8 rad/s, 3.5 % below 120
    assert 'class="missed"' in page
    own = (tmp_path / "out" / "run" / "report.html").read_text()
    assert "Data sheet" in own and "Separation margins" in own
