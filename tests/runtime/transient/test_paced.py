# SPDX-License-Identifier: BSD-3-Clause
"""Gauss steps that adapt: errors, kinks, times of results, the Jacobi integral, checkpoints."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from adapted_motions import (
    DURATION,
    SPUN,
    SWING,
    adapting,
    cantilever,
    missed,
    suddenly_loaded,
)
from blocks import ORDERS, begin, block, finish, oscillator
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.run import run_model
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.pace import smooth_intervals
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.steppers import paced
from marks import slow
from models import model


def swinging(accuracy: float, method: str, results: int = 30, **tables: Any) -> Any:
    """Return a motion of the oscillator of case M3, 10 rad/s, in a frame spun up until 1 s."""
    spec = oscillator(results, method, tables.pop("frame", SPUN), initial=SWING, **tables)
    return begin(adapting(spec, accuracy))


@pytest.mark.parametrize(("method", "finest"), [("gauss4", 1e-9), slow("midpoint", 1e-5)])
def test_errors_fall_with_the_accuracy(method, finest):
    """By 2^p where the local error allowed falls by 2^(p + 1), which is what halved steps make.

    Velocities, 10 times as large as displacements in units of theirs, are between steps as
    accurate: 100 results of which few are at ends of steps.
    """
    order, errors = ORDERS[method], []
    for coarser in (2.0 ** (order + 1), 1.0):
        run = swinging(finest * coarser, method, 100)
        errors.append(missed(run, 100))
        steps = run.figures()
        assert steps["shortest step"][0] < steps["longest step"][0] < DURATION / 50
        assert run.counts.steps > 100
        # a local error in a step of 1/20 of the time in which it changes: sums are 20 to 100 times
        assert errors[-1][0] < 200 * finest * coarser
        print(method, finest * coarser, *errors[-1], run.counts.steps)
    assert np.divide(*errors) == pytest.approx(2.0**order, rel=0.15)


def test_results_do_not_depend_on_their_times():
    """The same steps for 6 results and for 90, and the same values where both have some."""
    few, many = swinging(1e-6, "gauss4", 6), swinging(1e-6, "gauss4", 90)
    for _ in range(6):
        few.advance()
        finish(many, 15)
        assert few.time == pytest.approx(many.time, rel=1e-14)
        assert np.allclose(few.displacement, many.displacement, atol=1e-14)
        assert np.allclose(few.velocity, many.velocity, atol=1e-12)
    assert few.counts.steps == many.counts.steps
    assert few.figures()["refused steps"] == many.figures()["refused steps"]


def test_momenta_and_accelerations_between_steps():
    """p = m (v + w x d) of the mass, and accelerations -100 d seen from space, at any time."""
    run = swinging(1e-9, "gauss4", 37)
    finish(run, 20)
    at = run.system.bodies[0].motion.at(run.time)
    d, v = run.displacement[0], run.velocity[0]
    turned = np.array([-at.w[2] * d[1], at.w[2] * d[0]])
    mass = run.system.total_mass
    assert run.momentum == pytest.approx(mass * (v + turned), rel=1e-12)
    w, e = at.w[2], at.e[2]
    own = np.array([-e * d[1] - 2 * w * v[1], e * d[0] + 2 * w * v[0]]) - w * w * d
    assert run.acceleration[0] + own == pytest.approx(-100.0 * d, rel=1e-10)


def test_the_jacobi_integral_is_kept_while_steps_change():
    """Gauss methods keep it at any length of steps: to round-off, with the motion to 1e-4 alone.

    A fast and a slow swing, in axes that turn: the fast one dies out nowhere, so lengths change as
    the sum of both is large or small.
    """
    run = swinging(1e-4, "gauss4", 30, frame={"velocity": 3.0})
    finish(run, 30)
    assert run.jacobi.largest_change < 5e-15
    coarse = swinging(1e-6, "midpoint", 30, frame={"velocity": 3.0})
    finish(coarse, 30)
    steps = coarse.figures()
    assert steps["refused steps"] > 0
    assert steps["shortest step"][0] < steps["longest step"][0]
    assert coarse.jacobi.largest_change < 5e-14


@pytest.mark.parametrize(("method", "accuracy"), [("gauss4", 1e-7), ("midpoint", 1e-4)])
def test_a_beam_that_is_loaded_suddenly(method, accuracy):
    """A beam at rest until 0.3 s, then swinging in all its modes: the sum of modes, at any time.

    Steps end at 0.3 s, are short while fast modes die out, and then grow.
    """
    run, worst = begin(cantilever(accuracy, method, 40)), 0.0
    finish(run, 11)
    assert not run.displacement.any()
    for _ in range(29):
        run.advance()
        exact = suddenly_loaded(run, run.time)
        worst = max(worst, np.abs(run.state.q - exact).max())
    steps = run.figures()
    shortest, longest = steps["shortest step"][0], steps["longest step"][0]
    assert worst / np.abs(exact).max() < 50 * accuracy
    assert shortest < 0.01 * longest
    assert run.counts.steps < 400


@pytest.mark.slow
def test_a_tumbling_block_moves_as_equal_steps_find():
    """Under w, v_O, loads and damping that change: as 400 equal steps, which miss by 5.6e-9.

    (The table in docs/model.md.) Where d misses by 1e-7, fast modes make more of it in v and a.
    """
    exact = finish(begin(block("spatial", 400, "gauss4")), 400)
    found = finish(begin(adapting(block("spatial", 10, "gauss4"), 1e-7)), 10)
    assert found.counts.steps < 400
    for name, most in (("displacement", 1e-6), ("velocity", 1e-5), ("acceleration", 1e-4)):
        one, other = getattr(found, name), getattr(exact, name)
        assert np.abs(one - other).max() < most * np.abs(other).max(), name


def test_a_motion_goes_on_from_its_bytes():
    """Stopped between two ends of steps, written, read by another motion: the same to the end."""
    whole = swinging(1e-7, "gauss4", 30)
    finish(whole, 13)
    kept = whole.state.to_bytes(bytes(32))
    before = whole.figures()
    again = swinging(1e-7, "gauss4", 30)
    again.resume(State.from_bytes(kept, bytes(32)), Counts())
    assert again.figures() == before
    for run in (whole, again):
        finish(run, 17)
    assert again.displacement == pytest.approx(whole.displacement, rel=1e-11)
    assert again.figures()["refused steps"] == whole.figures()["refused steps"]
    assert again.counts.steps < whole.counts.steps


@pytest.mark.parametrize(
    ("kinks", "found"),
    [
        ([], [(0.0, 2.0)]),
        ([(0.5, 0.5)], [(0.0, 0.5), (0.5, 2.0)]),
        ([(1.0, 1.25), (0.0, 0.0)], [(0.0, 1.0), (1.25, 2.0)]),
        ([(-1.0, -1.0), (2.0, 2.0), (3.0, 3.0)], [(0.0, 2.0)]),
        ([(-0.1, 0.1), (0.1, 0.1)], [(0.1, 2.0)]),
    ],
)
def test_intervals_between_kinks(kinks, found):
    """A run of 2 s ends steps just before a kink, and begins behind it."""
    assert np.allclose(smooth_intervals(kinks, 2.0), found, rtol=1e-11)


def test_nothing_moves():
    """Without loads and at rest no error is larger than any accuracy: the longest steps."""
    run = finish(begin(adapting(oscillator(5, "gauss4", {"velocity": 1.0}), 1e-9)), 5)
    assert not run.displacement.any()
    assert run.counts.steps == 64  # of 1.5 s, at least 50, a power of two


def test_no_step_is_short_enough(monkeypatch):
    """Where one halving is allowed and five are needed, the run says when and why it stops."""
    monkeypatch.setattr(paced, "_MOST_HALVINGS", 1)
    with pytest.raises(AnalysisError, match="no step from t = 0 s on is short enough for the acc"):
        swinging(1e-12, "gauss4").advance()


def test_a_run_tells_its_steps(tmp_path):
    """The summary has steps taken, refused, shortest, longest; the method names the accuracy."""
    spec = adapting(oscillator(20, "gauss4", SPUN, initial=SWING), 1e-7)
    outcome = run_model(spec, output=tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert "accuracy = 1e-07" in summary["provenance"]["method"]
    figures = outcome.figures
    assert figures["steps"] > 100
    assert figures["refused steps"] >= 2
    assert 0.0 < figures["shortest step"][0] < figures["longest step"][0] < DURATION / 50


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"method": "central_difference"}, "analysis.accuracy: found with method central_diff"),
        ({"method": "modal", "modes": 3}, "analysis.accuracy: found with method modal; expected g"),
    ],
)  # fmt: skip
def test_methods_that_do_not_adapt(changes, wrong):
    """Steps of bodies in prescribed frames adapt by implicit methods."""
    keys = {"kind": "transient", "duration": 1.0, "steps": 4, "accuracy": 1e-6} | changes
    with pytest.raises(InputError, match=wrong):
        model("hex8", [1, 1, 1], analysis=keys)


def test_free_frames_and_energies_take_equal_steps():
    """Their midpoint rules are refused with an accuracy."""
    keys = {
        "kind": "transient",
        "duration": 1.0,
        "steps": 4,
        "accuracy": 1e-6,
        "method": "midpoint",
    }
    with pytest.raises(InputError, match="analysis.accuracy: found 1e-06 with a free frame"):
        model("hex8", [1, 1, 1], analysis=keys, body={"frame": "free"})
