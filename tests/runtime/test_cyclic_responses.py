# SPDX-License-Identifier: BSD-3-Clause
"""Forced response of wheels to engine orders over the speed, beside the model of all sectors."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from bladed import STEEL, wheel
from flexforge.codegen.errors import FlexforgeError
from flexforge.runtime.vibration.engine_orders import excited_by, signed_diameter

DAMPED = {"materials": {"steel": {**STEEL, "damping": {"alpha": 5.0, "beta": 1e-6}}}}
PUSH = {"kind": "force", "group": "tip", "total": [3.0, -2.0, 10.0]}
PULL = {"kind": "force", "group": "tip", "total": [0.0, 5.0, 0.0], "phase": "30 deg"}
PROBE = {"name": "tip", "group": "tip", "component": "z"}


def model(sectors: int, sense: float, *, whole: bool, **analysis: Any) -> dict[str, Any]:
    """Return a damped wheel over speeds, with loads at the tips of its blades."""
    frame = {"velocity": sense}
    body = {"name": "wheel", "element": "hex8i", "material": "steel", "frame": frame}
    given = {"bodies": [body], **DAMPED, "analysis": {"kind": "harmonic", **analysis}}
    tables = wheel(sectors, whole=whole, loads=[PUSH, PULL], probes=[PROBE], **given)
    if whole:
        tables["probes"] = []
    return tables


def tips(tables: dict[str, Any], sectors: int) -> list[str]:
    """Return groups of nodes at the tips of the blades, about z from the sector of the mesh on."""
    mesh = tables["mesh"]
    nodes = mesh.groups["tip"].nodes
    angle = np.degrees(np.arctan2(mesh.points[nodes, 1], mesh.points[nodes, 0])) % 360.0
    number = (angle * sectors / 360.0).astype(int)
    return ["#" + ", ".join(map(str, nodes[number == j])) for j in range(sectors)]


def of_wheel(
    sectors: int, sense: float, order: int, speed: float, folder: Path
) -> tuple[list[complex], list[complex]]:
    """Return amplitudes of all tips in the model of all sectors at one speed, and their z motion.

    A pattern ``cos(k theta)`` at rest in space: blade j, at theta_j = j alpha, meets it with the
    phase k (j alpha + W t), with W about z. For W < 0 it is the one of - k at k |W|.
    """
    tables = model(sectors, sense * speed, whole=True, frequencies=[order * speed / (2 * np.pi)])
    names, step = tips(tables, sectors), 360.0 / sectors * order * np.sign(sense)
    turns = [2.0 * np.pi / sectors * j for j in range(sectors)]
    loads = []
    for load in (PUSH, PULL):
        x, y, z = load["total"]
        lag = 30.0 if "phase" in load else 0.0
        for j, (name, a) in enumerate(zip(names, turns, strict=True)):
            total = [x * np.cos(a) - y * np.sin(a), x * np.sin(a) + y * np.cos(a), z]
            phase = f"{step * j + lag} deg"
            loads.append({**load, "group": name, "total": total, "phase": phase})
    tables["loads"] = loads
    tables["probes"] = [PROBE | {"name": f"{j}", "group": name} for j, name in enumerate(names)]
    path = ff.load_model(tables).run(folder).folder / "response.csv"
    row = np.loadtxt(path, delimiter=",", skiprows=1)[1:].reshape(sectors, 2)
    found = row[:, 0] * np.exp(1j * np.radians(row[:, 1]))
    return found.tolist(), (found / found[0]).tolist()


@pytest.mark.parametrize(
    ("sectors", "sense", "order"),
    [(6, 1.0, 1), (6, 1.0, 5), (6, -1.0, 5), (6, 1.0, 3), (6, 1.0, 8), (5, -1.0, 12), (5, 1.0, 5)],
)
def test_responses_to_engine_orders_are_those_of_the_wheel(
    tmp_path: Path, sectors: int, sense: float, order: int
) -> None:
    """Orders up to half the number of sectors and aliased ones, either sense of rotation: 1e-8."""
    speeds = [150.0, 420.0]
    given = model(sectors, sense, whole=False, speeds=speeds, order=order)
    outcome = ff.load_model(given).run(tmp_path / "sector")
    rows = np.loadtxt(outcome.folder / "response.csv", delimiter=",", skiprows=1)
    ours = rows[:, 2] * np.exp(1j * np.radians(rows[:, 3]))
    n, travels = excited_by(order, sectors)
    assert outcome.figures["nodal diameter of the loads"] == n
    assert outcome.figures["wave of the loads"] == travels
    for place, speed in enumerate(speeds):
        theirs, ratios = of_wheel(sectors, sense, order, speed, tmp_path / f"{speed}")
        assert rows[place, 1] == pytest.approx(order * speed / (2 * np.pi))
        assert ours[place] == pytest.approx(theirs[0], rel=1e-8)
        # Phases from blade to blade: less and less forward, more and more backward.
        lead = {"forward": -n, "backward": n, "standing": n}[travels] * sense
        expected = np.exp(2j * np.pi / sectors * lead * np.arange(sectors))
        assert np.array(ratios) == pytest.approx(expected, abs=1e-6)


def test_peaks_are_at_speeds_that_the_campbell_diagram_calls_critical(tmp_path: Path) -> None:
    """Order 5 of 6 sectors resonates with a forward wave of one nodal diameter, damped by half
    alpha / w + beta w: amplification 1 / (2 zeta), with zeta of that mode."""
    bodies = {"bodies": model(6, 1.0, whole=False)["bodies"], **DAMPED}
    analysis = {"kind": "modes", "count": 1, "speeds": [400.0, 500.0, 600.0],
                "nodal_diameters": [1], "orders": [5]}  # fmt: skip
    campbell = ff.load_model(wheel(6, whole=False, analysis=analysis, **bodies)).run(
        tmp_path / "modes"
    ).campbell  # fmt: skip
    assert campbell is not None
    (critical,) = campbell["critical_speeds"]
    speed = critical["speed_rad_s"]
    ratio = np.interp(speed, campbell["speeds_rad_s"], campbell["modes"][0]["damping_ratio"])
    given = model(6, 1.0, whole=False, order=5, operating=[550.0, 600.0],
                  speeds=np.linspace(0.97 * speed, 1.03 * speed, 121).tolist())  # fmt: skip
    folder = ff.load_model(given).run(tmp_path / "over").folder
    (peak,) = csv.DictReader((folder / "peaks.csv").open())
    # The line 5 W and the wave's own change over the speed make the peak in the speed narrower.
    slope = np.gradient(campbell["modes"][0]["signed_frequency_Hz"], campbell["speeds_rad_s"])[1]
    apart = (5.0 / (2 * np.pi) + slope) / (5.0 / (2 * np.pi))
    assert float(peak["speed [rad/s]"]) == pytest.approx(speed, rel=1e-4)
    assert float(peak["amplification factor"]) == pytest.approx(apart / (2 * ratio), rel=0.01)
    assert peak["margin kept"] in ("yes", "no")


def test_loads_may_have_other_nodal_diameters(tmp_path: Path) -> None:
    """Pulses of all blades together at 5 W are given by 0, and are those of a frequency."""
    speed = 300.0
    over = model(6, 1.0, whole=False, speeds=[speed], order=5, nodal_diameter=0)
    one = model(6, speed, whole=False, frequencies=[5 * speed / (2 * np.pi)])
    for tables in (over, one):
        tables["include"] = {"prestress": "steady"}
    rows = [
        np.loadtxt(ff.load_model(tables).run(tmp_path / name).folder / "response.csv",
                   delimiter=",", skiprows=1)
        for name, tables in (("over", over), ("one", one))
    ]  # fmt: skip
    assert rows[0][1:] == pytest.approx(rows[1], rel=1e-9)


def test_diameters_with_a_sign() -> None:
    """Phases that blades see: those of the order itself, whichever way the wheel turns."""
    for sectors in (5, 6):
        for order in range(3 * sectors):
            for turn in (1, -1):
                n = signed_diameter(order, sectors, turn)
                assert abs(2 * n) <= sectors
                assert (n - turn * order) % sectors == 0


@pytest.mark.parametrize(("order", "wrong"), [(5, True), (6, False)])
def test_waves_are_not_shown_on_all_sectors(order: int, wrong: bool) -> None:
    """Results are those of one sector, unless all do the same."""
    given = model(6, 1.0, whole=False, speeds=[1.0, 2.0], order=order)
    given["cyclic"] = {**given["cyclic"], "expand": True}
    if not wrong:
        ff.load_model(given)
        return
    with pytest.raises(FlexforgeError, match=r"cyclic\.expand: found with a nodal diameter"):
        ff.load_model(given)
