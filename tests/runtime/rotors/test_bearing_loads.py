# SPDX-License-Identifier: BSD-3-Clause
"""Forces of bearings and orbits over the speed, beside beam theory and balances of momentum."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.runtime.results.turns import largest_in_a_turn
from rotor_equations import Array, Bearing
from shafts import TWO_DISCS, Tables, on, probes, response, run, tables, unbalance

COUPLED = on(TWO_DISCS, [[1e6, 1e5], [-2e5, 8e5]], [[1e3, 2e2], [0.0, 2e3]])
SPEEDS = np.array([30.0, 86.0, 120.0, 150.0, 170.0, 205.0, 230.0, 260.0, 280.0])
MASS, AMOUNT = 3.0, 2e-4


def loads(folder: Path) -> Array:
    """Return speed, and x, y, largest of every bearing, (S, 1 + 3 B)."""
    return np.loadtxt(folder / "bearing_loads.csv", delimiter=",", skiprows=1, ndmin=2)


def largest(force: Array) -> float:
    """Return the largest size of ``Re(F exp(i t))`` within a turn, by looking."""
    turn = np.exp(2j * np.pi * np.linspace(0, 1, 20001))
    return float(np.linalg.norm((force[:, None] * turn).real, axis=0).max())


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_forces_are_those_of_beam_theory_and_balance(sense: float, tmp_path: Path) -> None:
    """``(k + i w c) q`` at both ends; together they are the unbalance and ``w^2 m q`` of all parts.

    With the third bearing between the shaft and a pedestal, whose own bearing is on the ground.
    """
    rotor = replace(COUPLED, carriers=[20.0],
                    bearings=[*COUPLED.bearings,
                              Bearing(3, 3e5 * np.eye(2), 50 * np.eye(2), carrier=7),
                              Bearing(7, np.diag([9e5, 7e5]), 10 * np.eye(2))])  # fmt: skip
    data = tables(rotor, sense, loads=[unbalance(2, 1e-3, 0.4)], probes=probes(2),
                  analysis={"kind": "harmonic", "speeds": SPEEDS.tolist()})  # fmt: skip
    run(data, tmp_path)
    found = loads(tmp_path).reshape(len(SPEEDS), -1)
    assert found[:, 0].tolist() == SPEEDS.tolist()
    for row, w in zip(found[:, 1:].reshape(-1, 4, 3), SPEEDS, strict=True):
        force = w * w * rotor.unbalanced(2, 1e-3, 0.4)
        q = rotor.vibration(sense * w, force, sense * w)
        m = rotor.matrices(sense * w)[0]
        along = np.zeros((2, len(q)))
        for node in range(8):
            along[:, rotor.at(node)] = np.eye(2)
        total = along @ (force + w * w * m @ q)
        grounded = np.zeros(2, dtype=complex)
        for place, one in enumerate(rotor.bearings):
            u = q[rotor.at(one.node)]
            if one.carrier is not None:
                u = u - q[rotor.at(one.carrier)]
            of = (one.stiffness + 1j * sense * w * one.damping) @ u
            grounded += of if one.carrier is None else 0.0
            expected = [*np.abs(of), largest(of)]
            assert row[place] == pytest.approx(expected, rel=1e-7)
        assert np.abs(grounded - total).max() < 1e-9 * np.abs(force).max()  # of the oracle


def hub(law: Tables, sense: float = 1.0, **others: Any) -> Tables:
    """Return a mass that spins on one bearing, with an unbalance."""
    return {
        "mesh": {"points": {"hub": [0, 0, 0]}},
        "masses": [{"name": "hub", "group": "hub", "mass": MASS,
                    "spin": {"axis": [0, 0, 1], "velocity": sense}}],
        "connectors": [{"name": "film", "kind": "bearing", "at": "hub",
                        "orientation": [1, 0, 0]} | law],
        "supports": [{"group": "hub", "components": ["z"]}],
        "loads": [{"kind": "unbalance", "group": "hub", "unbalance": AMOUNT,
                   "orientation": [1, 0, 0]}],
        "probes": [{"name": f"hub {c}", "group": "hub", "component": c} for c in "xy"],
        "analysis": {"kind": "harmonic", "speeds": SPEEDS.tolist()},
        "output": {"formats": ["csv"]},
    } | others  # fmt: skip


LAG: Tables = {"numerator": [2e3, 1e5], "denominator": [1e-3, 1.0]}
ACROSS: Tables = {"numerator": [1e4, 4e5], "denominator": [1.0, 400.0]}
OVER_SPEED: Tables = {
    "speed": [0, 100, 300], "kxx": [1e5, 2e5, 5e5], "kyy": [2e5, 2e5, 3e5], "kxy": [0, 1e4, 3e4],
    "cxx": [100, 80, 60], "cyy": [50, 40, 30], "mxx": [1, 1, 1], "myy": [0.5, 0.5, 0.5],
}  # fmt: skip
ALIKE: Tables = {"speed": [0, 300], "kxx": [1e6, 2e6], "kxy": [1e5, 2e5], "kyx": [-1e5, -2e5],
                 "cxx": [2e3, 1e3]}  # fmt: skip
OVER_FREQUENCY: Tables = {
    "frequency": [0, 10, 60], "re_xx": [1e5, 2e5, 5e5], "re_yy": [2e5, 2e5, 3e5],
    "im_xx": [0, 1e4, 5e4], "im_yy": [0, 2e4, 3e4],
}  # fmt: skip


@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize(
    "law", [{"transfer": {"xx": LAG, "yy": LAG, "xy": ACROSS}}, {"table": OVER_SPEED},
            {"table": OVER_FREQUENCY}, {"stiffness": [2e5, 1e5], "mass": [2.0, 1.0]}],
    ids=["transfer", "speed", "frequency", "inertia"],
)  # fmt: skip
def test_forces_of_laws_balance_a_mass(
    law: Tables, small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mass knows the force on it: ``m e w^2 (1, -i) + m w^2 u``, whatever makes it."""
    if not small:
        monkeypatch.setattr(
            "flexforge.runtime.vibration.speed_terms.SpeedTerms.of", lambda *_: None
        )
    speeds, u = response(hub(law), tmp_path)
    for row, w, moved in zip(loads(tmp_path), speeds, u, strict=True):
        force = w * w * (AMOUNT * np.array([1.0, -1.0j]) + MASS * moved)
        assert row[1:] == pytest.approx([*np.abs(force), largest(force)], rel=1e-7)


def test_a_second_shaft_has_the_law_of_its_own_speed(tmp_path: Path) -> None:
    """A mass that spins 1.5 times as fast as the first: its table is read there (balance)."""
    data = hub({"stiffness": 1e5, "damping": 10.0})
    data["analysis"]["speeds"] = [30.0, 110.0, 190.0]
    data["mesh"]["points"]["fast"] = [0, 0, 1]
    data["masses"].append({"name": "fast", "group": "fast", "mass": 2.0,
                           "spin": {"axis": [0, 0, 1], "velocity": 1.5}})  # fmt: skip
    data["connectors"].append({"name": "seal", "kind": "bearing", "at": "fast",
                               "orientation": [1, 0, 0], "table": OVER_SPEED})  # fmt: skip
    data["supports"].append({"group": "fast", "components": ["z"]})
    data["loads"].append({"kind": "force", "group": "fast", "total": [3, 4, 0]})
    data["probes"] = [{"name": c, "group": "fast", "component": c} for c in "xy"]
    speeds, u = response(data, tmp_path)
    for row, w, moved in zip(loads(tmp_path), speeds, u, strict=True):
        force = np.array([3.0, 4.0]) + 2.0 * w * w * moved
        assert row[4:] == pytest.approx([*np.abs(force), largest(force)], rel=1e-7)


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize(
    "law", [{}, {"transfer": {"xx": LAG, "yy": LAG}}, {"table": ALIKE}],
    ids=["matrix", "transfer", "table"],
)  # fmt: skip
def test_axes_that_turn_have_the_same_forces(law: Tables, sense: float, tmp_path: Path) -> None:
    """A rotor in a frame, where its vibration is constant, and the same one in axes at rest."""
    if "table" in law and sense < 0:
        pytest.skip("tables are of one sense")
    rotor = on(TWO_DISCS, [[1e6, 2e5], [-2e5, 1e6]], 2e3)
    found = []
    for turning, order in (("spin", 1), ("frame", 0)):
        data = tables(rotor, sense, turning=turning, loads=[unbalance(2, 1e-3, 0.4)],
                      probes=probes(2), analysis={"kind": "harmonic", "order": order,
                                                  "speeds": SPEEDS.tolist()})  # fmt: skip
        for one in data["connectors"] if law else ():
            one.pop("stiffness"), one.pop("damping")
            one |= law
        run(data, tmp_path / turning)
        found.append(loads(tmp_path / turning))
    assert found[1] == pytest.approx(found[0], rel=1e-6)
    assert found[0][:, 1] == pytest.approx(found[0][:, 3], rel=1e-6)  # circles
    assert not (tmp_path / "frame" / "orbits.csv").exists()


ROUND = [[2e5, 3e4], [-3e4, 2e5]]
ROUND_LAWS: dict[str, Tables] = {
    "matrix": {"stiffness": ROUND, "damping": [[80.0, 20.0], [-20.0, 80.0]], "mass": 0.5},
    "transfer": {"transfer": {"xx": LAG, "xy": ACROSS, "yx": {
        "numerator": [-1e4, -4e5], "denominator": [1.0, 400.0]}}},
    "speed": {"table": ALIKE},
}  # fmt: skip


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", ROUND_LAWS)
def test_a_mass_in_axes_that_turn_knows_the_force_at_rest(
    name: str, order: int, sense: float, tmp_path: Path
) -> None:
    """Of order k it has k - 1 and k + 1 times the speed: what pushes less ``m z''``, within a turn.

    By hand from ``z = (x + i y) exp(i W t)``, whose derivatives are those of its Fourier series.
    """
    if name == "speed" and sense < 0:
        pytest.skip("tables are of one sense")
    data = hub(ROUND_LAWS[name])
    del data["masses"][0]["spin"]
    data["masses"][0]["frame"] = {"axis": [0, 0, 1], "velocity": sense}
    along_x, along_y = ({"kind": "force", "group": "hub", "total": one} for one in
                        ([30, 0, 0], [0, 20, 0]))  # fmt: skip
    data["loads"] = [along_x, along_y | {"phase": "50 deg"}]
    data["analysis"] |= {"order": order, "speeds": [40.0, 130.0, 260.0]}
    speeds, u = response(data, tmp_path)
    turn = 2 * np.pi * np.arange(20000) / 20000
    push = np.array([30.0, 20.0 * np.exp(1j * np.radians(50.0))])

    def at_rest(amplitudes: Array) -> Array:
        x, y = (one * np.exp(1j * order * turn) for one in amplitudes)
        return np.asarray((x.real + 1j * y.real) * np.exp(1j * sense * turn))

    for row, w, moved in zip(loads(tmp_path), speeds, u, strict=True):
        frequencies = np.fft.fftfreq(len(turn), 1.0 / len(turn)) * w
        accelerated = np.fft.ifft(-(frequencies**2) * np.fft.fft(at_rest(moved)))
        force = at_rest(push) - MASS * accelerated
        expected = [np.abs(force.real).max(), np.abs(force.imag).max(), np.abs(force).max()]
        assert row[1:] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_largest_of_two_frequencies_is_found(seed: int) -> None:
    """Within a turn: at least what a million places have, and at most 1e-10 more."""
    rng = np.random.default_rng(seed)
    forces = rng.standard_normal((1, 2, 2)) + 1j * rng.standard_normal((1, 2, 2))
    multiples = (seed, seed + 2)
    (found,) = largest_in_a_turn(multiples, forces)
    turn = np.exp(1j * np.outer(2 * np.pi * np.arange(1000000) / 1000000, multiples))
    value = (turn @ forces[0]).real
    expected = np.array([*np.abs(value).max(axis=0), np.linalg.norm(value, axis=1).max()])
    assert (found >= expected * (1 - 1e-15)).all() and (found <= expected * (1 + 1e-10)).all()


def test_forces_need_no_probes(tmp_path: Path) -> None:
    """A rotor without probes has forces of bearings, and a report of them."""
    data = tables(COUPLED, 1.0, loads=[unbalance(2, 1e-3)],
                  analysis={"kind": "harmonic", "speeds": SPEEDS.tolist()})  # fmt: skip
    run(data | {"output": {"formats": ["csv", "report"]}}, tmp_path)
    assert loads(tmp_path).shape == (len(SPEEDS), 7)
    assert not (tmp_path / "peaks.csv").exists()
    assert "force of bearing0" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_orbits_run_backward_between_critical_speeds(sense: float, tmp_path: Path) -> None:
    """``m e w^2 / (k - m w^2)`` along x, and a quarter turn behind along y, of two stiffnesses.

    Below both critical speeds, and above, the whirl is that of the shaft; between them one
    direction is in phase with the unbalance, the other against it (closed form, no damping).
    """
    ends = [100.0, 200.0, 300.0]  # critical speeds are 150 and 250 rad/s
    stiffness = MASS * np.array([150.0, 250.0]) ** 2
    for w in ends:
        data = hub({"stiffness": stiffness.tolist()}, sense)
        data["analysis"] |= {"speeds": [0.9 * w, w, 1.1 * w], "operating": [w, w]}
        run(data, tmp_path)
        rows = csv.DictReader((tmp_path / "orbits.csv").open())
        (row,) = (one for one in rows if one["at"] == "operating")
        x, y = AMOUNT * w * w / (stiffness - MASS * w * w)
        assert row["whirl"] == ("backward" if w == 200.0 else "forward")
        assert row["orbit"] == "hub" and row["across"] == ("xy" if sense > 0 else "yx")
        assert float(row["semi-major axis [m]"]) == pytest.approx(max(abs(x), abs(y)), rel=1e-9)
        size = float(row["semi-minor axis [m]"])
        assert size == pytest.approx(np.sign(x * y) * min(abs(x), abs(y)), rel=1e-9)
        along = 0.0 if (abs(x) > abs(y)) == (sense > 0) else 90.0
        assert abs(float(row["inclination [deg]"])) == pytest.approx(along, abs=1e-6)


def test_units_of_the_model(tmp_path: Path) -> None:
    """In mm, t, s forces are those in SI, peaks and orbits are in millimetres."""
    for name, units, k, mass in (("si", "m-kg-s", 1.0, 1.0), ("mm", "mm-t-s", 1e-3, 1e-3)):
        law = {"stiffness": [9e4 * k, 8e4 * k], "damping": [60.0 * k, 60.0 * k]}
        data = hub(law, units=units)
        data["masses"][0]["mass"] = MASS * mass
        data["loads"][0]["unbalance"] = AMOUNT
        data["analysis"] |= {"speeds": "100:250:61", "operating": [120.0, 130.0]}
        run(data, tmp_path / name)
    si, mm = (tmp_path / name for name in ("si", "mm"))
    assert loads(mm) == pytest.approx(loads(si), rel=1e-9)
    for name, key in (("peaks", "amplitude"), ("orbits", "semi-major axis [{}]")):
        pairs = zip(*(csv.DictReader((one / f"{name}.csv").open()) for one in (si, mm)),
                    strict=True)  # fmt: skip
        for one, other in pairs:
            assert float(other[key.format("mm")]) == pytest.approx(
                1e3 * float(one[key.format("m")]), rel=1e-9
            )
            assert {one.get("unit"), other.get("unit")} in ({"m", "mm"}, {None})
            assert float(one["speed [rpm]"]) == pytest.approx(float(other["speed [rpm]"]))
