# SPDX-License-Identifier: BSD-3-Clause
"""Forces between links: derivatives, closed forms, other ways to the same motion, refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.transient.model import Point
from scipy.integrate import solve_ivp
from swinging import G, frames, transient
from touching import NORMALS, SHAPES, begin, contact, differences, follow, placed

FALL = [{"kind": "gravity", "acceleration": [0.0, 0.0, -G]}]
MASS, RADIUS = 1.0, 0.1
INERTIA = 0.4 * MASS * RADIUS**2


def ball(height, **keys):
    """Return the table of a ball above the plane z = 0."""
    return {"name": "ball", "mass": MASS, "inertia": [INERTIA] * 3,
            "placement": {"position": [0.0, 0.0, height]}, **keys}  # fmt: skip


def falling(height, force, duration, steps, **keys):
    """Return a model of a ball and a contact with the ground."""
    return {"links": [ball(height, **keys)], "forces": [force], "loads": FALL,
            "analysis": transient(duration, steps)}  # fmt: skip


#: Where the second shape is for it to be 2 mm deep in the first, and the axis of both.
DEEP = {
    "sphere_on_plane": ([0.3, 0.1, 0.098], [0, 0, 1]),
    "sphere_on_sphere": ([0.298, 0.0, 0.0], [0, 0, 1]),
    "sphere_in_sphere": ([0.012, 0.0, 0.0], [0, 0, 1]),
    "pin_in_bore": ([0.0072, 0.0096, 0.3], [0, 0, 1]),
    "cylinder_on_cylinder": ([0.0, 0.298, -0.2], [0, 0, 1]),
    "cylinder_on_plane": ([0.3, 0.098, 0.1], [0, 0, 1]),
    "disc_on_plane": ([0.2, 0.1, 0.1 * 0.96 - 0.002], [0.28, 0.0, 0.96]),
    "pin_through_bore": ([0.0072, 0.0096, 0.3], [0, 0, 1]),
    "sleeve_on_pole": ([0.0072, 0.0096, 0.3], [0, 0, 1]),
    "roller_on_roller": ([0.0, 0.298, -0.15], [0, 0, 1]),
}


def between(shape, normal, friction):
    """Return two links, turned alike, with shapes that are in each other."""
    place, axis = DEEP[shape]
    if shape == "disc_on_plane":  # its axis leans by asin 0.96 from the normal of the plane
        axis = [[0, 0, 1], [0.96, 0.0, 0.28]]
    turn = {"axis": [0.6, 0.0, 0.8], "angle": 0.7}
    one = {"name": "base", "mass": 2.0, "inertia": [0.1, 0.2, 0.3], "placement": turn}
    other = {"name": "ball", "mass": 1.0, "inertia": [0.02, 0.03, 0.04]}
    touch = contact(shape, normal, friction, ("base", "ball"), axis=axis)
    c, s, (x, y, z) = np.cos(0.7), np.sin(0.7), turn["axis"]
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turned = np.eye(3) + s * skew + (1 - c) * skew @ skew
    other["placement"] = turn | {"position": (turned @ place).tolist()}
    return {"links": [one, other], "forces": [touch], "analysis": transient(1.0, 100)}


PAIRS = [
    *((shape, "hunt_crossley", "coulomb") for shape in SHAPES),
    *(("sphere_on_plane", normal, "stribeck") for normal in NORMALS),
    ("pin_in_bore", "hertz", None),
    ("disc_on_plane", "hertz", None),
]


@pytest.mark.parametrize(("shape", "normal", "friction"), PAIRS)
def test_derivatives_are_those_of_the_residual(shape, normal, friction):
    """By speeds and places of both links, which move at random, where the shapes touch."""
    motion = begin(between(shape, normal, friction))
    model, state = motion.links.model, motion.state
    rng = np.random.default_rng(3)
    z, n = len(state.z), model.space.size
    at = Point(0.0, state.q, 0.1 * rng.normal(size=z), state.s, state.mode,
               np.zeros(n), np.zeros(0))  # fmt: skip
    model.residual(at, np.zeros(n))
    assert np.abs(model.links.told[:1]).max() > 1.0  # N: they touch
    found = model.linearize(at)
    by_speed = differences(model, at, lambda a, x: replace(a, z=a.z + x), z)
    by_place = differences(model, at, lambda a, x: placed(model, a, x), z)
    for given, wanted in ((found.speed, by_speed), (found.place, by_place)):
        size = np.abs(wanted).max()
        assert np.abs(given.toarray()[:z, :z] - wanted[:z]).max() < 1e-6 * size


@pytest.mark.parametrize("normal", ["hertz", "hunt_crossley"])
def test_shapes_may_touch_at_the_beginning(normal):
    """Gaps of balls around a ball are zero but for round-off: no force, and finite derivatives."""
    angles = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
    names = [f"ball {k}" for k in range(8)]
    places = 0.03 * np.array([np.cos(angles), np.sin(angles), 0.0 * angles]).T
    links = [ball(0.0) | {"name": name, "placement": {"position": place.tolist()}}
             for name, place in zip(names, places, strict=True)]  # fmt: skip
    touches = [
        contact("sphere_on_sphere", normal, None, ("ground", name), radius=0.006,
                other_radius=0.024) | {"name": f"at {name}"}
        for name in names
    ]  # fmt: skip
    motion = begin({"links": links, "forces": touches, "analysis": transient(0.1, 100)})
    motion.advance()
    told = motion.links.model.links.told
    assert np.isfinite(told).all()
    assert np.abs(told).max() < 1e-15


@pytest.mark.parametrize("normal", NORMALS)
def test_rebound_is_that_of_the_equation_of_one_mass(normal):
    """Speed after an impact beside ``m z'' = N(depth, depth') - m g`` by another integrator."""
    k, n, c, e, v0 = 1e5 if normal == "linear" else 1e7, 1.5, 0.2, 0.7, 1.0
    laws = {
        "linear": lambda d, r: k * d + 20.0 * r,
        "hertz": lambda d, r: k * d**1.5,
        "hunt_crossley": lambda d, r: k * d**n * (1 + c * r),
        "lankarani_nikravesh": lambda d, r: k * d**n * (1 + 0.75 * (1 - e**2) * r / v0),
        "flores": lambda d, r: k * d**n * (1 + 1.6 * (1 - e) / e * r / v0),
    }

    def rates(t, y):
        depth = max(RADIUS - y[0], 0.0)
        push = max(laws[normal](depth, -y[1]), 0.0) if depth > 0.0 else 0.0
        return [y[1], push / MASS - G]

    wanted = solve_ivp(rates, [0, 0.02], [0.101, -1.0], rtol=1e-10, atol=1e-12, max_step=1e-5)
    errors = []
    for steps in (1000, 2000):
        more = {"damping": 20.0} if normal == "linear" else {}
        touch = contact("sphere_on_plane", normal, stiffness=k, **more)
        tables = falling(0.101, touch, 0.02, steps,
                         velocity=[0.0, 0.0, -1.0])  # fmt: skip
        found = follow(tables, frames)[-1][0]
        errors.append(abs(found[4] @ found[1:4].T - wanted.y[1, -1] * np.array([0, 0, 1])).max())
    assert wanted.y[1, -1] > 0.3  # it has left
    assert errors[1] < 1e-4
    assert errors[1] < 0.5 * errors[0]


def test_hertz_impact_has_the_depth_and_duration_of_the_closed_form():
    """Without gravity: depth (5 m v^2 / 4 k)^(2/5), 2.9432 depth / v long (Goldsmith 1960)."""
    k, v = 1e7, 1.0
    tables = falling(RADIUS, contact("sphere_on_plane", "hertz", stiffness=k), 0.02, 4000,
                     velocity=[0.0, 0.0, -v])  # fmt: skip
    tables["loads"] = []
    height = follow(tables, lambda motion: frames(motion)[0, 0, 2])
    depth = (1.25 * MASS * v**2 / k) ** 0.4
    assert RADIUS - height.min() == pytest.approx(depth, rel=1e-6)
    times = np.linspace(0.0, 0.02, 4001)
    after = np.flatnonzero(height > RADIUS)[0]
    share = (RADIUS - height[after - 1]) / (height[after] - height[after - 1])
    assert times[after - 1] + share * 5e-6 == pytest.approx(2.9432 * depth / v, rel=1e-4)


@pytest.mark.parametrize("formalism", ["lagrange", "kane", "maggi", "gibbs_appell", "hamilton"])
def test_ball_that_slips_comes_to_roll(formalism):
    """It rolls with 5/7 of its speed, at (2/7) v / (mu g); energy is lost by friction alone."""
    v, mu = 2.0, 0.3
    touch = contact("sphere_on_plane", "linear", "coulomb", stiffness=1e5, damping=200.0,
                    friction=mu, regular=1e-4)  # fmt: skip
    resting = RADIUS - MASS * G / 1e5
    tables = falling(resting, touch, 0.3, 1200, velocity=[v, 0.0, 0.0])
    tables["analysis"]["formalism"] = formalism

    def moving(motion):
        (state,) = frames(motion)
        return state[1:4] @ state[4], state[1:4] @ state[5]

    velocity, spin = np.moveaxis(follow(tables, moving), 1, 0)
    times = np.linspace(0.0, 0.3, 1201)
    rolls = 2.0 / 7.0 * v / (mu * G)
    slides = times < rolls - 0.002
    assert np.abs(velocity[slides, 0] - (v - mu * G * times[slides])).max() < 1e-3
    assert velocity[-1, 0] == pytest.approx(5.0 / 7.0 * v, abs=1e-3)
    assert spin[-1, 1] * RADIUS == pytest.approx(5.0 / 7.0 * v, abs=1e-3)
    assert np.abs(velocity[:, 1:]).max() < 1e-4  # the equations of a step are solved to 1e-6


@pytest.mark.parametrize("formalism", ["lagrange", "hamilton"])
def test_momenta_of_two_balls_are_kept(formalism):
    """An oblique impact with friction, far from the origin: forces are equal and opposite."""
    other = {"name": "other", "mass": 2.0, "inertia": [0.03] * 3,
             "placement": {"position": [5.0, 0.35, 0.1]}, "angular_velocity": [3.0, 1.0, -2.0],
             "velocity": [0.0, -3.0, 0.0]}  # fmt: skip
    touch = contact("sphere_on_sphere", "hunt_crossley", "coulomb", ("ball", "other"),
                    radius=0.2, other_radius=0.1)  # fmt: skip
    tables = {"links": [ball(0.0, velocity=[0.5, 0.0, 0.0]), other], "forces": [touch],
              "analysis": transient(0.1, 400, formalism=formalism)}  # fmt: skip
    tables["links"][0]["placement"]["position"] = [5.0, 0.0, 0.0]
    found = follow(tables, lambda m: m.links.model.account(m.point).momentum)
    assert np.abs(np.diff(found, axis=0)).max() > 0.0
    error = np.abs(found - found[0]).max() / np.abs(found).max()
    assert error < (1e-12 if formalism == "hamilton" else 1e-5)


def test_pin_in_a_tight_bore_is_a_hinge():
    """A rod swings about a pin with a clearance of 1 um as it does about a hinge."""
    rod = {"name": "rod", "mass": 1.0, "inertia": [1.0 / 12.0], "centre": [0.5, 0.0, 0.0]}
    down = [{"kind": "gravity", "acceleration": [0.0, -G, 0.0]}]
    shared = {"planar": True, "links": [rod], "loads": down}
    hinge = {"joints": [{"name": "pin", "kind": "revolute", "links": ["ground", "rod"]}]}
    touch = contact("pin_in_bore", "linear", None, ("ground", "rod"), clearance=1e-6,
                    stiffness=1e8, damping=2e4)  # fmt: skip
    angles = []
    for how in (hinge, {"forces": [touch]}):
        tables = shared | how | {"analysis": transient(0.5, 2000)}
        angles.append(follow(tables, lambda m: np.arctan2(*frames(m)[0, [2, 1], 1])[()]))
    assert np.abs(angles[0]).max() > 0.5
    assert np.abs(np.unwrap(angles[1]) - np.unwrap(angles[0])).max() < 2e-5


def test_disc_in_the_plane_rolls_with_two_thirds_of_its_speed():
    """The disc of a planar model, with the axis across the plane."""
    disc = {"name": "ball", "mass": MASS, "inertia": [0.5 * MASS * RADIUS**2],
            "velocity": [1.5, 0.0, 0.0], "placement": {"position": [0.0, RADIUS, 0.0]}}  # fmt: skip
    touch = contact("cylinder_on_plane", "linear", "coulomb", stiffness=1e5, damping=200.0,
                    regular=1e-4)  # fmt: skip
    tables = {"planar": True, "links": [disc], "forces": [touch],
              "loads": [{"kind": "gravity", "acceleration": [0.0, -G, 0.0]}],
              "analysis": transient(0.4, 2000)}  # fmt: skip
    motion = begin(tables)
    for _ in range(2000):
        motion.advance()
    assert frames(motion)[0, 4, 0] ** 2 + frames(motion)[0, 4, 1] ** 2 == pytest.approx(
        1.0, rel=1e-3
    )


def sliding(force, steps, duration=0.5):
    """Return a mass on a guide with a force along it."""
    mass = {"name": "cart", "mass": MASS, "inertia": [0.1] * 3, "velocity": [1.0, 0.0, 0.0]}
    guide = {"name": "guide", "kind": "prismatic", "links": ["ground", "cart"], "axis": [1, 0, 0]}
    return {"links": [mass], "joints": [guide], "analysis": transient(duration, steps),
            "forces": [{"name": "stop", "joint": "guide", **force}]}  # fmt: skip


@pytest.mark.parametrize("formalism", ["lagrange", "kane"])
def test_mass_between_stops_moves_as_its_equation_says(formalism):
    """It meets both stops, with loss, beside another integrator."""
    k, c, half = 1e6, 0.2, 0.05
    values = {"lower": -half, "upper": half, "stiffness": k, "exponent": 1.5, "damping": c}
    tables = sliding({"contact": "stop", "normal": "hunt_crossley", "parameters": values}, 5000)
    tables["analysis"]["formalism"] = formalism

    def rates(t, y):
        depth, side = abs(y[0]) - half, np.sign(y[0])
        push = max(k * depth**1.5 * (1 + c * side * y[1]), 0.0) if depth > 0.0 else 0.0
        return [y[1], -side * push / MASS]

    wanted = solve_ivp(rates, [0, 0.5], [0.0, 1.0], rtol=1e-9, atol=1e-12, max_step=1e-4).y
    assert np.ptp(np.sign(wanted[1])) == 2  # to and fro
    place = follow(tables, lambda m: frames(m)[0, 0, 0])[-1]
    assert place == pytest.approx(wanted[0, -1], abs=1e-4)


def test_law_along_a_joint_is_that_of_a_spring():
    """To round-off that of the actuator, in a tree as well."""
    law = {"force": ["-k*x - d*x_dot", "0", "0"], "parameters": {"k": 400.0, "d": 3.0}}
    spring = {"name": "spring", "joint": "guide", "stiffness": 400.0, "damping": 3.0}
    for formalism in ("lagrange", "kane"):
        one = sliding(law, 100)
        other = {key: value for key, value in one.items() if key != "forces"}
        other["actuators"] = [spring]
        places = []
        for tables in (one, other):
            tables["analysis"] = tables["analysis"] | {"formalism": formalism}
            places.append(follow(tables, lambda m: frames(m)[0, 0, 0]))
        np.testing.assert_allclose(*places, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"joint": "guid"}, "did you mean 'guide'"),
        ({"coordinate": "angle"}, "angle"),
        ({"links": ["ground", "cart"]}, "found both links and joint"),
        ({"contact": "pin_in_bore"}, "found pin_in_bore of a joint; expected stop"),
        ({"parameters": {"lower": 0.1, "upper": -0.1}}, "expected lower below upper"),
    ],
)
def test_what_is_wrong_with_a_stop_is_told(changes, told):
    """By its key, with what is expected."""
    values = {"lower": -0.1, "upper": 0.1, "stiffness": 1e6} | changes.pop("parameters", {})
    stop = {"contact": "stop", "normal": "hertz", "parameters": values}
    tables = sliding(stop, 10)
    tables["forces"][0] |= changes
    with pytest.raises(InputError, match="forces") as caught:
        model_from_dict(tables)
    assert told in str(caught.value)


def test_sphere_and_disc_in_the_plane_move_alike():
    """The plane of one is along the axis of the force, that of the other across it."""
    disc = {"name": "ball", "mass": MASS, "inertia": [0.5 * MASS * RADIUS**2],
            "velocity": [1.5, 0.0, 0.0], "placement": {"position": [0.0, RADIUS, 0.0]}}  # fmt: skip
    found = []
    for shape, axis in (("cylinder_on_plane", [0, 0, 1]), ("sphere_on_plane", [0, 1, 0])):
        touch = contact(shape, "hunt_crossley", "stribeck", stiffness=1e6, axis=axis)
        tables = {"planar": True, "links": [disc], "forces": [touch],
                  "loads": [{"kind": "gravity", "acceleration": [0.0, -G, 0.0]}],
                  "analysis": transient(0.1, 300)}  # fmt: skip
        found.append(follow(tables, lambda m: frames(m)[0]))
    np.testing.assert_allclose(*found, rtol=0, atol=1e-12)


def test_ball_on_a_soft_floor_has_the_frequency_of_its_spring(tmp_path):
    """It sinks into equilibrium; what nothing holds has no frequency."""
    touch = contact("sphere_on_plane", "linear", stiffness=1e5, damping=0.0)
    tables = falling(RADIUS + 1e-5, touch, 0.1, 10) | {"analysis": {"kind": "modes", "count": 6}}
    figures = run_model(model_from_dict(tables), output=tmp_path / "out").figures
    frequencies = [figures[f"mode {k}"][0] for k in range(1, 7)]
    assert frequencies[:5] == [0.0] * 5
    assert frequencies[5] == pytest.approx(np.sqrt(1e5 / MASS) / (2.0 * np.pi), rel=1e-12)


def test_leaning_disc_on_a_smooth_plane_falls_as_its_equation_says():
    """Its centre sinks: (I + m R^2 sin^2 a) a'' = (m g R - m R^2 cos a a'^2) sin a, a the lean."""
    mass, inertia, lean = 1.0, 0.25 * MASS * RADIUS**2, 0.3

    def rates(t, y):
        a, w = y
        push = mass * G * RADIUS - mass * RADIUS**2 * np.cos(a) * w**2
        return [w, push * np.sin(a) / (inertia + mass * RADIUS**2 * np.sin(a) ** 2)]

    wanted = solve_ivp(rates, [0, 0.1], [lean, 0.0], rtol=1e-10, atol=1e-12).y[0, -1]
    disc = {"name": "ball", "mass": mass, "inertia": [inertia, inertia, 2.0 * inertia],
            "placement": {"position": [0, 0, RADIUS * np.cos(lean) - 2e-6],
                          "axis": [1, 0, 0], "angle": np.pi / 2 - lean}}  # fmt: skip
    touch = contact("disc_on_plane", "linear", stiffness=5e6, damping=1e3)
    tables = {"links": [disc], "forces": [touch], "loads": FALL,
              "analysis": transient(0.1, 2000)}  # fmt: skip
    (state,) = follow(tables, frames)[-1]
    axis = state[1:4] @ [0.0, 0.0, 1.0]
    assert np.arcsin(abs(axis[2])) == pytest.approx(wanted, rel=2e-4)
    assert np.abs(state[0, :2]).max() < 1e-7


def test_wheel_that_slips_comes_to_roll_in_space():
    """An upright disc rolls with 2/3 of its speed."""
    inertia = 0.25 * MASS * RADIUS**2
    disc = {"name": "ball", "mass": MASS, "inertia": [inertia, inertia, 2.0 * inertia],
            "velocity": [1.5, 0.0, 0.0],
            "placement": {"position": [0, 0, RADIUS], "axis": [1, 0, 0],
                          "angle": np.pi / 2}}  # fmt: skip
    touch = contact("disc_on_plane", "linear", "coulomb", stiffness=1e5, damping=200.0,
                    regular=1e-4)  # fmt: skip
    tables = {"links": [disc], "forces": [touch], "loads": FALL,
              "analysis": transient(0.3, 1500)}  # fmt: skip
    (state,) = follow(tables, frames)[-1]
    assert state[1:4] @ state[4] == pytest.approx([1.0, 0.0, 0.0], abs=1e-3)
    assert state[1:4] @ state[5] == pytest.approx([0.0, 10.0, 0.0], abs=1e-2)


def test_mass_on_a_belt_sticks_and_slips_as_its_equations_say():
    """LuGre's friction: the bristle is a controller, and the law one's own."""
    k, belt, push, s0, s1 = 100.0, 0.1, 10.0, 1e4, 100.0
    rest, slide, fast = 0.6, 0.3, 0.05  # coefficients of rest and of sliding; Stribeck's speed, m/s

    def bristle(v, z):
        return (
            v - s0 * np.abs(v) / (push * (slide + (rest - slide) * np.exp(-((v / fast) ** 2)))) * z
        )

    def rates(t, y):
        x, w, z = y
        change = bristle(w - belt, z)
        return [w, (-k * x - s0 * z - s1 * change) / MASS, change]

    wanted = solve_ivp(rates, [0, 4], [0.0, belt, 0.0], rtol=1e-8, atol=1e-10, method="LSODA",
                       t_eval=np.linspace(0, 4, 801)).y[0]  # fmt: skip
    limit = f"{push}*({slide} + {rest - slide}*exp(-((q_dot - {belt})/{fast})**2))"
    change = f"q_dot - {belt} - {s0}*abs(q_dot - {belt})/({limit})*bristle"
    slip = {"v": f"x_dot - {belt}", "speed": "sqrt(v^2 + 1e-16)"}
    law = {"where": slip | {
               "limit": f"{push}*({slide} + {rest - slide}*exp(-(v/{fast})^2))",
               "change": f"v - {s0}*speed/limit*bristle"},
           "force": [f"-{s0}*bristle - {s1}*change", "0", "0"]}  # fmt: skip
    tables = sliding(law, 4000, 4.0)
    tables["links"][0]["velocity"] = [belt, 0.0, 0.0]
    tables["actuators"] = [{"name": "spring", "joint": "guide", "stiffness": k}]
    tables["controllers"] = [
        {"name": "bristle", "rate": change, "coordinates": {"q": {"joint": "guide"}}}
    ]
    place = follow(tables, lambda m: frames(m)[0, 0, 0])[::5]
    assert np.ptp(wanted[400:]) > 0.02  # it sticks and slips
    assert np.abs(place - wanted).max() < 0.02 * np.ptp(wanted)


def orbiting(steps, **own):
    """Return a mass that a spring of its own law draws to the origin."""
    law = {"name": "pull", "links": ["ground", "ball"], "where": {"r2": "x^2 + y^2 + z^2"},
           "force": ["-k*x/r2^1.5", "-k*y/r2^1.5", "-k*z/r2^1.5"],
           "parameters": {"k": 4.0}}  # fmt: skip
    link = {"name": "ball", "mass": 1.0, "inertia": [0.1] * 3,
            "placement": {"position": [1.0, 0.0, 0.0]}, "velocity": [0.0, 1.2, 1.6]}  # fmt: skip
    return {"links": [link], "forces": [law | own], "analysis": transient(np.pi, steps)}


def test_law_of_its_own_makes_an_orbit():
    """Kepler's circle of k = 4 with v = 2 closes after pi seconds; errors fall by four."""
    errors = []
    for steps in (200, 400):
        place = follow(orbiting(steps), lambda m: frames(m)[0, 0])[-1]
        errors.append(np.linalg.norm(place - [1.0, 0.0, 0.0]))
    assert errors[1] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_probes_tell_the_force_and_its_place(tmp_path):
    """A ball at rest: its weight, along the axes of the force and in space; how deep it is."""
    touch = contact("sphere_on_plane", "linear", stiffness=1e4, damping=50.0)
    tables = falling(RADIUS - MASS * G / 1e4, touch, 0.01, 10)
    tables["probes"] = [
        {"name": "push", "joint": "touch", "quantity": "force", "component": "z"},
        {"name": "along", "joint": "touch", "quantity": "force", "component": "z", "axes": "joint"},
        {"name": "height", "joint": "touch", "quantity": "coordinate", "component": "third_slide"},
    ]
    tables["output"] = {"formats": ["csv"]}
    run_model(model_from_dict(tables), output=tmp_path / "out")
    lines = (tmp_path / "out" / "probes.csv").read_text().splitlines()
    values = np.array([line.split(",") for line in lines[-5:]], dtype=float)
    assert values[:, 1] == pytest.approx(MASS * G, rel=1e-9)
    assert values[:, 2] == pytest.approx(MASS * G, rel=1e-9)
    assert values[:, 3] == pytest.approx(RADIUS - MASS * G / 1e4, rel=1e-9)


def test_summary_tells_what_a_force_has_taken(tmp_path):
    """A ball that slips until it rolls loses 2/7 of its energy by friction, and nothing else."""
    touch = contact("sphere_on_plane", "linear", "coulomb", stiffness=1e5, damping=200.0,
                    regular=1e-4)  # fmt: skip
    tables = falling(RADIUS - MASS * G / 1e5, touch, 0.3, 3000, velocity=[2.0, 0.0, 0.0])
    tables["output"] = {"formats": ["csv"]}
    figures = run_model(model_from_dict(tables), output=tmp_path / "out").figures
    lost = 2.0 / 7.0 * 0.5 * MASS * 2.0**2
    assert figures["work of force 'touch'"][0] == pytest.approx(-lost, rel=1e-5)
    assert figures["largest error of the energy balance"] < 1e-6


def test_beam_on_a_link_falls_on_its_end():
    """An elastic beam meets the floor with its end: its energy and losses balance."""
    tables = {
        "mesh": {"block": {"cell": "line2", "corners": [[0, 0.05, 0], [0.5, 0.06, 0]],
                           "divisions": [4]}},
        "materials": {"steel": {"young": 2e9, "poisson": 0.3, "density": 2000.0}},
        "links": [{"name": "rod"}],
        "bodies": [{"name": "rod", "element": "euler_beam_plane", "material": "steel",
                    "section": {"shape": "round", "diameter": 0.02}, "frame": "rod"}],
        "forces": [contact("cylinder_on_plane", "hertz", None, ("ground", "rod"), radius=0.045,
                           at=[[0, 0, 0], "xmin"])],
        "loads": [{"kind": "gravity", "acceleration": [0.0, -G, 0.0]}],
        "analysis": transient(0.05, 2000),
    }  # fmt: skip
    motion = begin(tables)
    model = motion.links.model
    started = model.account(motion.point)
    work, last, deepest = 0.0, None, 1.0
    for _ in range(2000):
        motion.advance()
        now = model.account(motion.point)
        power = now.loads + sum(now.forces)
        work += 0.0 if last is None else 0.5 * (power + last) * 0.05 / 2000
        last = power
        deepest = min(deepest, float(model.links.value[1]))
    assert deepest < 0.045  # it has touched
    gained = now.kinetic + now.strain - started.kinetic - started.strain
    assert abs(work - gained) < 2e-3 * max(now.kinetic, now.strain)


def test_force_at_a_node_without_rotation_is_refused():
    """Friction on a corner of a solid needs its rotation, which such nodes do not have."""
    corners = [[0, 0.2, 0], [1, 0.2, 0], [1, 0.3, 0], [0, 0.3, 0]]
    tables = {
        "mesh": {"block": {"cell": "quad4", "corners": corners, "divisions": [2, 1]}},
        "materials": {"rubber": {"young": 1e6, "poisson": 0.3, "density": 1000.0}},
        "links": [{"name": "plate"}],
        "bodies": [{"name": "plate", "element": "quad4", "material": "rubber", "thickness": 0.1,
                    "frame": "plate"}],
        "forces": [contact("cylinder_on_plane", "hertz", "coulomb", ("ground", "plate"),
                           at=[[0, 0, 0], "corner1"])],
        "analysis": transient(0.1, 10),
    }  # fmt: skip
    with pytest.raises(InputError, match=r"force 'touch', at\[1\]: needs the rotation of link"):
        begin(tables)
    tables["forces"] = [contact("cylinder_on_plane", "hertz", None, ("ground", "plate"),
                                at=[[0, 0, 0], "corner1"])]  # fmt: skip
    begin(tables)


@pytest.mark.parametrize("accuracy", [1e-5, 1e-7])
def test_steps_that_adapt_find_impacts(accuracy):
    """Height of the third bounce without loss: the energy of the first one; errors fall."""
    touch = contact("sphere_on_plane", "hertz", stiffness=1e7)
    tables = falling(0.3, touch, 0.6, 60)
    tables["analysis"]["accuracy"] = accuracy

    def energy(motion):
        account = motion.links.model.account(motion.point)
        depth = max(RADIUS - frames(motion)[0, 0, 2], 0.0)
        return account.kinetic + MASS * G * frames(motion)[0, 0, 2] + 0.4 * 1e7 * depth**2.5

    found = follow(tables, energy)
    assert np.ptp(found) / found[0] < 30.0 * accuracy ** (2.0 / 3.0)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"links": ["ground", "bal"]}, "did you mean 'ball'"),
        ({"normal": None}, "normal: missing; expected one of linear"),
        ({"parameters": {"radius": 0.1}}, "parameters: missing stiffness"),
        ({"contact": "sphere_on_plan"}, "contact"),
        ({"force": ["1", "0", "0"]}, "force: found beside contact"),
    ],
)
def test_what_is_wrong_with_a_contact_is_told(changes, told):
    """By its key, with what is expected."""
    tables = falling(0.2, contact("sphere_on_plane"), 0.1, 10)
    tables["forces"][0] = {
        k: v for k, v in (tables["forces"][0] | changes).items() if v is not None
    }
    with pytest.raises(InputError, match="forces") as caught:
        model_from_dict(tables)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"force": ["k*q", "0", "0"]}, "forces[0].slide: found 'q'"),
        ({"parameters": {"k": 1.0, "spare": 2.0}}, "found the parameter 'spare'"),
        ({"where": {"x": "1"}}, "found 'x', which formulas of forces know already"),
        ({"where": {"r2": "x^2", "spare": "y"}}, "where.spare: found a quantity that no formula"),
        ({"force": None, "where": {}}, "found neither contact, force, moment nor hold"),
        ({"gap": "sin("}, "forces[0].gap: found 'sin('"),
    ],
)
def test_what_is_wrong_with_a_law_is_told(changes, told):
    """By its key, with what is expected."""
    tables = orbiting(10)
    tables["forces"][0] = {
        k: v for k, v in (tables["forces"][0] | changes).items() if v is not None
    }
    with pytest.raises(InputError) as caught:
        model_from_dict(tables)
    assert told in str(caught.value)


def test_law_without_a_value_ends_the_run_in_a_line():
    """A mass that begins where the law has no value: the force is named."""
    tables = orbiting(10)
    tables["links"][0]["placement"]["position"] = [0.0, 0.0, 0.0]
    with pytest.raises(AnalysisError, match="force 'pull'"):
        begin(tables).advance()


def rubbing(joint, steps, duration, **keys):
    """Return a model with friction of its joint."""
    force = {"name": "rub", "joint": joint["name"], "friction": "coulomb", "parameters": keys}
    return {"planar": True, "joints": [joint], "forces": [force],
            "loads": [{"kind": "gravity", "acceleration": [0.0, -G, 0.0]}],
            "analysis": transient(duration, steps)}  # fmt: skip


def test_cart_on_a_guide_comes_to_rest_at_the_right_time():
    """Friction of its weight: it stops after v / (mu g), having gone v^2 / (2 mu g), and stays."""
    v, mu = 1.0, 0.3
    guide = {"name": "guide", "kind": "prismatic", "links": ["ground", "cart"], "axis": [1, 0, 0]}
    tables = rubbing(guide, 2000, 0.5, friction=mu, regular=1e-5)
    tables["links"] = [{"name": "cart", "mass": 2.0, "inertia": [0.1], "velocity": [v, 0.0, 0.0]}]
    found = follow(tables, lambda m: np.append(frames(m)[0, 0, 0], frames(m)[0, 4, 0]))
    times = np.linspace(0.0, 0.5, 2001)
    stops = v / (mu * G)
    slides = times < stops - 0.001
    assert np.abs(found[slides, 1] - (v - mu * G * times[slides])).max() < 1e-6
    assert np.abs(found[times > stops + 0.001, 1]).max() < 1e-5
    assert found[-1, 0] == pytest.approx(v**2 / (2.0 * mu * G), rel=1e-4)


@pytest.mark.parametrize("formalism", ["lagrange", "kane"])
def test_pendulum_with_a_rubbing_pin_is_that_of_its_equation(formalism):
    """The force in the pin has a part of its own angular velocity and acceleration."""
    mass, reach, mu, radius, regular = 1.0, 0.5, 0.4, 0.05, 0.05
    whole = 1.0 / 12.0 + mass * reach**2

    def rates(t, y):
        angle, w = y
        drag = mu * radius * radius * w / np.hypot(radius * w, regular)

        def push(e):  # of the pin on the rod: m a - m g
            along = -mass * reach * w**2 + mass * G * np.sin(angle)
            across = mass * reach * e + mass * G * np.cos(angle)
            return np.hypot(along, across)

        e = -mass * G * reach * np.cos(angle) / whole
        for _ in range(200):  # the friction depends on the force, and this on the acceleration
            e = (-mass * G * reach * np.cos(angle) - drag * push(e)) / whole
        return [w, e]

    wanted = solve_ivp(rates, [0, 1.5], [0.0, 0.0], rtol=1e-9, atol=1e-11).y[0, -1]
    pin = {"name": "pin", "kind": "revolute", "links": ["ground", "rod"]}
    errors = []
    for steps in (500, 1000):
        tables = rubbing(pin, steps, 1.5, friction=mu, regular=regular, radius=radius)
        tables["analysis"]["formalism"] = formalism
        tables["links"] = [{"name": "rod", "mass": mass, "inertia": [1.0 / 12.0],
                            "centre": [reach, 0.0, 0.0]}]  # fmt: skip
        found = follow(tables, lambda m: m.links.model.frames(m.point, np.zeros(1))[1][0, 0])[-1]
        errors.append(abs((found - wanted + np.pi) % (2.0 * np.pi) - np.pi))
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)


def test_friction_of_a_joint_has_exact_derivatives():
    """By multipliers as well, of a moving pin."""
    pin = {"name": "pin", "kind": "revolute", "links": ["ground", "rod"]}
    tables = rubbing(pin, 10, 0.1, friction=0.4, regular=0.05, radius=0.1)
    tables["links"] = [{"name": "rod", "mass": 1.0, "inertia": [0.1], "centre": [0.5, 0.0, 0.0]}]
    motion = begin(tables)
    model, state = motion.links.model, motion.state
    rng = np.random.default_rng(8)
    z, n = len(state.z), model.space.size
    at = Point(0.0, state.q, rng.normal(size=z), state.s, state.mode, np.zeros(n),
               rng.normal(size=2))  # fmt: skip
    model.residual(at, np.zeros(n))
    found = model.linearize(at)
    wanted = differences(model, at, lambda a, x: replace(a, force=a.force + x), 2)
    assert np.abs(found.force.toarray() - wanted).max() < 1e-8 * np.abs(wanted).max()
    by_speed = differences(model, at, lambda a, x: replace(a, z=a.z + x), z)
    assert (
        np.abs(found.speed.toarray()[:z, :z] - by_speed[:z]).max() < 1e-7 * np.abs(by_speed).max()
    )


def cranked(formalism, steps=300, **keys):
    """Return a slider-crank whose guide and big end rub, driven by a law of the crank's angle.

    The law knows the coordinate of the guide, too, and a pendulum hangs on the slider.
    """
    rods = [("crank", 0.2, [0, 0, 0], 0.0), ("rod", 0.5, [0.2, 0, 0], 0.0)]
    links = [{"name": name, "mass": size, "inertia": [size**3 / 12.0],
              "centre": [size / 2, 0.0, 0.0], "placement": {"position": at, "angle": angle}}
             for name, size, at, angle in rods]  # fmt: skip
    links += [{"name": "slider", "mass": 0.4, "inertia": [0.01],
               "placement": {"position": [0.7, 0, 0]}},
              {"name": "bob", "mass": 0.1, "inertia": [1e-3], "centre": [0.0, -0.3, 0.0],
               "placement": {"position": [0.7, 0, 0]}}]  # fmt: skip
    joints = [
        {"name": "shaft", "kind": "revolute", "links": ["ground", "crank"]},
        {"name": "big", "kind": "revolute", "links": ["crank", "rod"], "at": [0.2, 0, 0]},
        {"name": "small", "kind": "revolute", "links": ["rod", "slider"], "at": [0.7, 0, 0]},
        {"name": "guide", "kind": "prismatic", "links": ["ground", "slider"], "axis": [1, 0, 0],
         "at": [0.7, 0, 0]},
        {"name": "hook", "kind": "revolute", "links": ["slider", "bob"], "at": [0.7, 0, 0]},
    ]  # fmt: skip
    forces = [
        {"name": "rubs", "joint": "guide", "friction": "coulomb",
         "parameters": {"friction": 0.3, "regular": 0.02}},
        {"name": "big_rubs", "joint": "big", "friction": "coulomb",
         "parameters": {"friction": 0.2, "regular": 0.02, "radius": 0.03}},
    ]  # fmt: skip
    motor = {"name": "motor", "joint": "shaft", "law": "2.0 - 3.0*moved",
             "coordinates": {"moved": {"joint": "guide"}}}  # fmt: skip
    return {"planar": True, "links": links, "joints": joints, "forces": forces,
            "loads": [{"kind": "gravity", "acceleration": [0.0, -G, 0.0]}],
            "actuators": [motor],
            "analysis": transient(0.3, steps, formalism=formalism, **keys)}  # fmt: skip


@pytest.mark.parametrize("formalism", ["kane", "maggi"])
def test_friction_of_joints_of_a_loop_by_independent_speeds(formalism):
    """They find what Lagrange's find to the order of the method, with as many solves.

    Differences fall by four where steps are halved. Joints that rub are held by multipliers, which
    laws know; the others are satisfied by the tree.
    """
    apart = []
    for steps in (300, 600):
        exact, one = (end_of(cranked(name, steps), steps) for name in ("lagrange", formalism))
        assert one.stepper._tree is not None
        assert one.counts.solves < 1.1 * exact.counts.solves
        apart.append([np.abs(one.state.q - exact.state.q).max()])
        for name, reaction in exact.reactions.items():
            size = np.abs(reaction.force).max()
            apart[-1].append(np.abs(one.reactions[name].force - reaction.force).max() / size)
    print(formalism, *apart)
    assert np.divide(*apart) == pytest.approx(4.0, rel=0.2)
    assert max(apart[1]) < 0.01
    without = cranked(formalism)
    del without["forces"]
    assert np.abs(end_of(without, 300).state.q - exact.state.q).max() > 0.01


def test_friction_of_joints_of_a_loop_with_steps_that_adapt():
    """The same motion by Kane's and by Lagrange's steps, to errors of the power 2/3."""
    ends = [end_of(cranked(one, 30, accuracy=1e-7), 30) for one in ("lagrange", "kane")]
    assert np.abs(ends[0].state.q - ends[1].state.q).max() < 1e-7 ** (2.0 / 3.0)


def end_of(tables, steps):
    """Return the motion at its end."""
    motion = begin(tables)
    for _ in range(steps):
        motion.advance()
    return motion


def test_friction_of_a_joint_needs_its_force():
    """Steps of momenta know impulses, not forces at one time."""
    pin = {"name": "pin", "kind": "revolute", "links": ["ground", "rod"]}
    tables = rubbing(pin, 10, 0.1, friction=0.4, regular=0.05, radius=0.1)
    tables["links"] = [{"name": "rod", "mass": 1.0, "inertia": [0.1], "centre": [0.5, 0.0, 0.0]}]
    tables["analysis"]["formalism"] = "hamilton"
    with pytest.raises(InputError, match=r"forces\[0\].friction: found friction of a joint with"):
        begin(tables)
