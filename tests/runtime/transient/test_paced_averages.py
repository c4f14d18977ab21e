# SPDX-License-Identifier: BSD-3-Clause
"""Steps by averaged accelerations that adapt: generalized-alpha, Newmark's method and HHT."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from adapted_motions import SPUN, SWING, adapting, cantilever, missed, suddenly_loaded
from blocks import oscillator
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema_reduction import ReductionSpec
from flexforge.runtime.run import run_model
from flexforge.runtime.start import start
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.measure import LargestMove
from flexforge.runtime.transient.state import State
from models import model

METHODS = ("generalized_alpha", "newmark", "hht")


def begin(spec: Any, *, native: bool = True) -> Any:
    """Return the motion of a model at t = 0, in C where it is small enough."""
    places = build_system(spec, build_mesh(spec))
    loads, state = Loads(spec, places), initial_state(spec, places)
    return start(spec.analysis, places.system, loads, *state, native=native)


def finish(run: Any, steps: int) -> Any:
    """Take steps."""
    for _ in range(steps):
        run.advance()
    return run


def swinging(
    accuracy: float, method: str, results: int, *, native: bool = True, **keys: Any
) -> Any:
    """Return a motion of the oscillator of case M3, 10 rad/s, in a frame spun up until 1 s."""
    spec = adapting(oscillator(results, method, SPUN, initial=SWING), accuracy, **keys)
    return begin(spec, native=native)


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_errors_fall_with_the_accuracy(method, native):
    """By 2^2 where the local error allowed falls by 2^3: of displacements and of velocities.

    Results are between ends of steps; in C and with kept factors steps are the same.
    """
    errors = []
    for accuracy in (8e-5, 1e-5):
        run = swinging(accuracy, method, 20, native=native)
        errors.append(missed(run, 20))
        assert run.counts.steps > 100
        assert errors[-1][0] < 200 * accuracy
    assert np.divide(*errors) == pytest.approx(4.0, rel=0.15)
    assert run.solver_name.startswith("native") == native
    other = swinging(1e-5, method, 20, native=not native)
    assert other.counts.steps < finish(other, 20).counts.steps == run.counts.steps
    np.testing.assert_allclose(other.displacement, run.displacement, atol=1e-11)


@pytest.mark.parametrize("native", [True, False])
def test_steps_follow_a_motion_whose_pace_changes(native):
    """A force that makes an oscillator move by 0.01 sin(20 t^3), ever faster: steps get shorter."""
    force = ("2*0.01*(120*t*cos(20*t**3) - (60*t**2)**2*sin(20*t**3)"
             " + 100*sin(20*t**3))")  # fmt: skip
    load = {"kind": "force", "group": "mass", "total": [1.0, 0.0, 0.0], "amplitude": force}
    spec = oscillator(30, "generalized_alpha", {"velocity": 0.0}, loads=[load])
    run, errors, lengths = begin(adapting(spec, 1e-5), native=native), [], []
    for _ in range(30):
        before = run.counts.steps
        run.advance()
        lengths.append(0.05 / max(run.counts.steps - before, 1))
        errors.append(abs(run.displacement[0, 0] - 0.01 * np.sin(20.0 * run.time**3)))
    assert max(errors) < 200 * 1e-5 * 0.01
    assert np.mean(lengths[:6]) > 5.0 * np.mean(lengths[-6:])
    shortest = run.figures()["shortest step"][0] * 60.0 * 1.5**2  # rad of the fastest motion
    assert 0.02 < shortest < 0.2


def test_newmark_s_steps_are_as_long_as_those_of_the_midpoint_rule():
    """Both are the trapezoidal rule for linear equations, written in other unknowns."""
    found = {}
    for method in ("newmark", "midpoint"):
        run = finish(begin(cantilever(1e-4, method, 40), native=False), 40)
        found[method] = run.counts.steps, run.figures()["refused steps"], run.displacement
    assert found["newmark"][:2] == found["midpoint"][:2]
    np.testing.assert_allclose(found["newmark"][2], found["midpoint"][2], atol=1e-7)


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_a_beam_that_is_loaded_suddenly(method, native):
    """At rest until 0.3 s, then the sum of modes; few lengths, each with one factorization."""
    accuracy, worst = 1e-4, 0.0
    run = finish(begin(cantilever(accuracy, method, 40), native=native), 11)
    assert not run.displacement.any()
    for _ in range(29):
        run.advance()
        exact = suddenly_loaded(run, run.time)
        worst = max(worst, np.abs(run.state.q - exact).max())
    steps, counts = run.figures(), run.counts
    assert worst / np.abs(exact).max() < 50 * accuracy
    assert steps["shortest step"][0] < 0.01 * steps["longest step"][0]
    assert 200 < counts.steps < 400
    assert counts.factorizations <= 20
    assert counts.solves == pytest.approx(1.5 * (counts.steps + steps["refused steps"]), rel=0.1)


def test_accelerations_jump_with_the_frame_s_and_lie_between_those_of_ends_of_steps():
    """-100 d seen from space at any time, also behind 1 s, where the frame ceases to be spun up."""
    run, worst = swinging(1e-8, "generalized_alpha", 37), 0.0
    for _ in range(37):
        run.advance()
        at = run.system.bodies[0].motion.at(run.time)
        (x, y), (u, v), w, e = run.displacement[0], run.velocity[0], at.w[2], at.e[2]
        own = np.array([-e * y - 2.0 * w * v, e * x + 2.0 * w * u]) - w * w * run.displacement[0]
        left = run.acceleration[0] + own + 100.0 * run.displacement[0]
        worst = max(worst, np.abs(left).max() / 10.0)
    assert run.time > 1.4
    assert at.e[2] == 0.0
    assert worst < 1e-5


def test_a_motion_goes_on_from_its_bytes():
    """Stopped between two ends of steps, written, read by another motion: the same to the end."""
    for native in (True, False):
        whole = finish(swinging(1e-5, "generalized_alpha", 30, native=native), 13)
        kept = whole.state.to_bytes(bytes(32))
        again = swinging(1e-5, "generalized_alpha", 30, native=native)
        again.resume(State.from_bytes(kept, bytes(32)), Counts())
        assert again.figures()["refused steps"] == whole.figures()["refused steps"]
        for run in (whole, again):
            finish(run, 17)
        np.testing.assert_allclose(again.displacement, whole.displacement, atol=1e-13)


def test_all_shapes_of_a_beam_adapt_as_the_beam(tmp_path):
    """Errors are those of displacements, whatever these are combined of; choices are close."""
    spec = cantilever(1e-5, "generalized_alpha", 20)
    whole = run_model(spec, output=tmp_path / "whole").figures
    reduced = spec.model_copy(update={"reduction": ReductionSpec(keep=("xmax",), modes=18)})
    part = run_model(reduced, output=tmp_path / "part").figures
    assert part["steps"] == pytest.approx(whole["steps"], rel=0.01)
    assert part["shortest step"] == whole["shortest step"]


def test_the_size_of_coordinates_of_shapes_is_that_of_what_they_displace():
    """The tip moves by 1 m per unit of one, and turns by 2 rad at the end of a beam of 1 m."""
    system = begin(cantilever(1e-5, "generalized_alpha", 20)).system
    shapes = np.zeros((system.unknowns, 2))
    shapes[-5, 0], shapes[-1, 1] = 1.0, 2.0
    size = LargestMove(system, shapes)
    assert size(np.array([5e-3, 2e-3])) == pytest.approx(5e-3, rel=1e-12)
    assert size(np.array([5e-3, 3e-3])) == pytest.approx(6e-3, rel=1e-12)


def test_a_run_tells_its_steps_and_factorizations(tmp_path):
    """The summary has steps taken, refused, shortest, longest and factorizations."""
    figures = run_model(cantilever(1e-4, "generalized_alpha", 10), output=tmp_path).figures
    assert figures["factorizations"] <= 20 < figures["steps"]
    assert 0.0 < figures["shortest step"][0] < figures["longest step"][0] <= 1.0 / 50
    assert figures["refused steps"] > 0


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"method": "newmark", "gamma": 0.6, "beta": 0.4},
         "analysis.gamma: found 0.6 with accuracy, of steps of first order; expected 0.5"),
        ({"method": "newmark", "beta": 0.2},
         "analysis.beta: found 0.2 with accuracy, of steps that are not stable at any length"),
    ],
)  # fmt: skip
def test_newmark_s_steps_that_do_not_adapt(changes, told):
    """Those of first order, and those that are stable up to some length."""
    keys = {"kind": "transient", "duration": 1.0, "steps": 4, "accuracy": 1e-6} | changes
    with pytest.raises(InputError) as caught:
        model("hex8", [1, 1, 1], analysis=keys)
    assert told in str(caught.value)


def test_exported_solvers_of_bodies_in_frames_take_equal_steps():
    """An accuracy would be lost in silence."""
    with pytest.raises(
        InputError, match="analysis.accuracy: found 0.0001; expected none: exported"
    ):
        build_solver(cantilever(1e-4, "generalized_alpha", 10), "beam")


@pytest.mark.parametrize("method", ["newmark", "hht"])
def test_links_adapt_by_other_averages_too(method, tmp_path):
    """A mass on a damped spring that a force hits at 1/3 s: errors fall by 4 for an eighth."""
    stiffness, damping, force = 4e4, 40.0, 1e4
    spring = {"name": "acting", "joint": "rail", "stiffness": stiffness, "damping": damping,
              "force": f"{force}*step(t, 1/3)"}  # fmt: skip
    tables = {
        "planar": True,
        "links": [{"name": "mass", "mass": 1.0, "inertia": [1.0]}],
        "joints": [{"name": "rail", "kind": "prismatic", "links": ["ground", "mass"],
                    "axis": [1, 0, 0]}],
        "actuators": [spring],
        "probes": [{"name": "x", "joint": "rail", "quantity": "coordinate"}],
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    decay, errors = 0.5 * damping, []
    rate = np.sqrt(stiffness - decay**2)
    after = np.maximum(np.linspace(0.0, 0.6, 41) - 1.0 / 3.0, 0.0)
    ring = np.cos(rate * after) + decay / rate * np.sin(rate * after)
    exact = force / stiffness * (1.0 - np.exp(-decay * after) * ring)
    for accuracy in (1e-4, 1.25e-5):
        keys = {"kind": "transient", "duration": 0.6, "steps": 40, "method": method}
        spec = model_from_dict(tables | {"analysis": keys | {"accuracy": accuracy}})
        found = run_model(spec, output=tmp_path / str(accuracy)).probes["x"]
        errors.append(np.abs(found - exact).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.15)
