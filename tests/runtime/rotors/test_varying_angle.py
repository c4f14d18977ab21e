# SPDX-License-Identifier: BSD-3-Clause
"""Rotors that are not round on bearings that are not the same in all directions.

In axes that turn the coefficients have the period of half a turn. What is compared with is a mass
on a spring that turns and on one that stands still, in axes at rest,

    m x'' + c x' + (k + R(W t) s R(W t)^T) x = f(t),

whose multipliers over half a turn, integrated to twelve digits, have the opposite sign of those in
axes that turn; and round rotors, of which the roots in axes at rest are exact.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.system.bearing_law import TURN
from flexforge.runtime.vibration.hill_modes import HillModes, _beyond, _exponents, _principal
from rotor_equations import Array, Bearing
from scipy.integrate import solve_ivp
from shafts import TWO_DISCS, Tables, histories, on, run, tables

MASS = 2.0
SPRING = np.diag([1.3e5, 0.7e5])  # turns with the mass
LAW: dict[str, Any] = {"stiffness": [[1.2e5, 2e4], [-1e4, 0.8e5]], "damping": [30.0, 10.0]}
SYMMETRIC: dict[str, Any] = {"stiffness": [1.2e5, 0.8e5]}
HELD = [{"group": f"#{n}", "components": ["z", "rz"]} for n in range(7)]


def hub(law: Tables, velocity: Any, **others: Any) -> Tables:
    """Return a mass in axes that turn, on a spring in them and on a bearing that stands still."""
    frame = {"axis": [0, 0, 1], "velocity": velocity}
    return {
        "mesh": {"points": {"hub": [0, 0, 0]}},
        "masses": [{"name": "hub", "group": "hub", "mass": MASS, "frame": frame}],
        "connectors": [
            {"name": "shaft", "kind": "bushing", "at": "hub",
             "stiffness": [*np.diag(SPRING).tolist(), 1e5]},
            {"name": "journal", "kind": "bearing", "at": "hub", **law},
        ],
        "supports": [{"group": "hub", "components": ["z"]}],
        "output": {"formats": ["csv"]},
    } | others  # fmt: skip


def turned(angle: float) -> Array:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def matrix(given: Any) -> Array:
    values = np.array(given, dtype=float)
    return values if values.ndim == 2 else np.eye(2) * values


def multipliers(law: Tables, speed: float) -> Array:
    """Return the four multipliers over half a turn in axes that turn."""
    k, c, m = (matrix(law.get(key, 0.0)) for key in ("stiffness", "damping", "mass"))
    inverse = np.linalg.inv(MASS * np.eye(2) + m)

    def rate(t: float, state: Array) -> Array:
        x, v = state.reshape(2, 2, 4)
        r = turned(speed * t)
        return np.concatenate([v, -inverse @ (c @ v + (k + r @ SPRING @ r.T) @ x)]).ravel()

    period = np.pi / abs(speed)
    found = solve_ivp(
        rate, (0.0, period), np.eye(4).ravel(), method="DOP853", rtol=1e-12, atol=1e-14
    )
    return -np.linalg.eigvals(found.y[:, -1].reshape(4, 4))


def exponents(figures: Any, count: int) -> Array:
    """Return the exponents that figures tell, 1/s, with their conjugates."""
    found = []
    for number in range(1, count + 1):
        s = 2 * np.pi * figures[f"mode {number}"][0]
        ratio = figures.get(f"damping ratio of mode {number}", 0.0)
        growth = figures.get(f"growth of mode {number}", [0.0])[0]
        found.append((growth if growth else -ratio / np.sqrt(1 - ratio**2) * s) + 1j * s)
    return np.array(found + [one.conjugate() for one in found])


def same(found: Array, expected: Array) -> float:
    """Return how far each of some numbers is from the nearest of others, and these from them."""
    apart = np.abs(found[:, None] - expected)
    return float(max(apart.min(axis=0).max(), apart.min(axis=1).max()))


@pytest.mark.parametrize("speed", [40.0, -40.0, 180.0, 900.0])
@pytest.mark.parametrize("law", [LAW, SYMMETRIC, LAW | {"mass": [0.6, 0.2]}])
def test_exponents_are_those_of_the_equations_over_half_a_turn(
    law: Tables, speed: float, tmp_path: Path
) -> None:
    """Slow and fast; with cross coupling, unlike damping, and the mass of a seal."""
    outcome = run(hub(law, speed, analysis={"kind": "modes", "count": 2}), tmp_path)
    found = np.exp(np.pi / abs(speed) * exponents(outcome.figures, 2))
    assert same(found, multipliers(law, speed)) < 1e-9


def test_springs_that_turn_and_springs_that_stand_drive_vibrations(tmp_path: Path) -> None:
    """At a speed near its frequency the mass grows, without any cross coupling."""
    speed = float(np.sqrt(2e5 / MASS))
    outcome = run(hub(SYMMETRIC, speed, analysis={"kind": "modes", "count": 2}), tmp_path)
    growth = np.log(np.abs(multipliers(SYMMETRIC, speed)).max()) * speed / np.pi
    told = [value[0] for name, value in outcome.figures.items() if name.startswith("growth of")]
    assert growth > 5.0
    assert max(told) == pytest.approx(growth, rel=1e-9)


def test_diagrams_have_tables_and_ranges_of_growth(tmp_path: Path) -> None:
    """Coefficients over the speed at each of its own; where vibrations begin and end to grow."""
    table = {"speed": [0.0, 300.0, 600.0], "kxx": [1.2e5, 1.3e5, 1.4e5],
             "kyy": [0.8e5, 0.7e5, 0.6e5], "cxx": [5.0, 6.0, 7.0]}  # fmt: skip
    speeds = np.linspace(200.0, 440.0, 9)
    analysis = {"kind": "modes", "count": 2, "speeds": speeds.tolist(), "orders": [1]}
    found = run(hub({"table": table}, 1.0, analysis=analysis), tmp_path).campbell
    assert found is not None
    from scipy.interpolate import PchipInterpolator

    def law(speed: float) -> Tables:
        kxx, kyy, cxx = (
            float(PchipInterpolator(table["speed"], table[key])(speed))
            for key in ("kxx", "kyy", "cxx")
        )
        return {"stiffness": [kxx, kyy], "damping": cxx}

    for speed in speeds.tolist():
        place = found["speeds_rad_s"].index(speed)
        values = np.array([
            mode["growth_1_s"][place] + 2j * np.pi * mode["signed_frequency_Hz"][place]
            for mode in found["modes"]
        ])  # fmt: skip
        values = values[np.isfinite(values)]
        expected = multipliers(law(speed), speed)
        got = np.exp(np.pi / speed * np.concatenate([values, values.conj()]))
        assert np.abs(got[:, None] - expected).min(axis=1).max() < 1e-9
    (first, second) = found["instabilities"]
    onset, end = first["onset_rad_s"], second["end_rad_s"]
    for edge in (onset, end):
        assert np.abs(multipliers(law(edge), edge)).max() == pytest.approx(1.0, abs=1e-7)
    # Where two vibrations begin to drive each other another copy of them is shown.
    between = second["onset_rad_s"]
    assert np.abs(multipliers(law(between - 4.0), between - 4.0)).max() < 1.0
    assert np.abs(multipliers(law(between + 4.0), between + 4.0)).max() > 1.0


@pytest.mark.parametrize("supports", [HELD, []])
@pytest.mark.parametrize("velocity", [150.0, -150.0])
def test_round_rotors_have_the_roots_of_axes_at_rest(
    velocity: float, supports: list[Tables], tmp_path: Path
) -> None:
    """A shaft with damping and two discs, unlike bearings with cross coupling, a seal.

    Held along and about its axis, or free.
    """
    rotor = on(TWO_DISCS, [[1e6, 2e5], [-1e5, 8e5]], [200.0, 100.0])
    seal = Bearing(3, np.diag([1e5, 2e5]), np.diag([50.0, 20.0]), np.diag([5.0, 2.0]))
    free = 0 if supports else 2
    rotor = replace(rotor, alpha=0.0 if free else 0.5, beta=1e-5, bearings=[*rotor.bearings, seal])
    analysis = {"kind": "modes", "count": 8 + free}
    data = tables(rotor, velocity, turning="frame", supports=supports, analysis=analysis)
    found = exponents(run(data, tmp_path).figures, 8 + free)[: 8 + free]
    assert not found[:free].any(), "along and about the axis"
    found = found[free:]
    expected = rotor.roots(velocity)
    expected = np.concatenate([expected, expected.conj()])
    shifts = (found[:, None] - expected) / (1j * abs(velocity))
    odd = 2.0 * np.round((shifts.real - 1.0) / 2.0) + 1.0  # one turn apart, and whole periods
    apart = np.abs(shifts - odd) * abs(velocity) / np.abs(found)[:, None]
    lateral = np.sort(apart.min(axis=1))[: 7 if free else 8]  # the other one is of torsion
    assert lateral.max() < 1e-9


def test_diagrams_begin_at_rest(tmp_path: Path) -> None:
    """Nothing turns at 0: springs and bearings as they are placed, and roots of axes at rest."""
    k, c = SPRING + matrix(LAW["stiffness"]), np.diag(LAW["damping"])
    first = np.block([[np.zeros((2, 2)), np.eye(2)], [-k / MASS, -c / MASS]])
    analysis = {"kind": "modes", "count": 2, "speeds": [0.0, 150.0, 300.0]}
    found = run(hub(LAW, 1.0, analysis=analysis), tmp_path / "hub").campbell
    assert found is not None
    assert same(at_rest(found), np.linalg.eigvals(first)) < 1e-9 * np.sqrt(k[0, 0] / MASS)
    rotor = on(TWO_DISCS, [[1e6, 2e5], [-1e5, 8e5]], [200.0, 100.0])
    data = tables(rotor, 1.0, turning="frame", supports=HELD,
                  analysis=analysis | {"count": 6, "speeds": [0.0, 20.0, 40.0]})  # fmt: skip
    found = run(data, tmp_path / "shaft").campbell
    assert found is not None
    expected = rotor.roots(0.0)[:6]
    apart = np.abs(at_rest(found)[:, None] - expected) / np.abs(expected)
    assert apart.min(axis=0).max() < 1e-9


def at_rest(found: Any) -> Array:
    """Return the roots of a diagram at its first speed, 1/s, with their conjugates."""
    values = np.array([
        complex(mode["growth_1_s"][0], 2 * np.pi * mode["frequency_Hz"][0])
        for mode in found["modes"] if mode["frequency_Hz"][0] is not None
    ])  # fmt: skip
    values = values[np.isfinite(values)]
    return np.concatenate([values, values.conj()])


@pytest.mark.parametrize(("spring", "several"), [(np.diag([1e5, 1e5]), False), (SPRING, True)])
def test_harmonics_are_as_many_as_motions_have(
    spring: Array, several: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Motions of a round rotor in axes that turn have two harmonics; those of others have more."""
    seen: list[HillModes] = []
    close = HillModes.close

    def kept(self: HillModes) -> None:
        seen.append(self)
        close(self)

    monkeypatch.setattr(HillModes, "close", kept)
    model = hub(LAW, 180.0, analysis={"kind": "modes", "count": 2})
    model["connectors"][0]["stiffness"][:2] = spring.diagonal().tolist()
    run(model, tmp_path)
    assert (seen[0].harmonics > 1) == several


@pytest.mark.parametrize("speed", [70.0, -70.0, 300.0])
def test_what_harmonics_left_out_have_is_known_without_them(speed: float) -> None:
    """The first ones left out, beside those of a problem that has them."""
    terms = np.array([np.diag([2.3e5, 1.4e5]), 2.0 * speed * MASS * TURN + 12.0 * np.eye(2),
                      MASS * np.eye(2)])  # fmt: skip
    terms[0] -= MASS * speed**2 * np.eye(2)
    swing = np.zeros((3, 2, 2), dtype=complex)
    swing[0] = 4e3 * np.array([[1.0, 1j], [1j, -1.0]])
    swing[1] = 3.0 * np.array([[1.0, 1j], [1j, -1.0]])
    values, comps = _exponents(terms, swing, speed, 2)
    wanted = _principal(values, comps, terms[2], 2)
    told = _beyond(terms, swing, speed, values[wanted], comps[wanted])
    more = _exponents(terms, swing, speed, 3)
    shares = np.linalg.norm(more[1][_principal(*more, terms[2], 2)], axis=2)
    assert told == pytest.approx((shares[:, [0, -1]].T / shares.max(axis=1)).max(), rel=0.02)


def test_motions_follow_the_angle(tmp_path: Path) -> None:
    """A run-up with an unbalance: by steps of second order, beside the equations at rest."""
    load = {"kind": "unbalance", "group": "hub", "unbalance": 1e-3, "orientation": [1, 0, 0]}
    probes = [{"name": c, "group": "hub", "component": c} for c in "xy"]
    start = [{"group": "hub", "displacement": [1e-4, 0, 0]}]
    errors = []
    for steps in (400, 800):
        analysis = {"kind": "transient", "duration": 0.1, "steps": steps, "method": "newmark"}
        others = {"loads": [load], "probes": probes, "initial": start, "analysis": analysis}
        data = hub(LAW, {"polynomial": [50.0, 3500.0]}, **others)
        rows = histories(data, tmp_path / str(steps))
        errors.append(np.abs(rows[:, 1:] - _exactly(rows[:, 0])).max())
    assert errors[1] < 5e-6 and errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def _exactly(times: Array) -> Array:
    """Return the motion of the hub in axes that turn, whose rate rises from 50 to 400 rad/s."""
    k, c = matrix(LAW["stiffness"]), matrix(LAW["damping"])

    def angle(t: float) -> tuple[float, float, float]:
        return 50.0 * t + 1750.0 * t * t, 50.0 + 3500.0 * t, 3500.0

    def rate(t: float, state: Array) -> Array:
        x, v = state.reshape(2, 2)
        theta, w, e = angle(t)
        r = turned(theta)
        force = 1e-3 * (w * w * r[:, 0] - e * r[:, 1])
        return np.concatenate([v, (force - c @ v - (k + r @ SPRING @ r.T) @ x) / MASS])

    start = np.array([1e-4, 0.0, 0.0, 50.0 * 1e-4])  # at rest in axes that turn
    found = solve_ivp(rate, (0.0, times[-1]), start, "DOP853", times, rtol=1e-11, atol=1e-14)
    return np.array([turned(angle(t)[0]).T @ x for t, x in zip(times, found.y[:2].T, strict=True)])


@pytest.mark.parametrize("speed", [90.0, -90.0, 260.0])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_responses_are_the_periodic_solutions(order: int, speed: float, tmp_path: Path) -> None:
    """Each multiple of the speed, of an unbalance and of a force that varies in the frame.

    What is compared with are the Fourier coefficients of the motion that repeats itself.
    """
    law = LAW | {"mass": [0.6, 0.2]}
    loads: list[Tables] = [{"kind": "force", "group": "hub", "total": [30.0, 0, 0], "phase": 0.3}]
    if order == 0:
        loads = [{"kind": "unbalance", "group": "hub", "unbalance": 1e-3}]
        loads[0]["orientation"] = [1, 0, 0]
    probes = [{"name": c, "group": "hub", "component": c} for c in "xy"]
    analysis = {"kind": "harmonic", "order": order, "speeds": [abs(speed)]}
    run(hub(law, speed, loads=loads, probes=probes, analysis=analysis), tmp_path)
    rows = np.loadtxt(tmp_path / "response.csv", delimiter=",", skiprows=1, ndmin=2)
    others = np.loadtxt(tmp_path / "multiples.csv", delimiter=",", skiprows=1, ndmin=2)
    found = {order: _amplitudes(rows[0, 2:])}
    found |= {int(row[1]): _amplitudes(row[3:]) for row in others}
    expected = _periodic(law, speed, order)
    largest = max(np.abs(one).max() for one in expected.values())
    assert {number % 2 for number in found} == {order % 2}
    for number, one in expected.items():
        if number % 2 == order % 2:
            assert np.abs(found.get(number, np.zeros(2)) - one).max() < 1e-8 * largest
        else:
            assert np.abs(one).max() < 1e-8 * largest


def _amplitudes(row: Array) -> Array:
    return np.asarray(row[::2] * np.exp(1j * np.radians(row[1::2])))


def _periodic(law: Tables, speed: float, order: int) -> dict[int, Array]:
    """Return amplitudes of multiples of the speed of the steady motion in axes that turn."""
    k, c, m = (matrix(law[key]) for key in ("stiffness", "damping", "mass"))
    inverse = np.linalg.inv(MASS * np.eye(2) + m)

    def rate(t: float, state: Array) -> Array:
        x, v = state.reshape(2, 2, -1)
        r = turned(speed * t)
        force = 30.0 * np.cos(order * abs(speed) * t + 0.3) * r[:, :1]
        if order == 0:
            force = 1e-3 * speed**2 * r[:, :1]
        first = np.zeros((1, x.shape[1]))
        first[0, -1] = 1.0  # of the motion from rest; the others are free
        free = -c @ v - (k + r @ SPRING @ r.T) @ x
        return np.concatenate([v, inverse @ (free + force @ first)]).ravel()

    period = 2.0 * np.pi / abs(speed)
    times = np.arange(64) * period / 64
    start = np.hstack([np.eye(4), np.zeros((4, 1))]).ravel()
    how = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-15}
    end = solve_ivp(rate, (0.0, period), start, **how).y[:, -1].reshape(4, 5)
    steady = np.linalg.solve(np.eye(4) - end[:, :4], end[:, 4])
    each = solve_ivp(rate, (0.0, period), start, t_eval=times, **how).y.reshape(4, 5, -1)
    x = np.einsum("ijt,j->it", each[:2], np.append(steady, 1.0))
    q = np.array([turned(speed * t).T @ one for t, one in zip(times, x.T, strict=True)])
    found = np.fft.fft(q, axis=0)[:12] / 64
    return {n: one if n == 0 else 2.0 * one for n, one in enumerate(found)}


@pytest.mark.parametrize(
    ("analysis", "change", "text"),
    [
        ({"kind": "static"}, {}, "analysis static: found with connector 'journal', whose coeff.*"
         "expected modes, harmonic with speeds, or transient, kxx = kyy"),
        ({"kind": "harmonic", "frequencies": [1.0]}, {}, "analysis harmonic: found with connector"),
        ({"kind": "harmonic", "speeds": [0.0, 2.0], "order": 0}, {}, "speeds: found bearings that"),
        ({"kind": "critical_speeds"}, {}, "analysis critical_speeds: found with connector"),
        ({"kind": "modes", "shift": 10.0}, {}, "analysis.shift: found with connector 'journal'"),
        ({"kind": "modes", "damped": False}, {}, "analysis.damped: found false.* expected true"),
        ({"kind": "transient", "duration": 1.0, "steps": 9, "method": "gauss4"}, {},
         "analysis.method: found gauss4 with connector 'journal'"),
    ],
)  # fmt: skip
def test_what_is_refused(analysis: Tables, change: Tables, text: str, tmp_path: Path) -> None:
    """Analyses without a period, and a rotor at rest, by their key."""
    data = hub(LAW, 100.0, analysis=analysis) | change
    with pytest.raises(InputError, match=text):
        run(data, tmp_path)


def test_shafts_are_held_and_slow_ones_need_many_harmonics(tmp_path: Path) -> None:
    """Both are told when they show: motions that dampers alone restrain, and turns of long."""
    rotor = replace(on(TWO_DISCS, [[1e6, 0], [0, 8e5]], [200.0, 100.0]), alpha=0.5)
    free = tables(rotor, 100.0, turning="frame", supports=[], analysis={"kind": "modes"})
    with pytest.raises(AnalysisError, match="found a motion that dampers alone restrain, beside"):
        run(free, tmp_path)
    slow = hub(LAW, 1.0, analysis={"kind": "modes", "count": 2})
    with pytest.raises(AnalysisError, match="16 harmonics .* too few .* beside 1 rad/s"):
        run(slow, tmp_path)


def test_exports_are_of_constant_coefficients(tmp_path: Path) -> None:
    """C has constant matrices."""
    analysis = {"kind": "transient", "duration": 0.1, "steps": 100}
    spec = model_from_dict(hub(LAW, 100.0, analysis=analysis), folder=tmp_path)
    with pytest.raises(InputError, match="connector 'journal': found coefficients that vary with"):
        build_solver(spec)
