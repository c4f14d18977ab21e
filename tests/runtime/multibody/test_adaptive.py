# SPDX-License-Identifier: BSD-3-Clause
"""Steps that adapt, of links whose motion is found: errors, lengths, kinks, results in between."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from scipy.special import ellipj, ellipk
from swinging import DOWN, G, begin, coordinates, follow, frames, of, pin, rod, slide, transient

SWING = 1.2


def pendulum(steps=40, **keys):
    """Return a rod on a hinge that is let go beside its lowest position."""
    return {
        "planar": True, "loads": DOWN,
        "links": [rod("rod", placement={"angle": SWING - np.pi / 2})],
        "joints": [pin("pin", "ground", "rod", [0, 0, 0])],
        "analysis": transient(4.0, steps, **keys),
    }  # fmt: skip


def angle_at(t):
    """Return the angle of the rod from its lowest position: a physical pendulum, 3 g / (2 l)."""
    m, rate = np.sin(SWING / 2) ** 2, np.sqrt(1.5 * G)
    return 2.0 * np.arcsin(np.sin(SWING / 2) * ellipj(ellipk(m) - rate * t, m)[0])


def end_of(tables):
    """Return the motion at its end."""
    motion = begin(tables)
    for _ in range(tables["analysis"]["steps"]):
        motion.advance()
    return motion


@pytest.mark.parametrize("formalism", ["lagrange", "kane", "maggi"])
def test_errors_of_a_pendulum_fall_with_the_accuracy(formalism):
    """Errors of h^2 where those of steps are of h^3: the power 2/3, at the ends of steps or not."""
    times, errors = np.linspace(0.0, 4.0, 41), []
    for accuracy in (1e-5, 1e-6, 1e-7):
        tables = pendulum(accuracy=accuracy, formalism=formalism)
        found = follow(tables, coordinates)[:, 0, 0] + np.pi / 2
        errors.append(np.abs(found - angle_at(times)).max())
    slopes = np.log10(errors[:-1]) - np.log10(errors[1:])
    assert slopes == pytest.approx(2.0 / 3.0, abs=0.08)
    assert errors[-1] < 3e-4


def test_results_do_not_depend_on_their_times():
    """The same steps for few results and for many, and the same values where both have some."""
    few, many = (follow(pendulum(n, accuracy=1e-6), coordinates)[:, 0] for n in (7, 210))
    assert np.allclose(few, many[::30], atol=1e-11)
    found = [end_of(pendulum(n, accuracy=1e-6)) for n in (7, 210)]
    counts = [one.stepper.adapted(one.state) for one in found]
    assert counts[0].taken == counts[1].taken == found[0].counts.steps > 300
    # between the ends of steps, q' and v are apart by no more than steps of 7 ms are: off h^2 v''
    times = np.linspace(0.0, 4.0, 2001)
    dense = follow(pendulum(2000, accuracy=1e-6), coordinates)[:, 0]
    rate = (dense[:-4, 0] - 8 * dense[1:-3, 0] + 8 * dense[3:-1, 0] - dense[4:, 0]) / 0.024
    most = 0.0864 * 0.007**2 * np.abs(np.gradient(dense[:, 2], times)).max()
    assert np.abs(rate - dense[2:-2, 1]).max() < 1.5 * most < 1e-3
    assert np.abs(dense[:, 0] + np.pi / 2 - angle_at(times)).max() < 2e-3


@pytest.mark.parametrize("rho", [0.3, 0.8, 1.0])
def test_error_of_a_step_is_that_of_theory(rho):
    """h^3 (1/12 - off) w^2 v of a body that spins with w and flies with v, in its own components.

    v' = -w~ v turns with the body, v'' = w~ w~ v, and the bracket [v, v'] is -v''.
    """
    speed, spin = 3.0, 2.0
    body = {"name": "b", "mass": 1.0, "inertia": [1.0], "velocity": [speed, 0, 0],
            "angular_velocity": [0, 0, spin]}  # fmt: skip
    joint = {"name": "free", "kind": "free", "links": ["ground", "b"]}
    keys = transient(2.0, 10, accuracy=1e-6, rho_infinity=rho)
    motion = end_of({"planar": True, "links": [body], "joints": [joint], "analysis": keys})
    shift = (rho - 1.0) / (rho + 1.0)
    off = 1.0 / 6.0 - 0.25 * (1.0 - shift) ** 2 - 0.5 * shift
    size = motion.links.model.parts.size
    theory = abs(1.0 / 12.0 - off) * spin**2 * speed / size
    told = motion.stepper.adapted(motion.state)
    assert 1e-6 * told.error == pytest.approx(theory, rel=2e-2)
    assert 0.3e-6 < 1e-6 * told.error * told.next**3 < 1.2e-6  # worth it, and allowed
    # ten steps of the method in NumPy, against the straight flight: their local error is this
    h = told.next
    turn = h * spin
    left = np.array([[np.sin(turn), np.cos(turn) - 1.0], [1.0 - np.cos(turn), np.sin(turn)]]) / turn
    v = np.array([speed, 0.0])
    later = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) @ v
    cross = np.array([[0.0, -spin], [spin, 0.0]])
    at = [-cross @ one for one in (v, later)]
    trend = (at[1] - at[0]) / h
    averaged = [one + shift * h * trend for one in at]
    beta = 0.25 * (1.0 - shift) ** 2
    moved = left @ (h * v + h * h * ((0.5 - beta) * averaged[0] + beta * averaged[1]))
    assert np.linalg.norm(moved - [speed * h, 0.0]) == pytest.approx(
        theory * size * h**3, rel=3 * turn
    )


def hit(analysis, **keys):
    """Return a mass on a spring, on which a force acts suddenly at t = 1/3."""
    return {
        "planar": True, "links": [{"name": "m", "mass": 1.0, "inertia": [1.0]}],
        "joints": [slide("rail", "m")], "analysis": analysis,
        "actuators": [{"name": "s", "joint": "rail", **keys}],
    }  # fmt: skip


PUSHES = (
    {"stiffness": 400.0, "force": "10*step(t, 1/3)"},
    {"law": "-400*x + 10*step(t, 1/3)"},
)


@pytest.mark.parametrize("keys", PUSHES)
@pytest.mark.parametrize("steps", [30, 31])
def test_sudden_force_is_not_stepped_over(keys, steps):
    """Whether a result is at its time or not: x = F/k (1 - cos), and x'' from zero to F/m."""
    times, errors = np.linspace(0.0, 1.0, steps + 1), []
    after = np.where(times >= 1.0 / 3.0 - 1e-12, 20.0 * (times - 1.0 / 3.0), 0.0)
    on = np.where(times >= 1.0 / 3.0 - 1e-12, 10.0, 0.0)
    for accuracy in (1e-5, 1e-7):
        tables = hit(transient(1.0, steps, accuracy=accuracy), **keys)
        found = follow(tables, coordinates)[:, 0]
        before = found[times < 1.0 / 3.0 - 1e-12]
        assert not before.any()  # nothing of it is seen before
        exact = 10.0 / 400.0 * (1.0 - np.cos(after))
        errors.append(np.abs(found[:, 0] - exact).max())
        assert np.abs(found[:, 2] - on * np.cos(after)).max() < 1.5 * errors[-1] * 400.0
    assert errors[1] < 5e-5
    assert errors[0] / errors[1] == pytest.approx(10.0 ** (4.0 / 3.0), rel=0.25)


def bouncing(analysis):
    """Return a mass that flies to and fro between two stiff stops 1 m apart."""
    wall = "1e6*max(0, -x - 0.5) - 1e6*max(0, x - 0.5)"
    tables = hit(analysis, law=wall)
    tables["links"][0]["velocity"] = [1.0, 0.0, 0.0]
    return tables


def bounced(t):
    """Return its place: a flight of 1 s, half a vibration of pi / 1000 s at a stop, and back."""
    turn = np.pi / 1000.0
    number, rest = np.divmod(t + 0.5, 1.0 + turn)
    place = np.where(rest <= 1.0, rest - 0.5, 0.5 + np.sin(1000.0 * (rest - 1.0)) / 1000.0)
    return place * (-1.0) ** number


def test_stiff_stops_take_a_tenth_of_the_work():
    """Steps are short in the contact alone: of equal length, as many are ten times as wrong."""
    motion = begin(bouncing(transient(2.0, 50, accuracy=1e-6)))
    found = [coordinates(motion)[0, 0]]
    for _ in range(50):
        motion.advance()
        found.append(coordinates(motion)[0, 0])
    error = np.abs(found - bounced(np.linspace(0.0, 2.0, 51))).max()
    work = motion.counts.factorizations
    told = motion.stepper.adapted(motion.state)
    assert told.longest == pytest.approx(2.0 / 50, rel=1e-12)  # the longest there is
    assert told.shortest < told.longest / 100.0
    errors = []
    for count in (work, 10 * work):
        fixed = follow(bouncing(transient(2.0, count)), coordinates)[:, 0, 0]
        errors.append(np.abs(fixed - bounced(np.linspace(0.0, 2.0, count + 1))).max())
    assert error < 5e-3
    assert error < 0.1 * errors[0]
    assert error < errors[1]


def beam_on_a_hinge(analysis):
    """Return an elastic rod that falls about its end, with its own vibrations."""
    block = {"cell": "line2", "corners": [[0, 0], [1, 0]], "divisions": [4]}
    return {
        "mesh": {"blocks": {"b": block}},
        "materials": {"m": {"young": 7e10, "poisson": 0.3, "density": 2700.0}},
        "links": [{"name": "l"}],
        "bodies": [{"name": "b", "cells": "b", "material": "m", "frame": "l",
                    "element": "euler_beam_plane",
                    "section": {"shape": "round", "diameter": 0.01}}],
        "supports": [{"group": "b.xmin"}],
        "joints": [pin("pin", "ground", "l", [[0, 0, 0], "b.xmin"])],
        "loads": DOWN, "analysis": analysis,
    }  # fmt: skip


def bent(motion):
    """Return the angle of the beam, and how far it bends."""
    return [coordinates(motion)[0, 0], np.abs(motion.displacement).max()]


@cache
def short_steps():
    """Return what steps of 0.05 ms find."""
    return follow(beam_on_a_hinge(transient(0.3, 6000)), bent)[::300]


@pytest.mark.parametrize("formalism", ["lagrange", "kane"])
def test_elastic_body_that_falls(formalism):
    """Angle and bending, against short steps of equal length: errors fall by 10^(4/3)."""
    exact, errors = short_steps(), []
    for accuracy in (1e-4, 1e-6):
        keys = transient(0.3, 20, accuracy=accuracy, formalism=formalism)
        errors.append(np.abs(follow(beam_on_a_hinge(keys), bent) - exact).max(axis=0))
    assert (errors[1] < [6e-5, 1e-4]).all()
    assert (errors[0] > 14.0 * errors[1]).all()
    assert exact[:, 1].max() > 2e-3


def test_refused_steps_leave_nothing_behind():
    """A first try that is too long, and then the step as if it had been tried alone: to the bit."""
    motion = begin(pendulum(4000, accuracy=1e-6))
    for _ in range(1500):
        motion.advance()
    steps, before = motion.stepper, motion.state
    width = (len(before.history) + steps._ends) // 3
    # of the second end: lengths are numbers 0 to 3 of the head, the pace is at its end
    first = steps._instance.pace - steps._ends
    head = len(before.history) - width

    def after(length):
        history = before.history.copy()
        history[first] = length
        state = type(before)(before.t, before.q, before.z, before.s, before.mode, history)
        ends = steps._taken(
            state, 0.0, np.array([history[head] + history[head + 1] * history[head + 2] + 1e-9])
        )
        return ends[0].history[head:]

    told = steps.adapted(before)
    tried = after(8.0 * told.next)
    length = tried[2]
    assert length < 8.0 * told.next
    alone = after(length)
    pace = first - head
    assert np.array_equal(tried[:pace], alone[:pace])
    assert tried[pace + 3] > alone[pace + 3] == told.refused


def test_run_goes_on_from_its_checkpoint_to_the_same_bits(tmp_path):
    """In the middle of a step that is longer than the times between results."""
    tables = pendulum(160, accuracy=1e-4) | {
        "output": {"formats": ["csv"], "checkpoint": 1e-9},
        "probes": [{"name": "angle", "joint": "pin", "quantity": "coordinate"}],
    }
    spec = model_from_dict(tables)
    run_model(spec, output=tmp_path / "whole")

    def stop(what, done, total):
        if what == "steps" and done == 73:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_model(spec, output=tmp_path / "parts", progress=stop)
    run_model(spec, output=tmp_path / "parts", resume=True)
    one, other = ((tmp_path / k / "probes.csv").read_text() for k in ("whole", "parts"))
    assert one == other
    figures = [
        json.loads((tmp_path / k / "summary.json").read_text())["figures"]
        for k in ("whole", "parts")
    ]
    for name in ("steps", "refused steps", "shortest step", "longest step"):
        assert figures[0][name] == figures[1][name]
    assert 50 < figures[0]["steps"] < 150
    assert figures[0]["largest error of the energy balance"] < 1e-2
    assert 0.0 < figures[0]["shortest step"][0] < figures[0]["longest step"][0] <= 4.0 / 50


def test_many_turns_in_space():
    """Quaternions go on between the ends of steps, and angles count: by every formalism alike."""
    wheel = {"name": "wheel", "mass": 1.0, "inertia": [0.3, 0.4, 0.5], "centre": [0.1, 0, 0],
             "angular_velocity": [0, 0, 12.0]}  # fmt: skip
    top = {"name": "top", "mass": 1.0, "inertia": [0.2, 0.3, 0.4],
           "angular_velocity": [3.0, 0, 12.0]}  # fmt: skip
    found = []
    for formalism in ("lagrange", "kane", "gibbs_appell"):
        tables = {
            "links": [wheel, top],
            "joints": [pin("one", "ground", "wheel", [0, 0, 0], axis=[0, 0, 1]),
                       pin("two", "wheel", "top", [[0, 0, 0], [0, 0, 0]], axis=[1, 0, 0])],
            "loads": DOWN,
            "analysis": transient(3.0, 60, accuracy=1e-8, formalism=formalism),
        }  # fmt: skip
        found.append(
            follow(tables, lambda motion: (coordinates(motion), frames(motion)[:, 1:4])[0])
        )
    for other in found[1:]:
        assert np.abs(other - found[0])[..., 0].max() < 2e-3
    assert found[0][-1, 0, 0] > 25.0
    rates = np.gradient(found[1][:, 0, 0], np.linspace(0.0, 3.0, 61))
    assert np.abs(rates - found[1][:, 0, 1])[1:-1].max() < 0.5  # no jump of a turn


def test_controllers_go_on_between_steps():
    """A filter of the angle, which is a state: its rate is that of the formula at all times."""
    tables = pendulum(400, accuracy=1e-6) | {
        "controllers": [{"name": "slow", "rate": "3*(q - slow)", "start": 0.5,
                         "coordinates": {"q": of("pin")}}],
    }  # fmt: skip
    found = follow(tables, lambda motion: [coordinates(motion)[0, 0], motion.point.s[-1]])
    times = np.linspace(0.0, 4.0, 401)
    rate = np.gradient(found[:, 1], times, edge_order=2)
    assert np.abs(rate - 3.0 * (found[:, 0] - found[:, 1]))[1:-1].max() < 5e-3


@pytest.mark.parametrize(
    ("keys", "changes", "message"),
    [
        ({"accuracy": 0.0}, {}, "analysis.accuracy: found 0.*expected .*a number above 0 and at"),
        ({"accuracy": 1e-6, "method": "newmark", "gamma": 0.7, "beta": 0.4}, {},
         "analysis.gamma: found 0.7 with accuracy, of steps of first order; expected 0.5"),
        ({"accuracy": 1e-6, "formalism": "hamilton"}, {},
         "analysis.accuracy: found with formalism hamilton; expected lagrange, maggi, kane or"),
        ({"accuracy": 1e-6}, {"drivers": [{"name": "d", "joint": "pin", "value": "t"}]},
         "analysis.accuracy: found 1e-06 where joints and drivers determine every motion"),
    ],
)  # fmt: skip
def test_what_does_not_adapt_is_refused_in_one_line(keys, changes, message):
    """Methods without a known error, motions that are known."""
    with pytest.raises(InputError, match=message) as error:
        check_model(model_from_dict(pendulum(**keys) | changes))
    assert "\n" not in str(error.value)


def test_parts_without_inertia_are_refused():
    """Their masses would be those of the times of results."""
    tables = beam_on_a_hinge(transient(0.1, 10, accuracy=1e-5))
    tables["bodies"][0] |= {"element": "euler_beam", "rotary_inertia": False}
    tables["mesh"]["blocks"]["b"]["corners"] = [[0, 0, 0], [1, 0, 0]]
    with pytest.raises(InputError, match="accuracy: found 1e-05 with parts of link 'l' that have"):
        begin(tables)


def test_function_without_value_is_named():
    """At the time at which it has none any more, with all results before."""
    motor = {"name": "motor", "joint": "pin", "force": "sqrt(0.25 - t)"}
    motion = begin(pendulum(40, accuracy=1e-5) | {"actuators": [motor]})
    with pytest.raises(InputError, match=r"'sqrt\(0.25 - t\)' is nan at t = 0.25"):
        for _ in range(40):
            motion.advance()
    assert motion.time == pytest.approx(0.2, abs=1e-12)


def test_pushes_at_the_end_and_close_together():
    """A kink at the end of the run, and two of which one step is 1e-7 s: x' = F/m (t - t0)."""
    for force, speed in (
        ("10*step(t, 1.0)", 0.0),
        ("10*step(t, 0.5) - 5*step(t, 0.5000001)", 2.5),
        ("10*step(t, 0.5) + 5*step(t, 0.5 + 1e-13)", 7.5),
    ):
        motion = end_of(hit(transient(1.0, 30, accuracy=1e-6), force=force))
        assert motion.time == pytest.approx(1.0, abs=1e-11)
        assert coordinates(motion)[0, 1] == pytest.approx(speed, abs=1e-6)
        assert coordinates(motion)[0, 2] == pytest.approx(10.0 if not speed else 2.0 * speed)


def test_drivers_start_suddenly():
    """A driven link that begins to accelerate turns as it is told, whatever hangs on it."""
    links = [rod("a"), rod("b", placement={"position": [1, 0, 0]})]
    tables = pendulum(40, accuracy=1e-6) | {
        "links": links,
        "joints": [
            pin("pin", "ground", "a", [0, 0, 0]),
            pin("B", "a", "b", [[1, 0, 0], [0, 0, 0]]),
        ],
        "drivers": [{"name": "d", "joint": "pin", "acceleration": "5*step(t, 0.4)"}],
        "analysis": transient(1.0, 40, accuracy=1e-6),
    }
    found, times = follow(tables, coordinates), np.linspace(0.0, 1.0, 41)
    after = np.maximum(times - 0.4, 0.0)
    assert np.abs(found[:, 0, 0] - 2.5 * after**2).max() < 1e-9
    assert np.abs(found[:, 0, 2] - np.where(times > 0.4 - 1e-9, 5.0, 0.0)).max() < 1e-4
    tables["analysis"] = transient(1.0, 4000)
    assert np.abs(follow(tables, coordinates)[::100, 1, 0] - found[:, 1, 0]).max() < 1e-3


def test_forces_without_bounds_end_in_one_line(tmp_path):
    """Steps shorten until none is short enough; what was found before stays."""
    tables = pendulum(40, accuracy=1e-5) | {
        "actuators": [{"name": "motor", "joint": "pin", "force": "1e9*exp(10000*t)"}],
        "output": {"formats": ["csv"]},
        "probes": [{"name": "angle", "joint": "pin", "quantity": "coordinate"}],
    }
    with pytest.raises(AnalysisError, match="no step from t = 0.00.* s on is short enough"):
        run_model(model_from_dict(tables), output=tmp_path)
    assert json.loads((tmp_path / "summary.json").read_text())["status"] == "failed"
