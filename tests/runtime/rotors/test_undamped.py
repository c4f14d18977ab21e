# SPDX-License-Identifier: BSD-3-Clause
"""Undamped critical speeds without a diagram, their map, and their sensitivities.

At a critical speed of order o a shape ``q exp(i o W t)`` is free: ``k q = W^2 (o^2 m - i o g) q``.
"""

from __future__ import annotations

import csv
import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, FlexforgeWarning, InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.vibration import critical_solver
from flexforge.runtime.vibration.direct_criticals import CriticalSpeeds
from marks import slow
from rotor_equations import Array, Bearing, Disc, Rotor
from scipy.linalg import eigvals
from scipy.optimize import brentq
from shafts import TWO_DISCS, Tables, on, run, tables

#: Torsion of the rotor has no part in the equations of bending.
HELD = [{"group": f"#{node}", "components": ["z", "rz"]} for node in range(7)]


def found(
    data: Tables, folder: Path, name: str = "undamped", **analysis: Any
) -> tuple[Array, list[str]]:
    """Return critical speeds of a model, rad/s, and how their shapes travel."""
    run(data | {"analysis": {"kind": "critical_speeds", **analysis}}, folder)
    rows = list(csv.DictReader((folder / f"{name}.csv").open()))
    assert [float(row["speed [rpm]"]) for row in rows] == pytest.approx(
        [float(row["speed [rad/s]"]) * 30 / np.pi for row in rows]
    )
    return np.array([float(row["speed [rad/s]"]) for row in rows]), [row["whirl"] for row in rows]


def critical(rotor: Rotor, order: int = 1) -> Array:
    """Return the critical speeds of bending of an order by beam theory, rad/s, ascending."""
    still, turning = (replace(rotor, alpha=0.0, beta=0.0).matrices(w) for w in (0.0, 1.0))
    m, k = still[0], 0.5 * (still[2] + still[2].T)
    squares = eigvals(k, order**2 * m - 1j * order * (turning[1] - still[1]))
    real = (squares.real > 0.0) & (abs(squares.imag) < 1e-6 * abs(squares))
    return np.sqrt(np.sort(squares.real[real]))


@pytest.fixture(params=[True, False], ids=["small", "large"])
def size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Solve completely, or in a space as large models are solved."""
    if not request.param:
        monkeypatch.setattr(critical_solver, "DENSE", 0)


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("velocity", [30.0, -30.0])
@pytest.mark.parametrize(
    ("stiffness", "order"), [(1e6, 1), ([1e6, 8e5], 1), ([[1e6, 2e5], [-1e5, 8e5]], 2)]
)
def test_those_of_beam_theory(stiffness: Any, order: int, velocity: float, tmp_path: Path) -> None:
    """Without damping, and with the symmetric part of bearings; in both senses of rotation."""
    rotor = replace(on(TWO_DISCS, stiffness, 300.0), beta=1e-5)
    data = tables(rotor, velocity, supports=HELD)
    speeds, whirl = found(data, tmp_path, count=6, orders=[order])
    assert speeds == pytest.approx(critical(rotor, order)[:6], rel=1e-11)
    assert set(whirl) <= {"forward", "backward", "standing"}
    if stiffness == 1e6:
        assert whirl == ["backward", "forward"] * 3


@pytest.mark.usefixtures("size")
def test_free_torsion_has_none_and_disturbs_none(tmp_path: Path) -> None:
    """A shaft that nothing keeps from turning and sliding: critical speeds are those of bending.

    Higher ones of torsion and of motion along the shaft exist, and have no sense.
    """
    rotor = on(TWO_DISCS, 1e6)
    speeds, whirl = found(tables(rotor, 30.0, supports=[]), tmp_path, count=9)
    bending = speeds[np.array(whirl) != "standing"]
    assert bending == pytest.approx(critical(rotor)[: len(bending)], rel=1e-10)
    held, _ = found(tables(rotor, 30.0), tmp_path / "held", count=9)
    assert held[0] < 150.0 and len(bending) < 9
    rows = list(csv.DictReader((tmp_path / "sensitivities.csv").open()))
    for number in range(1, 10):
        some = [row for row in rows if int(row["number"]) == number]
        sums = [sum(float(row[key]) for row in some) for key in ("stiffness", "mass")]
        assert sums == pytest.approx([0.5, -0.5], rel=1e-9)


@pytest.mark.parametrize(
    "laws",
    [{"stiffness": 1e6, "mass": 5.0},
     {"table": {"speed": [0, 1e4], "kxx": [1e6, 1e6], "mxx": [5.0, 5.0]}}],
    ids=["constant", "table"],
)  # fmt: skip
def test_axes_that_turn_have_the_same_with_other_orders(laws: Tables, tmp_path: Path) -> None:
    """What an observer at rest sees as 1x and -1x is 0x and 2x in a frame that turns.

    A seal of inertia is in it too, whose accelerations are those seen from rest.
    """
    seal = replace(on(TWO_DISCS, 1e6), bearings=[])
    given = [{"name": f"b{n}", "kind": "bearing", "at": f"#{n}", **laws} for n in (0, 6)]
    rest = tables(seal, 30.0, connectors=given, supports=HELD)
    turning = tables(seal, 30.0, turning="frame", connectors=given, supports=HELD)
    speeds, whirl = found(rest, tmp_path, count=6)
    senses = np.array(whirl)
    forward, _ = found(turning, tmp_path, count=2)
    assert forward == pytest.approx(speeds[senses == "forward"][:2], rel=1e-11)
    twice, _ = found(turning, tmp_path, count=6, orders=[2])
    backward = speeds[senses == "backward"]
    assert np.abs(twice[:, None] / backward[:2] - 1.0).min(axis=0) == pytest.approx(0.0, abs=1e-11)
    thrice, senses_of_3 = found(rest, tmp_path, count=6, orders=[3])
    third = thrice[np.array(senses_of_3) == "forward"]
    assert np.abs(twice[:, None] / third[0] - 1.0).min() == pytest.approx(0.0, abs=1e-11)


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize("turning", ["spin", "frame"])
def test_tables_have_the_coefficients_of_the_critical_speed_itself(
    turning: str, tmp_path: Path
) -> None:
    """Stiffness and inertia over the speed: each root of ``W = W_n(k(W))`` on the tables."""
    table = {"speed": [20.0, 60.0, 110.0, 150.0], "kxx": [4e5, 7e5, 2e6, 3e6],
             "mxx": [1.0, 2.0, 3.0, 3.0], "cxx": [1e3, 2e3, 3e3, 3e3]}  # fmt: skip
    given = [{"name": f"b{n}", "kind": "bearing", "at": f"#{n}", "table": table} for n in (0, 6)]
    data = tables(TWO_DISCS, 30.0, turning=turning, connectors=given, supports=HELD)
    speeds, whirl = found(data, tmp_path, count=4, orders=[1] if turning == "spin" else [0])
    from scipy.interpolate import PchipInterpolator

    def of(speed: float, number: int) -> float:
        clipped = np.clip(speed, 20.0, 150.0)
        k, m = (float(PchipInterpolator(table["speed"], table[key])(clipped))
                for key in ("kxx", "mxx"))  # fmt: skip
        bearings = [Bearing(node, k * np.eye(2), mass=m * np.eye(2)) for node in (0, 6)]
        return float(critical(replace(TWO_DISCS, bearings=bearings))[number]) - speed

    expected = [brentq(of, 1.0, 2000.0, args=(number,), xtol=1e-12) for number in range(6)]
    if turning == "frame":  # forward whirl alone
        assert speeds[:3] == pytest.approx(expected[1::2], rel=1e-10)
        return
    assert speeds == pytest.approx(expected[:4], rel=1e-10)
    assert whirl == ["backward", "forward", "backward", "forward"]


@pytest.mark.usefixtures("size")
def test_a_map_is_over_the_stiffness_of_some_bearings(tmp_path: Path) -> None:
    """From soft to stiff, the other bearing unchanged: beam theory with each stiffness."""
    data = tables(on(TWO_DISCS, [1e6, 8e5]), 30.0, supports=HELD)
    values = np.geomspace(1e4, 1e9, 11)
    speeds, _ = found(data, tmp_path, "critical_map", count=4, stiffness="1e4:1e9:11",
                      connectors=["bearing1"])  # fmt: skip
    laws = [[Bearing(0, np.diag([1e6, 8e5])), Bearing(6, k * np.eye(2))] for k in values]
    expected = [critical(replace(TWO_DISCS, bearings=law))[:4] for law in laws]
    assert speeds.reshape(-1, 4) == pytest.approx(np.array(expected), rel=1e-9)
    rows = list(csv.DictReader((tmp_path / "critical_map.csv").open()))
    assert [float(row["stiffness [N/m]"]) for row in rows[::4]] == pytest.approx(values)


def test_sensitivities_are_derivatives(tmp_path: Path) -> None:
    """Of speeds by central differences of models whose parts are 1e-4 stiffer or heavier."""
    rotor = on(TWO_DISCS, [1e6, 8e5])
    data = tables(rotor, 30.0, supports=HELD)
    found(data, tmp_path, count=4)
    rows = list(csv.DictReader((tmp_path / "sensitivities.csv").open()))
    told = {(int(r["number"]), r["part"]): (float(r["stiffness"]), float(r["mass"])) for r in rows}

    def slope(change: Any) -> Array:
        ends = [critical(change(1.0 + h))[:4] for h in (1e-4, -1e-4)]
        return (np.log(ends[0]) - np.log(ends[1])) / 2e-4

    shaft = slope(lambda f: replace(rotor, young=f * rotor.young, shear=f * rotor.shear))
    heavy = slope(lambda f: replace(rotor, density=f * rotor.density))
    one = rotor.bearings[0]
    spring = slope(
        lambda f: replace(rotor, bearings=[replace(one, stiffness=f * one.stiffness),
                                           rotor.bearings[1]])
    )  # fmt: skip
    disc = rotor.discs[1]

    def scaled(f: float) -> Disc:
        return replace(disc, mass=f * disc.mass, diametral=f * disc.diametral, polar=f * disc.polar)

    lump = slope(lambda f: replace(rotor, discs=[rotor.discs[0], scaled(f)]))
    for number in range(1, 5):
        parts = [told[number, name] for name in ("shaft0", "bearing0", "disc1")]
        got = [parts[0][0], parts[0][1], parts[1][0], parts[2][1]]
        expected = [one[number - 1] for one in (shaft, heavy, spring, lump)]
        assert got == pytest.approx(expected, rel=1e-6, abs=1e-9)
        every = np.array([both for (n, _), both in told.items() if n == number])
        assert every.sum(axis=0) == pytest.approx([0.5, -0.5], rel=1e-9)


def disc(prestress: str, velocity: float) -> Tables:
    """Return a disc that turns, held at its hub."""
    corners = [[r, a, z] for z in (0.0, 0.02) for r, a in
               ((0.1, 0.0), (0.5, 0.0), (0.5, 2 * np.pi), (0.1, 2 * np.pi))]  # fmt: skip
    return {
        "mesh": {"block": {"cell": "hex20", "coordinates": "cylindrical", "corners": corners,
                           "divisions": [1, 8, 1]}, "merge": True},
        "materials": {"steel": {"young": 211e9, "poisson": 0.3, "density": 7810.0}},
        "bodies": [{"name": "disc", "element": "hex20", "material": "steel",
                    "frame": {"axis": [0, 0, 1], "velocity": velocity}}],
        "supports": [{"group": "xmin"}], "output": {"formats": ["csv"]},
        "include": {"prestress": prestress},
    }  # fmt: skip


@pytest.mark.usefixtures("size")
@pytest.mark.parametrize(("prestress", "order"), [("linear", 1), ("steady", 2), slow("steady", 3)])
def test_stresses_are_those_of_the_critical_speed(
    prestress: str, order: int, tmp_path: Path
) -> None:
    """There a frequency of the modes is the order times the speed; by each theory of stresses."""
    speeds, _ = found(disc(prestress, 100.0), tmp_path, count=2, orders=[order])
    for speed in speeds.tolist():
        modes = {"kind": "modes", "count": 8}
        figures = run(disc(prestress, speed) | {"analysis": modes}, tmp_path).figures
        angular = [2 * np.pi * figures[f"mode {number}"][0] for number in range(1, 9)]
        assert min(abs(np.array(angular) / (order * speed) - 1.0)) < 2e-9
    if prestress == "steady":
        linear, _ = found(disc("linear", 100.0), tmp_path, count=2, orders=[order])
        assert abs(linear / speeds - 1.0).min() > 2e-6


def test_units_of_the_model(tmp_path: Path) -> None:
    """Millimetres, tonnes and seconds: the same speeds, and stiffnesses in N/mm."""
    shaft: Tables = {
        "name": "rotor", "material": "steel", "spin": {"velocity": "300 rpm"},
        "segments": [{"length": 1.2, "diameter": 0.05, "elements": 6}],
        "stations": {"left": 0.0, "right": 1.2},
    }  # fmt: skip
    bearings = [{"name": n, "kind": "bearing", "at": f"rotor.{n}", "stiffness": 1e6}
                for n in ("left", "right")]  # fmt: skip
    model: Tables = {
        "materials": {"steel": {"young": 211e9, "poisson": 0.3, "density": 7810.0}},
        "shafts": [shaft], "connectors": bearings, "output": {"formats": ["csv"]},
        "supports": [{"group": "rotor.left", "components": ["z", "rz"]}],
    }  # fmt: skip
    speeds, _ = found(model, tmp_path, "critical_map", stiffness="1e5:1e7:3")
    small = json.loads(json.dumps(model))
    small["units"] = "mm-t-s"
    small["materials"]["steel"] |= {"young": 211e3, "density": 7.81e-9}
    small["shafts"][0] |= {
        "segments": [{"length": 1200.0, "diameter": 50.0, "elements": 6}],
        "stations": {"left": 0.0, "right": 1200.0},
    }
    for one in small["connectors"]:
        one["stiffness"] = 1e3
    again, _ = found(small, tmp_path, "critical_map", stiffness="1e2:1e4:3")
    assert again == pytest.approx(speeds, rel=1e-10)


@pytest.mark.parametrize(
    ("analysis", "change", "text"),
    [
        ({"connectors": ["bearing0"]}, {}, "found without stiffness; expected the stiffness"),
        ({"stiffness": "1e9:1e4:3"}, {}, "found 1e\\+09 before .* expected ascending stiffnesses"),
        ({"stiffness": [0.0, 1.0]}, {}, "analysis.stiffness\\[0\\]: found 0"),
        ({"stiffness": "1e4:1e6:3", "connectors": ["bearing"]}, {},
         "found the unknown bearing 'bearing'; expected one of bearing0, bearing1"),
        ({"stiffness": [1e5]}, {"connectors": []}, "found in a model without bearings"),
        ({}, {"constraints": [{"kind": "distance", "between": ["#0", "#6"]}]}, "constraints"),
    ],
)  # fmt: skip
def test_what_is_refused_by_its_key(
    analysis: Tables, change: Tables, text: str, tmp_path: Path
) -> None:
    data = tables(on(TWO_DISCS, 1e6), 30.0) | change
    with pytest.raises(InputError, match=text):
        model_from_dict(data | {"analysis": {"kind": "critical_speeds"} | analysis},
                        folder=tmp_path)  # fmt: skip


@pytest.mark.usefixtures("size")
def test_constant_loads_have_none_in_axes_at_rest(tmp_path: Path) -> None:
    """Order 0: no speed makes a round rotor yield to its weight."""
    data = tables(on(TWO_DISCS, 1e6), 30.0)
    with pytest.warns(FlexforgeWarning, match="order 0 has 0 critical speeds of 4 asked for"):
        ff.load_model(data | {"analysis": {"kind": "critical_speeds", "orders": [0]}}).run(tmp_path)


def test_what_is_refused_when_it_shows(tmp_path: Path) -> None:
    """Nothing that turns; and a blade that its own speed bends ever more, or bends away."""
    still = tables(on(TWO_DISCS, 1e6), 30.0)
    for body in still["bodies"]:
        del body["spin"]
    with pytest.raises(InputError, match="no body frame rotates"):
        found(still, tmp_path)
    blade = tables(replace(TWO_DISCS, discs=[]), 30.0, turning="frame", supports=[{"group": "#0"}])
    for body in blade["bodies"]:
        body["frame"] = {"axis": [0.6, 0, 0.8], "velocity": 30.0}
    with pytest.raises(AnalysisError, match="not settle .* modes over speeds"):
        found(blade, tmp_path)


def test_what_is_found_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C within a map: critical speeds, sensitivities, and the stiffnesses that are done."""
    over = CriticalSpeeds.over

    def stopped(self: CriticalSpeeds, stiffness: Any) -> Any:
        yield from itertools.islice(over(self, stiffness), 2)
        raise KeyboardInterrupt

    monkeypatch.setattr(CriticalSpeeds, "over", stopped)
    data = tables(on(TWO_DISCS, 1e6), 30.0, supports=HELD)
    with pytest.raises(KeyboardInterrupt):
        found(data, tmp_path, count=3, stiffness="1e5:1e7:5")
    counted = [len((tmp_path / f"{name}.csv").read_text().splitlines()) - 1
               for name in ("undamped", "critical_map")]  # fmt: skip
    assert counted == [3, 6]
    assert json.loads((tmp_path / "summary.json").read_text())["status"] == "interrupted"
