# SPDX-License-Identifier: BSD-3-Clause
"""Bearings whose forces are transfer functions of displacements: ``f = -G(s) u``.

Magnetic bearings, viscoelastic supports and foundations, beside closed forms, roots of polynomials,
and realizations of `scipy.signal`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exported import Library, compile_shared, write
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema_bearing import TransferSpec
from flexforge.runtime.system.bearing_transfer import functions_of, realized
from flexforge.runtime.vibration import quadratic
from flexforge.runtime.vibration.speed_terms import SpeedTerms
from marks import slow
from rotor_equations import Array, Bearing, Rotor
from scipy.integrate import solve_ivp
from scipy.signal import tf2ss
from shafts import (
    SOFT,
    TWO_DISCS,
    Tables,
    apart,
    histories,
    probes,
    response,
    roots,
    run,
    tables,
    unbalance,
)

MASS = 3.0
#: A PD controller behind an amplifier with a lag, and with a second lag and an integrator.
PD: Tables = {"numerator": [2e3, 1e6], "denominator": [1e-3, 1.0]}
PID: Tables = {"numerator": [2e3, 1e6, 2e6], "denominator": [2e-8, 3e-4, 1.0, 0.0]}
#: A notch with complex poles, and a seal with mass, of more powers above than below.
NOTCH: Tables = {"numerator": [8e5, 4e7, 3.2e11], "denominator": [1.0, 120.0, 3.6e5]}
SEAL: Tables = {"numerator": [2.0, 1e3, 5e5, 1e6], "denominator": [1.0, 50.0]}
#: What couples directions, as does flow around a seal.
ACROSS: Tables = {"numerator": [1e5, 4e7], "denominator": [1.0, 400.0]}
FULL: Tables = {"xx": PD, "xy": ACROSS, "yy": NOTCH,
                "yx": {"numerator": [-3e5], "denominator": [1e-3, 1.0]}}  # fmt: skip


def value(function: Tables, s: Any) -> Any:
    """Return a function of s."""
    return np.polyval(function["numerator"], s) / np.polyval(function["denominator"], s)


def matrix(law: Tables, s: complex) -> Array:
    """Return G(s) of a key of a model, (2, 2)."""
    if "numerator" in law:
        return value(law, s) * np.eye(2)
    full = {"xx": None, "xy": None, "yx": None, "yy": law.get("xx")} | law
    found = [0.0 if full[one] is None else value(full[one], s) for one in ("xx", "xy", "yx", "yy")]
    return np.array(found).reshape(2, 2)


def hub(law: Tables, **others: Any) -> Tables:
    """Return a mass on one bearing."""
    spin = {"spin": others.pop("spin")} if "spin" in others else {}
    return {
        "mesh": {"points": {"hub": [0, 0, 0]}},
        "masses": [{"name": "hub", "group": "hub", "mass": MASS} | spin],
        "connectors": [{"name": "magnet", "kind": "bearing", "at": "hub", "transfer": law,
                        "orientation": [1, 0, 0]}],
        "supports": [{"group": "hub", "components": ["z"]}],
        "probes": [{"name": c, "group": "hub", "component": c} for c in "xy"],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    } | others  # fmt: skip


def resting(law: Array, s: complex) -> Array:
    """Return the force of matrices for unit displacements with what is internal at rest in s."""
    stiffness, damping, mass = law
    z = stiffness + s * damping + s * s * mass
    inner = np.linalg.solve(z[2:, 2:], z[2:, :2]) if len(z) > 2 else np.zeros((0, 2))
    return np.asarray(z[:2, :2] - z[:2, 2:] @ inner)


MULTIPLE = {"numerator": [3e5, 1e9, 2e12], "denominator": np.poly([-300.0] * 4).tolist()}
POLES = [-0.2, -5.0, -4e3, -3e3 + 1e4j, -3e3 - 1e4j]
FAST_AND_SLOW = {"numerator": (1e6 * np.poly([-0.1, -7.0, -2e3])).tolist(),
                 "denominator": np.poly(POLES).real.tolist()}  # fmt: skip


@pytest.mark.parametrize(
    "law",
    [PD, PID, NOTCH, SEAL, FULL, MULTIPLE, FAST_AND_SLOW,
     {"numerator": [4.0, 2e3, 1e6], "denominator": [2.0]},
     {"numerator": [1e6, 1.0], "denominator": [1.0, 0.0, 0.0]},
     {"numerator": [0.0, 1e6], "denominator": [1.0, -30.0]},
     {"xy": PD, "yx": NOTCH}],
)  # fmt: skip
def test_internal_displacements_give_the_function(law: Tables) -> None:
    """Of controllers, notches, seals with mass, fourfold poles, integrators: at seven decades."""
    spec = TransferSpec.model_validate(law)
    found = realized(functions_of(spec))
    for s in [*(1j * np.logspace(-1, 5, 13)), 40.0 + 200.0j, 7.0]:
        expected = matrix(law, s)
        assert np.allclose(
            resting(found, s), expected, rtol=0.0, atol=1e-9 * np.abs(expected).max()
        )
    masses = found[2, 2:, 2:]
    assert np.array_equal(masses, np.diag(masses.diagonal())) and (masses.diagonal() > 0.0).all()


@pytest.mark.parametrize("law", [PD, NOTCH, SEAL, FULL])
def test_statics_are_those_of_no_frequency(law: Tables, tmp_path: Path) -> None:
    """``G(0) u = f``; coupled across the axis too, and with an integrator nothing moves."""
    data = hub(law, loads=[{"kind": "force", "group": "hub", "total": [3e5, 4e5, 0]}])
    found = histories(data, tmp_path).ravel()[1:]
    assert found == pytest.approx(np.linalg.solve(matrix(law, 0.0), [3e5, 4e5]), rel=1e-12)
    data["connectors"][0]["transfer"] = PID
    assert np.abs(histories(data, tmp_path).ravel()[1:]).max() < 1e-15


def polynomial_roots(law: Tables, mass: float = MASS) -> Array:
    """Return the roots of ``det(m s^2 1 + G(s)) = 0`` with positive imaginary parts, 1/s."""
    full = law if "xx" in law else {"xx": law, "yy": law}
    zero: Tables = {"numerator": [0.0], "denominator": [1.0]}
    g = {one: full.get(one) or (full["xx"] if one == "yy" else zero) for one in
         ("xx", "xy", "yx", "yy")}  # fmt: skip
    own = [
        np.polyadd(np.polymul([mass, 0, 0], g[one]["denominator"]), g[one]["numerator"])
        for one in ("xx", "yy")
    ]
    below = np.polymul(g["xy"]["denominator"], g["yx"]["denominator"])
    direct = np.polymul(np.polymul(*own), below)
    crossed = np.polymul(g["xy"]["numerator"], g["yx"]["numerator"])
    for one in ("xx", "yy"):
        crossed = np.polymul(crossed, g[one]["denominator"])
    found = np.roots(np.polysub(direct, crossed))
    return found[found.imag > 1e-6 * np.abs(found)]


@pytest.mark.parametrize(("law", "count"), [(PD, 2), (PID, 2), (NOTCH, 4), (SEAL, 2), (FULL, 3)])
def test_modes_are_roots_of_the_characteristic_polynomial(law: Tables, count: int) -> None:
    """A mass on a magnetic bearing: all roots that vibrate, and no others."""
    expected = polynomial_roots(law)
    found = roots(hub(law, spin={"velocity": 100.0}), 20)
    assert len(found) == count
    assert apart(found, expected) < 1e-7 and apart(expected, found) < 1e-7


def test_a_controller_with_a_lag_has_the_root_of_its_cubic() -> None:
    """``m T s^3 + m s^2 + d s + k = 0``, with the coefficients of the roots -a, -b +- i w.

    Comparing coefficients: ``1/T = a + 2 b``, ``d = m T (b^2 + w^2 + 2 a b)``, ``k = m T a (b^2 +
    w^2)``.
    """
    a, b, w = 500.0, 60.0, 800.0
    lag = 1.0 / (a + 2 * b)
    gains = [MASS * lag * (b * b + w * w + 2 * a * b), MASS * lag * a * (b * b + w * w)]
    law = {"numerator": gains, "denominator": [lag, 1.0]}
    assert apart(np.array([-b + 1j * w]), roots(hub(law), 4)) < 1e-12


def test_a_standard_linear_solid_vibrates_with_its_complex_stiffness(tmp_path: Path) -> None:
    """Zener: a spring beside a spring and a damper in series, ``k + k1 i w T / (1 + i w T)``."""
    k, k1, delay = 1e6, 3e6, 2e-3
    law = {"numerator": [(k + k1) * delay, k], "denominator": [delay, 1.0]}
    frequencies = [0.5, 20.0, 80.0, 200.0, 2000.0]
    data = hub(
        law, loads=[{"kind": "force", "group": "hub", "total": [1e3, 5e2, 0], "phase": "30 deg"}],
        analysis={"kind": "harmonic", "frequencies": frequencies},
    )  # fmt: skip
    run(data, tmp_path)
    rows = np.loadtxt(tmp_path / "response.csv", delimiter=",", skiprows=1)
    found = rows[:, 1::2] * np.exp(1j * np.radians(rows[:, 2::2]))
    w = 2 * np.pi * rows[:, 0]
    stiff = k + k1 * 1j * w * delay / (1 + 1j * w * delay) - MASS * w * w
    force = np.exp(1j * np.pi / 6) * np.array([1e3, 5e2])
    assert np.allclose(found, force / stiff[:, None], rtol=1e-11, atol=0.0)


#: A shaft on two bearings, with a third one between it and a stator.
LAWS: dict[int, Tables] = {0: FULL, 1: PD, 2: {"xx": SEAL, "xy": ACROSS, "yx": {
    "numerator": [-1e5, -4e7], "denominator": [1.0, 400.0]}}}  # fmt: skip
ENDS = {0: Bearing(0), 1: Bearing(6), 2: Bearing(3, carrier=7), 3: Bearing(7)}
STATOR = np.array([[4e6, 1e5], [-2e5, 6e6]]), 2e3 * np.eye(2), np.zeros((2, 2))
BARE = replace(TWO_DISCS, bearings=[], carriers=[40.0])


def whole(data: Tables, laws: dict[int, Tables], between: bool = True) -> Tables:
    """Return the model of a shaft with transfer functions in place of its bearings."""
    common: Tables = {"kind": "bearing", "orientation": [1, 0, 0]}
    places = [{"at": "#0"}, {"at": "#6"}, {"between": ["#3", "mass7"]}]
    data["connectors"] = [
        {"name": f"b{n}", "transfer": law} | places[n] | common for n, law in laws.items()
    ]
    if between:
        data["connectors"].append(
            {"name": "stator", "at": "mass7", "stiffness": STATOR[0].tolist(), "damping": 2e3}
            | common
        )
    return data


def machine(velocity: float, **others: Any) -> Tables:
    """Return a shaft with discs on two magnetic bearings, and a seal to a stator on springs."""
    rotor = replace(BARE, bearings=[ENDS[2]])
    return whole(tables(rotor, velocity, **others), LAWS)


def dynamic(rotor: Rotor, speed: float, s: complex, laws: dict[int, Tables] = LAWS) -> Array:
    """Return ``K + s C + s^2 M`` of the shaft by beam theory, with G(s) of its bearings."""
    m, c, k = rotor.matrices(speed)
    z = k + s * c + s * s * m
    for number, one in ENDS.items():
        if number == 3:
            law = STATOR[0] + s * STATOR[1]
        elif number in laws:
            law = matrix(laws[number], s)
        else:
            continue
        across = np.zeros((2, len(m)))
        across[:, rotor.at(one.node)] = np.eye(2)
        if one.carrier is not None:
            across[:, rotor.at(one.carrier)] = -np.eye(2)
        z = z + across.T @ law @ across
    return z


def left(found: Array, speed: float) -> float:
    """Return how far Newton's method moves roots of the dynamic stiffness, relative to them.

    ``ds = 1 / tr(Z^-1 dZ/ds)``, by a central difference.
    """
    return max(newton(s, speed, LAWS) for s in found)


def newton(s: complex, speed: float, laws: dict[int, Tables]) -> float:
    """Return how far Newton's method moves a root, relative to it."""
    h = 1e-5 * abs(s)
    here, ahead, behind = (dynamic(BARE, speed, x, laws) for x in (s, s + h, s - h))
    return float(abs(1.0 / np.trace(np.linalg.solve(here, (ahead - behind) / (2 * h))) / s))


@pytest.mark.parametrize("complete", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize("speed", [0.0, 400.0, -400.0])
def test_roots_of_a_shaft_on_several_bearings(
    speed: float, complete: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``det Z(s) = 0`` by beam theory, to ground and to a stator, both senses; small and large."""
    if not complete:
        monkeypatch.setattr(quadratic, "DENSE", 20)
    found = roots(machine(speed), 10)
    lateral = found[found.real != 0.0]  # without torsion, which nothing damps
    assert len(lateral) == 9 and left(lateral, speed) < 2e-9


@pytest.mark.parametrize("small", [True, False])
def test_unbalance_over_the_speed(
    small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``Z(i W) u = f`` by beam theory at every speed, also where matrices are made for each."""
    if not small:
        monkeypatch.setattr(SpeedTerms, "of", classmethod(lambda cls, *_: None))
    speeds = [20.0, 150.0, 300.0, 500.0, 1200.0]
    data = machine(
        1.0, loads=[unbalance(2, 1e-3, 0.4)], probes=probes(0, 4),
        analysis={"kind": "harmonic", "speeds": speeds},
    )  # fmt: skip
    data["probes"] += [{"name": f"s{c}", "group": "mass7", "component": c} for c in "xy"]
    _, found = response(data, tmp_path)
    places = np.r_[*(BARE.at(node) for node in (0, 4, 7))]
    for w, row in zip(speeds, found, strict=True):
        force = w * w * BARE.unbalanced(2, 1e-3, 0.4)
        expected = np.linalg.solve(dynamic(BARE, w, 1j * w), force)[places]
        assert np.allclose(row, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


def test_a_diagram_over_the_speed(tmp_path: Path) -> None:
    """Frequencies and growth at every speed are roots of ``det Z``."""
    analysis = {"kind": "modes", "speeds": [0.0, 150.0, 300.0, 450.0], "count": 6, "orders": [1]}
    found = run(machine(1.0, analysis=analysis), tmp_path).campbell
    assert found is not None
    for place, speed in enumerate(found["speeds_rad_s"]):
        each = [
            mode["growth_1_s"][place] + 2j * np.pi * mode["frequency_Hz"][place]
            for mode in found["modes"]
            if mode["frequency_Hz"][place] is not None and mode["growth_1_s"][place]
        ]
        assert len(each) >= 5 and left(np.array(each), speed) < 1e-8


ROUND: Tables = {"xx": PD, "xy": ACROSS, "yx": {"numerator": [-1e5, -4e7],
                                               "denominator": [1.0, 400.0]}}  # fmt: skip


def test_axes_that_turn_have_the_roots_of_axes_at_rest() -> None:
    """Functions alike in all directions: roots differ by the speed."""
    speed = 150.0
    still, turning = (
        roots(whole(tables(TWO_DISCS, speed, turning=one), {0: ROUND, 1: PD}, between=False), 12)
        for one in ("spin", "frame")
    )
    both = np.concatenate([turning, turning.conj()])
    every = np.concatenate([both + 1j * shift for shift in (0.0, speed, -speed)])
    assert apart(still[:8], every) < 1e-9
    for s in turning:  # none is of what is internal alone
        steps = [newton(s + 1j * shift, speed, {0: ROUND, 1: PD}) for shift in (0.0, speed, -speed)]
        assert min(steps) < 1e-7 or not s.real
    differs = whole(tables(TWO_DISCS, speed, turning="frame"), {0: FULL}, between=False)
    text = r"connectors\[0\]: found coefficients that differ along x and y at a shaft in a frame"
    with pytest.raises(InputError, match=text):
        roots(differs, 2)


def states(law: Tables) -> tuple[Array, Array, Array, Array]:
    """Return A, B, C, D of G(s) of two proper functions on each axis and across, by SciPy."""
    full = {"yy": law["xx"]} | law
    a, b, c, d = np.zeros((0, 0)), np.zeros((0, 2)), np.zeros((2, 0)), np.zeros((2, 2))
    for place, one in full.items():
        row, column = ("xy".index(x) for x in place)
        own = tf2ss(one["numerator"], one["denominator"])
        size, inner = len(own[0]), len(a)
        a = np.block([[a, np.zeros((inner, size))], [np.zeros((size, inner)), own[0]]])
        b, c = np.vstack([b, np.zeros((size, 2))]), np.hstack([c, np.zeros((2, size))])
        b[inner:, column], c[row, inner:] = own[1].ravel(), own[2].ravel()
        d[row, column] += own[3].item()
    return a, b, c, d


def shaken(times: Array, law: Tables, velocity: Array) -> Array:
    """Return x and y of a mass on G(s) under ``30 sin(200 t)`` along x and 20 along y."""
    a, b, c, d = states(law)

    def rates(t: float, state: Array) -> Array:
        u, v, x = state[:2], state[2:4], state[4:]
        force = np.array([30.0 * np.sin(200.0 * t), 20.0]) - c @ x - d @ u
        return np.concatenate([v, force / MASS, a @ x + b @ u])

    begin = np.concatenate([np.zeros(2), velocity, np.zeros(len(a))])
    found = solve_ivp(rates, (0.0, times[-1]), begin, "Radau", times, rtol=1e-11, atol=1e-15)
    return np.asarray(found.y[:2].T)


STRICT: Tables = {"xx": PD, "xy": ACROSS, "yy": NOTCH,
                  "yx": {"numerator": [-3e5], "denominator": [1e-3, 1.0]}}  # fmt: skip


@pytest.mark.parametrize("native", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("method", "step", "order"),
    [
        ("newmark", 2e-4, 2),
        ("generalized_alpha", 2e-4, 2),
        slow("hht", 2e-4, 2),
        ("gauss4", 4e-4, 4),
    ],
)
def test_motions_in_time(
    method: str, step: float, order: int, native: bool, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A kick and two loads: the order of the method beside SciPy, in C and in Python."""
    if not native:
        monkeypatch.setattr("flexforge.runtime.start.is_small", lambda _: False)
    motions = []
    for h in (step, step / 2):
        data = hub(
            STRICT,
            initial=[{"group": "hub", "velocity": [0.05, 0.02, 0.0]}],
            loads=[{"kind": "force", "group": "hub", "total": [30, 0, 0],
                    "amplitude": "sin(200*t)"},
                   {"kind": "force", "group": "hub", "total": [0, 20, 0]}],
            analysis={"kind": "transient", "method": method, "step": h, "duration": 0.04},
        )  # fmt: skip
        motions.append(histories(data, tmp_path))
    coarse, fine = motions[0], motions[1][::2]
    expected = shaken(coarse[:, 0], STRICT, np.array([0.05, 0.02]))
    size = np.abs(expected).max()
    far, near = (np.abs(one[:, 1:] - expected).max() / size for one in (coarse, fine))
    assert 0.8 * 2**order < far / near < 1.25 * 2**order
    share = 2.0**order - 1.0
    extrapolated = fine[:, 1:] + (fine[:, 1:] - coarse[:, 1:]) / share
    assert np.abs(extrapolated - expected).max() / size < 0.1 * near < 1e-3


def test_a_motion_begins_in_equilibrium_and_goes_on_in_another_step(tmp_path: Path) -> None:
    """What is internal is in equilibrium too, and is carried from step to step."""
    push = {"kind": "force", "group": "hub", "total": [30, 10, 0]}
    transient = {"kind": "transient", "method": "newmark", "step": 5e-4, "duration": 0.01}
    data = hub(STRICT, loads=[push], analysis=transient | {"start": "equilibrium"})
    found = histories(data, tmp_path / "still")[:, 1:]
    expected = np.linalg.solve(matrix(STRICT, 0.0), [30.0, 10.0])
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()
    once = histories(hub(STRICT, loads=[push], analysis=transient | {"duration": 0.02}), tmp_path)
    data = hub(STRICT, loads=[push])
    del data["analysis"]
    data["steps"] = [{"name": "first", "analysis": transient},
                     {"name": "second", "after": "first", "analysis": transient}]  # fmt: skip
    run(data, tmp_path / "both")
    rows = [
        np.loadtxt(tmp_path / "both" / name / "probes.csv", delimiter=",", skiprows=1)[:, 1:]
        for name in ("first", "second")
    ]
    joined = np.vstack([rows[0], rows[1][1:]])
    assert np.allclose(joined, once[:, 1:], rtol=0.0, atol=1e-6 * np.abs(once[:, 1:]).max())


@pytest.mark.parametrize("turning", ["spin", pytest.param("frame", marks=pytest.mark.slow)])
def test_the_library_of_a_rotor_on_magnets_is_its_run(turning: str, tmp_path: Path) -> None:
    """While it is spun up: outputs to 1e-11 of the motion."""
    rotor = replace(SOFT, bearings=[])
    law = {0: FULL, 1: PD} if turning == "spin" else {0: ROUND, 1: PD}
    data = tables(
        rotor, {"ramp": {"to": 120.0, "duration": 0.01}}, turning=turning,
        loads=[unbalance(1, 1e-3, 0.4)], probes=probes(0, 1),
        analysis={"kind": "transient", "step": 1e-3, "duration": 0.02},
    )  # fmt: skip
    data = whole(data, law, between=False)
    data["connectors"][1]["at"] = "#2"
    wanted = histories(data, tmp_path / "run")
    solver = build_solver(model_from_dict(data, folder=tmp_path))
    folder = write(library_files(solver), tmp_path / "c")
    one = Library(compile_shared(folder, solver.name), solver).create()
    rows = [[one.time, *one.get()]]
    for _ in range(20):
        assert one.step(1e-3) == 0
        rows.append([one.time, *one.get()])
    one.free()
    largest = np.abs(wanted).max(axis=0)
    assert (np.abs(np.array(rows) - wanted).max(axis=0) <= 1e-11 * largest).all()


@pytest.mark.slow
def test_axes_that_turn_have_the_motion_of_axes_at_rest(tmp_path: Path) -> None:
    """Of functions alike in all directions, to the order of a method of fourth order."""
    rotor, apart = replace(SOFT, bearings=[]), []
    for step in (5e-4, 2.5e-4):
        motions = []
        for turning in ("spin", "frame"):
            data = tables(
                rotor, 120.0, turning=turning,
                loads=[unbalance(1, 1e-3, 0.4)], probes=probes(0, 1),
                analysis={"kind": "transient", "method": "gauss4", "step": step, "duration": 0.05},
            )  # fmt: skip
            data = whole(data, {0: ROUND, 1: PD}, between=False)
            data["connectors"][1]["at"] = "#2"
            motions.append(histories(data, tmp_path))
        still, turned = motions
        turn = np.exp(120j * still[:, 0])[:, None]
        z = (turned[:, 1::2] + 1j * turned[:, 2::2]) * turn
        expected = still[:, 1::2] + 1j * still[:, 2::2]
        apart.append(np.abs(z - expected).max() / np.abs(expected).max())
    assert apart[1] < 1e-6 and 12.0 < apart[0] / apart[1] < 20.0


def test_millimetres_and_tonnes_give_the_same_roots(tmp_path: Path) -> None:
    """Coefficients are in the units of the model: forces in N for displacements in mm."""
    expected = roots(hub(FULL), 6)
    small = {place: {"numerator": [1e-3 * one for one in function["numerator"]],
                     "denominator": function["denominator"]}
             for place, function in FULL.items()}  # fmt: skip
    data = hub(small, units="mm-t-s")
    data["masses"][0]["mass"] = MASS * 1e-3
    assert apart(roots(data, 6), expected) < 1e-11


def test_functions_that_grow_are_told(tmp_path: Path) -> None:
    """An unstable controller: a warning with its fastest pole; the mass may still be stable."""
    unstable = {"numerator": [1e6], "denominator": [1.0, -20.0, 500.0]}
    told = run(hub({"xx": PD, "yy": unstable}), tmp_path).warnings
    text = "connector 'magnet': its transfer function has poles that grow, such as 10+20j 1/s: it "
    assert [one for one in told if one.startswith(text)]
    assert not run(hub({"xx": PD, "yy": PID}), tmp_path).warnings


@pytest.mark.parametrize(
    ("law", "told"),
    [
        ({"numerator": [1.0]}, ".transfer.denominator: missing; expected a list of numbers"),
        ({"denominator": [1.0]}, ".transfer.numerator: missing; expected a list of numbers"),
        ({}, ".transfer: found nothing; expected numerator and denominator, or some of xx .. yy"),
        (PD | {"xx": PD}, ".transfer.xx: found beside numerator and denominator; expected either"),
        ({"numerator": [1.0], "denominator": [0.0, 1.0]}, ".transfer.denominator: found 0 first; "),
        ({"xx": {"numerator": [1.0], "denominator": [0.0]}}, ".transfer.xx.denominator: found 0"),
        ({"numerator": [1.0, 0, 0, 0], "denominator": [1.0]}, ".transfer.numerator: found one of 3 "
         "more powers of s than the denominator; expected at most 2 more"),
        ({"numerator": [-1.0, 0, 0], "denominator": [1.0]}, ".transfer: s^2 beside poles: found an "
         "inertia that no mass has; expected a symmetric matrix without negative eigenvalues"),
        ({"xx": SEAL, "xy": {"numerator": [1.0, 0, 0], "denominator": [1.0]}}, ".transfer: s^2 b"),
        ({"xz": PD}, ".transfer.xz: unknown key; did you mean 'yx'?"),
    ],
)  # fmt: skip
def test_faults_of_functions(law: Tables, told: str, tmp_path: Path) -> None:
    """Each names its key, what was found and is expected."""
    with pytest.raises(InputError) as caught:
        run(hub(law), tmp_path)
    assert str(caught.value).startswith(f"connectors[0]{told}")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"analysis": {"kind": "modes", "damped": False}}, "damped = false: delays are damping"),
        ({"analysis": {"kind": "harmonic", "frequencies": [1.0], "modes": 2}}, "modes of a harmoni"
         "c analysis, which are undamped ones; expected it without"),
        ({"analysis": {"kind": "buckling"}}, "analysis buckling; expected static, modes, harmonic"),
        ({"analysis": {"kind": "transient", "method": "central_difference", "step": 1e-4,
                       "duration": 0.1}}, "method central_difference; expected generalized_alpha"),
        ({"analysis": {"kind": "transient", "method": "modal", "modes": 2, "step": 1e-4,
                       "duration": 0.1}}, "method modal; expected generalized_alpha"),
        ({"analysis": {"kind": "transient", "method": "newmark", "beta": 0.1, "step": 1e-4,
                       "duration": 0.1}}, "beta 0.1 of newmark; expected steps that are stable at"),
    ],
)  # fmt: skip
def test_what_functions_do_not_go_with(change: Tables, told: str, tmp_path: Path) -> None:
    """Analyses by undamped modes and conditionally stable steps are refused by name."""
    with pytest.raises(InputError) as caught:
        run(hub(PD, **change), tmp_path)
    assert str(caught.value).startswith(f"connectors[0].transfer: found with {told}")


def test_functions_go_with_no_other_law(tmp_path: Path) -> None:
    data = hub(PD)
    data["connectors"][0]["stiffness"] = 1e6
    text = r"connectors\[0\].transfer: found beside stiffness; expected either"
    with pytest.raises(InputError, match=text):
        run(data, tmp_path)
