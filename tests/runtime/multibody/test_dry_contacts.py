# SPDX-License-Identifier: BSD-3-Clause
"""Contacts with dry friction: they stick without creep and slip as events, beside closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from rubbing import (
    HEIGHT,
    INERTIA,
    MASS,
    RADIUS,
    Course,
    G,
    ball,
    block,
    dry,
    gravity,
    on_floor,
    timed,
)
from scipy.integrate import solve_ivp
from touching import begin


def sliding_block(keys, velocity=0.0, slope=0.0, *, planar=True, analysis):
    """Return a block on a floor or a slope."""
    link, forces = block(keys, velocity, planar=planar)
    loads = gravity(planar=planar, slope=slope)
    return {"planar": planar, "links": [link], "forces": forces, "loads": loads,
            "analysis": analysis}  # fmt: skip


@pytest.mark.parametrize(("planar", "more"), [(True, {}), (True, {"accuracy": 1e-6}), (False, {})])
def test_block_stops_at_once_and_stays(planar, more):
    """After v / (mu g) and v^2 / (2 mu g), on two or four feet, which are more than is needed."""
    v, mu = 1.0, 0.3
    analysis = timed(0.8, 20, **more)
    found = Course(sliding_block(dry("impact", mu, 0.4), v, planar=planar, analysis=analysis))
    assert found.of("sticks") == pytest.approx([v / (mu * G)] * (2 if planar else 4), abs=1e-10)
    assert not found.of("slips")
    still = found.times > v / (mu * G) + 1e-9
    expected = np.array([v**2 / (2.0 * mu * G), 0.0])
    across = [0, 2 if planar else 1]
    np.testing.assert_allclose(found.places[still, 0][:, across], [expected] * still.sum(),
                               atol=1e-11)  # fmt: skip
    assert np.abs(found.speeds[still]).max() < 1e-13
    lost = found.motion.links.model.account(found.motion.point)
    assert lost.kinetic < 1e-25


@pytest.mark.parametrize("planar", [True, False])
def test_block_on_a_slope_sticks_below_the_angle_of_rest_and_slides_above(planar):
    """Below atan(mu_rest) nothing moves; above, g (sin - mu cos)."""
    mu, rest, duration = 0.3, 0.4, 1.0
    for tangent in (0.395, 0.405):
        slope = np.arctan(tangent)
        found = Course(sliding_block(dry("impact", mu, rest), slope=slope, planar=planar,
                                     analysis=timed(duration, 20)))  # fmt: skip
        along = found.places[:, 0, 0]
        if tangent < rest:
            assert np.abs(found.speeds).max() < 1e-15
            assert np.abs(along).max() < 1e-15
            continue
        speed = G * (np.sin(slope) - mu * np.cos(slope)) * found.times
        np.testing.assert_allclose(found.speeds[:, 0, 0], speed, atol=1e-8)
        np.testing.assert_allclose(along, 0.5 * speed * found.times, atol=1e-8)


@pytest.mark.parametrize("normal", ["impact", "linear"])
def test_block_that_is_pushed_more_and_more_slips_at_the_force_of_rest(normal):
    """At F = mu_rest m g, and from then on by F - mu m g; the floor may give way."""
    mu, rest, rate = 0.2, 0.5, 8.0
    deep = 0.0 if normal == "impact" else MASS * G / 2e6
    link, forces = block(dry(normal, mu, rest))
    link["placement"]["position"][1] -= deep
    push = {"name": "push", "links": ["ground", "block"], "at": [[0, 0, 0], [0, -HEIGHT, 0]],
            "force": [f"{rate}*t", "0", "0"]}  # fmt: skip
    tables = {"planar": True, "links": [link], "forces": [*forces, push],
              "loads": gravity(planar=True), "analysis": timed(2.0, 400)}  # fmt: skip
    found = Course(tables)
    begun = rest * MASS * G / rate
    assert found.of("slips") == pytest.approx([begun] * 2, abs=1e-6)
    t = found.times
    since = np.maximum(t - begun, 0.0)
    speed = (0.5 * rate * since**2 + (rest - mu) * MASS * G * since) / MASS
    np.testing.assert_allclose(found.speeds[:, 0, 0], speed, atol=1e-5)
    assert np.abs(found.places[t < begun, 0, 0]).max() < 1e-12


@pytest.mark.parametrize("normal", ["impact", "hunt_crossley"])
@pytest.mark.parametrize(("planar", "more"), [(True, {}), (False, {}), (False, {"rate": 1e-9})])
def test_ball_that_slips_rolls_in_the_end_with_five_sevenths(planar, more, normal):
    """From 2 v / (7 mu g) on, and then at the same speed for good: rolling takes nothing."""
    v, mu = 2.0, 0.3
    deep = 0.0 if normal == "impact" else (MASS * G / 1e6) ** (2.0 / 3.0)
    body = ball((v, 0.0, 0.0), planar=planar, depth=deep)
    accuracy = {"accuracy": more["rate"]} if more else {}
    tables = {"planar": planar, "links": [body], "loads": gravity(planar=planar),
              "forces": [on_floor(dry(normal, mu), planar=planar)],
              "analysis": timed(0.4, 400, **accuracy)}  # fmt: skip
    found = Course(tables)
    (time,) = found.of("sticks")
    accurate = 1e-5 if accuracy else 1e-4
    assert time == pytest.approx(2.0 * v / (7.0 * mu * G), rel=accurate)
    rolling = found.times > time
    speed, spin = found.speeds[rolling, 0, 0], found.spins[rolling, 0]
    assert speed == pytest.approx(5.0 / 7.0 * v, rel=accurate)
    assert np.ptp(speed) < 1e-5
    assert np.ptp(speed[len(speed) // 2 :]) < 2e-8
    np.testing.assert_allclose(np.linalg.norm(spin, axis=1) * RADIUS, speed, rtol=1e-7)


def spinning(mu, steps, duration, **more):
    """Return a ball that is thrown on a tilted floor with a spin across its way."""
    tables = {"links": [ball((1.0, 0.0, 0.0), (12.0, 5.0, 3.0))],
              "forces": [on_floor(dry("impact", mu))],
              "loads": [{"kind": "gravity", "acceleration": [0.3, -0.5, -G]}],
              "analysis": timed(duration, steps, **more)}  # fmt: skip
    return Course(tables)


def test_ball_with_side_spin_goes_a_curved_way_until_it_rolls():
    """Beside SciPy's integrator, with an error of the second order; then with 5/7 of what pulls."""
    mu, arm, pull = 0.25, np.array([0.0, 0.0, -RADIUS]), np.array([0.3, -0.5, 0.0])

    def slip(y):
        return (y[3:6] + np.cross(y[6:9], arm)) * [1.0, 1.0, 0.0]

    def rates(_, y):
        force = -mu * MASS * G * slip(y) / np.linalg.norm(slip(y))
        return np.concatenate([y[3:6], force / MASS + pull, np.cross(arm, force) / INERTIA])

    def vanishes(_, y):
        return np.linalg.norm(slip(y)) - 1e-7

    vanishes.terminal = True
    start = np.array([0.0, 0.0, RADIUS, 1.0, 0.0, 0.0, 12.0, 5.0, 3.0])
    known = solve_ivp(rates, (0.0, 1.0), start, rtol=1e-11, atol=1e-12, events=vanishes,
                      max_step=2e-3)  # fmt: skip
    time, end = known.t[-1], known.y[:, -1]
    bend = known.y[1].min() - 0.5 * known.y[0, -1] * known.y[1, -1] / known.y[0, -1]
    assert bend < -5e-3  # the way is curved
    left = 0.2 * time
    place = end[:3] + left * end[3:6] + 0.5 * left**2 * 5.0 / 7.0 * pull
    speed = end[3:6] + left * 5.0 / 7.0 * pull
    errors = []
    for steps in (100, 400):
        found = spinning(mu, steps, 1.2 * time)
        assert found.of("sticks") == pytest.approx([time], rel=4e-3)
        errors.append(max(np.abs(found.places[-1, 0] - place).max(),
                          np.abs(found.speeds[-1, 0] - speed).max()))  # fmt: skip
    assert errors[1] < 1e-5
    assert errors[1] < errors[0] / 4.0


def test_ball_rolls_in_a_bowl_as_its_directions_turn_with_it():
    """As a pendulum of length c that is 7/5 as heavy; directions across the normal turn by more."""
    gap, angle, duration = 0.9, 1.0, 2.5
    body = ball() | {"placement": {"position": [gap * np.sin(angle), 0, -gap * np.cos(angle)]}}
    bowl = {"name": "bowl", "links": ["ground", "ball"], "contact": "sphere_in_sphere"}
    keys = dry("impact", 2.0)
    bowl |= keys | {"parameters": {"radius": RADIUS, "clearance": gap} | keys["parameters"]}
    known = solve_ivp(lambda _, y: [y[1], -5.0 / 7.0 * G / gap * np.sin(y[0])], (0.0, duration),
                      [angle, 0.0], rtol=1e-10, atol=1e-12)  # fmt: skip
    errors = []
    for steps in (200, 800):
        found = Course({"links": [body], "forces": [bowl], "loads": gravity(planar=False),
                        "analysis": timed(duration, steps)})  # fmt: skip
        place = found.places[-1, 0]
        errors.append(abs(np.arctan2(place[0], -place[2]) - known.y[0, -1]))
        assert len(found.of("turns")) >= 2
        assert not found.of("slips")
    assert errors[1] < 2e-3
    assert errors[1] < errors[0] / 8.0


@pytest.mark.parametrize("pull", [0.9, 1.3])
def test_block_on_a_pushed_block_sticks_up_to_mu_g(pull):
    """Both move together as long as the upper one needs no more than mu m g; else it lags."""
    mu, duration = 0.3, 0.3
    lower, floor = block(dry("impact", 0.0))
    upper, feet = block(dry("impact", mu))
    upper["name"], upper["placement"] = "upper", {"position": [0.0, 3.0 * HEIGHT, 0.0]}
    for k, one in enumerate(feet):
        one |= {"name": f"top {k}", "links": ["block", "upper"]}
        one["at"] = [[0.0, HEIGHT, 0.0], one["at"][1]]
    force = pull * mu * G * 2.0 * MASS
    push = {"name": "push", "links": ["ground", "block"], "at": [[0, 0, 0], [0, -HEIGHT, 0]],
            "force": [f"{force}", "0", "0"]}  # fmt: skip
    found = Course({"planar": True, "links": [lower, upper], "forces": [*floor, *feet, push],
                    "loads": gravity(planar=True), "analysis": timed(duration, 20)})  # fmt: skip
    above = min(pull, 1.0) * mu * G
    below = (force - MASS * above) / MASS
    assert found.speeds[-1, :, 0] == pytest.approx(np.array([below, above]) * duration, rel=1e-7)
    assert found.places[:, 1, 1] == pytest.approx(3.0 * HEIGHT, abs=1e-10)


def test_energy_balances_with_what_friction_takes(tmp_path):
    """The work of friction is all of the energy of a block that stops; its feet hold it then."""
    tables = sliding_block(dry("impact", 0.3, 0.4), 1.0, analysis=timed(0.6, 60))
    figures = run_model(model_from_dict(tables), output=tmp_path).figures
    work = sum(figures[f"work of force 'foot {k}'"][0] for k in range(2))
    assert work == pytest.approx(-0.5 * MASS, rel=1e-9)
    assert figures["largest error of the energy balance"] < 1e-9
    assert figures["force 'foot 1': sticks"] == 1


@pytest.mark.parametrize("normal", ["impact", "linear"])
def test_a_joint_that_holds_the_slip_is_told(normal):
    """In one line with the key of the force."""
    guide = {"name": "guide", "kind": "prismatic", "links": ["ground", "ball"], "axis": [1, 0, 0],
             "at": [[0, 0, RADIUS], [0, 0, 0]]}  # fmt: skip
    body = ball()
    del body["velocity"], body["angular_velocity"]
    tables = {"links": [body], "joints": [guide], "forces": [on_floor(dry(normal, 0.3))],
              "loads": gravity(planar=False), "analysis": timed(0.1, 10)}  # fmt: skip
    told = r"forces\[0\].friction: found dry of 'floor', which would stick in a direction that j"
    with pytest.raises(InputError, match=told):
        begin(tables)


WRONG = [
    ({"events": False}, {}, "events: found false with dry friction"),
    ({}, {"rest_friction": 0.1}, "rest_friction: found 0.1 below friction, 0.3"),
    ({}, {"regular": 1e-3}, "found 'regular', which this force does not have"),
    ({"contact": "sleeve_on_pole"}, {"clearance": 0.01, "length": 1.0}, "touches at two ends"),
]


@pytest.mark.parametrize(("more", "parameters", "told"), WRONG)
def test_what_dry_contacts_do_not_have_is_refused(more, parameters, told):
    """At the key."""
    one = on_floor(dry("linear", 0.3, **parameters)) | more
    tables = {"links": [ball()], "forces": [one], "loads": gravity(planar=False),
              "analysis": timed(0.1, 10)}  # fmt: skip
    with pytest.raises(InputError, match=told):
        model_from_dict(tables)
