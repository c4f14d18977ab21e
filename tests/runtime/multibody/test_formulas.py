# SPDX-License-Identifier: BSD-3-Clause
"""Controllers, laws of several coordinates and equations of speeds, on links that find a motion."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.transient.steppers.implicit import GeneralizedAlpha
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from swinging import DOWN, G, begin, coordinates, follow, of, pin, rod, transient

STEPS = (200, 400)


def sled(steps, ahead):
    """Return a sled in the plane: a blade at its origin, the centre of mass before it."""
    known = {"c": of("ice", "angle"), "x": of("ice", "slide"), "y": of("ice", "second_slide")}
    return {
        "planar": True,
        "links": [rod("sled", mass=2.0, inertia=[0.5], centre=[ahead, 0, 0],
                      velocity=[1.0, 0, 0], angular_velocity=[0, 0, 0.7])],
        "joints": [{"name": "ice", "kind": "free", "links": ["ground", "sled"]}],
        "constraints": [{"name": "edge", "equation": "sin(c)*x_dot - cos(c)*y_dot",
                         "coordinates": known}],
        "analysis": transient(4.0, steps),
    }  # fmt: skip


def test_sled_glides_as_the_equations_of_chaplygin_say():
    """Speed along the blade, turn and place; the force of the edge is mass times acceleration."""
    mass, inertia, ahead = 2.0, 0.5, 0.3
    whole = inertia + mass * ahead**2

    def rates(t, y):
        v, w, c = y[:3]
        return [ahead * w**2, -mass * ahead * v * w / whole, w, v * np.cos(c), v * np.sin(c)]

    v, w, c, *place = solve_ivp(rates, [0, 4], [1, 0.7, 0, 0, 0], rtol=1e-11, atol=1e-12).y[:, -1]
    errors = []
    for steps in STEPS:
        motion = begin(sled(steps, ahead))
        for _ in range(steps):
            motion.advance()
        found = coordinates(motion)
        errors.append(np.abs(found[:, 0] - [c, *place]).max())
        assert abs(np.sin(found[0, 0]) * found[1, 1] - np.cos(found[0, 0]) * found[2, 1]) < 1e-13
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)
    across = mass * (v * w + ahead * rates(0, [v, w, c])[1])
    assert -motion.point.force[0] == pytest.approx(across, rel=1e-4)
    assert motion._taking.counts.most_solves == 2  # exact derivatives


def _rolling(t, y, mass, radius):
    """Return rates of three turns, of lean, yaw and roll, and of the place, by Newton and Euler."""
    w, (lean, yaw) = y[:3], y[3:5]
    own = mass * radius**2 * np.array([0.25, 0.5, 0.25])
    turning = w[2] / np.cos(lean)
    frame = np.array([w[0], turning * np.sin(lean), w[2]])
    up = np.array([0.0, np.sin(lean), np.cos(lean)])

    def left(rate):
        centre = radius * np.array([rate[1], -rate[0], 0.0])
        centre += np.cross(frame, radius * np.array([w[1], -w[0], 0.0]))
        force = mass * (centre + G * up)
        return np.cross([0.0, 0.0, -radius], force) - own * rate - np.cross(frame, own * w)

    constant = left(np.zeros(3))
    rate = np.linalg.solve(np.array([left(one) - constant for one in np.eye(3)]).T, -constant)
    roll = w[1] - frame[1]
    path = radius * roll * np.array([np.cos(yaw), np.sin(yaw)])
    return [*rate, w[0], turning, roll, *path]


def disc(steps, mass=2.0, radius=0.3):
    """Return a disc that leans and rolls on a plane: its fork stands on the point of contact."""
    known = {"c": of("plane", "angle"), "x": of("plane", "slide"),
             "y": of("plane", "second_slide"), "s": of("hub")}  # fmt: skip
    light = mass * radius**2 / 4.0
    along = f"cos(c)*x_dot + sin(c)*y_dot - {radius}*s_dot"
    across = {one: known[one] for one in "cxy"}
    return {
        "links": [{"name": "contact"}, {"name": "fork"},
                  {"name": "disc", "mass": mass, "inertia": [light, 2 * light, light],
                   "placement": {"position": [0, 0, radius]}}],
        "joints": [
            {"name": "plane", "kind": "planar", "links": ["ground", "contact"],
             "start": {"angle": 0.0, "slide": 0.0, "second_slide": 0.0},
             "start_velocity": {"angle": 0.3}},
            pin("lean", "contact", "fork", [0, 0, 0], axis=[1, 0, 0], start={"angle": 0.2},
                start_velocity={"angle": 0.0}),
            pin("hub", "fork", "disc", [[0, 0, radius], [0, 0, 0]], axis=[0, 1, 0],
                start_velocity={"angle": 8.0}),
        ],
        "constraints": [
            {"name": "along", "equation": along, "coordinates": known},
            {"name": "across", "equation": "cos(c)*y_dot - sin(c)*x_dot", "coordinates": across},
        ],
        "loads": [{"kind": "gravity", "acceleration": [0, 0, -G]}],
        "analysis": transient(1.5, steps),
    }  # fmt: skip


def test_disc_rolls_as_newton_and_euler_say():
    """Lean, yaw, roll and the path of the point of contact, with errors of the second order."""
    mass, radius = 2.0, 0.3
    start = [0.0, 8.0 + 0.3 * np.sin(0.2), 0.3 * np.cos(0.2), 0.2, 0.0, 0.0, 0.0, 0.0]
    exact = solve_ivp(_rolling, [0, 1.5], start, args=(mass, radius), rtol=1e-11, atol=1e-12)
    lean, yaw, roll, *path = exact.y[3:, -1]
    errors = []
    for steps in STEPS:
        found = follow(disc(steps), coordinates)[-1, :, 0]
        errors.append(np.abs(found - [yaw, *path, lean, roll]).max())
    assert errors[1] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def regulated(steps, **probes):
    """Return a rotor whose motor keeps a speed, by the deviation and its integral."""
    told = {"wanted": 3.0}
    return {
        "planar": True, "links": [rod("rotor", mass=1.0, inertia=[0.5], centre=[0, 0, 0])],
        "joints": [pin("hub", "ground", "rotor", [0, 0, 0])],
        "controllers": [{"name": "total", "rate": "wanted - q_dot", "start": 0.1,
                         "coordinates": {"q": of("hub")}, "inputs": told}],
        "actuators": [{"name": "motor", "joint": "hub", "inputs": told,
                       "law": "2*(wanted - x_dot) + 7*total"}],
        "probes": [{"name": "total", "controller": "total", "quantity": "state"}],
        "analysis": transient(2.0, steps), **probes,
    }  # fmt: skip


def test_integral_controller_is_its_linear_equation(tmp_path):
    """Angle, speed and state by the exponential of a matrix; the probe of the state."""
    matrix = np.zeros((4, 4))
    matrix[:3] = [[0, 1, 0, 0], [0, -4.0, 14.0, 12.0], [0, -1.0, 0, 3.0]]
    exact = expm(2.0 * matrix) @ [0.0, 0.0, 0.1, 1.0]
    errors = []
    for steps in STEPS:
        motion = begin(regulated(steps))
        for _ in range(steps):
            motion.advance()
        errors.append(np.array([*coordinates(motion)[0, :2], motion.state.s[-1]]) - exact[:3])
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)
    assert np.abs(errors[1]).max() < 2e-5
    probe = run_model(model_from_dict(regulated(400)), output=tmp_path).probes["total"]
    assert (probe.values[0], probe.values[-1]) == (0.1, motion.state.s[-1])


def chain(steps):
    """Return three rods; laws and controllers that know coordinates of other joints."""
    names = "abc"
    ends = zip(["ground", *names], names, strict=False)
    return {
        "planar": True, "links": [rod(name) for name in names],
        "joints": [pin(f"j{two}", one, two, [0, 0, 0] if one == "ground" else
                       [[1, 0, 0], [0, 0, 0]]) for one, two in ends],
        "controllers": [
            {"name": "i", "rate": "sin(5*t) - far + 0.3*k", "coordinates": {"far": of("jc")}},
            {"name": "k", "rate": "-4*k + near*near_dot", "coordinates": {"near": of("ja")}},
        ],
        "actuators": [
            {"name": "m", "joint": "ja", "law": "20*i - 3*y_dot + 40*k",
             "coordinates": {"y": of("jc")}},
            {"name": "n", "joint": "jb", "law": "-30*(x - 0.5*z) - x_dot*z_dot",
             "coordinates": {"z": of("ja")}},
        ],
        "loads": DOWN, "analysis": transient(1.0, steps),
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def test_steps_are_those_of_the_general_stepper():
    """Which solves with sparse matrices of the whole model; two corrections a step are enough."""
    steps = 200
    motion = begin(chain(steps))
    scheme = motion._taking._scheme
    stepper = GeneralizedAlpha(motion.links.model, scheme, 1e-11)
    state = stepper.begin(motion.links.start)
    for k in range(steps):
        motion.advance()
        state = stepper.advance(state, 1.0 / steps, (k + 1) / steps)
    assert np.abs(motion.state.q - state.q).max() < 1e-9
    assert np.abs(motion.state.z - state.z).max() < 1e-8
    assert np.abs(motion.state.s[-2:] - state.s[-2:]).max() < 1e-9
    assert motion._taking.counts.solves < 2.2 * steps


def test_balances_close_with_laws_and_equations_of_speeds(tmp_path):
    """Work and momentum, to the order of the method: laws do work, the edge of a sled none."""
    for make, time in ((chain, 1.0), (lambda steps: sled(steps, 0.3), 4.0)):
        errors = []
        for steps in STEPS:
            model = make(steps) | {"analysis": transient(time, steps)}
            figures = run_model(model_from_dict(model), output=tmp_path / f"{time}{steps}").figures
            errors.append([figures["largest error of the energy balance"],
                           figures["largest error of the momentum balance"]])  # fmt: skip
        errors = np.array(errors)
        assert (errors[1] < 1e-3).all()
        assert (errors[1] < 0.3 * errors[0] + 1e-12).all()


def test_car_backs_its_trailer_into_the_lane():
    """Axles do not slide; the integral of the engine is the resistance over its gain."""
    path = Path(__file__).parents[3] / "examples" / "trailer" / "model.toml"
    tables = tomllib.loads(path.read_text())
    motion = begin(tables)
    for _ in range(tables["analysis"]["steps"]):
        motion.advance()
    (c, c_dot), (_, x_dot), (y, y_dot), _, (q, q_dot) = coordinates(motion)[:, :2]
    sideways = np.cos(c + q) * y_dot - np.sin(c + q) * x_dot - 5.0 * (c_dot + q_dot)
    assert abs(sideways) < 1e-12
    assert abs(np.cos(c) * y_dot - np.sin(c) * x_dot) < 1e-12
    assert abs(y - 5.0 * np.sin(c + q)) < 0.1
    names = [one.name for one in motion.links.model.formulas.controllers]
    integral = motion.state.s[-2:][names.index("gathered")]
    assert integral == pytest.approx(-300.0 / 2000.0, rel=1e-3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"controllers": [{"name": "total", "rate": "qq_dot", "coordinates": {"q": of("hub")}}]},
         r"controllers\[0\].rate: found the unknown name 'qq_dot'"),
        ({"controllers": [{"name": "total", "rate": "q", "coordinates": {"q": of("hob")}}]},
         r"controllers\[0\].coordinates.q.joint: found the unknown joint 'hob'.*'hub'"),
        ({"controllers": [{"name": "total", "rate": "q",
                           "coordinates": {"q": of("hub", "slide")}}]},
         r"controllers\[0\].coordinates.q.coordinate: found 'slide' of joint 'hub'"),
        ({"controllers": [{"name": "wanted", "rate": "1"}]},
         r"actuators\[0\]: found 'wanted' as two of a coordinate, an input and a controller"),
        ({"controllers": [{"name": "total", "rate": "1"}, {"name": "x_dot", "rate": "1"}]},
         r"controllers\[1\].name: found 'x_dot'; expected a name of letters"),
        ({"probes": [{"name": "p", "controller": "totel", "quantity": "state"}]},
         r"probes\[0\].controller: found the unknown controller 'totel'.*'total'"),
        ({"probes": [{"name": "p", "controller": "total", "quantity": "coordinate"}]},
         r"probes\[0\].quantity: found coordinate of a controller; expected one of state"),
        ({"constraints": [{"name": name, "equation": f"{k}*q_dot", "coordinates": {"q": of("hub")}}
                          for k, name in enumerate("ef", start=1)]},
         "constraint 'f': follows from joints and other constraints at t = 0"),
        ({"constraints": [{"name": "e", "equation": "q_dot**2", "coordinates": {"q": of("hub")}}]},
         "constraint 'e': 'q_dot..2' is not linear in the velocities"),
        ({"constraints": [{"name": "e", "equation": "q_dot", "coordinates": {"q": {
            "group": "a", "component": "x"}}}]},
         r"constraints\[0\].coordinates.q: found a group where joints and drivers leave motions"),
        ({"constraints": [{"name": "e", "equation": "q_dot", "coordinates": {"q": {
            "group": "a", "component": "x", "joint": "hub"}}}]},
         r"constraints\[0\].coordinates.q.group: found beside joint; expected either"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_line(changes, message):
    """Names that nothing has, names that two things have, and ways that there are not."""
    with pytest.raises(InputError, match=message) as error:
        begin(regulated(10) | changes)
    assert "\n" not in str(error.value)


def test_formula_without_a_value_is_named():
    """A logarithm of a negative number."""
    model = regulated(10)
    model["actuators"][0]["law"] = "log(x - 1) + total"
    with pytest.raises(AnalysisError, match="law of actuator 'motor': the formula has no finite"):
        begin(model)


def test_controllers_of_driven_links_are_refused(tmp_path):
    """There is no motion that they could control."""
    model = regulated(10) | {
        "drivers": [{"name": "d", "joint": "hub", "value": "t"}], "actuators": [], "probes": [],
    }  # fmt: skip
    with pytest.raises(InputError, match="controllers: found them where joints and drivers determ"):
        run_model(model_from_dict(model), output=tmp_path)
