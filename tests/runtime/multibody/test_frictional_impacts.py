# SPDX-License-Identifier: BSD-3-Clause
"""Friction of impacts that take no time, beside closed forms: balls, bars, several bodies."""

from __future__ import annotations

import numpy as np
import pytest
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
from touching import begin

#: Before an impact: so short a flight that turning bodies are where they began.
NEAR = 1e-6
AFTER = timed(4e-6, 4)


def rubbing(mu, restitution, friction="dry"):
    """Return keys of an impact with a friction."""
    keys = dry("impact", mu, restitution=restitution)
    if friction == "coulomb":
        keys = keys | {"friction": "coulomb", "parameters": {
            "friction": mu, "regular": 1e-4, "restitution": restitution}}  # fmt: skip
    return keys


@pytest.mark.parametrize("friction", ["dry", "coulomb"])
@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("mu", [0.05, 0.6])
def test_ball_that_strikes_a_floor_slides_or_rolls_off_it(mu, planar, friction):
    """v' = v - mu (1 + e) v_n against the slip, or 5/7 v + 2/7 R w: a solid ball, any spin."""
    e, v = 0.6, np.array([1.5, -0.4, -2.0])
    w = np.array([4.0, -9.0, 20.0])
    if planar:
        v, w = np.array([1.5, -2.0, 0.0]), np.array([0.0, 0.0, 12.0])
    down = int(np.argmin(v))
    arm = np.zeros(3)
    arm[down] = -RADIUS
    slip = v + np.cross(w, arm)
    slip[down] = 0.0
    normal = -MASS * (1.0 + e) * v[down]
    size = min(mu * normal, 2.0 / 7.0 * MASS * np.linalg.norm(slip))
    impulse = -size * slip / np.linalg.norm(slip)
    impulse[down] = normal
    found = Course({"planar": planar, "links": [ball(v, w, NEAR, planar=planar)],
                    "forces": [on_floor(rubbing(mu, e, friction), planar=planar)],
                    "analysis": AFTER})  # fmt: skip
    assert len(found.events) == 1
    after, spin = v + impulse / MASS, w + np.cross(arm, impulse) / INERTIA
    np.testing.assert_allclose(found.speeds[-1, 0], after, atol=1e-7)
    np.testing.assert_allclose(found.spins[-1, 0], spin, atol=1e-7)
    rolls = np.abs(after + np.cross(spin, arm))[np.arange(3) != down].max() < 1e-12
    assert rolls == (mu == 0.6)
    lost = 0.5 * MASS * (v @ v - after @ after) + 0.5 * INERTIA * (w @ w - spin @ spin)
    assert found.motion.lost["floor"] == pytest.approx(lost, rel=1e-6)


def bar(angle, velocity, spin, mu, e):
    """Return a bar whose lower end strikes the floor, and what its law of impact needs.

    Returns the course; speeds (x, y, angle) before and after by Newton's and Coulomb's laws, and
    the energy that these win.
    """
    length, mass, foot = 1.0, 1.5, 1e-3
    inertia = mass * length**2 / 12.0
    end = -0.5 * length * np.array([np.cos(angle), np.sin(angle)])
    link = {"name": "bar", "mass": mass, "inertia": [inertia], "velocity": [*velocity, 0.0],
            "angular_velocity": [0.0, 0.0, spin],
            "placement": {"position": [0.0, foot + NEAR - end[1], 0.0]}}  # fmt: skip
    keys = rubbing(mu, e)
    floor = {"name": "floor", "links": ["ground", "bar"], "at": [[0.0, 0.0, 0.0], [*end, 0.0]],
             "contact": "cylinder_on_plane"}  # fmt: skip
    floor |= keys | {"parameters": {"radius": foot} | keys["parameters"]}
    found = Course({"planar": True, "links": [link], "forces": [floor], "analysis": AFTER})
    rows = np.array([[0.0, 1.0, end[0]], [1.0, 0.0, foot - end[1]]])  # up, and along the floor
    masses, before = np.diag([1.0 / mass, 1.0 / mass, 1.0 / inertia]), np.array([*velocity, spin])
    W, u = rows @ masses @ rows.T, rows @ before
    p = np.linalg.solve(W, [-(1.0 + e) * u[0], -u[1]])
    if abs(p[1]) > mu * p[0]:
        for sign in (1.0, -1.0):
            p = np.array([1.0, -sign * mu]) * -(1.0 + e) * u[0] / (W[0] @ [1.0, -sign * mu])
            if sign * (u[1] + W[1] @ p) > 0.0:
                break
    won = 0.5 * p @ (2.0 * u + W @ p)
    return found, before, before + masses @ rows.T @ p, won


BARS = [
    (0.5, (1.0, -2.0), 0.3, 0.1, 0.5),  # slides on
    (1.2, (0.4, -2.0), -0.5, 0.7, 0.5),  # its end sticks
    (0.9, (0.1, -1.5), 0.4, 0.15, 0.3),  # its slip turns round
]


@pytest.mark.parametrize(("angle", "velocity", "spin", "mu", "e"), BARS)
def test_bar_that_strikes_a_floor_moves_on_by_the_law_of_its_end(angle, velocity, spin, mu, e):
    """Newton's restitution and Coulomb's friction of impulses, of two equations."""
    found, before, after, won = bar(angle, velocity, spin, mu, e)
    assert won < 0.0
    moving = [*found.speeds[-1, 0, :2], found.spins[-1, 0, 2]]
    np.testing.assert_allclose(moving, after, atol=2e-5)
    assert not np.allclose(moving, before, atol=0.1)
    assert found.motion.lost["floor"] == pytest.approx(-won, rel=1e-5)


def test_impact_that_would_win_energy_keeps_it():
    """Kane's paradox: a slip that turns round takes less than Newton's restitution would give."""
    found, before, _, won = bar(0.86, (1.34, -2.97), 3.78, 0.54, 0.98)
    assert won > 2.0
    speed, spin = found.speeds[-1, 0], found.spins[-1, 0, 2]
    weights = 0.5 * 1.5 * np.array([1.0, 1.0, 1.0 / 12.0])
    assert weights @ np.array([*speed[:2], spin]) ** 2 == pytest.approx(weights @ before**2)
    assert found.motion.lost["floor"] == pytest.approx(0.0, abs=1e-12)
    end = 0.5 * np.array([np.cos(0.86), np.sin(0.86)])
    assert speed[1] - spin * end[0] > 0.1  # and it comes off


@pytest.mark.parametrize("mu", [0.1, 0.8])
def test_two_balls_keep_momentum_and_angular_momentum(mu):
    """An oblique impact of spinning balls; their slip is that of equal and opposite impulses."""
    e, pair = 0.7, np.array([0.6, 0.8, 0.0])
    speeds = np.array([[0.3, 1.0, 0.2], [0.0, -3.0, 0.4]])
    spins = np.array([[3.0, 10.0, -4.0], [0.0, -20.0, 5.0]])
    first, second = ball(speeds[0], spins[0]), ball(speeds[1], spins[1])
    first["placement"]["position"] = [0.0, 0.0, 0.0]
    second |= {"name": "other", "mass": 0.5 * MASS, "inertia": [0.5 * INERTIA] * 3}
    second["placement"] = {"position": list((2.0 * RADIUS + NEAR) * pair)}
    touch = {"name": "touch", "links": ["ball", "other"], "contact": "sphere_on_sphere"}
    keys = rubbing(mu, e)
    touch |= keys | {"parameters": {"radius": RADIUS, "other_radius": RADIUS} | keys["parameters"]}
    found = Course({"links": [first, second], "forces": [touch], "analysis": AFTER})
    masses, inertias = MASS * np.array([1.0, 0.5]), INERTIA * np.array([1.0, 0.5])
    slip = speeds[1] - speeds[0] - RADIUS * np.cross(spins.sum(axis=0), pair)
    closing = pair @ slip
    slip = slip - closing * pair
    reduced = 1.0 / (1.0 / masses).sum()
    normal = -(1.0 + e) * reduced * closing
    size = min(mu * normal, 2.0 / 7.0 * reduced * np.linalg.norm(slip))
    impulse = normal * pair - size * slip / np.linalg.norm(slip)
    after = speeds + np.array([-1.0, 1.0])[:, None] * impulse / masses[:, None]
    twist = -RADIUS * np.cross(pair, impulse)
    np.testing.assert_allclose(found.speeds[-1], after, atol=2e-5)
    np.testing.assert_allclose(found.spins[-1], spins + twist / inertias[:, None], atol=2e-4)
    points = begin(found.tables).point, found.motion.point
    begun, end = (found.motion.links.model.account(at).momentum for at in points)
    np.testing.assert_allclose(end, begun, atol=1e-9)


def test_ball_with_backspin_bounces_back():
    """It comes down where it was thrown from, with the way of every hop by closed forms."""
    mu, e, v, w, fall = 0.4, 0.6, 1.0, 80.0, 0.5
    tables = {"planar": True, "links": [ball((v, 0.0, 0.0), (0.0, 0.0, w), fall, planar=True)],
              "forces": [on_floor(rubbing(mu, e), planar=True)], "loads": gravity(planar=True),
              "analysis": timed(1.2, 6000)}  # fmt: skip
    found = Course(tables)
    fast = np.sqrt(2.0 * G * fall)
    place, time = v * fast / G, fast / G
    while time < 1.2:  # they end at 1.276 s
        slip = v + RADIUS * w
        change = np.sign(slip) * min(mu * (1.0 + e) * fast, 2.0 / 7.0 * abs(slip))
        v, w, fast = v - change, w - 2.5 * change / RADIUS, e * fast
        last = min(2.0 * fast / G, 1.2 - time)
        place, time = place + v * last, time + 2.0 * fast / G
    assert v < -0.5
    np.testing.assert_allclose(found.speeds[-1, 0, 0], v, atol=1e-3)
    np.testing.assert_allclose(found.places[-1, 0, 0], place, atol=1e-3)


def test_impact_lets_go_what_sticks_on_a_floor_that_gives_way():
    """A ball hits a block that rests on springs: its feet take no impulse, then they rub."""
    mu, e, v = 0.3, 0.5, 4.0
    link, feet = block(dry("linear", mu))
    link["placement"]["position"][1] -= MASS * G / 2e6
    shot = ball((v, 0.0, 0.0), planar=True)
    shot["placement"]["position"] = [-RADIUS - 0.01 - NEAR, HEIGHT - MASS * G / 2e6, 0.0]
    wall = {"name": "hit", "links": ["block", "ball"], "contact": "cylinder_on_plane",
            "across": [0.0, 1.0, 0.0], "at": [[-0.01, 0.0, 0.0], [0.0, 0.0, 0.0]],
            "normal": "impact", "parameters": {"radius": RADIUS, "restitution": e}}  # fmt: skip
    tables = {"planar": True, "links": [link, shot], "forces": [*feet, wall],
              "loads": gravity(planar=True), "analysis": timed(0.05, 100)}  # fmt: skip
    found = Course(tables)
    assert [name for _, _, name in found.events][:1] == ["impact"]
    speed = 0.5 * (1.0 + e) * v
    np.testing.assert_allclose(found.speeds[1, 0, 0], speed - mu * G * 5e-4, atol=2e-3)
    np.testing.assert_allclose(found.speeds[-1, 0, 0], speed - mu * G * 0.05, atol=5e-3)
