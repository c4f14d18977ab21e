# SPDX-License-Identifier: BSD-3-Clause
"""SAFE diagrams: which modes of a wheel are near engine orders that excite them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.errors import FlexforgeError
from flexforge.runtime.results.safe import engine_order_lines, safe_csv
from flexforge.runtime.results.wave_plots import wave_plots
from flexforge.runtime.vibration.interference import WaveAtSpeed, interferences

SPEED = 200.0 * np.pi  # order k has 100 k Hz
BODY = {"name": "blade", "element": "hex8i", "material": "steel"}


def test_modes_near_orders_of_their_nodal_diameter_and_sense() -> None:
    """With 6 sectors: order 5 excites one nodal diameter forward, order 7 backward, 3 standing."""
    waves = [
        WaveAtSpeed(1, 1, "forward", 510.0),
        WaveAtSpeed(1, 1, "backward", 510.0),
        WaveAtSpeed(1, 2, "standing", 707.0),
        WaveAtSpeed(2, 1, "forward", 500.0),
        WaveAtSpeed(3, 1, "standing", 297.0),
        WaveAtSpeed(0, 1, "standing", 600.0),
        WaveAtSpeed(0, 2, "standing", 10.0),
    ]
    found = interferences(waves, range(8), 6, SPEED, 0.05)
    assert [(one.nodal_diameter, one.mode, one.travels, one.order, one.wave) for one in found] == [
        (0, 1, "standing", 6, "standing"),
        (1, 2, "standing", 7, "backward"),
        (3, 1, "standing", 3, "standing"),
        (1, 1, "forward", 5, "forward"),
    ]
    assert [one.margin for one in found] == pytest.approx([0.0, 0.01, -0.01, 0.02])
    assert [one.excitation_Hz for one in found] == pytest.approx([600.0, 700.0, 300.0, 500.0])
    assert len(interferences(waves, range(8), 6, SPEED, 0.015)) == 3


@pytest.mark.parametrize("sectors", [5, 6, 8])
def test_blades_at_their_places_tell_what_is_excited(sectors: int) -> None:
    """Against the work that a force ``cos(k (W t + theta))`` does on a wave, over time and blades.

    A wave ``cos(w t + n theta)`` travels backward for w > 0: it is excited where the mean of its
    velocity times the force, at any phase between them, is not zero.
    """
    time = 2.0 * np.pi / SPEED * np.arange(256) / 256  # a turn: whole periods of all orders
    theta = 2.0 * np.pi * np.arange(sectors)[:, None] / sectors
    for order in range(1, 2 * sectors + 1):
        force = np.cos(order * (SPEED * time + theta))
        for n in range(sectors // 2 + 1):
            for travels, sign in (("backward", 1.0), ("forward", -1.0)):
                wave = np.exp(1j * (sign * order * SPEED * time + n * theta))
                works = max(abs(np.mean(part * force)) for part in (wave.real, wave.imag)) > 1e-9
                at = [WaveAtSpeed(n, 1, travels, 100.0 * order)]
                if n in (0, sectors - n):  # both waves are one there
                    at = [WaveAtSpeed(n, 1, "standing", 100.0 * order)]
                found = interferences(at, [order], sectors, SPEED, 1e-6)
                assert bool(found) == works, (order, n, travels)


def sector(analysis: dict[str, Any], velocity: float = 500.0) -> dict[str, Any]:
    """Return one of five blades: a bar of bricks from 36 degrees on either side of x."""
    angle, points = np.pi / 5, []
    for r in (0.1, 0.2, 0.3):
        for a in (-angle, angle):
            points += [[r * np.cos(a), r * np.sin(a), z] for z in (0.0, 0.02)]
    number = np.arange(12).reshape(3, 2, 2)
    cells = [[number[r + i, j, k] for k in (0, 1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
             for r in (0, 1)]  # fmt: skip
    groups = {"first": number[:, 0].ravel(), "last": number[:, 1].ravel(),
              "bore": number[0].ravel()}  # fmt: skip
    return {
        "mesh": ff.mesh_from_arrays(points, {"hex8": cells}, groups),
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
        "bodies": [BODY | {"frame": {"velocity": velocity}}],
        "supports": [{"group": "bore"}],
        "cyclic": {"from": "first", "to": "last", "sectors": 5},
        "analysis": {"kind": "modes", "count": 2} | analysis,
        "output": {"formats": ["csv", "report"]},
    }


def test_a_critical_speed_is_a_point_of_the_diagram(tmp_path: Path) -> None:
    """At the speed of a crossing of the Campbell diagram the mode is on the zigzag: margin 0."""
    over = sector({"speeds": [300.0, 900.0], "orders": list(range(1, 31))})
    campbell = ff.load_model(over).run(tmp_path / "over").campbell
    assert campbell is not None
    one = campbell["critical_speeds"][0]
    here = sector({"speeds": [300.0, 900.0], "operating": one["speed_rad_s"], "margin": 1e-6,
                   "orders": list(range(1, 31))})  # fmt: skip
    alone = sector({"margin": 1e-6, "orders": [one["order"]]}, one["speed_rad_s"])
    for name, tables in (("speeds", here), ("one", alone)):
        folder = ff.load_model(tables).run(tmp_path / name).folder
        safe = json.loads((folder / "summary.json").read_text())["safe"]
        (found,) = [c for c in safe["crossings"] if c["speed_rad_s"] == one["speed_rad_s"]]
        assert found["margin"] == pytest.approx(0.0, abs=2e-8)
        for key in ("order", "nodal_diameter"):
            assert found[key] == one[key]
        assert found["wave"] == one["travels"]
        (row,) = [row for row in csv.DictReader((folder / "interference.csv").open())
                  if float(row["speed [rad/s]"]) == one["speed_rad_s"]]  # fmt: skip
        assert int(row["engine order"]) == one["order"]
        assert float(row["speed [rpm]"]) == pytest.approx(one["speed_rad_s"] * 30 / np.pi)
        assert "Modes near engine orders" in (folder / "report.html").read_text()
    assert safe["speed_rad_s"] == one["speed_rad_s"]


def test_the_zigzag_turns_at_half_the_number_of_sectors() -> None:
    """With 5 sectors at 2.5: orders 1 and 2 up, 3 and 4 down to 0 at order 5."""
    mark = {"speed_rad_s": SPEED, "mode": 1, "order": 4, "wave": "forward", "nodal_diameter": 1,
            "frequency_Hz": 404.0, "margin": 0.01}  # fmt: skip
    safe = {"speed_rad_s": SPEED, "sectors": 5, "orders": [1, 2, 3, 4, 5, 6],
            "crossings": [mark, mark | {"speed_rad_s": 1.0}]}  # fmt: skip
    up, down, again, ring = engine_order_lines(safe, 1000.0)
    assert list(zip(up["x"], np.round(up["y"], 9), strict=True)) == [
        (0.0, 0.0), (1.0, 100.0), (2.0, 200.0), (2.5, 250.0)]  # fmt: skip
    assert list(zip(down["x"], np.round(down["y"], 9), strict=True)) == [
        (2.5, 250.0), (2.0, 300.0), (1.0, 400.0), (0.0, 500.0)]  # fmt: skip
    assert list(zip(again["x"], np.round(again["y"], 9), strict=True)) == [
        (0.0, 500.0), (1.0, 600.0)]  # fmt: skip
    assert "3 to 5, forward" in down["name"]
    assert (ring["x"], ring["y"]) == ([1], [404.0])
    low = engine_order_lines(safe, 350.0)
    assert len(low) == 3
    assert low[1]["y"][-1] == pytest.approx(350.0)
    drawn = wave_plots({"safe": safe | {"modes": [
        {"nodal_diameter": n, "travels": "standing", "frequency_Hz": 400.0 + n} for n in (0, 1)
    ]}})  # fmt: skip
    assert [line.get("dash") for line in drawn[0]["lines"]] == [None, "dash", "dot", None]


def test_speeds_are_told_in_the_units_of_the_model() -> None:
    """A speed of 0.5 rad/ms is 500 rad/s: 4774.6 rpm."""
    one = {"speed_rad_s": 0.5, "nodal_diameter": 1, "mode": 2, "wave": "forward", "order": 4,
           "frequency_Hz": 0.4, "excitation_Hz": 0.5, "margin": -0.2}  # fmt: skip
    row = safe_csv([one], second=1000.0).splitlines()[1].split(",")
    assert float(row[1]) == pytest.approx(500.0 * 30.0 / np.pi)
    assert row[2:8] == ["1", "2", "forward", "4", "0.4", "0.5"]
    assert float(row[8]) == pytest.approx(-20.0)


@pytest.mark.parametrize(
    ("analysis", "velocity", "said"),
    [
        ({"orders": [1]}, 0.0, r"analysis\.orders: found with a wheel at rest"),
        ({"operating": 100.0}, 500.0, r"analysis\.operating: found without speeds"),
        (
            {"operating": 1e3, "speeds": [0, 900]},
            500.0,
            r"analysis\.operating: found 1000; exp",
        ),
        ({"operating": 0, "speeds": [0, 900]}, 500.0, r"analysis\.operating: found 0; exp"),
        ({"margin": 1.5}, 500.0, r"analysis\.margin"),
    ],
)
def test_what_is_wrong_is_told(
    tmp_path: Path, analysis: dict[str, Any], velocity: float, said: str
) -> None:
    with pytest.raises(FlexforgeError, match=said):
        ff.load_model(sector(analysis, velocity)).run(tmp_path / "wrong")


@pytest.mark.parametrize("key", ["margin", "operating", "orders"])
def test_keys_of_wheels_are_refused_without_one(key: str) -> None:
    value = {"margin": 0.1, "operating": 5.0, "orders": [1]}[key]
    given = sector({key: value} | ({"speeds": [1.0, 9.0]} if key == "operating" else {}))
    del given["cyclic"]
    with pytest.raises(FlexforgeError, match=rf"analysis\.{key}: found without"):
        ff.load_model(given)
