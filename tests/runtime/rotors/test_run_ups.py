# SPDX-License-Identifier: BSD-3-Clause
"""Shafts whose speed varies in time, on bearings whose coefficients go with it.

Motions are those of hand-written equations whose coefficients follow the tables, by SciPy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from marks import slow
from models import build
from rotor_equations import Array, Bearing, Turned
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator
from shafts import SOFT, Tables, histories, probes, run, tables, unbalance

#: Cross-coupled stiffness, damping and mass, all of which vary; nothing at rest but stiffness.
TABLE: Tables = {
    "speed": [0.0, 40.0, 90.0, 150.0],
    "kxx": [6e5, 4e5, 3e5, 2.5e5], "kxy": [0.0, 5e4, 9e4, 1e5],
    "kyx": [0.0, -3e4, -8e4, -9e4], "kyy": [3e5, 3.5e5, 5e5, 6e5],
    "cxx": [4e3, 2e3, 1.5e3, 1e3], "cxy": [0.0, 1e2, 3e2, 3e2], "cyy": [1e3, 2e3, 2.5e3, 4e3],
    "mxx": [0.0, 3.0, 8.0, 9.0], "mxy": [0.0, 1.0, 2.0, 2.0], "myx": [0.0, 1.0, 2.0, 2.0],
}  # fmt: skip
MASS, AMOUNT, PHASE = 20.0, 1e-3, 0.4
UP: Tables = {"velocity": {"ramp": {"to": 140.0, "duration": 0.2}}}
DOWN: Tables = {"velocity0": 150.0, "angle0": 0.3, "acceleration": -600.0}
DURATION = 0.24

Law = Callable[[float], Array]


def law_of(table: Tables) -> Law:
    """Return K, C and M over the speed, (3, 2, 2): monotone cubics, with the ends beyond."""
    values = np.zeros((len(table["speed"]), 3, 2, 2))
    for k, what in enumerate("kcm"):
        for i, j in np.ndindex(2, 2):
            usual = table.get(f"{what}xx") if i == j else None
            found = table.get(f"{what}{'xy'[i]}{'xy'[j]}", usual)
            values[:, k, i, j] = 0.0 if found is None else found
    curve = PchipInterpolator(table["speed"], values)
    low, high = table["speed"][0], table["speed"][-1]
    return lambda speed: np.asarray(curve(min(max(abs(speed), low), high)))


def up(t: float) -> tuple[float, float, float]:
    """Return angle, speed and acceleration of the ramp ``s - sin(2 pi s) / 2 pi`` from rest."""
    duration, to = UP["velocity"]["ramp"]["duration"], UP["velocity"]["ramp"]["to"]
    s, over = min(t / duration, 1.0), max(t - duration, 0.0)
    x = 2 * np.pi * s
    turned = to * duration * (s * s / 2 + (np.cos(x) - 1) / (4 * np.pi**2)) + to * over
    return turned, to * (s - np.sin(x) / (2 * np.pi)), to / duration * (1 - np.cos(x))


def down(t: float) -> tuple[float, float, float]:
    """Return angle, speed and acceleration of a steady coast-down."""
    return 0.3 + 150.0 * t - 300.0 * t * t, 150.0 - 600.0 * t, -600.0


def whirl(times: Array, angle: Turned, law: Law, sense: float = 1.0) -> Array:
    """Return x and y of an unbalanced mass on one bearing at times from 0 on, from rest.

    ``(m 1 + M) u'' + C u' + K u = Re(a (W^2 - i W') exp(i theta) (1, -i))`` at the speed W.
    """

    def rates(t: float, state: Array) -> Array:
        theta, w, growth = angle(t)
        k, c, m = law(w)
        push = AMOUNT * (w * w - 1j * growth) * np.exp(1j * (theta + sense * PHASE))
        force = (push * np.array([1.0, -1j * sense])).real - c @ state[2:] - k @ state[:2]
        return np.concatenate([state[2:], np.linalg.solve(MASS * np.eye(2) + m, force)])

    found = solve_ivp(
        rates, (0.0, times[-1]), np.zeros(4), "DOP853", times, rtol=1e-11, atol=1e-15, max_step=2e-3
    )
    return np.asarray(found.y[:2].T)


def hub(spin: Tables, step: float, **others: Any) -> Tables:
    """Return an unbalanced mass that spins on one bearing with a table."""
    scale = others.pop("scale", 1.0)
    return {
        "mesh": {"points": {"hub": [0, 0, 0]}},
        "masses": [{"name": "hub", "group": "hub", "mass": MASS, "spin": spin}],
        "connectors": [{"name": "journal", "kind": "bearing", "at": "hub", "table": TABLE,
                        "orientation": [1, 0, 0]}],
        "supports": [{"group": "hub", "components": ["z"]}],
        "loads": [{"kind": "unbalance", "group": "hub", "unbalance": AMOUNT * scale,
                   "phase": PHASE, "orientation": [1, 0, 0]}],
        "probes": [{"name": c, "group": "hub", "component": c} for c in "xy"],
        "analysis": {"kind": "transient", "method": "newmark", "step": step, "duration": DURATION},
        "output": {"formats": ["csv"]},
    } | others  # fmt: skip


def error(found: Array, expected: Array) -> float:
    """Return the largest difference of two motions, relative to the largest of the second."""
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def converges(coarse: Array, fine: Array, expected: Array) -> None:
    """Require second order: a fourth of the error with half the step, and little extrapolated.

    Parameters
    ----------
    coarse, fine, expected : ndarray, (T, k)
        Motions with steps h and h / 2 and the exact one, at the times of the first.
    """
    fine = fine[::2]
    ratio = error(coarse, expected) / error(fine, expected)
    assert 3.5 < ratio < 4.5, ratio
    left = error((4.0 * fine - coarse) / 3.0, expected)
    assert left < 0.05 * error(fine, expected) < 1e-3, left


@pytest.mark.parametrize(
    ("spin", "angle", "method"),
    [(UP, up, "newmark"), (DOWN, down, "generalized_alpha"), slow(DOWN, down, "hht")],
)
def test_coefficients_are_those_of_the_speed_at_the_time(
    spin: Tables, angle: Turned, method: str, tmp_path: Path
) -> None:
    """Up to the end of the table, and down almost to rest, with K, C and M that all vary."""
    found = []
    for step in (1e-3, 5e-4):
        data = hub(spin, step)
        data["analysis"]["method"] = method
        found.append(histories(data, tmp_path))
    coarse, fine = found
    expected = whirl(coarse[:, 0], angle, law_of(TABLE))
    converges(coarse[:, 1:], fine[:, 1:], expected)


def test_a_shaft_that_turns_against_its_axis(tmp_path: Path) -> None:
    """The table is for the sense of the spin: the bearing's axis is given, and y with it.

    Seen along that axis the whirl is that of a shaft in the sense of the table, but for phases,
    which count towards the axis of the spin.
    """
    table = {key: TABLE[key] for key in ("speed", "kxx", "kxy", "kyx", "cxx")}
    backward = {"velocity": {"ramp": {"to": -140.0, "duration": 0.2}}}
    data = hub(backward, 1e-3)
    data["connectors"][0] |= {"axis": [0, 0, -1], "table": table}
    found = histories(data, tmp_path)
    data = hub(UP, 1e-3)
    data["connectors"][0]["table"] = table
    data["loads"][0]["phase"] = -PHASE
    forward = histories(data, tmp_path)
    assert np.allclose(found[:, 1], forward[:, 1], rtol=0.0, atol=1e-9 * np.ptp(forward[:, 1]))
    assert np.allclose(found[:, 2], -forward[:, 2], rtol=0.0, atol=1e-9 * np.ptp(forward[:, 2]))
    del data["connectors"][0]["axis" if "axis" in data["connectors"][0] else "orientation"]
    data["masses"][0]["spin"] = backward
    text = r"connectors\[0\].table: found the speed -140 rad/s about its axis; expected one from 0"
    with pytest.raises(InputError, match=text):
        run(data, tmp_path)


#: Seals between the middle of a shaft and a stator, and a bearing at each end.
ENDS: Tables = {"speed": [0.0, 150.0], "kxx": [4e5, 6e5], "kxy": [0.0, 5e4], "kyx": [0.0, -3e4],
                "kyy": [3e5, 5e5], "cxx": [2e3, 1e3]}  # fmt: skip
SEAL: Tables = {"speed": [0.0, 60.0, 140.0], "kxx": [1e5, 2e5, 4e5], "kxy": [0.0, 8e4, 2e5],
                "kyx": [0.0, -8e4, -2e5], "cxx": [500.0, 800.0, 900.0],
                "mxx": [2.0, 4.0, 5.0]}  # fmt: skip


def shaft_motion(times: Array, angle: Turned, laws: dict[int, Law]) -> Array:
    """Return x, y of both ends, the middle and the stator of SOFT, with laws by bearing."""
    bare = replace(SOFT, bearings=[], carriers=[30.0])
    across = {0: Bearing(0), 1: Bearing(2), 2: Bearing(1, carrier=3), 3: Bearing(3)}
    fixed = {3: (2e6 * np.eye(2), 1e3 * np.eye(2), np.zeros((2, 2)))}
    unbalanced = bare.unbalanced(1, AMOUNT, PHASE)
    still, once = bare.matrices(0.0), bare.matrices(1.0)
    growing = bare.matrices(0.0, 1.0)[2] - still[2]

    def matrices(t: float) -> tuple[Array, Array, Array]:
        _, w, growth = angle(t)
        m, c, k = (one + w * (other - one) for one, other in zip(still, once, strict=True))
        k = k + growth * growing
        for number, one in across.items():
            law = laws[number](w) if number in laws else fixed[number]
            rows = np.zeros((2, len(m)))
            rows[:, bare.at(one.node)] = np.eye(2)
            if one.carrier is not None:
                rows[:, bare.at(one.carrier)] = -np.eye(2)
            k, c, m = (a + rows.T @ b @ rows for a, b in zip((k, c, m), law, strict=True))
        return m, c, k

    size = len(still[0])

    def rates(t: float, state: Array) -> Array:
        theta, w, growth = angle(t)
        m, c, k = matrices(t)
        push = ((w * w - 1j * growth) * np.exp(1j * theta) * unbalanced).real
        force = push - c @ state[size:] - k @ state[:size]
        return np.concatenate([state[size:], np.linalg.solve(m, force)])

    found = solve_ivp(
        rates, (0.0, times[-1]), np.zeros(2 * size), "DOP853", times, rtol=1e-9, atol=1e-14,
        max_step=2e-3,
    )  # fmt: skip
    places = np.r_[*(bare.at(node) for node in (0, 1, 2, 3))]
    return np.asarray(found.y[places].T)


def shaft(turning: str, spin: Tables, ends: Tables, step: float, **others: Any) -> Tables:
    """Return SOFT on two bearings with tables, with a seal to a stator on springs."""
    rotor = replace(SOFT, bearings=[Bearing(1, carrier=3)], carriers=[30.0])
    data = tables(rotor, 0.0, turning=turning, loads=[unbalance(1, AMOUNT, PHASE)],
                  probes=probes(0, 1, 2), **others)  # fmt: skip
    data["probes"] += [{"name": f"s{c}", "group": "mass3", "component": c} for c in "xy"]
    for body in data["bodies"]:
        body[turning] = {"axis": [0, 0, 1]} | spin
    common = {"kind": "bearing", "orientation": [1, 0, 0]}
    data["connectors"] = [
        {"name": "left", "at": "#0", "table": ends} | common,
        {"name": "right", "at": "#2", "table": ends} | common,
        {"name": "seal", "between": ["#1", "mass3"], "table": SEAL} | common,
        {"name": "stator", "at": "mass3", "stiffness": 2e6, "damping": 1e3} | common,
    ]
    data["analysis"] = {"kind": "transient", "step": step, "duration": DURATION}
    return data


def test_a_shaft_on_bearings_and_a_seal_between_rotor_and_stator(tmp_path: Path) -> None:
    """Beams with gyroscopic and Euler terms and damping that spins: second order beside SciPy."""
    laws = {0: law_of(ENDS), 1: law_of(ENDS), 2: law_of(SEAL)}
    coarse, fine = (histories(shaft("spin", UP, ENDS, step), tmp_path) for step in (1e-3, 5e-4))
    converges(coarse[:, 1:], fine[:, 1:], shaft_motion(coarse[:, 0], up, laws))


ROUND: Tables = {"speed": [0.0, 150.0], "kxx": [4e5, 6e5], "kxy": [0.0, 5e4],
                 "kyx": [0.0, -5e4], "cxx": [2e3, 1e3], "cxy": [0.0, 1e2], "cyx": [0.0, -1e2],
                 "mxx": [0.0, 2.0]}  # fmt: skip


@pytest.mark.slow
def test_axes_that_turn_give_the_motion_of_axes_at_rest(tmp_path: Path) -> None:
    """Bearings alike in all directions: displacements turned back, to the order of the method."""
    motions: dict[str, list[Array]] = {"spin": [], "frame": []}
    for step in (1e-3, 5e-4):
        for turning, found in motions.items():
            data = shaft(turning, UP, ROUND, step)
            del data["connectors"][2:], data["mesh"]["points"], data["probes"][6:]
            data["masses"] = [one for one in data["masses"] if one["name"] != "mass3"]
            data["supports"] = [one for one in data["supports"] if one["group"] != "mass3"]
            rows = histories(data, tmp_path)
            theta = np.array([up(t)[0] if turning == "frame" else 0.0 for t in rows[:, 0]])
            found.append((rows[:, 1::2] + 1j * rows[:, 2::2]) * np.exp(1j * theta)[:, None])
    exact = [(4.0 * fine[::2] - coarse) / 3.0 for coarse, fine in motions.values()]
    assert error(*exact) < 2e-4
    assert error(motions["frame"][1], motions["spin"][1]) > 1e-3


@pytest.mark.parametrize("formalism", ["maggi", "lagrange"])
def test_a_mechanism_beside_the_shaft_changes_nothing(formalism: str, tmp_path: Path) -> None:
    """Tied steps take the same coefficients as free ones."""
    data = hub(UP, 2e-3)
    expected = histories(data, tmp_path / "alone")
    data |= {
        "links": [{"name": "arm", "mass": 1.0, "inertia": [1, 1, 1]}],
        "joints": [{"name": "j", "kind": "revolute", "links": ["ground", "arm"], "at": [0, 0, 0],
                    "axis": [0, 0, 1]}],
        "drivers": [{"name": "still", "joint": "j", "value": 0.0}],
    }  # fmt: skip
    data["analysis"] = data["analysis"] | {"formalism": formalism}
    assert error(histories(data, tmp_path / "both"), expected) < 1e-10


@pytest.mark.slow
def test_a_stator_with_an_energy_gives_the_same_small_motion(tmp_path: Path) -> None:
    """Newton's steps of a neo-Hookean block beside those of a linear one, for tiny loads."""
    young, poisson, side = 2e7, 0.3, 0.1
    lame = young * poisson / (1 + poisson) / (1 - 2 * poisson)
    energy = {"energy": "neo_hookean", "parameters": {
        "mu": young / 2 / (1 + poisson), "lame": lame, "density": 1e3}}  # fmt: skip
    places = [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, 0, 1],
        [1, 1, 1],
        [0, 1, 1],
    ]
    corners = [[side * x for x in one] for one in places]
    motions = []
    for kind in ({"material": "soft"}, energy):
        data = hub(UP | {"point": [side, side, 0]}, 2e-3, scale=1e-4)
        block = {"cell": "hex8", "corners": corners, "divisions": [1, 1, 1]}
        data["mesh"] = {"block": block, "points": {"hub": [side] * 3}}
        data["materials"] = {"soft": {"young": young, "poisson": poisson, "density": 1e3}}
        data["bodies"] = [{"name": "stator", "element": "hex8"} | kind]
        del data["connectors"][0]["at"]
        data["connectors"][0]["between"] = ["hub", "#8"]
        data["supports"].append({"group": "zmin"})
        motions.append(histories(data, tmp_path))
    assert error(motions[1], motions[0]) < 1e-6


def test_factors_are_renewed_as_coefficients_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stiffness that grows a thousandfold takes new factors; steady coefficients take one."""
    counts = {}
    for name, stiff in (("moves", 4e8), ("stays", 4e5)):
        data = shaft("spin", UP, ENDS | {"kxx": [4e5, stiff], "kyy": [4e5, stiff]}, 2e-3)
        outcome = run(data, tmp_path)
        counts[name] = outcome.figures["factorizations"]
        assert outcome.figures["residual at the end"] < 1e-9
    assert counts["stays"] <= 2 < counts["moves"] < 40


def test_millimetres_and_tonnes_give_the_same_motion(tmp_path: Path) -> None:
    """A model in mm, t, s beside the same in SI: tables are in the units of the model."""
    wanted = histories(hub(UP, 1e-3), tmp_path)
    small = {key: [x * (1e-3 if key[0] != "s" else 1.0) for x in one] for key, one in TABLE.items()}
    data = hub(UP, 1e-3, units="mm-t-s")
    data["masses"][0]["mass"] = MASS * 1e-3
    data["loads"][0]["unbalance"] = AMOUNT  # 1e-3 kg m are 1e-3 t mm
    data["connectors"][0]["table"] = small
    found = histories(data, tmp_path)
    assert error(found[:, 1:] * 1e-3, wanted[:, 1:]) < 1e-9


def test_speeds_beyond_a_table_are_told(tmp_path: Path) -> None:
    """Of a run-up to 160 rad/s some of the speeds that are looked at."""
    data = hub({"velocity": {"ramp": {"to": 200.0, "duration": 0.2}}}, 5e-3)
    told = [one for one in run(data, tmp_path).warnings if one.startswith("connector 'journal'")]
    assert len(told) == 1 and "its table is for 0 to 150 rad/s; at " in told[0]
    assert "of 1001 speeds it holds the coefficients of its end" in told[0]
    assert not run(hub(UP, 5e-3), tmp_path).warnings


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"method": "gauss4"}, "analysis.method: found gauss4 with connector 'journal', whose "
         "table is of a speed that varies in time; expected one of generalized_alpha, newmark, h"),
        ({"method": "central_difference"}, "analysis.method: found central_difference with conn"),
        ({"method": "newmark", "beta": 0.1}, "analysis.beta: found 0.1, of steps that are not sta"),
        ({"kind": "static"}, "connector 'journal': table: found a shaft at a varying speed with "
         "analysis static; expected a constant one, or constant coefficients"),
    ],
)  # fmt: skip
def test_what_does_not_follow_the_speed(change: Tables, told: str, tmp_path: Path) -> None:
    """Each is refused by the key that does not go with it."""
    data = hub(UP, 1e-3)
    data["loads"] = []
    whole = {} if "kind" in change else data["analysis"]
    with pytest.raises(InputError) as caught:
        run(data | {"analysis": whole | change}, tmp_path)
    assert str(caught.value).startswith(told)


def test_exports_have_constant_coefficients(tmp_path: Path) -> None:
    """C has constant matrices: a table is refused at a varying speed, not at a constant one."""
    spec = model_from_dict(hub(UP, 1e-3), folder=tmp_path)
    text = "connector 'journal': table: found coefficients that vary in time with the speed; expec"
    with pytest.raises(InputError, match=text):
        build_solver(spec)
    build_solver(model_from_dict(hub({"velocity": 100.0}, 1e-3), folder=tmp_path))


def test_what_counts_as_moved() -> None:
    """A coefficient by more than a twentieth of its matrix; matrices that are zero by nothing."""
    body = next(
        one
        for one in build(model_from_dict(hub(UP, 1e-3), folder=Path())).system.bodies
        if one.varies
    )
    speeds = (60.0, 60.5, 75.0)
    frames = [replace(body.motion.at(0.0), w=np.array([0.0, 0.0, w])) for w in speeds]
    first, near, far = (body.under(frame) for frame in frames)
    assert not near.differs(first) and not first.differs(first)
    assert far.differs(first) and first.differs(far)


def test_reductions_have_constant_coefficients(tmp_path: Path) -> None:
    """Of frames that turn, as bodies that spin have none."""
    data = shaft("frame", UP, ROUND, 1e-3, reduction={"modes": 4})
    del data["connectors"][2:], data["mesh"]["points"], data["probes"][6:]
    data["masses"] = [one for one in data["masses"] if one["name"] != "mass3"]
    data["supports"] = [one for one in data["supports"] if one["group"] != "mass3"]
    text = "reduction: found one with connector 'left', whose table is of a speed that varies"
    with pytest.raises(InputError, match=text):
        run(data, tmp_path)
