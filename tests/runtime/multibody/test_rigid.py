# SPDX-License-Identifier: BSD-3-Clause
"""Rigid links whose motion is found, against closed forms, other equations and driven links."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mechanism.found import mechanism_of
from flexforge.runtime.mechanism.starts import start_remarks
from flexforge.runtime.run import run_model
from flexforge.runtime.system.construct import build_mesh
from scipy.integrate import solve_ivp
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation
from scipy.special import ellipk
from swinging import (
    DOWN,
    G,
    begin,
    coordinates,
    follow,
    frames,
    pin,
    rod,
    slide,
    spatial,
    transient,
)


def pendulum(duration, steps, **keys):
    """Return a rod that begins 1 rad from hanging, as a model of the plane."""
    placed = {"angle": -0.5 * np.pi + 1.0}
    return {
        "planar": True, "links": [rod("rod", placement=placed)], "loads": DOWN,
        "joints": [pin("pin", "ground", "rod", [0, 0, 0])],
        "analysis": transient(duration, steps), **keys,
    }  # fmt: skip


def test_pendulum_swings_with_the_period_of_the_elliptic_integral():
    """Hanging after a quarter of it, with an error of the second order; the force of the pin."""
    inertia = 1.0 / 3.0
    period = 4.0 * ellipk(np.sin(0.5) ** 2) * np.sqrt(inertia / (0.5 * G))
    errors = []
    for steps in (200, 400):
        angles = follow(pendulum(1.25 * period, steps), coordinates)[:, 0, 0]
        errors.append(angles[-1] + 0.5 * np.pi)
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)
    assert abs(errors[1]) < 1e-3
    motion = begin(pendulum(0.25 * period, 400))
    for _ in range(400):
        motion.advance()
    # At the bottom: m g + m l w^2 with w^2 = 2 m g l (1 - cos 1) / I, l half the length.
    squared = G * (1.0 - np.cos(1.0)) / inertia
    assert motion.reactions["pin"].force[1] == pytest.approx(G + 0.5 * squared, rel=1e-5)


def _double(angles, rates):
    """Return the accelerations of two uniform rods, by angles from x; Lagrange's equations."""
    cosine, sine = np.cos(angles[0] - angles[1]), np.sin(angles[0] - angles[1])
    masses = np.array([[4.0 / 3.0, 0.5 * cosine], [0.5 * cosine, 1.0 / 3.0]])
    forces = np.array([
        -1.5 * G * np.cos(angles[0]) - 0.5 * sine * rates[1] ** 2,
        -0.5 * G * np.cos(angles[1]) + 0.5 * sine * rates[0] ** 2,
    ])  # fmt: skip
    return np.linalg.solve(masses, forces)


@pytest.mark.parametrize("planar", [True, False])
def test_double_pendulum_is_that_of_its_two_equations(planar):
    """In the plane, and in space with hinges; errors of the second order."""
    start = np.array([0.3, -0.4])
    places = [
        {"angle": start[0]},
        {"position": [np.cos(start[0]), np.sin(start[0]), 0.0], "angle": start[1]},
    ]
    links = [rod(name, placement=place) for name, place in zip("ab", places, strict=True)]
    exact = solve_ivp(
        lambda t, y: [*y[2:], *_double(y[:2], y[2:])], [0.0, 1.5], [*start, 0.0, 0.0],
        rtol=1e-11, atol=1e-12,
    ).y[:, -1]  # fmt: skip
    errors = []
    for steps in (300, 600):
        found = follow({
            "planar": planar, "links": links if planar else list(map(spatial, links)),
            "joints": [
                pin("one", "ground", "a", [0, 0, 0]), pin("two", "a", "b", [[1, 0, 0], [0, 0, 0]])
            ],
            "loads": DOWN, "analysis": transient(1.5, steps),
        }, coordinates)[-1]  # fmt: skip
        errors.append(np.array([found[0, 0], found[0, 0] + found[1, 0]]) - exact[:2])
    assert np.abs(errors[1]).max() < 2e-4
    assert np.abs(errors[0]).max() / np.abs(errors[1]).max() == pytest.approx(4.0, rel=0.1)


def test_box_that_flies_flips_as_eulers_equations_say():
    """About its middle axis; its centre of mass goes straight on."""
    moments, start = np.array([1.0, 2.0, 3.0]), np.array([0.02, 2.0, 0.0])
    exact = solve_ivp(
        lambda t, w: -np.cross(w, moments * w) / moments, [0.0, 8.0], start, rtol=1e-11, atol=1e-12
    ).y[:, -1]
    errors = []
    for steps in (800, 1600):
        found = follow({
            "links": [{"name": "box", "mass": 2.0, "inertia": moments.tolist(),
                       "velocity": [1.0, 0.5, 0.0], "angular_velocity": start.tolist()}],
            "analysis": transient(8.0, steps),
        }, frames)  # fmt: skip
        errors.append(np.abs(found[-1, 0, 5] - exact).max())
    assert found[:, 0, 5, 1].min() < -1.9  # it has flipped
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] < 1e-3
    assert np.allclose(found[-1, 0, 0], [8.0, 4.0, 0.0], atol=1e-3)


def test_top_precesses_steadily():
    """A heavy symmetric top begins with the rate of the closed form and keeps its tilt."""
    mass, arm, own, across, spin, tilt = 1.0, 0.15, 0.08, 0.12, 10.0, 0.6
    # (across - own) cos(tilt) p^2 - own spin p + m g arm = 0, spin about its axis without p.
    a = (across - own) * np.cos(tilt)
    rate = (own * spin - np.sqrt((own * spin) ** 2 - 4.0 * a * mass * G * arm)) / (2.0 * a)
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    velocity = rate * np.array([0.0, 0.0, 1.0]) + spin * axis
    about_centre = across - mass * arm**2
    found = follow({
        "links": [{"name": "top", "mass": mass, "inertia": [about_centre, about_centre, own],
                   "centre": [0.0, 0.0, arm], "angular_velocity": velocity.tolist(),
                   "placement": {"axis": [0.0, 1.0, 0.0], "angle": tilt}}],
        "joints": [{"name": "foot", "kind": "spherical", "links": ["ground", "top"]}],
        "loads": [{"kind": "gravity", "acceleration": [0.0, 0.0, -G]}],
        "analysis": transient(1.0, 2000),
    }, frames)[:, 0, 1:4, 2]  # fmt: skip
    assert np.abs(np.arccos(found[:, 2]) - tilt).max() < 1e-4
    angle = np.unwrap(np.arctan2(found[:, 1], found[:, 0]))
    assert angle[-1] == pytest.approx(rate, rel=1e-4)


def slider_crank(drive, steps):
    """Return a slider-crank of three links with masses, driven or by a torque."""
    return {
        "planar": True,
        "links": [
            rod("crank", 0.5, 0.15), rod("rod", 0.4, 0.4, placement={"position": [0.15, 0, 0]}),
            {"name": "slider", "mass": 0.3, "placement": {"position": [0.55, 0, 0]}},
        ],
        "joints": [
            pin("bearing", "ground", "crank", [0, 0, 0]),
            pin("crank pin", "crank", "rod", [[0.15, 0, 0], [0, 0, 0]]),
            pin("wrist pin", "rod", "slider", [[0.4, 0, 0], [0, 0, 0]]),
            slide("guide", "slider"),
        ],
        "analysis": transient(0.5, steps), **drive,
    }  # fmt: skip


def test_slider_crank_by_the_torque_of_its_motor_moves_like_the_driven_one(tmp_path):
    """The torque that keeps a known motion, given back as a force, makes that motion.

    Steps are of second order; extrapolated to none, the angle is that of the driver to 1e-8 rad.
    """
    motion = "8*t + 3*sin(4*t)"
    driver = {"drivers": [{"name": "motor", "joint": "bearing", "value": motion}]}
    probes = {
        "probes": [{"name": "torque", "constraint": "motor", "quantity": "torque"}],
        "output": {"formats": ["csv"]},
    }
    driven = run_model(
        model_from_dict(slider_crank(driver, 1000) | probes), output=tmp_path / "driven"
    ).probes["torque"]
    table = tmp_path / "torque.csv"
    rows = zip(driven.time.tolist(), driven.values.tolist(), strict=True)
    table.write_text("t,torque\n" + "\n".join(f"{t!r},{x!r}" for t, x in rows))
    errors = []
    for steps in (1000, 2000):
        force = {"table": str(table), "column": "torque"}
        found = follow(slider_crank({"actuators": [
            {"name": "motor", "joint": "bearing", "force": force}
        ]} | {"joints": [
            one | ({"start_velocity": {"angle": 20.0}} if one["name"] == "bearing" else {})
            for one in slider_crank({}, 1)["joints"]
        ]}, steps), coordinates)[:, 0, 0]  # fmt: skip
        times = np.linspace(0.0, 0.5, steps + 1)
        errors.append((found - (8 * times + 3 * np.sin(4 * times)))[:: steps // 1000])
    largest = [np.abs(one).max() for one in errors]
    assert largest[0] / largest[1] == pytest.approx(4.0, rel=0.01)
    assert np.abs(4.0 * errors[1] - errors[0]).max() / 3.0 < 1e-8


def test_what_drivers_leave_open_swings_under_what_they_move():
    """A pendulum on a trolley that a driver shakes, against its own equation."""
    tables = {
        "planar": True,
        "links": [{"name": "trolley", "mass": 1.0}, rod("rod", placement={"angle": -1.2})],
        "joints": [
            slide("rail", "trolley"),
            pin("pin", "trolley", "rod", [0, 0, 0]),
        ],
        "drivers": [{"name": "shaker", "joint": "rail", "value": "0.2*sin(5*t)"}],
        "loads": DOWN, "analysis": transient(2.0, 2000),
    }  # fmt: skip
    found = follow(tables, coordinates)[-1, 1, 0]

    def rates(t, y):
        pull = -0.2 * 25.0 * np.sin(5.0 * t)
        return [y[1], 3.0 * 0.5 * (np.sin(y[0]) * pull - G * np.cos(y[0]))]

    exact = solve_ivp(rates, [0.0, 2.0], [-1.2, 0.0], rtol=1e-11, atol=1e-12).y[0, -1]
    assert found == pytest.approx(exact, abs=2e-5)


def test_torsion_spring_is_wound_up_many_times():
    """Turns are counted: a flywheel on a spring swings by twelve radians to each side."""
    tables = {
        "planar": True,
        "links": [{"name": "wheel", "mass": 1.0, "inertia": [0.5]}],
        "joints": [pin("axle", "ground", "wheel", [0, 0, 0], start_velocity={"angle": 24.0})],
        "actuators": [{"name": "spring", "joint": "axle", "stiffness": 2.0}],
        "analysis": transient(3.0, 3000),
    }
    angles = follow(tables, coordinates)[:, 0, 0]
    times = np.linspace(0.0, 3.0, 3001)
    assert np.abs(angles - 12.0 * np.sin(2.0 * times)).max() < 1e-4


def test_gear_keeps_its_ratio_over_many_turns():
    """A torque on the first of two geared wheels: its inertia and a share of the second's."""
    tables = {
        "planar": True,
        "links": [
            {"name": "a", "mass": 1.0, "inertia": [0.5]},
            {"name": "b", "mass": 1.0, "inertia": [2.0], "placement": {"position": [1, 0, 0]}},
        ],
        "joints": [
            pin("one", "ground", "a", [0, 0, 0]),
            pin("two", "ground", "b", [[1, 0, 0], [0, 0, 0]]),
        ],
        "gears": [{"name": "mesh", "joints": ["one", "two"], "ratio": -3.0}],
        "actuators": [{"name": "motor", "joint": "one", "force": 4.0}],
        "analysis": transient(4.0, 400),
    }
    found = follow(tables, coordinates)[-1, :, 0]
    assert found[0] == pytest.approx(0.5 * 4.0 / (0.5 + 2.0 / 9.0) * 16.0, rel=1e-9)
    assert found[0] == pytest.approx(-3.0 * found[1], rel=1e-12)


def four_bar(*, planar):
    """Return a four-bar linkage that swings, with hinges along z."""
    links = [
        rod("a", 1.0, 0.4, placement={"angle": 1.2}),
        rod("b", 1.0, 0.8, placement={"position": [0.15, 0.37, 0.0], "angle": 0.2}),
        rod("c", 1.0, 0.6, placement={"position": [0.9, 0.0, 0.0], "angle": 1.6}),
    ]
    return {
        "planar": planar, "links": links if planar else list(map(spatial, links)),
        "joints": [
            pin("A", "ground", "a", [0, 0, 0]),
            pin("B", "a", "b", [[0.4, 0, 0], [0, 0, 0]]),
            pin("C", "b", "c", [[0.8, 0, 0], [0.6, 0, 0]]),
            pin("D", "c", "ground", [[0, 0, 0], [0.9, 0, 0]]),
        ],
        "loads": DOWN, "analysis": transient(0.6, 300),
    }  # fmt: skip


def test_four_bar_of_the_plane_swings_in_space_too():
    """Three motions are held twice there: a remark names the joints, and the motion is the same."""
    plane, space = (follow(four_bar(planar=p), coordinates)[:, :, 0] for p in (True, False))
    assert np.abs(plane - space).max() < 1e-9
    assert np.ptp(plane[:, 0]) > 0.5
    spec = model_from_dict(four_bar(planar=False))
    told = start_remarks(spec, mechanism_of(spec, build_mesh(spec)))[-1]
    assert "'A', 'B', 'C' and 'D' together hold 3 motions more than once" in told
    assert "planar = true" in told


def test_bennetts_linkage_moves_though_its_joints_hold_too_much():
    """Sides 1 and 2, twists with equal sines over sides; it keeps the relation of its angles."""
    a, b, alpha = 1.0, 2.0, 0.5
    beta = np.arcsin(b / a * np.sin(alpha))
    sides, twists = (a, b, a, b), (alpha, beta, alpha, beta)
    names = ["ground", "p", "q", "r"]
    links, joints = [], []
    for k, (side, twist) in enumerate(zip(sides, twists, strict=True)):
        one, two = names[k], names[(k + 1) % 4]
        axis = [0.0, -np.sin(twist), np.cos(twist)]
        joints.append({
            "name": f"j{k}", "kind": "revolute", "links": [one, two],
            "at": [[side, 0, 0], [0, 0, 0]], "axis": [axis, [0, 0, 1]],
            "across": [[1, 0, 0], [1, 0, 0]],
        })  # fmt: skip
    places = _bennett(sides, twists)
    for name, (position, axis, angle) in zip(names[1:], places, strict=True):
        links.append({
            "name": name, "mass": 1.0, "inertia": [0.1, 0.2, 0.2], "centre": [0.5, 0, 0],
            "placement": {"position": position, "axis": axis, "angle": angle},
        })  # fmt: skip
    tables = {
        "links": links, "joints": joints,
        "loads": [{"kind": "gravity", "acceleration": [0, 0, -G]}],
        "analysis": transient(0.4, 200),
    }  # fmt: skip
    motion = begin(tables)
    assert motion.links.mechanism.freedom == 1
    angles = follow(tables, coordinates)[:, :, 0]
    assert np.ptp(angles[:, 0]) > 0.02
    ratio = np.sin(0.5 * (beta + alpha)) / np.sin(0.5 * (beta - alpha))
    product = np.tan(0.5 * angles[:, 0]) * np.tan(0.5 * angles[:, 1])
    assert np.abs(np.abs(product) - ratio).max() < 1e-8 * ratio


def _bennett(sides, twists):
    """Return position, axis and angle of the three moving links where the linkage is closed."""

    def chain(angles):
        place, turn, found = np.zeros(3), np.eye(3), []
        for side, twist, angle in zip(sides, twists, angles, strict=True):
            place = place + turn @ [side, 0.0, 0.0]
            turn = turn @ Rotation.from_rotvec([twist, 0, 0]).as_matrix()
            turn = turn @ Rotation.from_rotvec([0, 0, angle]).as_matrix()
            found.append((place, turn))
        return found

    def gap(angles):
        place, turn = chain([2.0, *angles])[-1]
        return np.concatenate([place, (turn - np.eye(3)).ravel()])

    best = min(
        (least_squares(gap, start, xtol=1e-15, ftol=1e-15) for start in
         ([1.0, 2.0, 1.0], [-1.0, 2.0, -1.0], [2.5, -2.0, 2.5], [-2.5, -2.0, -2.5])),
        key=lambda one: one.cost,
    )  # fmt: skip
    assert best.cost < 1e-20
    found = []
    for place, turn in chain([2.0, *best.x])[:3]:
        vector = Rotation.from_matrix(turn).as_rotvec()
        angle = float(np.linalg.norm(vector))
        found.append((place.tolist(), (vector / angle).tolist(), angle))
    return found


def test_controller_brings_a_pendulum_to_rest_as_its_equation_says():
    """A law of time, angle and rate: gravity compensated, a saturated spring and a damper."""
    target, gains = -0.4, (30.0, 6.0)
    law = f"4.905*cos(x) + 5*tanh({gains[0]}*({target} + 0.1*sin(2*t) - x)/5) - {gains[1]}*x_dot"
    tables = {
        "planar": True, "links": [rod("rod", placement={"angle": -1.5})], "loads": DOWN,
        "joints": [pin("pin", "ground", "rod", [0, 0, 0], start={"angle": -1.5})],
        "actuators": [{"name": "motor", "joint": "pin", "law": law}],
        "analysis": transient(2.0, 1000),
    }  # fmt: skip
    found = follow(tables, coordinates)[:, 0, 0]

    def rates(t, y):
        pull = 5.0 * np.tanh(gains[0] * (target + 0.1 * np.sin(2.0 * t) - y[0]) / 5.0)
        return [y[1], 3.0 * (pull - gains[1] * y[1])]

    times = np.linspace(0.0, 2.0, 1001)
    exact = solve_ivp(rates, [0.0, 2.0], [-1.5, 0.0], t_eval=times, rtol=1e-10, atol=1e-12).y[0]
    assert np.abs(found - exact).max() < 1e-5
    motion = begin(tables)
    for _ in range(1000):
        motion.advance()
    assert motion.counts.most_solves <= 8
