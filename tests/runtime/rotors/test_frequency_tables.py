# SPDX-License-Identifier: BSD-3-Clause
"""Bearings whose coefficients are tables over the frequency of vibrations, and over the speed too.

Responses are those of dynamic stiffnesses by hand at each frequency; modes are roots of nonlinear
characteristic equations with coefficients at their own frequency, found by SciPy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.statics.stress_state import stress_at
from flexforge.runtime.system.bearing_laws import bearing_law
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.vibration import consistent_modes, quadratic
from flexforge.runtime.vibration.consistent_modes import solve_own_modes
from flexforge.runtime.vibration.modes import Modes
from flexforge.runtime.vibration.speed_terms import SpeedTerms
from marks import slow
from models import build
from rotor_equations import Array, Bearing
from scipy.interpolate import PchipInterpolator
from scipy.optimize import root
from shafts import TWO_DISCS, Tables, probes, response, run, tables, unbalance
from test_transfer_functions import FULL, MASS, PD, matrix

PLACES = ("xx", "xy", "yx", "yy")
HERTZ = 2 * np.pi
#: Cross-coupled stiffness and damping that both depend on the frequency.
TABLE: Tables = {
    "frequency": [0.0, 30.0, 80.0, 160.0, 400.0],
    "kxx": [4e5, 5e5, 8e5, 1.2e6, 1.5e6], "kxy": [0.0, 4e4, 6e4, 6e4, 2e4],
    "kyx": [0.0, -5e4, -9e4, -6e4, -2e4], "kyy": [6e5, 6e5, 5e5, 9e5, 2e6],
    "cxx": [900.0, 600.0, 300.0, 150.0, 60.0], "cyx": [0.0, 10.0, 20.0, 30.0, 30.0],
    "mxx": [1.0, 1.0, 0.5, 0.2, 0.1],
}  # fmt: skip
#: Speeds and frequencies, in no order of rows.
GRID: Tables = {
    "speed": [0.0, 100.0, 300.0, 300.0, 0.0, 100.0, 0.0, 100.0, 300.0],
    "frequency": [0.0, 0.0, 0.0, 60.0, 60.0, 60.0, 200.0, 200.0, 200.0],
    "kxx": [4e5, 6e5, 9e5, 1.4e6, 5e5, 8e5, 8e5, 1.1e6, 2e6],
    "kxy": [0.0, 1e5, 2e5, 1.5e5, 0.0, 8e4, 0.0, 5e4, 1e5],
    "kyx": [0.0, -1e5, -2e5, -1.5e5, 0.0, -8e4, 0.0, -5e4, -1e5],
    "cxx": [1e3, 800.0, 600.0, 300.0, 700.0, 500.0, 300.0, 200.0, 100.0],
}  # fmt: skip
#: Returns K, C and M, (3, 2, 2), at a speed and a frequency, rad/s.
Law = Callable[[float, float], Array]


def law_of(table: Tables) -> Law:
    """Return monotone cubics over the frequency at every speed, and over speeds through these."""
    speeds = sorted(set(table.get("speed", [0.0])))
    frequencies = sorted(set(table["frequency"]))
    values = np.zeros((len(speeds), len(frequencies), 3, 2, 2))
    for row, frequency in enumerate(table["frequency"]):
        place = speeds.index(table.get("speed", [0.0] * (row + 1))[row])
        for k, what in enumerate("kcm"):
            for i, name in enumerate(PLACES):
                column = table.get(what + name, table.get(f"{what}xx") if name == "yy" else None)
                if column is not None:
                    values[place, frequencies.index(frequency), k].flat[i] = column[row]
    over = PchipInterpolator(HERTZ * np.array(frequencies), values, axis=1)

    def at(speed: float, w: float) -> Array:
        here = over(np.clip(w, HERTZ * frequencies[0], HERTZ * frequencies[-1]))
        if len(speeds) == 1:
            return np.asarray(here[0])
        return np.asarray(PchipInterpolator(speeds, here)(np.clip(speed, speeds[0], speeds[-1])))

    return at


def stiffness(law: Array, s: complex) -> Array:
    """Return ``K + s C + s^2 M``."""
    return np.asarray(law[0] + s * law[1] + s * s * law[2])


def measured(law: Tables, frequencies: list[float]) -> Tables:
    """Return real and imaginary parts of transfer functions at frequencies, Hz."""
    each = np.array([matrix(law, 1j * HERTZ * one) for one in frequencies]).reshape(-1, 4).T
    found: Tables = {"frequency": frequencies}
    for name, column in zip(PLACES, each, strict=True):
        found |= {f"re_{name}": column.real.tolist(), f"im_{name}": column.imag.tolist()}
    return found


def hub(table: Any, **others: Any) -> Tables:
    """Return a mass that spins at 100 rad/s on one bearing with a table."""
    return {
        "mesh": {"points": {"hub": [0, 0, 0]}},
        "masses": [{"name": "hub", "group": "hub", "mass": MASS, "spin": {"velocity": 100.0}}],
        "connectors": [{"name": "seal", "kind": "bearing", "at": "hub", "table": table,
                        "orientation": [1, 0, 0]}],
        "supports": [{"group": "hub", "components": ["z"]}],
        "probes": [{"name": c, "group": "hub", "component": c} for c in "xy"],
        "analysis": {"kind": "modes"},
        "output": {"formats": ["csv"]},
    } | others  # fmt: skip


def modes(data: Tables, count: int) -> Modes:
    """Return the modes of a model at its own speed."""
    places = build(model_from_dict(data | {"analysis": {"kind": "modes"}}, folder=Path()))
    spec = model_from_dict(data | {"analysis": {"kind": "modes"}}, folder=Path())
    stressed = stress_at(places.system, Loads(spec, places), "modes", "auto", 0.0)
    return solve_own_modes(stressed.system, count, None, 0.0, "auto")


def vibration(data: Tables, folder: Path) -> tuple[Array, Array]:
    """Return frequencies, rad/s, and complex amplitudes of the probes of a harmonic analysis."""
    run(data, folder)
    rows = np.loadtxt(folder / "response.csv", delimiter=",", skiprows=1, ndmin=2)
    return HERTZ * rows[:, 0], rows[:, 1::2] * np.exp(1j * np.radians(rows[:, 2::2]))


@pytest.mark.parametrize("inline", [True, False])
@pytest.mark.parametrize("table", [TABLE, GRID])
def test_coefficients_between_speeds_and_frequencies(
    table: Tables, inline: bool, tmp_path: Path
) -> None:
    """Monotone along both, the ends beyond; rows of a grid in any order; of a file or the model."""
    given: Any = table
    if not inline:
        rows = [list(table), *zip(*table.values(), strict=True)]
        given = "law.csv"
        (tmp_path / given).write_text("\n".join(",".join(map(str, row)) for row in rows))
    spec = model_from_dict(hub(given), folder=tmp_path).connectors[0]
    found, expected = bearing_law(spec, ""), law_of(table)  # type: ignore[arg-type]
    for speed in (0.0, 60.0, 100.0, 250.0, 900.0):
        assert np.allclose(found.at(speed), expected(speed, 0.0), rtol=1e-13)
        for frequency in (0.0, 20.0, 60.0, 75.0, 199.0, 1e3):
            w = HERTZ * frequency
            assert np.allclose(found.at_frequency(w).at(speed), expected(speed, w), rtol=1e-13)


def test_parts_of_a_measured_stiffness_are_stiffness_and_damping(tmp_path: Path) -> None:
    """``K = Re Z``, ``C = Im Z / w``; at rest the slope of the imaginary part."""
    table = {"frequency": [0.0, 10.0, 20.0], "re_xx": [1e6, 2e6, 2e6], "im_xx": [0.0, 3e3, 6e3],
             "re_xy": [0.0, 1e5, 1e5]}  # fmt: skip
    spec = model_from_dict(hub(table), folder=tmp_path).connectors[0]
    law = bearing_law(spec, "")  # type: ignore[arg-type]
    for frequency in (0.0, 10.0, 15.0, 20.0, 90.0):
        found = law.at_frequency(HERTZ * frequency).at(7.0)
        assert np.allclose(found[1], 3e3 / (HERTZ * 10.0) * np.eye(2), rtol=1e-12)
    assert law.at_frequency(HERTZ * 10.0).at(0.0)[0].tolist() == [[2e6, 1e5], [0.0, 2e6]]


@pytest.mark.parametrize("law", [PD, FULL])
def test_a_table_of_a_transfer_function_has_its_response(law: Tables, tmp_path: Path) -> None:
    """At frequencies of the table to round-off, between them to the error of cubics."""
    rows = np.linspace(0.0, 300.0, 301)
    force = {"kind": "force", "group": "hub", "total": [1e3, 5e2, 0], "phase": "30 deg"}
    frequencies = [1.0, 40.0, 95.0, 222.0, 60.5, 133.25]
    analysis = {"kind": "harmonic", "frequencies": sorted(frequencies)}
    _, found = vibration(
        hub(measured(law, rows.tolist()), loads=[force], analysis=analysis), tmp_path
    )
    data = hub({}, loads=[force], analysis=analysis)
    data["connectors"][0] |= {"transfer": law}
    del data["connectors"][0]["table"]
    w, expected = vibration(data, tmp_path)
    exact = [x in rows for x in (w / HERTZ).round(9)]
    size = np.abs(expected).max(axis=1, keepdims=True)
    left = (np.abs(found - expected) / size).max(axis=1)
    assert sum(exact) == 4 and left[exact].max() < 1e-11 and left.max() < 1e-5


def test_a_mass_vibrates_with_the_coefficients_of_each_frequency(tmp_path: Path) -> None:
    """``(K(w) + i w C(w) - w^2 (m + M(w))) u = f``, also on a grid at the speed of the shaft."""
    force = {"kind": "force", "group": "hub", "total": [1e3, 5e2, 0]}
    frequencies = [0.0, 12.0, 30.0, 77.0, 160.0, 350.0]
    for table in (TABLE, GRID):
        analysis = {"kind": "harmonic", "frequencies": frequencies}
        w, found = vibration(hub(table, loads=[force], analysis=analysis), tmp_path)
        for one, row in zip(w, found, strict=True):
            z = stiffness(law_of(table)(100.0, one), 1j * one) - MASS * one**2 * np.eye(2)
            assert np.allclose(row, np.linalg.solve(z, [1e3, 5e2]), rtol=1e-10, atol=0.0)


def test_a_support_that_moves_shakes_through_a_bearing(tmp_path: Path) -> None:
    """``(Z - w^2 m) u = Z g`` of a mass on a moving base; the reaction is ``Z (g - u)``."""
    data = hub(TABLE, analysis={"kind": "harmonic", "frequencies": [12.0, 77.0, 130.0]})
    data["mesh"]["points"]["base"] = [0, 0, 0]
    data["masses"].append({"name": "base", "group": "base", "mass": 5.0})
    del data["connectors"][0]["at"]
    data["connectors"][0]["between"] = ["hub", "base"]
    data["supports"] += [
        {"group": "base", "components": ["x"], "displacement": {"x": 2e-3}},
        {"group": "base", "components": ["y", "z"]},
    ]
    reaction: Tables = {"body": "base", "quantity": "reaction_force"}
    data["probes"] += [{"name": f"r{c}", "component": c} | reaction for c in "xy"]
    w, found = vibration(data, tmp_path)
    base = np.array([2e-3, 0.0])
    for one, row in zip(w, found, strict=True):
        z = stiffness(law_of(TABLE)(100.0, one), 1j * one)
        u = np.linalg.solve(z - MASS * one**2 * np.eye(2), z @ base)
        assert np.allclose(row[:2], u, rtol=1e-10, atol=0.0)
        pushed = z @ (base - u) - 5.0 * one**2 * base
        assert np.allclose(row[2:], pushed, rtol=1e-9, atol=1e-12 * np.abs(pushed).max())


def consistent(law: Law, speed: float, near: Array) -> Array:
    """Return roots of ``det(m s^2 1 + K + s C + s^2 M) = 0``, K, C, M at Im s, by SciPy."""

    def left(parts: Array) -> list[float]:
        s = complex(*parts)
        z = stiffness(law(speed, abs(s.imag)), s) + MASS * s * s * np.eye(2)
        value = np.linalg.det(z / (MASS * abs(s) ** 2))
        return [value.real, value.imag]

    found = [root(left, [one.real, one.imag], tol=1e-13) for one in near]
    return np.array([complex(*one.x) for one in found])


@pytest.mark.parametrize("table", [TABLE, GRID])
def test_modes_have_the_coefficients_of_their_own_frequency(table: Tables) -> None:
    """Jeffcott's rotor: roots of the nonlinear equation, which others start from a scan."""
    found = modes(hub(table), 4)
    law = law_of(table)
    starts = []
    for frequency in np.linspace(5.0, 300.0, 60):  # roots with coefficients of each frequency
        k, c, m = law(100.0, HERTZ * frequency)
        rates = np.eye(4, k=2)
        rates[2:] = -np.linalg.solve(m + MASS * np.eye(2), np.hstack([k, c]))
        values = np.linalg.eigvals(rates)
        starts += [s for s in values if abs(s.imag - HERTZ * frequency) < 0.2 * s.imag]
    every = consistent(law, 100.0, np.array(starts))
    every = every[every.imag > 0.0]
    distinct = [s for i, s in enumerate(every) if np.abs(every[:i] - s).min(initial=9e9) > 1e-6]
    assert len(found.values) == len(distinct) == 2
    one, other = (
        sorted(x, key=lambda s: (round(s.imag, 6), s.real)) for x in (found.values, distinct)
    )
    assert np.allclose(one, other, rtol=1e-10, atol=0.0)
    assert found.residual < 1e-13
    # With coefficients at rest they are others.
    k, c, m = law(100.0, 0.0)
    still = np.eye(4, k=2)
    still[2:] = -np.linalg.solve(m + MASS * np.eye(2), np.hstack([k, c]))
    assert np.abs(np.linalg.eigvals(still)[:, None] - found.values).min() > 10.0


def test_a_foundation_has_its_own_resonance() -> None:
    """A mass behind springs, measured from the rotor's side: twice as many modes as coordinates.

    ``Z = k + i w c - (k + i w c)^2 / (k + i w c + k_0 + i w c_0 - w^2 m_0)``, beside the roots of
    both masses; damping is light, so that its continuation into the plane is that of Z.
    """
    k, c, k0, c0, m0 = 8e5, 0.8, 1.5e6, 1.5, 6.0
    rows = np.linspace(0.0, 160.0, 201)
    w = HERTZ * rows
    own = k + 1j * w * c
    z = own - own**2 / (own + k0 + 1j * w * c0 - w * w * m0)
    table = {"frequency": rows.tolist(), "re_xx": z.real.tolist(), "im_xx": z.imag.tolist()}
    found = modes(hub(table), 4).values
    rates = np.eye(4, k=2)
    masses, springs = np.diag([MASS, m0]), np.array([[k, -k], [-k, k + k0]])
    dampers = np.array([[c, -c], [-c, c + c0]])
    rates[2:] = -np.linalg.solve(masses, np.hstack([springs, dampers]))
    both = np.linalg.eigvals(rates)
    expected = np.sort(both[both.imag > 0.0].imag).repeat(2)
    assert len(found) == 4
    assert np.allclose(np.sort(found.imag), expected, rtol=2e-6, atol=0.0)


#: A shaft on two bearings over frequency, and speed, and a third one between it and a stator.
BARE = replace(TWO_DISCS, bearings=[], carriers=[40.0])
SCALE = 3.0
LARGE = {key: [x * (SCALE if key[0] in "kcm" else 1.0) for x in one] for key, one in TABLE.items()}
LAWS = {0: GRID, 1: LARGE, 2: TABLE}
ENDS = {0: Bearing(0), 1: Bearing(6), 2: Bearing(3, carrier=7), 3: Bearing(7)}
STATOR = np.array([4e6, 2e3])


def machine(velocity: float, **others: Any) -> Tables:
    """Return a shaft with discs on two bearings, and a seal to a stator on springs."""
    data = tables(replace(BARE, bearings=[ENDS[2]]), velocity, **others)
    common: Tables = {"kind": "bearing", "orientation": [1, 0, 0]}
    places = [{"at": "#0"}, {"at": "#6"}, {"between": ["#3", "mass7"]}]
    data["connectors"] = [
        {"name": f"b{n}", "table": LAWS[n]} | places[n] | common for n in LAWS
    ] + [{"name": "stator", "at": "mass7", "stiffness": 4e6, "damping": 2e3} | common]
    return data


def dynamic(speed: float, s: complex) -> Array:
    """Return ``K + s C + s^2 M`` by beam theory, of bearings with coefficients at Im s."""
    m, c, k = BARE.matrices(speed)
    z = k + s * c + s * s * m
    for number, one in ENDS.items():
        own = (STATOR[0] + s * STATOR[1]) * np.eye(2)
        if number in LAWS:
            own = stiffness(law_of(LAWS[number])(speed, abs(s.imag)), s)
        across = np.zeros((2, len(m)))
        across[:, BARE.at(one.node)] = np.eye(2)
        if one.carrier is not None:
            across[:, BARE.at(one.carrier)] = -np.eye(2)
        z = z + across.T @ own @ across
    return z


@pytest.mark.parametrize("way", ["small", "large", "space"])
def test_unbalance_over_the_speed(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Coefficients are those of both, the speed and the frequency: small, large and many speeds."""
    if way != "small":
        monkeypatch.setattr(SpeedTerms, "of", classmethod(lambda cls, *_: None))
    speeds = [20.0, 150.0, 300.0, 500.0]
    if way == "space":
        speeds = np.linspace(20.0, 500.0, 9).tolist()
    data = machine(
        1.0, loads=[unbalance(2, 1e-3, 0.4)], probes=probes(0, 4),
        analysis={"kind": "harmonic", "speeds": speeds},
    )  # fmt: skip
    data["probes"] += [{"name": f"s{c}", "group": "mass7", "component": c} for c in "xy"]
    _, found = response(data, tmp_path)
    places = np.r_[*(BARE.at(node) for node in (0, 4, 7))]
    for w, row in zip(speeds, found, strict=True):
        force = w * w * BARE.unbalanced(2, 1e-3, 0.4)
        expected = np.linalg.solve(dynamic(w, 1j * w), force)[places]
        assert np.allclose(row, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


def left(found: Array, speed: float) -> float:
    """Return how far Newton's method in both parts of s moves roots by beam theory, relative."""
    moved = []
    for s in found:
        h = 1e-6 * abs(s)
        logs = [
            np.linalg.slogdet(dynamic(speed, s + d))[0:2] for d in (0.0, h, -h, 1j * h, -1j * h)
        ]
        size = logs[1][1]
        f = [sign * np.exp(value - size) for sign, value in logs]
        slopes = np.array([(f[1] - f[2]) / (2 * h), (f[3] - f[4]) / (2 * h)])
        step = np.linalg.solve([slopes.real, slopes.imag], [f[0].real, f[0].imag])
        moved.append(np.linalg.norm(step) / abs(s))
    return max(moved)


def above(speed: float, frequency: float) -> int:
    """Return how many roots with the coefficients of a frequency vibrate faster than it, rad/s.

    As the frequency rises, each root that it passes is one less: the roots of the nonlinear
    equation between two frequencies are the difference, but for some that it would pass back.
    """
    m, c, k = BARE.matrices(speed)
    for number, one in ENDS.items():
        law = np.array([STATOR[0] * np.eye(2), STATOR[1] * np.eye(2), np.zeros((2, 2))])
        if number in LAWS:
            law = law_of(LAWS[number])(speed, frequency)
        across = np.zeros((2, len(m)))
        across[:, BARE.at(one.node)] = np.eye(2)
        if one.carrier is not None:
            across[:, BARE.at(one.carrier)] = -np.eye(2)
        k, c, m = (a + across.T @ b @ across for a, b in zip((k, c, m), law, strict=True))
    rates = np.eye(2 * len(m), k=len(m))
    rates[len(m) :] = -np.linalg.solve(m, np.hstack([k, c]))
    found = np.linalg.eigvals(rates)
    return int((found.imag > frequency + 1e-6 * np.abs(found)).sum())


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("speed", [slow(0.0), 200.0])
def test_modes_of_a_shaft(speed: float, complete: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Roots of the nonlinear equation by beam theory, at rest and at speed; small and large."""
    if not complete:
        monkeypatch.setattr(quadratic, "DENSE", 20)
        monkeypatch.setattr(consistent_modes, "DENSE", 20)
    found = modes(machine(speed), 8)
    lateral = found.values[found.values.real != 0.0]  # without torsion, which nothing damps
    assert len(found.values) == 8
    assert left(lateral, speed) < 1e-8 and found.residual < 1e-9
    edge = float(lateral.imag.max()) + 1.0
    assert len(lateral) == above(speed, 0.0) - above(speed, edge)


def test_tables_beside_a_transfer_function() -> None:
    """Two roots close to each other, which one and the same step leads to: each is found once."""
    data = machine(200.0)
    del data["connectors"][0]["table"]
    data["connectors"][0]["transfer"] = FULL
    found = modes(data, 8).values
    lateral = found[found.real != 0.0]
    apart = np.abs(lateral[:, None] - lateral) + 9e9 * np.eye(len(lateral))
    assert len(lateral) == 7 and apart.min() > 1.0
    place = np.ix_(BARE.at(0), BARE.at(0))
    for s in lateral:
        z = dynamic(200.0, s)
        z[place] += matrix(FULL, s) - stiffness(law_of(GRID)(200.0, abs(s.imag)), s)
        sizes = np.linalg.svd(z, compute_uv=False)
        assert sizes[-1] < 1e-9 * sizes[-2]


def test_a_diagram_over_the_speed(tmp_path: Path) -> None:
    """At every speed roots of the nonlinear equation; the residual is told."""
    analysis = {"kind": "modes", "speeds": [0.0, 150.0, 300.0], "count": 4, "orders": [0]}
    outcome = run(machine(1.0, analysis=analysis), tmp_path)
    assert outcome.campbell is not None
    assert outcome.figures["largest residual of the modes"] < 1e-9
    for place, speed in enumerate(outcome.campbell["speeds_rad_s"]):
        each = [
            mode["growth_1_s"][place] + 2j * np.pi * mode["frequency_Hz"][place]
            for mode in outcome.campbell["modes"]
            if mode["frequency_Hz"][place] is not None and mode["growth_1_s"][place]
        ]
        assert len(each) >= 3 and left(np.array(each), speed) < 1e-7


def test_frequencies_beyond_a_table_are_told(tmp_path: Path) -> None:
    """Of responses and of modes, with how many of them."""
    short = {key: one[:3] for key, one in TABLE.items()}
    force = {"kind": "force", "group": "hub", "total": [1e3, 5e2, 0]}
    analysis = {"kind": "harmonic", "frequencies": [10.0, 80.0, 90.0]}
    told = run(hub(short, loads=[force], analysis=analysis), tmp_path).warnings
    text = "connector 'seal': its table is for 0 to 80 Hz; at 1 of 3 frequencies it holds the"
    assert [one for one in told if one.startswith(text)]
    light = hub(
        {key: one[:2] for key, one in TABLE.items()}, analysis={"kind": "modes", "count": 2}
    )
    told = run(light, tmp_path).warnings
    assert [one for one in told if one.startswith("connector 'seal': its table is for 0 to 30 Hz")]
    assert not run(hub(TABLE, analysis={"kind": "modes", "count": 2}), tmp_path).warnings


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"kxx": [1.0]}, ".table.speed: missing; expected a list of speeds, or of frequencies"),
        ({"frequency": [0, 1]}, ".table: found frequency alone; expected kxx and others wit"),
        ({"frequency": [1, 0], "kxx": [1, 2]}, ".table.frequency: found frequencies that do not a"),
        ({"speed": [0, 1], "frequency": [0], "kxx": [1, 2]}, ".table.frequency: found 1 numbers;"),
        ({"speed": [0, 0, 1], "frequency": [0, 1, 0], "kxx": [1, 2, 3]}, ".table: found no row of "
         "speed 1 and frequency 1; expected one for every speed with every frequency"),
        ({"speed": [0, 0, 0], "frequency": [0, 1, 1], "kxx": [1, 2, 3]}, ".table: found 2 rows of "
         "speed 0 and frequency 1; expected one for every speed with every frequency"),
        ({"frequency": [0, 1], "re_xx": [1, 2], "kxy": [1, 2]}, ".table: found the columns kxy and "
         "re_xx; expected coefficients, or real and imaginary parts"),
        ({"speed": [0, 1], "re_xx": [1, 2]}, ".table: found re_xx without frequency; expected a c"),
        ({"frequency": [0, 1], "re_xx": [1, 2], "im_xx": [3, 4]}, ".table: found an imaginary part "
         "of 3 at frequency 0; expected 0"),
        ({"frequency": [0, 1], "mxx": [1, -2]}, ".table: columns mxx, mxy, myx, myy: found an ine"),
    ],
)  # fmt: skip
def test_faults_of_tables(table: Tables, told: str, tmp_path: Path) -> None:
    """Each names the key, what was found and is expected; holes of a grid by their place."""
    with pytest.raises(InputError) as caught:
        run(hub(table), tmp_path)
    assert str(caught.value).startswith(f"connectors[0]{told}")


@pytest.mark.parametrize(
    ("analysis", "told"),
    [
        ({"kind": "transient", "step": 1e-3, "duration": 0.1}, "a transient analysis, whose moti"
         "ons have no single one; expected a transfer function that fits the table (transfer)"),
        ({"kind": "modes", "damped": False}, "damped = false: delays are damping; expected damp"),
        ({"kind": "buckling"}, "analysis buckling; expected static, modes, harmonic or transient"),
    ],
)  # fmt: skip
def test_what_has_no_frequency(analysis: Tables, told: str, tmp_path: Path) -> None:
    """Each is refused by the connector and what it does not go with."""
    data = hub(TABLE, analysis=analysis)
    if analysis["kind"] == "buckling":
        del data["masses"][0]["spin"]
    with pytest.raises(InputError) as caught:
        run(data, tmp_path)
    expected = f"connector 'seal': table: found a column frequency with {told}"
    assert str(caught.value).startswith(expected)


def test_shifts_and_frames_that_turn_are_refused(tmp_path: Path) -> None:
    """Modes are found from rest on; a shaft that turns with its axes feels other frequencies."""
    text = "analysis.shift: found with a table of a bearing over the frequency; expected none"
    with pytest.raises(InputError, match=text):
        run(hub(TABLE, analysis={"kind": "modes", "shift": 50.0}), tmp_path)
    law = {"name": "seal", "kind": "bearing", "at": "#0", "table": TABLE}
    data = tables(TWO_DISCS, 100.0, turning="frame", connectors=[law])
    text = r"connectors\[0\].table: found a column frequency at a shaft in a frame that turns"
    with pytest.raises(InputError, match=text):
        run(data | {"analysis": {"kind": "modes"}}, tmp_path)


def test_a_table_without_speed_needs_no_spin(tmp_path: Path) -> None:
    """A foundation: static with its stiffness at rest; units are those of the model."""
    force = {"kind": "force", "group": "hub", "total": [1e3, 5e2, 0]}
    data = hub(TABLE, loads=[force], analysis={"kind": "static"})
    del data["masses"][0]["spin"]
    run(data, tmp_path)
    found = np.loadtxt(tmp_path / "probes.csv", delimiter=",", skiprows=1).ravel()[1:]
    assert found == pytest.approx([1e3 / 4e5, 5e2 / 6e5], rel=1e-12)
    expected = modes(data, 2).values
    small = {key: [x * (1.0 if key == "frequency" else 1e-3) for x in one]
             for key, one in TABLE.items()}  # fmt: skip
    data["connectors"][0]["table"] = small
    data["masses"][0]["mass"] *= 1e-3
    assert np.allclose(modes(data | {"units": "mm-t-s"}, 2).values, expected, rtol=1e-11)
