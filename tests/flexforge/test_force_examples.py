# SPDX-License-Identifier: BSD-3-Clause
"""The examples of forces between links move as their equations say, integrated by others."""

from __future__ import annotations

import tomllib
from pathlib import Path

import flexforge as ff
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve

EXAMPLES = Path(__file__).parents[2] / "examples"
G = 9.81


def example(name, steps=None):
    """Return the tables of an example, with fewer times of results."""
    tables = tomllib.loads((EXAMPLES / name / "model.toml").read_text(encoding="utf-8"))
    tables["analysis"]["steps"] = steps or tables["analysis"]["steps"]
    return tables


def test_rotor_that_rubs_moves_as_its_equations_say(tmp_path):
    """Jeffcott's rotor with the contact written out, by another integrator."""
    mass, out, shaft, loss, radius, gap = 2.0, 5e-5, 1.8e5, 60.0, 0.04, 4e-4
    stiffness, damping, friction, regular = 2e6, 400.0, 0.1, 1e-2

    def rates(t, y):
        place, speed = y[:2], y[2:]
        angle, turn = 150.0 * t + 100.0 * t**2, 150.0 + 200.0 * t
        along = np.array([np.cos(angle), np.sin(angle)])
        across = np.array([-along[1], along[0]])
        force = -shaft * place - loss * speed + mass * out * (turn**2 * along - 200.0 * across)
        distance = np.hypot(*place)
        if distance > gap:
            outward = place / distance
            slip = speed + turn * radius * np.array([-outward[1], outward[0]])
            rate = slip @ outward
            push = max(stiffness * (distance - gap) + damping * rate, 0.0)
            slip = slip - rate * outward
            force -= push * (outward + friction * slip / np.hypot(np.hypot(*slip), regular))
        return [*speed, *(force / mass)]

    times = np.linspace(0.0, 1.5, 151)
    wanted = solve_ivp(rates, [0, 1.5], np.zeros(4), "LSODA", t_eval=times, rtol=1e-6,
                       atol=1e-12).y  # fmt: skip
    probes = ff.load_model(example("rubbing_rotor", 150)).run(tmp_path).probes
    found = np.array([probes[axis].values for axis in "xy"])
    assert np.abs(found - wanted[:2]).max() < 3e-6  # m, of 4e-4
    rubs = np.flatnonzero(np.hypot(*found) > gap)
    assert 150.0 + 200.0 * times[rubs[[0, -1]]] == pytest.approx([305.0, 417.0], abs=3.0)


def test_building_on_friction_pendulums_moves_as_its_equation_says(tmp_path):
    """A point in a rigid dish that is shaken, by another integrator."""
    radius, friction, regular = 2.0, 0.06, 1e-3

    def shaking(t):
        return 4.905 * np.sin(3.0 * np.pi * t) * np.sin(np.pi * t / 3.0) * (t < 3.0)

    def rates(t, y):
        angle, turn = y
        a, slip = shaking(t), radius * turn
        push = radius * turn**2 + G * np.cos(angle) - a * np.sin(angle)
        drag = friction * push * slip / np.hypot(slip, regular)
        return [turn, (-G * np.sin(angle) - a * np.cos(angle) - drag) / radius]

    times = np.linspace(0.0, 4.0, 401)
    wanted = solve_ivp(rates, [0, 4], [0.0, 0.0], "Radau", t_eval=times, rtol=1e-7, atol=1e-10).y
    probes = ff.load_model(example("friction_pendulum", 400)).run(tmp_path).probes
    slip = probes["slip"].values
    assert np.abs(slip).max() > 0.06
    assert np.abs(slip - radius * np.sin(wanted[0])).max() < 2e-5
    angle, turn = wanted
    push = radius * turn**2 + G * np.cos(angle) - shaking(times) * np.sin(angle)
    rubs = friction * radius * turn / np.hypot(radius * turn, regular)
    felt = -push * (np.sin(angle) + rubs * np.cos(angle))
    found = probes["acceleration of the building"].values
    assert np.abs(found).max() == pytest.approx(np.abs(felt).max(), rel=1e-3)


def test_swings_on_a_friction_pendulum_get_shorter_by_the_same(tmp_path):
    """Turning points by the closed form of ``d(w^2)/da = 2 a''``; by 2 mu R each, but for 1 %."""
    radius, friction, start = 2.0, 0.01, 0.3
    tables = example("friction_pendulum")
    tables["drivers"][0] = {"name": "earthquake", "joint": "soil", "value": 0}
    tables["forces"][0]["parameters"]["friction"] = friction
    tables["links"][1]["placement"]["position"] = [start, -np.sqrt(radius**2 - start**2), 0.0]
    slip = ff.load_model(tables).run(tmp_path).probes["slip"].values
    sine = 6.0 * G * friction / radius / (1.0 + 4.0 * friction**2)
    cosine = 2.0 * G / radius - 2.0 * friction * sine

    def turning(angle):
        """Return the angle on the other side at which a swing from here ends."""

        def rest(a):
            return cosine * np.cos(a) + sine * np.sin(a)

        return brentq(
            lambda a: rest(a) - rest(angle) * np.exp(2.0 * friction * (a - angle)), -angle, -1e-3
        )

    angles = [np.arcsin(start / radius)]
    for _ in range(2):
        angles.append(-turning(angles[-1]))
    wanted = radius * np.sin(angles)
    turns = np.flatnonzero(np.diff(np.sign(np.diff(slip))))[:3] + 1
    found = np.abs(slip[turns[np.abs(slip[turns]) > 0.1]])[:2]
    assert found == pytest.approx(wanted[1:], abs=2e-4)
    assert -np.diff(wanted) == pytest.approx(2.0 * friction * radius, rel=0.01)


def impacts(mass, radius, place, end):
    """Return velocities of balls on a line above a floor, whose impacts lose and take nothing."""
    place, speed, time = np.array(place), np.zeros(len(mass)), 0.0
    while True:
        gaps = place - radius - np.append(0.0, (place + radius)[:-1])
        closing = -np.diff(speed)
        times = [(speed[0] + np.sqrt(speed[0] ** 2 + 2.0 * G * max(gaps[0], 0.0))) / G]
        times += [g / c if c > 1e-9 else np.inf for g, c in zip(gaps[1:], closing, strict=True)]
        first = int(np.argmin(times))
        step = min(times[first], end - time)
        place, speed, time = place + step * speed - G * step**2 / 2.0, speed - G * step, time + step
        if time >= end:
            return speed
        if first == 0:
            speed[0] = -speed[0]
        else:
            pair = slice(first - 1, first + 1)
            speed[pair] = 2.0 * mass[pair] @ speed[pair] / mass[pair].sum() - speed[pair]


def test_balls_that_fall_on_each_other_have_the_speeds_of_newtons_impacts(tmp_path):
    """After three impacts, and after the ten of the run."""
    mass, radius = np.array([1.0, 0.35, 0.12, 0.04]), np.array([0.1, 0.07, 0.05, 0.035])
    probes = ff.load_model(example("ball_chain", 160)).run(tmp_path).probes
    for time in (0.43, 0.8):
        at = np.argmin(np.abs(probes["velocity 1"].time - time))
        found = [probes[f"velocity {k}"].values[at] for k in range(1, 5)]
        wanted = impacts(mass, radius, [0.9, 1.09, 1.23, 1.335], time)
        assert np.abs(found - wanted).max() < 1e-8  # of 22 m/s
    assert len((tmp_path / "events.csv").read_text().splitlines()) == 1 + 10


def test_balls_of_a_bearing_share_its_load_and_roll(tmp_path):
    """Static equilibrium at the places of the balls; the cage has w/2 (1 - d/D) (Harris 2006)."""
    load, speed, ball, pitch = 1000.0, 100.0, 0.006, 0.030
    series = 1e10 / 2.0**1.5  # both contacts of a ball
    probes = ff.load_model(example("ball_bearing", 100)).run(tmp_path).probes
    cage = probes["turn of the cage"]
    runs = cage.time > 0.05
    found = np.polyfit(cage.time[runs], cage.values[runs], 1)[0]
    assert found == pytest.approx(0.5 * speed * (1.0 - ball / pitch), rel=1.5e-3)
    forces = np.array([probes[f"outer {k}"].values for k in range(1, 9)]).T[runs]
    for turn, given in list(zip(cage.values[runs], forces, strict=True))[::3]:
        places = turn + np.pi / 4.0 * np.arange(8)
        outwards = np.array([np.cos(places), np.sin(places)])

        def pushes(way, outwards=outwards):
            return series * np.maximum(way @ outwards, 0.0) ** 1.5

        way = fsolve(lambda way, n=outwards, f=pushes: n @ f(way) - [0.0, -load], [0.0, -3e-5])
        assert np.abs(given - pushes(way)).max() < 2.5  # N: rolling needs some friction
    assert forces.max() == pytest.approx(4.37 * load / 8.0, rel=6e-3)  # Stribeck


def pecks(times, step):
    """Return when the beak of the woodpecker strikes, by time stepping (Moreau) of the whole toy.

    Coordinates are the height of the sleeve, and the angles of sleeve and bird.
    """
    pole, hole, half, arm, out, beak, gap = 2.5e-3, 3.1e-3, 5.8e-3, 0.01, 0.015, 0.02, 0.0201
    sleeve, bird, spring, rub = (3e-4, 5e-9), (4.5e-3, 7e-7), 5.6e-3, 0.3
    returned = np.array([0.5, 0.0, 0.0])  # of beak, lower and upper edge
    q, u = np.array([0.0, -0.095, -0.275]), np.array([-0.3, 0.0, -7.5])
    found, touched = [], False

    def turned(angle, x, y):
        return np.array([np.cos(angle) * x - np.sin(angle) * y,
                         np.sin(angle) * x + np.cos(angle) * y])  # fmt: skip

    def rows(angles, places):  # of a point at places that turn with sleeve and bird
        x, y = np.array([turned(a, *p) for a, p in zip(angles, places, strict=True)]).T
        return np.array([0.0, *-y]), np.array([1.0, *x]), x.sum()

    for number in range(int(times / step)):
        middle = q + 0.5 * step * u
        angles = middle[1:]
        across, up, _ = rows(angles, [(arm, 0.0), (out, 0.0)])
        masses = np.diag([sleeve[0], sleeve[1], bird[1]])
        masses += bird[0] * (np.outer(across, across) + np.outer(up, up))
        inward = np.array([turned(angles[0], arm, 0.0), turned(angles[1], out, 0.0)]).T
        force = -bird[0] * np.array([across, up]).T @ (-inward @ u[1:] ** 2) - bird[0] * G * up
        force += [-sleeve[0] * G, *spring * (angles[1] - angles[0]) * np.array([1.0, -1.0])]
        after = u + step * np.linalg.solve(masses, force)
        points = [[(arm, 0.0), (out - gap, beak)], [(hole, -half), (0.0, 0.0)],
                  [(hole, half), (0.0, 0.0)]]  # fmt: skip
        known = [rows(angles, one) for one in points]
        closed = [k for k, one in enumerate(known) if one[2] <= pole]
        if closed:
            held = np.vstack([[known[k][0] for k in closed], [known[k][1] for k in closed]])
            W, count, p = held @ np.linalg.solve(masses, held.T), len(closed), np.zeros(len(held))
            right = held @ after
            right[:count] += returned[closed] * np.minimum(held[:count] @ u, 0.0)
            for _ in range(500):
                before = p.copy()
                for k in range(count):
                    p[k] = max(0.0, p[k] - (W[k] @ p + right[k]) / W[k, k])
                    j = count + k
                    p[j] = np.clip(p[j] - (W[j] @ p + right[j]) / W[j, j], -rub * p[k], rub * p[k])
                if np.abs(p - before).max() < 1e-13:
                    break
            after = after + np.linalg.solve(masses, held.T @ p)
        if 0 in closed and not touched:
            found.append(number * step)
        touched = 0 in closed
        q, u = middle + 0.5 * step * after, after
    return np.array(found)


def test_woodpecker_pecks_as_time_stepping_says(tmp_path):
    """Its period is the same to 1 %, with the same events in every one; energy balances."""
    run = ff.load_model(example("woodpecker")).run(tmp_path)
    assert run.figures["largest error of the energy balance"] < 1e-4
    lines = (tmp_path / "events.csv").read_text().splitlines()[1:]
    events = [(float(time), what) for time, what in (one.split(",", 1) for one in lines)]
    found = np.array([time for time, what in events if what == "beak,impact"])
    height = run.probes["height"]
    drops = np.diff(np.interp(found, height.time, height.values))
    assert np.diff(found)[-4:] == pytest.approx(np.diff(found)[-1], rel=1e-4)
    assert drops[-4:] == pytest.approx(-0.0144, abs=5e-5)
    cycle = [what for time, what in events if found[-2] <= time < found[-1]]
    assert cycle == ["beak,impact", *["lower edge,impact"] * 3,
                     *(f"lower edge,{one}" for one in ("sticks", "slips", "parts"))]  # fmt: skip
    known = np.diff(pecks(0.5, 1e-4))[-1]
    assert np.diff(found)[-1] == pytest.approx(known, rel=1e-2)
