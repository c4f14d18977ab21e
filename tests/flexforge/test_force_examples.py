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
