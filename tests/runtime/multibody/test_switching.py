# SPDX-License-Identifier: BSD-3-Clause
"""Forces that switch at events: impacts, shapes that rest, dry friction, beside closed forms."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from touching import begin, contact

G, RADIUS, MASS = 9.81, 0.1, 2.0
DOWN = [{"kind": "gravity", "acceleration": [0.0, 0.0, -G]}]
ASIDE = [{"kind": "gravity", "acceleration": [0.0, -G, 0.0]}]


def ball(height, name="ball", **more):
    """Return the table of a ball at a height, which is above the origin unless told otherwise."""
    return {"name": name, "mass": MASS, "inertia": [0.008] * 3,
            "placement": {"position": [0.0, 0.0, height]}} | more  # fmt: skip


def impact(restitution, shape="sphere_on_plane", **more):
    """Return the table of a contact whose impacts take no time."""
    return contact(shape, "impact", restitution=restitution, **more)


def timed(duration, steps, **more):
    """Return a table of a transient analysis."""
    return {"kind": "transient", "duration": duration, "steps": steps, "threads": 1} | more


def course(tables):
    """Return heights and vertical speeds of all links at every step, and the events."""
    motion = begin(tables)
    found, events = [], []

    def look():
        frames = motion.links.model.frames(motion.point, np.zeros(len(motion._taking._near)))[0]
        found.append([(one[0, 2], one[1:4].T[2] @ one[4]) for one in frames])

    look()
    for _ in range(tables["analysis"]["steps"]):
        motion.advance()
        look()
        events += motion.events_until(motion.time)
    return np.array(found), events, motion


@pytest.mark.parametrize("more", [{}, {"accuracy": 1e-6}, {"rho_infinity": 0.5}])
def test_ball_bounces_at_the_times_of_the_closed_form_and_rests(more):
    """Impacts at t_1 + 2 v (e + e^2 + ..) / g, the energy is lost, and it stays within 1e-10 m."""
    rebound, fall = 0.6, 1.0
    tables = {"links": [ball(RADIUS + fall)], "forces": [impact(rebound)], "loads": DOWN,
              "analysis": timed(2.5, 100, **more)}  # fmt: skip
    found, events, motion = course(tables)
    first = np.sqrt(2.0 * fall / G)
    speeds = G * first * rebound ** np.arange(1, 200)
    times = first + np.concatenate([[0.0], np.cumsum(2.0 * speeds / G)])
    told = np.array([time for time, _ in events])
    assert 15 < len(told) < 30
    np.testing.assert_allclose(told, times[: len(told)], atol=1e-9)
    assert {number for _, number in events} == {0}  # impacts
    assert motion.lost == {"touch": pytest.approx(MASS * G * fall, rel=1e-10)}
    resting = np.linspace(0.0, 2.5, 101) > times[-1]
    assert np.abs(found[resting, 0] - [RADIUS, 0.0]).max() < 1e-10
    assert motion.reactions["touch"].force[2] == pytest.approx(MASS * G, rel=1e-9)


def test_disc_of_a_planar_model_bounces():
    """A contact without friction has no force in its law, and acts in the plane all the same."""
    disc = ball(0.0, velocity=[0.3, 0.0, 0.0], inertia=[0.01])
    disc["placement"] = {"position": [0.0, RADIUS + 0.5, 0.0]}
    tables = {"planar": True, "links": [disc], "loads": ASIDE, "analysis": timed(1.0, 40),
              "forces": [impact(0.5, "cylinder_on_plane")]}  # fmt: skip
    _, events, motion = course(tables)
    first = np.sqrt(2.0 * 0.5 / G)
    wanted = first * np.array([1.0, 2.0, 2.5, 2.75])
    np.testing.assert_allclose([time for time, _ in events][:4], wanted, atol=1e-9)
    momentum = motion.links.model.account(motion.point).momentum
    assert momentum[0] == pytest.approx(MASS * 0.3, rel=1e-9)


def test_ball_laid_on_the_floor_stays():
    """Gap and speed are zero; it falls by 1e-10 of what it would in a step before it is found."""
    tables = {"links": [ball(RADIUS)], "forces": [impact(0.9)], "loads": DOWN,
              "analysis": timed(1.0, 20)}  # fmt: skip
    found, _, motion = course(tables)
    assert np.abs(found[:, 0] - [RADIUS, 0.0]).max() < 1e-9
    assert motion.lost["touch"] < 1e-10 * MASS * G * 0.5 * G * 0.05**2 * 20


@pytest.mark.parametrize(
    ("shape", "part"), [("sphere_on_plane", 5 / 7), ("cylinder_on_plane", 2 / 3)]
)
def test_friction_of_shapes_that_rest_makes_them_roll(shape, part):
    """By the force that holds them: they slip for (1 - part) v / (mu g), and roll from then on."""
    v, mu, planar = 2.0, 0.3, shape == "cylinder_on_plane"
    body = ball(RADIUS, velocity=[v, 0.0, 0.0])
    if planar:
        body |= {"inertia": [0.5 * MASS * RADIUS**2]}
        body["placement"] = {"position": [0.0, RADIUS, 0.0]}
    tables = {
        "planar": planar,
        "links": [body],
        "loads": ASIDE if planar else DOWN,
        "forces": [impact(0.5, shape, rubbing="coulomb", friction=mu, regular=1e-4)],
        "analysis": timed(0.3, 300),
    }
    motion = begin(tables)
    for k in range(300):
        motion.advance()
        if k == 99:
            speed = motion.links.model.account(motion.point).momentum[0] / MASS
            assert speed == pytest.approx(v - mu * G * 0.1, rel=1e-5)
    speed = motion.links.model.account(motion.point).momentum[0] / MASS
    assert (1.0 - part) * v / (mu * G) < 0.29
    assert speed == pytest.approx(part * v, rel=1e-4)


def test_two_free_balls_keep_their_momentum_and_lose_speed_along_the_line_of_centres():
    """An oblique impact without friction, of unequal balls: Newton's restitution."""
    e = 0.7
    other = ball(0.0, "other", mass=0.5, velocity=[0.0, -3.0, 0.4])
    other["placement"] = {"position": [0.05, 1.0, 0.02]}
    tables = {
        "links": [ball(0.0, velocity=[0.2, 1.0, 0.0]), other],
        "forces": [impact(e, "sphere_on_sphere", links=("ball", "other"))],
        "analysis": timed(0.4, 10),
    }
    tables["forces"][0]["parameters"] = {"radius": 0.1, "other_radius": 0.2, "restitution": e}
    motion = begin(tables)
    start = motion.links.model.account(motion.point)

    def state():
        frames = motion.links.model.frames(motion.point, np.zeros(len(motion._taking._near)))[0]
        return frames[:, 0], np.array([one[1:4].T @ one[4] for one in frames])

    places, before = state()
    for _ in range(10):
        motion.advance()
    (time, _), = motion.events_until(0.4)  # fmt: skip
    after = state()[1]
    line = (places[1] + time * before[1]) - (places[0] + time * before[0])
    assert np.linalg.norm(line) == pytest.approx(0.3, abs=1e-10)
    line /= np.linalg.norm(line)
    assert line @ (after[1] - after[0]) == pytest.approx(-e * line @ (before[1] - before[0]))
    end = motion.links.model.account(motion.point)
    np.testing.assert_allclose(end.momentum, start.momentum, atol=1e-12)
    assert motion.lost["touch"] == pytest.approx(start.kinetic - end.kinetic, rel=1e-9)


def test_ball_falls_on_one_that_rests_on_the_floor():
    """In the end both rest, and the floor bears both: impulses that would pull are left out."""
    upper = ball(1.0, "upper")
    tables = {
        "links": [ball(RADIUS), upper],
        "forces": [impact(0.4), impact(0.4, "sphere_on_sphere", links=("ball", "upper"))],
        "loads": DOWN,
        "analysis": timed(2.0, 50),
    }
    tables["forces"][1] |= {"name": "pair"}
    tables["forces"][1]["parameters"] = {"radius": RADIUS, "other_radius": RADIUS,
                                         "restitution": 0.4}  # fmt: skip
    found, _, motion = course(tables)
    gaps = found[:, 0, 0] - RADIUS, found[:, 1, 0] - found[:, 0, 0] - 2.0 * RADIUS
    assert min(gap.min() for gap in gaps) > -1e-9
    assert np.abs(found[-1] - [[RADIUS, 0.0], [3.0 * RADIUS, 0.0]]).max() < 1e-8
    assert motion.reactions["touch"].force[2] == pytest.approx(2.0 * MASS * G, rel=1e-8)
    assert motion.reactions["pair"].force[2] == pytest.approx(MASS * G, rel=1e-8)


def test_ball_leaves_a_table_whose_acceleration_exceeds_that_of_gravity():
    """A table at -a sin(w t) falls faster than a ball from sin(w t) = -g / (a w^2).. on."""
    size, w = 0.02, 30.0
    tables = {
        "links": [{"name": "table", "mass": 1.0, "inertia": [1.0] * 3}, ball(RADIUS)],
        "joints": [{"name": "guide", "kind": "prismatic", "links": ["ground", "table"],
                    "axis": [0, 0, 1]}],
        "drivers": [{"name": "shake", "joint": "guide", "value": f"{size}*sin({w}*t)"}],
        "forces": [impact(0.0, links=("table", "ball"))],
        "loads": DOWN,
        "analysis": timed(0.2, 100),
    }  # fmt: skip
    tables["links"][1]["velocity"] = [0.0, 0.0, size * w]
    _, events, _ = course(tables)
    leaves = [time for time, number in events if number == 1]
    assert size * w**2 > G
    assert leaves[0] == pytest.approx(np.arcsin(G / (size * w**2)) / w, abs=2e-5)


def test_slider_between_two_rigid_stops_hits_them_at_the_times_of_the_closed_form():
    """A free slider of a joint: every stop takes half of the speed."""
    guide = {"name": "guide", "kind": "prismatic", "links": ["ground", "cart"], "axis": [1, 0, 0]}
    stop = {"name": "stop", "joint": "guide", "contact": "stop", "normal": "impact",
            "parameters": {"lower": -0.5, "upper": 0.25, "restitution": 0.5}}  # fmt: skip
    tables = {"planar": True, "joints": [guide], "forces": [stop],
              "links": [{"name": "cart", "mass": 1.0, "inertia": [0.1], "velocity": [2.0, 0, 0]}],
              "analysis": timed(2.5, 25)}  # fmt: skip
    _, events, motion = course(tables)
    hits = np.cumsum([0.25 / 2.0, 0.75 / 1.0, 0.75 / 0.5])
    np.testing.assert_allclose([time for time, _ in events], hits, atol=1e-10)
    assert motion.lost["stop"] == pytest.approx(0.5 * (2.0**2 - 0.25**2), rel=1e-10)


@pytest.mark.parametrize("rest", [1e-5, 1e-8])
def test_an_impact_just_before_the_end_of_a_step_leaves_joints_at_rest(rest):
    """What is left of the step is so short that round-off of places would be a speed across."""
    step = 0.01
    guide = {"name": "guide", "kind": "prismatic", "links": ["ground", "cart"],
             "axis": [0.6, 0.8, 0], "at": [[3.1, 2.7, 0], [0.4, -0.3, 0]]}  # fmt: skip
    stop = {"name": "stop", "joint": "guide", "contact": "stop", "normal": "impact",
            "parameters": {"lower": -5.0, "upper": 0.3 - rest * step,
                           "restitution": 0.5}}  # fmt: skip
    cart = {"name": "cart", "mass": 1.0, "inertia": [0.1], "velocity": [0.6, 0.8, 0.0],
            "placement": {"position": [2.7, 3.0, 0.0]}}  # fmt: skip
    motion = begin({"planar": True, "joints": [guide], "forces": [stop], "links": [cart],
                    "analysis": timed(50 * step, 50)})  # fmt: skip
    across = 0.0
    for _ in range(50):
        motion.advance()
        momentum = motion.links.model.account(motion.point).momentum
        across = max(across, abs(0.8 * momentum[0] - 0.6 * momentum[1]))
    ((time, _),) = motion.events_until(1.0)
    assert time == pytest.approx(0.3 - rest * step, abs=1e-12)
    assert across < 1e-11


def sliding(mu, rest, velocity, analysis, forces=(), mass=MASS):
    """Return a cart on a rough guide in the plane."""
    guide = {"name": "guide", "kind": "prismatic", "links": ["ground", "cart"], "axis": [1, 0, 0]}
    rub = {"name": "rub", "joint": "guide", "friction": "dry",
           "parameters": {"friction": mu, "rest_friction": rest}}  # fmt: skip
    cart = {"name": "cart", "mass": mass, "inertia": [0.1], "velocity": [velocity, 0.0, 0.0]}
    return {"planar": True, "joints": [guide], "links": [cart], "loads": ASIDE,
            "forces": [rub, *forces], "analysis": analysis}  # fmt: skip


@pytest.mark.parametrize("more", [{}, {"accuracy": 1e-6}])
def test_cart_on_a_rough_guide_stops_at_once_and_stays(more):
    """After v / (mu g) and v^2 / (2 mu g), to the digits of the location of events."""
    v, mu = 1.0, 0.3
    motion = begin(sliding(mu, mu, v, timed(0.5, 10, **more)))
    for _ in range(10):
        motion.advance()
    ((time, number),) = motion.events_until(0.5)
    assert number == 0
    assert time == pytest.approx(v / (mu * G), abs=1e-11)
    place, speed = _slide(motion)
    assert place == pytest.approx(v**2 / (2.0 * mu * G), abs=1e-12)
    assert speed == 0.0


def _slide(motion):
    """Return the coordinate of the first joint and its rate."""
    near = np.zeros(len(motion._taking._near))
    return motion.links.model.frames(motion.point, near)[1][0, :2]


def test_oscillator_with_dry_friction_loses_as_much_in_every_half_period():
    """Turning points are 2 mu m g / k nearer each, pi / w apart; it stops where the spring is."""
    mu, k = 0.2, 400.0
    w, step = np.sqrt(k / MASS), 2.0 * mu * MASS * G / k
    spring = {"name": "spring", "joint": "guide", "parameters": {"k": k},
              "force": ["-k*x", "0", "0"]}  # fmt: skip
    start = 3.3 * step
    tables = sliding(mu, mu, 0.0, timed(4.5 * np.pi / w, 450), [spring])
    tables["links"][0]["placement"] = {"position": [start, 0.0, 0.0]}
    tables["joints"][0]["at"] = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    motion = begin(tables)
    for _ in range(450):
        motion.advance()
    events = motion.events_until(10.0)
    turns = [time for time, number in events if number == 0]
    assert len(turns) == 3  # 3.3, 2.3, 1.3, 0.3 steps: there the spring is weaker than friction
    np.testing.assert_allclose(turns, np.pi / w * np.arange(1, 4), rtol=2e-4)
    assert abs(_slide(motion)[0]) == pytest.approx(0.3 * step, rel=2e-3)
    assert _slide(motion)[1] == 0.0


def test_mass_on_a_belt_sticks_and_slips_with_the_period_of_the_closed_form():
    """Slip 2 (pi - atan(d w / v)) / w, stick 2 d / v with d = (mu_s - mu) m g / k."""
    mu, rest, k, v = 0.2, 0.4, 200.0, 0.3
    w, d = np.sqrt(k / MASS), (rest - mu) * MASS * G / k
    period = 2.0 * (np.pi - np.arctan(d * w / v)) / w + 2.0 * d / v
    belt = {"name": "belt", "mass": 1.0, "inertia": [1.0], "velocity": [v, 0.0, 0.0]}
    cart = {"name": "cart", "mass": MASS, "inertia": [1.0], "velocity": [v, 0.0, 0.0]}
    tables = {
        "planar": True, "links": [belt, cart], "loads": ASIDE,
        "joints": [{"name": "run", "kind": "prismatic", "links": ["ground", "belt"],
                    "axis": [1, 0, 0]},
                   {"name": "top", "kind": "prismatic", "links": ["belt", "cart"],
                    "axis": [1, 0, 0]}],
        "drivers": [{"name": "motor", "joint": "run", "value": f"{v}*t"}],
        "forces": [{"name": "rub", "joint": "top", "friction": "dry",
                    "parameters": {"friction": mu, "rest_friction": rest}},
                   {"name": "spring", "links": ["ground", "cart"], "parameters": {"k": k},
                    "force": ["-k*x", "0", "0"]}],
        "analysis": timed(4.0, 4000),
    }  # fmt: skip
    motion = begin(tables)
    for _ in range(4000):
        motion.advance()
    events = motion.events_until(4.0)
    slips = [time for time, number in events if number == 1]
    assert len(slips) >= 4
    assert slips[0] == pytest.approx(rest * MASS * G / (k * v), rel=1e-6)
    np.testing.assert_allclose(np.diff(slips), period, rtol=1e-5)


@pytest.mark.parametrize("formalism", ["lagrange", "hamilton"])
def test_speeds_of_impacts_are_measured_where_they_begin(formalism):
    """A law by restitution loses in each of three impacts what it does with a given speed."""
    tables = {"links": [ball(RADIUS + 0.2)], "loads": DOWN,
              "analysis": timed(0.9, 9000, formalism=formalism)}  # fmt: skip
    law = {"radius": RADIUS, "stiffness": 1e6, "exponent": 1.5, "restitution": 0.8}
    touch = {"name": "touch", "links": ["ground", "ball"], "contact": "sphere_on_plane",
             "normal": "flores", "parameters": law | {"slowest": 1e-3}}  # fmt: skip
    found, events, _ = course(tables | {"forces": [touch]})
    impacts = [time for time, number in events if number == 0]
    assert len(impacts) == 3
    times = np.linspace(0.0, 0.9, 9001)
    for time in impacts:
        speed = float(-found[times < time][-1, 0, 1] + G * (time - times[times < time][-1]))
        behind = found[np.searchsorted(times, time) + 200, 0, 1]
        later = times[np.searchsorted(times, time) + 200] - time
        known, _, _ = course(
            {"links": [ball(RADIUS, velocity=[0.0, 0.0, -speed])], "loads": DOWN,
             "analysis": timed(later, 200),
             "forces": [touch | {"parameters": law | {"speed": speed}}]}
        )  # fmt: skip
        assert 0.0 < behind < speed
        assert behind == pytest.approx(known[-1, 0, 1], rel=1e-4)


def test_a_run_tells_its_events_and_goes_on_with_them(tmp_path):
    """events.csv has a row for each; the summary has their numbers and the energy lost."""
    tables = {"links": [ball(RADIUS + 1.0)], "forces": [impact(0.5)], "loads": DOWN,
              "analysis": timed(1.5, 30), "output": {"formats": ["csv"]}}  # fmt: skip
    outcome = run_model(model_from_dict(tables), output=tmp_path)
    rows = list(csv.reader((tmp_path / "events.csv").read_text().splitlines()))
    assert rows[0] == ["time [s]", "force", "event"]
    assert rows[1][1:] == ["touch", "impact"]
    assert float(rows[1][0]) == pytest.approx(np.sqrt(2.0 / G), abs=1e-10)
    assert outcome.figures["force 'touch': impact"] == len(rows) - 1
    lost = outcome.figures["energy lost in impacts of force 'touch'"]
    assert lost == [pytest.approx(MASS * G), "J"]
    assert outcome.figures["force 'touch': rests since"] == [float(rows[-1][0]), "s"]


def springy(**more):
    """Return a ball that falls 0.3 m on a floor of a linear spring, with steps longer than that."""
    floor = {"name": "touch", "links": ["ground", "ball"], "contact": "sphere_on_plane",
             "normal": "linear", **more,
             "parameters": {"radius": RADIUS, "stiffness": 2e5, "damping": 0.0}}  # fmt: skip
    return {"links": [ball(RADIUS + 0.3)], "forces": [floor], "loads": DOWN,
            "analysis": timed(2.4, 1200, formalism="hamilton")}  # fmt: skip


def test_steps_of_momenta_end_where_a_ball_touches_and_keep_its_energy():
    """The midpoint rule keeps the energy of springs; without events a floor takes some of it.

    It is touched after the free fall, left after the half period of the spring that the steps have:
    ``tan(w h / 2)`` of theirs is ``w h / 2``.
    """
    found, events, _ = course(springy())
    first = np.sqrt(0.6 / G)
    w, h, speed = np.sqrt(2e5 / MASS), 2e-3, G * np.sqrt(0.6 / G)
    longer = 2.0 / h * np.arctan(w * h / 2.0)  # the frequency of the steps
    stay = (np.pi + 2.0 * np.arctan(G / (w * speed))) / longer
    told = [time for time, _ in events]
    assert told[0] == pytest.approx(first, abs=1e-11)
    assert told[1] - told[0] == pytest.approx(stay, rel=0.02)  # shorter steps at both ends
    np.testing.assert_allclose(np.diff(told[::2]), np.diff(told[::2])[0], rtol=5e-3)
    assert [number for _, number in events] == [0, 1] * (len(events) // 2)
    aloft = found[:, 0, 0] > RADIUS
    energy = 0.5 * found[aloft, 0, 1] ** 2 + G * (found[aloft, 0, 0] - RADIUS)
    np.testing.assert_allclose(energy, 0.3 * G, rtol=1e-9)
    blind, none, _ = course(springy(events=False))
    aloft = blind[:, 0, 0] > RADIUS
    energy = 0.5 * blind[aloft, 0, 1] ** 2 + G * (blind[aloft, 0, 0] - RADIUS)
    assert not none
    assert np.ptp(energy) > 1e-3 * 0.3 * G


@pytest.mark.parametrize("aside", [0.3, 5e-4, -5e-4])
def test_momenta_are_kept_where_balls_touch_beside_the_end_of_a_step(aside):
    """An oblique impact of free balls with friction; parts of steps of any length are steps."""
    law = {"radius": 0.1, "other_radius": 0.2, "stiffness": 1e5, "exponent": 1.5, "damping": 0.2,
           "friction": 0.3, "regular": 1e-2}  # fmt: skip
    other = ball(0.0, "other", mass=0.5, velocity=[0.0, -3.0, 0.4])
    other["angular_velocity"] = [3.0, 1.0, 2.0]
    other["placement"] = {"position": [0.05, 1.0, 0.02]}
    touch = {"name": "touch", "links": ["ball", "other"], "contact": "sphere_on_sphere",
             "normal": "hunt_crossley", "friction": "coulomb", "parameters": law}  # fmt: skip
    tables = {"links": [ball(0.0, velocity=[0.2, 1.0, 0.0]), other], "forces": [touch]}

    def run(step):
        motion = begin(tables | {"analysis": timed(100 * step, 100, formalism="hamilton")})
        found = [motion.links.model.account(motion.point).momentum]
        for _ in range(100):
            motion.advance()
            found.append(motion.links.model.account(motion.point).momentum)
        return np.array(found), motion.events_until(100 * step)

    time = run(2e-3)[1][0][0]
    time = run(time / (80 - aside))[1][0][0]  # screws of a ball that turns depend on the step
    found, events = run(time / (80 - aside))
    assert events[0][0] == pytest.approx(time, abs=1e-9)
    assert np.abs(found - found[0]).max() < 1e-13 * np.abs(found).max()


@pytest.mark.parametrize("formalism", ["kane", "hamilton"])
def test_impacts_are_refused_where_steps_do_not_know_them(formalism):
    """In one line that names the force."""
    tables = {"links": [ball(1.0)], "forces": [impact(0.5)], "loads": DOWN,
              "analysis": timed(1.0, 10, formalism=formalism)}  # fmt: skip
    with pytest.raises(InputError, match=rf"forces\[0\]: .* {formalism}; expected lagrange"):
        begin(tables)


@pytest.mark.parametrize("more", [{}, {"accuracy": 1e-6}])
def test_impacts_that_never_end_are_told_with_what_was_found(more, tmp_path):
    """Where no time between two of them is too short to go on; the results so far are kept."""
    tables = {"links": [ball(RADIUS + 1.0)], "forces": [impact(0.6)], "loads": DOWN,
              "analysis": timed(2.5, 100, **more), "output": {"formats": ["csv"]}}  # fmt: skip
    tables["forces"][0]["parameters"]["shortest"] = 1e-14
    with pytest.raises(AnalysisError, match="force 'touch': found events without end .* t = 1.806"):
        run_model(model_from_dict(tables), output=tmp_path)
    assert len((tmp_path / "events.csv").read_text().splitlines()) > 10


def test_dry_friction_that_is_weaker_at_rest_is_refused():
    """It would stick and slip without end."""
    tables = sliding(0.3, 0.2, 1.0, timed(1.0, 10))
    with pytest.raises(InputError, match="rest_friction: found 0.2 below friction, 0.3"):
        model_from_dict(tables)


def test_impacts_without_events_are_refused():
    """At the key."""
    tables = {"links": [ball(1.0)], "forces": [impact(0.5) | {"events": False}], "loads": DOWN,
              "analysis": timed(1.0, 10)}  # fmt: skip
    with pytest.raises(InputError, match="expected true"):
        model_from_dict(tables)
