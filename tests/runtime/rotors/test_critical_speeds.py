# SPDX-License-Identifier: BSD-3-Clause
"""Campbell diagrams of rotors that spin: critical speeds, whirl, frequencies at rest.

At a critical speed of order 1 a shape ``q exp(i W t)`` is free: ``k q = W^2 (m - i G) q``.
"""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.vibration import modes_over_speed
from flexforge.runtime.vibration.speed_terms import SpeedTerms
from rotor_equations import Array, Bearing, Rotor
from scipy.linalg import eigvals
from scipy.optimize import brentq
from shafts import TWO_DISCS, Tables, apart, on, probes, response, run, tables, unbalance

SPEEDS = [0.0, 100.0, 200.0, 300.0, 400.0]


def swept(rotor: Rotor, folder: Path, velocity: Any = 1.0, **others: Any) -> Tables:
    """Run modes over the speed of a rotor; return what the summary tells."""
    analysis = {"kind": "modes", "count": 7, "speeds": SPEEDS, "orders": [1]}
    run(tables(rotor, velocity, analysis=analysis, **others), folder)
    return dict(json.loads((folder / "summary.json").read_text())["campbell"])


def critical(rotor: Rotor) -> Array:
    """Return all critical speeds of order 1, rad/s, ascending."""
    m, g, k = rotor.matrices(0.0)[0], rotor.matrices(1.0)[1], rotor.matrices(0.0)[2]
    squares = eigvals(k, m - 1j * g)
    return np.sqrt(np.sort(squares.real[(squares.real > 0.0) & (abs(squares.imag) < 1e-6)]))


@pytest.mark.parametrize("stiffness", [1e6, [1e6, 8e5]])
@pytest.mark.parametrize("velocity", [1.0, -1.0])
def test_critical_speeds_are_those_of_one_eigenvalue_problem(
    stiffness: Any, velocity: float, tmp_path: Path
) -> None:
    """All below the last speed, to 1.4e-9 (1e-8 is promised); that of torsion stands beside."""
    rotor = on(TWO_DISCS, stiffness)
    swept(rotor, tmp_path, velocity)
    rows = list(csv.DictReader((tmp_path / "critical_speeds.csv").open()))
    found = np.array([float(row["speed [rad/s]"]) for row in rows])
    expected = critical(rotor)
    expected = expected[expected < SPEEDS[-1]]
    assert len(expected) == 4 and len(found) == 5
    nearest = found[np.abs(found[:, None] - expected).argmin(axis=0)]
    assert nearest == pytest.approx(expected, rel=1e-8)
    assert [float(row["frequency [Hz]"]) for row in rows] == pytest.approx(found / (2 * np.pi))


@pytest.mark.parametrize("velocity", [1.0, -1.0])
def test_whirl_is_that_of_an_observer_at_rest(velocity: float, tmp_path: Path) -> None:
    """Pairs split into backward and forward, with the rotation; frequencies at rest have its sign.

    The third mode is torsion, which has no sense. At rest both of a pair are equal.
    """
    rotor = on(TWO_DISCS, 1e6)
    modes = sorted(swept(rotor, tmp_path, velocity)["modes"], key=lambda m: m["frequency_Hz"][-1])
    senses = ["backward", "forward", "standing", "backward", "forward"]
    assert [one["whirl"] for one in modes[:5]] == [["standing"] + 4 * [one] for one in senses]
    assert [round(one["waves"][-1], 9) for one in modes[:2]] == [-1.0, 1.0]
    lateral = np.array([rotor.roots(w)[:4].imag for w in SPEEDS]).T / (2 * np.pi)
    signs = np.array([[1.0] + 4 * [sign] for sign in (-1.0, 1.0, -1.0, 1.0)])
    found = [modes[i]["inertial_frequency_Hz"] for i in (0, 1, 3, 4)]
    assert np.allclose(found, signs * lateral, rtol=1e-10, atol=0.0)
    assert modes[2]["inertial_frequency_Hz"] == modes[2]["frequency_Hz"]


def test_unequal_bearings_make_ellipses(tmp_path: Path) -> None:
    """Slow speeds hardly couple the planes: a motion to and fro, whose frequency has no sign."""
    modes = swept(on(TWO_DISCS, [1e6, 8e5]), tmp_path)["modes"]
    assert modes[0]["whirl"] == ["standing"] * 3 + ["backward"] * 2
    signs = np.sign(modes[0]["inertial_frequency_Hz"])
    assert signs.tolist() == [1.0, 1.0, 1.0, -1.0, -1.0]


def test_damping_of_the_shaft_begins_to_drive_at_a_speed(tmp_path: Path) -> None:
    """The diagram finds the speed from which on whirl grows: that of beam theory."""
    rotor = replace(on(TWO_DISCS, 1e6, 20.0), beta=1e-4)
    found = swept(rotor, tmp_path)["instabilities"]
    onset = brentq(lambda w: rotor.roots(w).real.max(), 50.0, 400.0, xtol=1e-10)
    assert {one["kind"] for one in found} == {"flutter"}
    assert min(one["onset_rad_s"] for one in found) == pytest.approx(onset, rel=1e-7)


def test_bearings_have_the_coefficients_of_every_speed(tmp_path: Path) -> None:
    """A table over the speed: roots at each speed are those with its coefficients there."""
    table = {"speed": SPEEDS, "kxx": [1e6, 9e5, 7e5, 6e5, 6e5], "kxy": [0, 1e5, 2e5, 3e5, 4e5],
             "kyx": [0, -2e5, -3e5, -5e5, -6e5], "cxx": [1e3, 9e2, 8e2, 7e2, 6e2]}  # fmt: skip
    data = on(TWO_DISCS, 1e6)
    connectors = [
        {"name": f"b{node}", "kind": "bearing", "at": f"#{node}", "orientation": [1, 0, 0],
         "table": table} for node in (0, 6)
    ]  # fmt: skip
    diagram = swept(data, tmp_path, connectors=connectors)
    for place, speed in enumerate(SPEEDS):
        kxx, kxy, kyx, cxx = (table[key][place] for key in ("kxx", "kxy", "kyx", "cxx"))
        rotor = on(TWO_DISCS, [[kxx, kxy], [kyx, kxx]], cxx)
        number = diagram["speeds_rad_s"].index(speed)  # there are others between
        found = [one["growth_1_s"][number] + 2j * np.pi * one["frequency_Hz"][number]
                 for one in diagram["modes"]
                 if one["frequency_Hz"][number] is not None]  # fmt: skip
        assert apart(rotor.roots(speed)[:4], np.array(found)) < 2e-11


@pytest.mark.parametrize("small", [True, False])
def test_bearings_on_supports_of_their_own(
    small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables between the shaft and masses; small systems, and how those of many unknowns go."""
    if not small:
        monkeypatch.setattr(SpeedTerms, "of", classmethod(lambda cls, *_: None))
    table = {"speed": SPEEDS, "kxx": [1e7, 9e6, 7e6, 6e6, 6e6], "kxy": [0, 1e6, 2e6, 3e6, 4e6],
             "kyx": [0, -2e6, -3e6, -5e6, -6e6], "cxx": [1e4, 9e3, 8e3, 7e3, 6e3],
             "mxx": [3, 4, 5, 6, 7]}  # fmt: skip

    def rotor(row: int) -> Rotor:
        kxx, kxy, kyx, cxx, mxx = (table[key][row] for key in list(table)[1:])
        law = np.array([[kxx, kxy], [kyx, kxx]]), cxx * np.eye(2), mxx * np.eye(2)
        below = np.diag([5e6, 3e6]), 1e3 * np.eye(2)
        return replace(
            TWO_DISCS, alpha=0.5, beta=1e-5, carriers=[8.0, 12.0],
            bearings=[Bearing(0, *law, carrier=7), Bearing(6, *law, carrier=8),
                      Bearing(7, *below), Bearing(8, *below)],
        )  # fmt: skip

    data = tables(rotor(0), 1.0)
    for connector in data["connectors"][:2]:
        for key in ("stiffness", "damping", "mass"):
            connector.pop(key, None)
        connector["table"] = table
    given = {"connectors": data["connectors"]}
    diagram = swept(rotor(0), tmp_path, **given)
    for row, speed in enumerate(SPEEDS):
        number = diagram["speeds_rad_s"].index(speed)
        found = [one["growth_1_s"][number] + 2j * np.pi * one["frequency_Hz"][number]
                 for one in diagram["modes"]
                 if one["frequency_Hz"][number] is not None]  # fmt: skip
        assert apart(rotor(row).roots(speed)[:4], np.array(found)) < 2e-11
    analysis = {"kind": "harmonic", "speeds": SPEEDS[1:], "order": 1}
    below = [one | {"name": f"below {one['component']}", "group": "mass7"} for one in probes(0)]
    data = tables(
        rotor(0), 1.0, loads=[unbalance(4, 1e-3)], probes=[*probes(0, 4), *below], **given
    )
    _, answers = response(data | {"analysis": analysis}, tmp_path)
    for row, (speed, answer) in enumerate(zip(SPEEDS[1:], answers, strict=True), start=1):
        one = rotor(row)
        q = one.vibration(speed, speed**2 * one.unbalanced(4, 1e-3))
        assert np.allclose(answer, q[np.r_[one.at(0), one.at(4), one.at(7)]], rtol=2e-11, atol=0.0)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"spin": {"velocity": {"ramp": {"to": 1.0, "duration": 1.0}}}},
         "speeds: the frame of body 'shaft0' rotates at a varying speed; expected a steady rot"),
        ({"spin": None}, "speeds: no body frame rotates; expected a steady rotation"),
        ({"spin": None, "frame": {"velocity": 1.0}},
         "speeds: found the frame of body 'shaft0' that turns beside the spin of body 'rotor', of "
         "which frequencies are seen from elsewhere; expected one of them"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["modes", "harmonic"])
def test_all_that_turns_takes_the_speeds(
    change: Tables, text: str, kind: str, tmp_path: Path
) -> None:
    data = tables(on(TWO_DISCS, 1e6), 1.0, analysis={"kind": kind, "speeds": [1.0, 2.0]})
    if change != {"spin": None}:
        data["mesh"]["points"] = {"hub": [1, 0, 0]}
        data["masses"].append({"name": "rotor", "group": "hub", "mass": 1.0, "inertia": [1, 1, 2],
                               "spin": {"velocity": 1.0, "point": [1, 0, 0]}})  # fmt: skip
    for body in data["bodies"]:
        body |= change
        if body["spin"] is None:
            del body["spin"]
    with pytest.raises(InputError, match=text):
        run(data, tmp_path)


def test_frames_that_turn_have_one_space_for_many_speeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of large models; here as for each speed by itself.

    A seal acts on velocities that an observer at rest sees, its added mass on accelerations.
    """
    table = {"speed": [0.0, 600.0], "kxx": [1e6, 2e6], "kxy": [1e5, 4e5], "kyx": [-1e5, -4e5],
             "cxx": [1e3, 3e3], "cxy": [10.0, 300.0], "cyx": [-10.0, -300.0],
             "mxx": [9.0, 7.0]}  # fmt: skip
    seals = [{"name": f"b{n}", "kind": "bearing", "at": f"#{n}", "table": table}
             for n in (0, 6)]  # fmt: skip
    speeds = np.linspace(10.0, 590.0, 12).tolist()
    analysis = {"kind": "modes", "speeds": speeds, "count": 4}
    data = tables(TWO_DISCS, 100.0, turning="frame", connectors=seals, analysis=analysis)
    one_by_one = run(data, tmp_path / "alone")
    monkeypatch.setattr(modes_over_speed, "DENSE", 0)
    in_a_space = run(data, tmp_path / "space")
    solvers = [run_.figures["solver"] for run_ in (one_by_one, in_a_space)]
    assert solvers[0] != solvers[1], "LAPACK, and factors for a space"
    for key in ("signed_frequency_Hz", "growth_1_s", "waves"):
        one, other = (
            np.array([mode[key] for mode in each.campbell["modes"]], dtype=float)
            for each in (in_a_space, one_by_one)
        )
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
