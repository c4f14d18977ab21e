# SPDX-License-Identifier: BSD-3-Clause
"""Rotors whose speed a torque decides: run-ups, capture at critical speeds, coast-downs.

Motions are those of `machine_equations`, by SciPy, and closed forms.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.motion.spin import Turn
from flexforge.runtime.run import run_model
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.machines import Machines
from flexforge.runtime.transient.machine_model import MachineModel
from machine_equations import Turned, mass_motion
from marks import slow
from models import build
from rotor_equations import Array
from scipy.special import ellipk
from shafts import SOFT, Tables, histories, probes, run, tables, unbalance
from test_run_ups import TABLE, converges, error, law_of

#: A mass on a shaft, critical at 63 rad/s, with 3 % of the critical damping.
MASS, STIFF, DAMPING, AMOUNT, INERTIA, PHASE = 10.0, 4e4, 40.0, 2e-2, 0.05, 0.3


def of_machine(*quantities: str) -> list[Tables]:
    """Return probes of a machine."""
    return [{"name": one, "machine": "train", "quantity": one} for one in quantities]


def hub(torque: Any, step: float, duration: float, **machine: Any) -> Tables:
    """Return a mass with an unbalance on a bearing, with probes x, y, angle and speed."""
    return {
        "mesh": {"points": {"hub": [0.0, 0.0, 0.0]}},
        "machines": [{"name": "train", "torque": torque, "inertia": INERTIA} | machine],
        "masses": [{"name": "hub", "group": "hub", "mass": MASS, "spin": {"machine": "train"}}],
        "connectors": [{"name": "shaft", "kind": "bearing", "at": "hub", "stiffness": STIFF,
                        "damping": DAMPING, "orientation": [1, 0, 0]}],
        "supports": [{"group": "hub", "components": ["z"]}],
        "loads": [{"kind": "unbalance", "group": "hub", "unbalance": AMOUNT, "phase": PHASE,
                   "orientation": [1, 0, 0]}],
        "probes": [{"name": c, "group": "hub", "component": c} for c in "xy"]
        + of_machine("angle", "velocity"),
        "analysis": {"kind": "transient", "method": "newmark", "step": step, "duration": duration},
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def constant(_: float) -> Array:
    """Return the law of the shaft of the mass."""
    return np.array([STIFF * np.eye(2), DAMPING * np.eye(2), np.zeros((2, 2))])


GIVEN: Tables = {"mass": MASS, "amount": AMOUNT, "inertia": INERTIA, "phase": PHASE}


def compared(data: Any, expected: Any, folder: Path, step: float = 1e-3) -> Array:
    """Require second order of a run beside an exact motion, but for its angle; return that.

    Parameters
    ----------
    data : callable
        Model of a step.
    expected : callable
        Exact motion at times, in the order of the probes, whose last but one is the angle.
    """
    coarse, fine = (histories(data(one), folder) for one in (step, 0.5 * step))
    exact = expected(coarse[:, 0])
    converges(coarse[:, 1:-2], fine[:, 1:-2], exact[:, :-2])
    converges(coarse[:, -1:], fine[:, -1:], exact[:, -1:])
    return np.asarray(exact)


@pytest.mark.slow
def test_a_strong_motor_passes_the_critical_speed(tmp_path: Path) -> None:
    """Sommerfeld: 6 N m take the mass through 63 rad/s, beside SciPy."""
    exact = compared(
        lambda step: hub(6.0, step, 0.4, velocity0=40.0),
        lambda times: mass_motion(times, constant, lambda *_: 6.0, start=(0.0, 40.0), **GIVEN),
        tmp_path,
        2e-3,
    )
    assert exact[-1, 3] > 1.1 * np.sqrt(STIFF / MASS)


@pytest.mark.slow
def test_a_weak_motor_is_captured(tmp_path: Path) -> None:
    """Sommerfeld: a motor that would reach 100 rad/s stays at 63, where the whirl takes it all."""
    exact = compared(
        lambda step: hub("3 - 0.03*speed", step, 3.0),
        lambda times: mass_motion(times, constant, lambda t, a, w: 3.0 - 0.03 * w, **GIVEN),
        tmp_path,
    )
    late = exact[2000:, 3]
    assert late.max() < 1.0 * np.sqrt(STIFF / MASS)


def test_bearings_follow_the_speed_and_the_torque_time_and_angle(tmp_path: Path) -> None:
    """K, C and M of a table at the speed that is found; backlash of a torque in all it may have."""

    def data(step: float) -> Tables:
        found = hub("5*t + 4*sin(3*angle) - 1e-3*speed**2 + 20", step, 0.06,
                    velocity0=45.0, angle0=0.5)  # fmt: skip
        found["connectors"][0] |= {"table": TABLE}
        del found["connectors"][0]["stiffness"], found["connectors"][0]["damping"]
        return found

    def torque(t: float, angle: float, w: float) -> float:
        return 5.0 * t + 4.0 * np.sin(3.0 * angle) - 1e-3 * w * w + 20.0

    exact = compared(
        data,
        lambda times: mass_motion(
            times, law_of(TABLE), torque, start=(0.5, 45.0), **GIVEN | {"mass": MASS}
        ),
        tmp_path,
    )
    assert exact[-1, 3] > 60.0


#: Torque and inertia that pass the critical speed of 82 rad/s of SOFT within its run.
DRIVEN = Turned(SOFT, lambda t, angle, w: 900.0 - 2.0 * w + 50.0 * np.sin(angle), 0.4)


def shaft(step: float, axis: tuple[float, float, float] = (0, 0, 1), **others: Any) -> Tables:
    """Return SOFT with the torque of DRIVEN, and probes of its discs, angle and speed."""
    data = tables(SOFT, 0.0, axis=axis, point=[0.3, -0.2, 0.1], loads=[unbalance(1, 0.06, PHASE)])
    for body in data["bodies"]:
        del body["spin"]["velocity"]
        body["spin"]["machine"] = "train"
    data["machines"] = [{"name": "train", "torque": "900 - 2*speed + 50*sin(angle)",
                         "inertia": DRIVEN.inertia, "velocity0": 70.0, "angle0": 0.2}]  # fmt: skip
    data["probes"] = probes(0, 1, 2) + of_machine("angle", "velocity")
    data["analysis"] = {"kind": "transient", "step": step, "duration": 0.08}
    return data | others


def test_a_shaft_with_discs_twists_and_whirls_as_its_speed_rises(tmp_path: Path) -> None:
    """Gyroscopic moments, damping that turns, bearings with cross-coupling, torsion, by hand."""
    places = [*SOFT.at(0), *SOFT.at(1), *SOFT.at(2), -2, -1]
    exact = compared(
        shaft,
        lambda times: DRIVEN.motion(times, SOFT.unbalanced(1, 0.06, PHASE), (0.2, 70.0))[:, places],
        tmp_path,
    )
    assert exact[-1, -1] > 82.0
    assert np.ptp(np.diff(exact[:, -1])) > 0.5 * np.diff(exact[:, -1]).mean()  # it reacts


@pytest.mark.slow
def test_another_axis_is_another_name(tmp_path: Path) -> None:
    """About x with y as direction 0: the same numbers along y and z."""
    short = {"kind": "transient", "step": 1e-3, "duration": 0.02}
    wanted = histories(shaft(1e-3, analysis=short), tmp_path)
    data = shaft(1e-3, analysis=short, axis=(1, 0, 0))
    data["loads"][0]["orientation"] = [0, 1, 0]
    for probe in data["probes"][:6]:
        probe["component"] = {"x": "y", "y": "z"}[probe["component"]]
    assert error(histories(data, tmp_path)[:, 1:], wanted[:, 1:]) < 1e-9


def test_an_axis_across_all_directions(tmp_path: Path) -> None:
    """Of a support with axes of its own: displacements along y and speeds are those about z."""
    short = {"kind": "transient", "step": 1e-3, "duration": 0.02}
    wanted = histories(shaft(1e-3, analysis=short), tmp_path)
    axis, x = (0.6, 0.0, 0.8), [0.8, 0.0, -0.6]
    data = shaft(1e-3, axis=axis, analysis=short)
    axes = {"x": x, "y": [0, 1, 0]}
    data["supports"] = [{"group": "#0", "components": ["z", "rz"], "axes": axes}]
    for one in (*data["connectors"], *data["loads"]):
        one["orientation"] = x
    found = histories(data, tmp_path)
    assert error(found[:, 2:7:2], wanted[:, 2:7:2]) < 1e-9
    assert error(found[:, 7:], wanted[:, 7:]) < 1e-9


def test_millimetres_and_tonnes_turn_alike(tmp_path: Path) -> None:
    """N m are 1e3 N mm, kg m^2 are 1e3 t mm^2; speeds are the same."""
    data = hub("3000*(1 + t)", 1e-3, 0.03, units=None)
    wanted = histories(hub("3*(1 + t)", 1e-3, 0.03), tmp_path)
    del data["machines"][0]["units"]
    data |= {"units": "mm-t-s"}
    data["machines"][0]["inertia"] = INERTIA * 1e3
    data["masses"][0]["mass"] = MASS * 1e-3
    data["connectors"][0] |= {"stiffness": STIFF * 1e-3, "damping": DAMPING * 1e-3}
    found = histories(data, tmp_path)
    assert error(found[:, 1:3] * 1e-3, wanted[:, 1:3]) < 1e-9
    assert error(found[:, 3:], wanted[:, 3:]) < 1e-9


def test_machines_and_known_spins_beside_each_other(tmp_path: Path) -> None:
    """Three masses that nothing joins: each moves as it does alone."""
    first = hub(6.0, 1e-3, 0.03, velocity0=40.0)
    second = hub("2 - 0.01*speed", 1e-3, 0.03, velocity0=70.0)
    known = {"acceleration": -100.0, "velocity0": 50.0}
    third = hub(0.0, 1e-3, 0.03)
    third["masses"][0]["spin"] = known
    del third["machines"], third["probes"][2:]
    wanted = [histories(one, tmp_path)[:, 1:] for one in (first, second, third)]
    data = hub(6.0, 1e-3, 0.03, velocity0=40.0)
    for number, (one, spin) in enumerate([(second, {"machine": "other"}), (third, known)]):
        name = f"hub{number}"
        data["mesh"]["points"][name] = place = [0.1, 0.0, 0.3 * number]
        turned = spin | {"point": place}
        data["masses"].append(one["masses"][0] | {"name": name, "group": name, "spin": turned})
        data["connectors"].append(one["connectors"][0] | {"name": f"s{name}", "at": name})
        data["supports"].append({"group": name, "components": ["z"]})
        data["loads"].append(one["loads"][0] | {"group": name})
        data["probes"] += [
            {"name": f"{c}{name}", "group": name, "component": c, "quantity": "displacement"}
            for c in "xy"
        ]
    data["machines"].append(second["machines"][0] | {"name": "other"})
    data["probes"].append({"name": "w", "machine": "other", "quantity": "velocity"})
    rows = histories(data, tmp_path)[:, 1:]
    assert error(rows[:, :4], wanted[0]) < 1e-8
    assert error(rows[:, 4:6], wanted[1][:, :2]) < 1e-8
    assert error(rows[:, 6:8], wanted[2]) < 1e-8
    assert error(rows[:, 8], wanted[1][:, 3]) < 1e-8


def test_a_free_rotor_keeps_energy_and_angular_momentum(tmp_path: Path) -> None:
    """Coast-down past the critical speed without a torque or damping: both stay, to second order.

    The moment of momentum of a mass with an unbalance about the axis of a round spring is
    ``M (x y' - y x') + U (w (x c + y s) + c y' - s x') + J w``.
    """
    left = []
    for step in (2e-3, 1e-3):
        data = hub(0.0, step, 0.16, velocity0=66.0)
        data["connectors"][0]["damping"] = 0.0
        data["probes"] += [
            {"name": f"v{c}", "group": "hub", "component": c, "quantity": "velocity"} for c in "xy"
        ]
        x, y, angle, w, u, v = histories(data, tmp_path)[:, 1:].T
        c, s = AMOUNT * np.cos(angle + PHASE), AMOUNT * np.sin(angle + PHASE)
        turning = MASS * (x * v - y * u) + w * (x * c + y * s) + c * v - s * u + INERTIA * w
        energy = 0.5 * MASS * (u * u + v * v) + 0.5 * STIFF * (x * x + y * y)
        energy += 0.5 * INERTIA * w * w + w * (c * v - s * u)
        left.append([np.ptp(one) / one[0] for one in (turning, energy)])
        assert np.ptp(w) > 1.0  # the whirl takes from the spin
    coarse, fine = np.array(left)
    assert (fine < 5e-3).all() and (coarse / fine > 3.5).all() and (coarse / fine < 4.5).all()


@pytest.mark.parametrize(
    ("law", "exact"),
    [slow("-0.02*speed", lambda t, w: w * np.exp(-0.02 * t / INERTIA)),
     ("-4e-4*speed**2", lambda t, w: w / (1.0 + 4e-4 * w * t / INERTIA))],
)  # fmt: skip
def test_coast_down_with_drag(law: str, exact: Any, tmp_path: Path) -> None:
    """Of a balanced rotor: exponentially, and as 1 / t; to second order."""
    off = []
    for step in (1.6e-2, 8e-3):
        data = hub(law, step, 0.8, velocity0=80.0)
        data["loads"] = []
        rows = histories(data, tmp_path)
        off.append(error(rows[:, 4], exact(rows[:, 0], 80.0)))
    assert off[1] < 4e-6 and 3.8 < off[0] / off[1] < 4.2


def test_a_large_inertia_turns_as_if_it_were_prescribed(tmp_path: Path) -> None:
    """600 rad/s^2 of 1e7 kg m^2 beside a spin of that acceleration, and nearer with more."""
    start = {"velocity0": 70.0, "angle0": 0.2}
    short = {"kind": "transient", "step": 1e-3, "duration": 0.02}
    given = shaft(1e-3, analysis=short)
    del given["machines"], given["probes"][6:]
    for body in given["bodies"]:
        del body["spin"]["machine"]
        body["spin"] |= {"acceleration": 600.0} | start
    wanted = histories(given, tmp_path)[:, 1:]
    off = []
    for inertia in (1e4, 1e7):
        data = shaft(1e-3, analysis=short)
        data["machines"][0] |= {"torque": 600.0 * inertia, "inertia": inertia}
        off.append(error(histories(data, tmp_path)[:, 1:-2], wanted))
    assert off[1] < 1e-6 and 500.0 < off[0] / off[1] < 2000.0


@pytest.mark.slow
def test_gravity_swings_an_unbalance(tmp_path: Path) -> None:
    """A mass beside an axis that is held is a pendulum: its period by the elliptic integral."""
    data = hub(0.0, 2e-3, 2.2, angle0=-PHASE + 2.0)
    data["connectors"][0] |= {"stiffness": 1e8, "damping": 1e5}  # nothing rings
    data["analysis"]["method"] = "generalized_alpha"
    data["loads"].append({"kind": "gravity", "acceleration": [9.81, 0.0, 0.0]})
    rows = histories(data, tmp_path)
    w = rows[:, 4]
    up = np.flatnonzero((w[:-1] < 0.0) & (w[1:] >= 0.0))
    times = rows[up, 0] - w[up] * 2e-3 / (w[up + 1] - w[up])
    period = 4.0 * np.sqrt(INERTIA / AMOUNT / 9.81) * ellipk(np.sin(1.0) ** 2)
    assert times[0] == pytest.approx(0.5 * period, rel=1e-5)


def geared(ratio: float, stiffness: float = 1e9) -> Tables:
    """Return two parallel shafts with gears, of which the first has a torque."""
    segments = [{"length": 0.2, "diameter": 0.05}]
    shafts = [
        {"name": name, "material": "steel", "segments": segments, "start": [x, 0.0, 0.0],
         "discs": [{"at": 0.1, "mass": 5.0, "inertia": [0.6 * polar, polar]}],
         "stations": {"end": 0.0}, "spin": {"machine": "train"} | more}
        for name, x, polar, more in (("a", 0.0, 0.3, {}), ("b", 0.15, 0.04, {"ratio": ratio}))
    ]  # fmt: skip
    return {
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7850,
                                "damping": {"beta": 1e-4}}},
        "shafts": shafts,
        "machines": [{"name": "train", "torque": 30.0, "inertia": 0.1}],
        "connectors": [
            {"name": "teeth", "kind": "gear_mesh", "between": ["a.disc1", "b.disc1"],
             "radii": [0.1, 0.05], "stiffness": stiffness, "damping": 1e4},
            *({"name": f"{one}{place}", "kind": "bearing", "at": f"{one}.{place}",
               "stiffness": 1e9, "damping": 1e4} for one in "ab" for place in ("end", "disc1")),
        ],
        "supports": [{"group": "a.end", "components": ["z", "rz"]},
                     {"group": "b.end", "components": ["z"]}],
        "probes": of_machine("velocity"),
        "analysis": {"kind": "transient", "step": 1e-3, "duration": 0.1},
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def test_shafts_with_gears_turn_as_one(tmp_path: Path) -> None:
    """The inertia of a train is the sum of those times the squares of ratios."""
    rows = histories(geared(-2.0), tmp_path)
    rod = 7850 * np.pi / 32 * 0.05**4 * 0.2
    whole = 0.1 + 0.3 + rod + 4.0 * (0.04 + rod)
    slope = (rows[-1, 1] - rows[60, 1]) / (rows[-1, 0] - rows[60, 0])
    assert slope == pytest.approx(30.0 / whole, rel=1e-4)


def test_all_derivatives_of_a_step(tmp_path: Path) -> None:
    """Rows, columns and corner beside central differences, about an axis and at a ratio."""
    data = shaft(1e-3, axis=(0, 1, 0))
    for body in data["bodies"]:
        body["spin"]["ratio"] = 1.7
    table = {key: TABLE[key] for key in ("speed", "kxx", "kxy", "kyx", "cxx", "mxx")}
    data["connectors"][1] = {"name": "journal", "kind": "bearing", "at": "#2", "table": table}
    data["loads"].append({"kind": "gravity", "acceleration": [9.81, 0.0, 3.0]})
    spec = model_from_dict(data, folder=tmp_path)
    system = build(spec).system
    loads = Loads(spec, build(spec))
    machines = Machines.of(spec, system, loads)
    assert machines is not None
    model, t = MachineModel(system, loads, machines), 0.1
    random = np.random.default_rng(1)
    motion = random.normal(size=(3, system.unknowns)) * [[1e-2], [1.0], [100.0]]
    turn = np.array([[1.1], [50.0], [300.0]])

    def left(x: Array, y: Array) -> tuple[Array, Array]:
        now = Turn(*(turn + y))
        equations = model.equations(t, now)
        return equations.force - equations.inner(*(motion + x)), model.balance(
            t, now, model.nodal(t, *(motion + x))
        )

    for order, size in ((2, 1.0), (1, 1e-2), (0, 1e-3)):
        factors = np.eye(3)[2 - order]
        now = Turn(*turn)
        at, equations = model.nodal(t, *motion), model.equations(t, now)
        slopes = model.slopes(t, now, at, equations, factors)
        still, moved = np.zeros((2, 3, system.unknowns))
        there, none = np.zeros((2, 3, 1))
        there[order] = size
        ahead, back = left(still, there), left(still, -there)
        found = [(a - b) / (2 * size) for a, b in zip(ahead, back, strict=True)]
        assert error(-found[0], slopes.columns[:, 0]) < 3e-6
        assert found[1] == pytest.approx(slopes.corner[0], rel=1e-5)
        moved[order] = random.normal(size=system.unknowns) * size * (1e-2 if order == 0 else 1.0)
        row = (left(moved, none)[1] - left(-moved, none)[1]) / 2.0
        assert row == pytest.approx(slopes.rows @ moved[order], rel=1e-6)


def test_a_step_takes_few_corrections(tmp_path: Path) -> None:
    """Newton's method of a strong unbalance near the critical speed: two, and one solve for C."""
    data = hub(6.0, 4e-3, 0.2, velocity0=60.0)
    data["loads"][0]["unbalance"] = 0.3
    assert run(data, tmp_path).figures["solves per step"] < 3.5


@pytest.mark.slow
def test_works_balance_the_energy(tmp_path: Path) -> None:
    """Torque, gravity and a moment, damping that turns, and bearings; and less left with steps."""
    left = []
    for step in (1e-3, 5e-4):
        data = shaft(step)
        data["analysis"]["duration"] = 0.3
        data["loads"] += [
            {"kind": "gravity", "acceleration": [0.0, -9.81, 0.0]},
            {"kind": "moment", "group": "#2", "total": [0.0, 0.0, -40.0]},
        ]
        figures = run(data, tmp_path).figures
        assert figures["work of damping"][0] < 0.0 and figures["work of bearings"][0] < 0.0
        angle = figures["angle of train at the end"][0] - 0.2
        assert abs(figures["work of loads"][0] + 40.0 * angle) < 0.2 * 40.0 * angle
        left.append(figures["error of the energy balance"])
    assert left[0] < 1e-4 and left[1] < 0.35 * left[0]


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    """The same probes and works, to the tolerance of steps, and the same pictures' speeds."""
    spec = model_from_dict(hub(3.0, 1e-3, 0.05), folder=tmp_path)
    whole = run_model(spec, output=tmp_path / "whole")

    def stop(text: str, done: int, total: int) -> None:
        if text == "steps" and done > 25:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_model(spec, output=tmp_path / "stopped", progress=stop)
    again = run_model(spec, output=tmp_path / "stopped", resume=True)
    rows = [
        np.loadtxt(tmp_path / name / "probes.csv", delimiter=",", skiprows=1)
        for name in ("whole", "stopped")
    ]
    assert rows[0].shape == rows[1].shape and error(rows[1], rows[0]) < 1e-9
    for name in ("work of torques", "speed of train at the end"):
        assert again.figures[name][0] == pytest.approx(whole.figures[name][0], rel=1e-9)
    orbits = [
        json.loads((tmp_path / name / "summary.json").read_text())["orbits"]
        for name in ("whole", "stopped")
    ]
    assert orbits[0]["times"] == orbits[1]["times"] and len(orbits[0]["times"]) == len(rows[0])
    assert np.allclose(orbits[0]["speeds_rad_s"], rows[0][:, 4], rtol=1e-9)


def test_a_support_transmits_what_the_inertia_beside_bodies_leaves(tmp_path: Path) -> None:
    """The moment of the support that holds rotations: the torque less ``I phi''`` of a motor."""
    data = shaft(1e-3, loads=[])
    data["analysis"]["duration"] = 0.02
    data["materials"]["steel"]["damping"]["alpha"] = 0.0  # whose forces come from the machine
    data["probes"] = [{"name": "m", "body": "shaft0", "quantity": "reaction_moment",
                       "component": "z"}, *of_machine("torque", "acceleration")]  # fmt: skip
    _, moment, torque, faster = histories(data, tmp_path).T
    assert error(moment, torque - DRIVEN.inertia * faster) < 1e-7
    assert np.ptp(moment) > 10.0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"machines": [{"name": "train", "torque": "3*omega"}]},
         "machines[0].torque: found the unknown name 'omega' in '3*omega'; expected t, angle"),
        ({"machines": [{"name": "trian"}]},
         "masses[0].spin.machine: found the unknown machine 'train'; expected one of trian"),
        ({"machines": [{"name": "train"}]},
         "machine 'train': found no inertia; expected inertia, or bodies that have some"),
        ({"machines": [{"name": "train", "inertia": 1.0}, {"name": "b"}]},
         "machines[1].name: found 'b', with which nothing turns; expected a body"),
    ],
)  # fmt: skip
def test_what_a_machine_is_not(change: Tables, told: str, tmp_path: Path) -> None:
    """Each is refused by the key that does not go with it."""
    with pytest.raises(InputError) as caught:
        run(hub(3.0, 1e-3, 0.1) | change, tmp_path)
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("spin", "told"),
    [
        ({"machine": "train", "velocity": 3.0}, "velocity: found beside machine, which has it"),
        ({"machine": "train", "ratio": 0.0}, "ratio: found 0; expected another number"),
        ({"velocity": 3.0, "ratio": 2.0}, "ratio: found without a machine; expected it with one"),
    ],
)
def test_spins_of_machines(spin: Tables, told: str, tmp_path: Path) -> None:
    """A spin is known, or that of a machine."""
    data = hub(3.0, 1e-3, 0.1)
    data["masses"][0]["spin"] = spin
    with pytest.raises(InputError, match=f"masses.0..spin.{told}"):
        run(data, tmp_path)


def test_rotations_are_held_relative_to_the_machine_alone(tmp_path: Path) -> None:
    """No support about the axis, a spring about it, or gears of other radii are refused."""
    data = shaft(1e-3)
    data["supports"][0]["components"] = ["z"]
    with pytest.raises(InputError, match="machine 'train': found no support that holds a rotat"):
        run(data, tmp_path)
    data = shaft(1e-3)
    data["connectors"].append({"name": "spiral", "kind": "bushing", "at": "#2",
                               "stiffness": [0, 0, 0, 0, 0, 1.0], "axis": [1, 0, 0],
                               "orientation": [0, 1, 0]})  # fmt: skip
    with pytest.raises(InputError, match="machine 'train': found connector 'spiral', which resis"):
        run(data, tmp_path)
    with pytest.raises(InputError, match="connectors.0..radii: found 1 and -1.9 rad/s about the"):
        run(geared(-1.9), tmp_path)


@pytest.mark.parametrize(
    ("analysis", "told"),
    [({"method": "gauss4"}, "analysis.method: found gauss4 with ..machines..; expected one of gen"),
     ({"method": "central_difference"}, "analysis.method: found central_difference with ..mach"),
     ({"beta": 0.1}, "analysis.beta: found 0.1 with ..machines.., of steps that are not stable")],
)  # fmt: skip
def test_methods_of_machines(analysis: Tables, told: str, tmp_path: Path) -> None:
    """Steps are implicit."""
    data = hub(3.0, 1e-3, 0.1)
    data["analysis"] |= analysis
    if "beta" not in analysis:
        del data["loads"]
    with pytest.raises(InputError, match=told):
        run(data, tmp_path)


def test_terms_of_inertia_are_there_for_both(tmp_path: Path) -> None:
    """Bodies without gyroscopic forces would turn a machine that has them."""
    with pytest.raises(InputError, match="include.coriolis: found false with ..machines.. in time"):
        run(shaft(1e-3, include={"coriolis": False}), tmp_path)


def test_exports_have_no_machines(tmp_path: Path) -> None:
    """C has known speeds."""
    with pytest.raises(InputError, match="machines: found ..machines..; expected none to export"):
        build_solver(model_from_dict(hub(3.0, 1e-3, 0.1), folder=tmp_path))


def test_other_analyses_take_the_first_speed(tmp_path: Path) -> None:
    """Modes at the speed at which machines begin are those of that spin."""
    found = []
    for spin in ({"machine": "train", "ratio": -0.5}, {"velocity": -40.0}):
        data = shaft(1e-3, analysis={"kind": "modes", "count": 4}, loads=[], probes=[])
        data["machines"][0]["velocity0"] = 80.0
        for body in data["bodies"]:
            body["spin"] = {"axis": [0, 0, 1], "point": body["spin"]["point"]} | spin
        if "velocity" in spin:
            del data["machines"]
        run(data, tmp_path)
        modes = json.loads((tmp_path / "summary.json").read_text())["modes"]
        found.append([one["frequency_Hz"] for one in modes])
    assert len(found[0]) == 4 and np.allclose(found[0], found[1], rtol=1e-12)
