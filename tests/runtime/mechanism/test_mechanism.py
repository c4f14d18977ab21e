# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms in motion against closed forms: positions, velocities, accelerations."""

from __future__ import annotations

import mechanisms
import mpmath
import numpy as np
import pytest
from mechanisms import driver, joint, link, mechanism

TIGHT = 1e-12


def global_rates(states):
    """Velocity and acceleration of the origins in global components."""
    turn = states[..., 1:4, :]
    return tuple(np.einsum("...ij,...j->...i", turn, states[..., k, :]) for k in (4, 6))


def relative(found, wanted):
    return np.abs(found - wanted).max() / np.abs(wanted).max()


def test_slider_crank():
    """With sin b = a sin(Wt) / l the slider is at a cos(Wt) + l cos b; all levels to 1e-12."""
    a, l, speed = 0.15, 0.3, 150.0  # noqa: E741
    times = np.linspace(0.0, 0.1, 401)
    course = mechanism(mechanisms.slider_crank(a, l, speed), 0.1).solve(times)
    turn = speed * times
    b = np.arcsin(a / l * np.sin(turn))
    b1 = a * speed * np.cos(turn) / (l * np.cos(b))
    # l b'' cos b - l b'^2 sin b = - a W^2 sin(Wt)
    b2 = (l * b1**2 * np.sin(b) - a * speed**2 * np.sin(turn)) / (l * np.cos(b))
    x = a * np.cos(turn) + l * np.cos(b)
    v = -a * speed * np.sin(turn) - l * b1 * np.sin(b)
    acceleration = -a * speed**2 * np.cos(turn) - l * (b2 * np.sin(b) + b1**2 * np.cos(b))
    velocities, accelerations = global_rates(course.frames)
    assert relative(course.frames[:, 2, 0, 0], x) < TIGHT
    assert relative(velocities[:, 2, 0], v) < TIGHT
    assert relative(accelerations[:, 2, 0], acceleration) < TIGHT
    # The rod turns by -b, seen from the crank by -b - Wt, turn after turn.
    pin = course.coordinates[:, 1]
    for found, wanted in zip(pin.T, (-b - turn, -b1 - speed, -b2), strict=True):
        assert relative(found, wanted) < TIGHT
    assert relative(course.frames[:, 1, 5, 2], -b1) < TIGHT
    assert relative(course.frames[:, 1, 7, 2], -b2) < TIGHT
    slide = course.coordinates[:, 3]
    np.testing.assert_allclose(slide[:, 0], x, rtol=TIGHT)
    np.testing.assert_allclose(slide[:, 2], acceleration, atol=TIGHT * np.abs(acceleration).max())


def test_four_bar():
    """The rocker's angle from the law of cosines, with derivatives of 30 digits, to 1e-12."""
    ground, crank, coupler, rocker = sides = (4.0, 1.0, 3.5, 2.5)

    def angle(t):
        turn = mpmath.mpf(0.5) + 3 * t + mpmath.mpf("0.4") * t**2
        x, y = crank * mpmath.cos(turn) - ground, crank * mpmath.sin(turn)
        d = mpmath.hypot(x, y)
        return mpmath.atan2(y, x) - mpmath.acos((d**2 + rocker**2 - coupler**2) / (2 * d * rocker))

    times = np.linspace(0.0, 2.0, 9)
    course = mechanism(mechanisms.four_bar(sides), 2.0).solve(times)
    with mpmath.workdps(30):
        for k, t in enumerate(times):
            wanted = [float(mpmath.diff(angle, mpmath.mpf(float(t)), n)) for n in range(3)]
            found = course.coordinates[k, 3]
            wanted[0] += 2 * np.pi * np.round((found[0] - wanted[0]) / (2 * np.pi))
            np.testing.assert_allclose(found, wanted, rtol=TIGHT, atol=TIGHT)
    np.testing.assert_allclose(course.coordinates[-1, 0], [8.1, 4.6, 0.8], rtol=TIGHT)


@pytest.mark.parametrize("bend", [0.2, 0.7, 1.1])
def test_universal_joint_transmits_as_cardan_says(bend):
    """Tan(out) = tan(in) / cos(bend), in from where the first arm is in the plane of both."""
    axis = np.array([np.cos(bend), np.sin(bend), 0.0])
    data = {
        "links": [link("in"), link("out")],
        "joints": [
            joint("A", "revolute", "ground", "in", axis=[1, 0, 0]),
            # At the start the arm of the first shaft is in the plane of both, the other normal.
            joint("cross", "universal", "in", "out", axis=[[0, 1, 0], [0, 0, 1]]),
            # The cross holds one end of the second shaft already, its bearing the other one.
            joint("B", "point_on_line", "ground", "out", [[0, 0, 0], axis], axis=axis),
        ],
        "drivers": [driver("A", value="2*t")],
    }
    times = np.linspace(0.0, 4.0, 81)
    course = mechanism(data, 4.0).solve(times)
    given = 2 * times
    # The second arm, z at the start, in the plane across the second shaft.
    arm = course.frames[:, 1, 1:4, 2]
    found = np.unwrap(np.arctan2(arm @ np.cross(axis, [0, 0, 1]), arm[:, 2]))
    wanted = np.unwrap(np.arctan2(np.sin(given), np.cos(given) * np.cos(bend)))
    assert np.abs(found - wanted).max() < TIGHT
    # Its derivative is the spin about the shaft, which is fixed in space.
    spin = course.frames[:, 1, 5] @ axis
    ratio = np.cos(bend) / (np.cos(bend) ** 2 * np.cos(given) ** 2 + np.sin(given) ** 2)
    np.testing.assert_allclose(spin, 2 * ratio, rtol=TIGHT)


def test_spatial_four_bar():
    """The coupler keeps its length at all levels, and rates are the derivatives of positions."""
    times = np.linspace(0.0, 2.0, 801)
    course = mechanism(mechanisms.spatial_four_bar(), 2.0).solve(times)
    one, two = np.array([0.15, 0.0, 0.0]), np.array([1.0, 0.9, 0.4])

    def moved(number, point):
        states = course.frames[:, number]
        turn, v, w, a, e = states[:, 1:4], *(states[:, k] for k in range(4, 8))
        swept = np.cross(w, point)
        local = np.zeros_like(v) + point, v + swept, a + np.cross(e, point) + np.cross(w, swept)
        found = [np.einsum("tij,tj->ti", turn, part) for part in local]
        return states[:, 0] + found[0], found[1], found[2]

    crank, rocker = moved(0, one), moved(2, two)
    gap, rate, change = (b - a for a, b in zip(crank, rocker, strict=True))
    length = np.linalg.norm(two - one)
    np.testing.assert_allclose(np.linalg.norm(gap, axis=1), length, rtol=1e-13)
    scale = np.abs(rate).max()
    assert np.abs(np.einsum("ti,ti->t", gap, rate)).max() < TIGHT * scale
    third = np.einsum("ti,ti->t", gap, change) + np.einsum("ti,ti->t", rate, rate)
    assert np.abs(third).max() < TIGHT * np.abs(change).max()
    # The rocker turns about a fixed axis: its angle, differentiated numerically.
    angle, velocity, acceleration = course.coordinates[:, -1].T
    step = times[1] - times[0]
    centred = (angle[:-4] - 8 * angle[1:-3] + 8 * angle[3:-1] - angle[4:]) / (12 * step)
    assert np.abs(centred - velocity[2:-2]).max() < 1e-6 * np.abs(velocity).max()
    centred = (velocity[:-4] - 8 * velocity[1:-3] + 8 * velocity[3:-1] - velocity[4:]) / (12 * step)
    assert np.abs(centred - acceleration[2:-2]).max() < 1e-6 * np.abs(acceleration).max()


def test_loop_of_twelve_bodies_stays_closed():
    """Thirteen hinges in a ring: every pin of both links in one place, as fast, axes parallel."""
    data = mechanisms.twelve_bodies()
    times = np.linspace(0.0, 5.0, 201)
    found = mechanism(data, 5.0)
    course = found.solve(times)
    rest = np.zeros((len(times), 1, 8, 3))
    rest[:, 0, 1:4] = np.eye(3)
    states = np.concatenate([rest, course.frames], axis=1)
    turn = states[:, :, 1:4]
    np.testing.assert_allclose(np.einsum("tlki,tlkj->tlij", turn, turn) - np.eye(3), 0, atol=1e-14)
    for k, one in enumerate(data["joints"]):
        a, b, point = k, (k + 1) % 13, np.asarray(one["at"])
        ends = [states[:, n, 0] + turn[:, n] @ point for n in (a, b)]
        assert np.abs(ends[0] - ends[1]).max() < 1e-13
        axes = [turn[:, n] @ one["axis"] for n in (a, b)]
        assert np.abs(axes[0] - axes[1]).max() < 1e-13
        speeds = [
            np.einsum("tij,tj->ti", turn[:, n], states[:, n, 4] + np.cross(states[:, n, 5], point))
            for n in (a, b)
        ]
        assert np.abs(speeds[0] - speeds[1]).max() < TIGHT
    step = times[1] - times[0]
    velocities, accelerations = global_rates(course.frames)
    origin = course.frames[:, :, 0]
    centred = (origin[2:] - origin[:-2]) / (2 * step)
    assert np.abs(centred - velocities[1:-1]).max() < step**2
    centred = (velocities[2:] - velocities[:-2]) / (2 * step)
    assert np.abs(centred - accelerations[1:-1]).max() < step**2


def test_a_wheel_that_rolls_draws_a_cycloid():
    """A point of the rim: x = s - r sin(s/r), y = r - r cos(s/r) with the way s; exact."""
    radius = 0.4
    data = {
        "planar": True,
        "links": [link("carriage", (0, radius, 0)), link("wheel", (0, radius, 0))],
        "joints": [
            joint("rail", "prismatic", "ground", "carriage", [[0, radius, 0], [0, 0, 0]],
                  axis=[1, 0, 0]),
            joint("road", "rolling", "ground", "wheel", radius=radius),
            joint("axle", "point_on_line", "carriage", "wheel", axis=[0, 1, 0]),
        ],
        "drivers": [driver("rail", value="3*t - 0.5*t**2")],
    }  # fmt: skip
    times = np.linspace(0.0, 5.0, 101)
    course = mechanism(data, 5.0).solve(times)
    way, wheel = 3 * times - 0.5 * times**2, course.frames[:, 1]
    rim = wheel[:, 0] + wheel[:, 1:4] @ np.array([0.0, -radius, 0.0])
    np.testing.assert_allclose(rim[:, 0], way - radius * np.sin(way / radius), atol=1e-13)
    np.testing.assert_allclose(rim[:, 1], radius - radius * np.cos(way / radius), atol=1e-13)
    # Where it touches, the wheel stands still.
    down = np.einsum("tij,j->ti", wheel[:, 1:4].transpose(0, 2, 1), [0.0, -radius, 0.0])
    contact = wheel[:, 4] + np.cross(wheel[:, 5], down)
    assert np.abs(contact).max() < TIGHT
    np.testing.assert_allclose(wheel[:, 7, 2], 1.0 / radius, rtol=TIGHT)


def test_gears_keep_their_ratio_over_many_turns():
    """Two wheels of ratio -2.5: angles, speeds and accelerations, also after twelve turns."""
    data = {
        "planar": True,
        "links": [link("a", angle=0.3), link("b", (1, 0, 0), -0.7)],
        "joints": [
            joint("A", "revolute", "ground", "a"),
            joint("B", "revolute", "ground", "b", [[1, 0, 0], [0, 0, 0]]),
        ],
        "gears": [{"name": "mesh", "joints": ["A", "B"], "ratio": -2.5}],
        "drivers": [driver("A", acceleration=3.0, value0=0.3, velocity0=-1.0)],
    }
    times = np.linspace(0.0, 8.0, 33)
    course = mechanism(data, 8.0).solve(times)
    angle = 0.3 - times + 1.5 * times**2
    np.testing.assert_allclose(course.coordinates[:, 0, 0], angle, atol=1e-11)
    wanted = -0.7 - (angle - 0.3) / 2.5
    np.testing.assert_allclose(course.coordinates[:, 1, 0], wanted, atol=1e-11)
    np.testing.assert_allclose(course.coordinates[:, 1, 2], -3.0 / 2.5, rtol=TIGHT)


def test_times_may_come_in_any_order():
    """A state is the same to rounding whether reached along the run or by itself."""
    times = np.linspace(0.0, 0.05, 51)
    course = mechanism(mechanisms.slider_crank()).solve(times)
    other = mechanism(mechanisms.slider_crank())
    for k in np.random.default_rng(1).permutation(len(times)):
        for n, state in enumerate(other.at(times[k])):
            found = np.vstack([state.r_O, state.R, state.v_O, state.w, state.a_O, state.e])
            scales = np.abs(course.frames).max(axis=(0, 1, 3))
            assert (np.abs(found - course.frames[k, n]).max(axis=1) < TIGHT * scales).all()
