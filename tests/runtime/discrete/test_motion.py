# SPDX-License-Identifier: BSD-3-Clause
"""Motions of discrete systems against closed forms: pendulum, top, disc, sledge, closed loop."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from chains import example, pendulum
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.codegen.systems.declaration import Course, symbol
from flexforge.codegen.systems.reading import read_system
from flexforge.runtime.discrete.compiled import CompiledSystem
from flexforge.runtime.discrete.course import motion
from flexforge.runtime.discrete.run import run_system
from flexforge.runtime.discrete.starts import starting_state
from flexforge.runtime.results.read import Results
from scipy.special import ellipk


def _example(name, **changes):
    return replace(example(name), **changes)


def _started(system, **values):
    return replace(system, start=dict(system.start) | {symbol(k): v for k, v in values.items()})


def _states(system, times, tolerance=1e-11):
    """Return the states at times, and the compiled system."""
    compiled = CompiledSystem.of(system)
    state, _ = starting_state(compiled)
    parts = list(motion(compiled, state, np.asarray(times, float), tolerance))
    return compiled, np.concatenate([states for _, states in parts])


def test_a_pendulum_has_the_period_of_the_elliptic_integral():
    """From 2.5 rad: T = 4 sqrt(l/g) K(sin^2(q0/2)), nearly twice that of small swings."""
    system = _started(read_system(pendulum()), q=2.5)
    period = 4 * np.sqrt(1 / 9.81) * ellipk(np.sin(1.25) ** 2)
    _, states = _states(system, [0, period / 4, period / 2, period])
    assert states[1:, 0] == pytest.approx([0.0, -2.5, 2.5], abs=1e-8)


def test_a_top_precesses_steadily():
    """(A') W^2 cos(tilt) - C n W + m g l = 0 of a slow and a fast precession."""
    system = _example("spinning_top")
    c = {str(s): v for s, v in system.constants.items()}
    about_tip, tilt, spin = c["A"] + c["m"] * c["l"] ** 2, 0.5, 300.0
    roots = np.roots([about_tip * np.cos(tilt), -c["C"] * spin, c["m"] * c["g"] * c["l"]])
    for w in roots.real:
        start = {"tilt": tilt, "turn_dot": w, "spin_dot": spin - w * np.cos(tilt)}
        _, states = _states(_started(system, **start), np.linspace(0, 0.5, 6))
        assert states[:, 1] == pytest.approx(tilt, abs=1e-8)
        assert states[:, 3] == pytest.approx(w, rel=1e-7)


def test_a_nodding_top_keeps_what_it_must():
    """Energy, angular momentum about the vertical and about its own axis."""
    system = _example("spinning_top")
    c = {str(s): v for s, v in system.constants.items()}
    compiled, states = _states(system, np.linspace(0, 2, 60))
    _, tilt, _, turn, _, spin = states.T
    own = c["C"] * (spin + turn * np.cos(tilt))
    vertical = (c["A"] + c["m"] * c["l"] ** 2) * turn * np.sin(tilt) ** 2 + own * np.cos(tilt)
    energy = compiled.evaluate("energy", np.zeros(60), states)[:, :, 0].sum(axis=1)
    for kept in (own, vertical, energy):
        assert kept == pytest.approx(kept[0], rel=1e-8)
    assert np.ptp(tilt) > 0.1


def test_a_disc_rolls_in_a_circle():
    """Upright it rolls straight; leaning at the right speed it keeps to a circle (Routh)."""
    r, g, lean = 0.3, 9.81, 0.2
    # h_2 = 0 with lean constant: 6 spin yaw_dot cos + 5 yaw_dot^2 sin cos = -4 g/r sin.
    roll = 8.0
    a, b, c = 5 * np.sin(lean) * np.cos(lean), 6 * roll * np.cos(lean), 4 * g / r * np.sin(lean)
    yaw = np.roots([a, b, c]).real.max()
    system = _started(_example("rolling_disc"), lean=lean, yaw_dot=yaw, roll_dot=roll)
    times = np.linspace(0, 2 * np.pi / abs(yaw), 9)
    _, states = _states(system, times)
    assert states[:, 3] == pytest.approx(lean, abs=1e-8)
    assert states[-1, :2] == pytest.approx([0.0, 0.0], abs=1e-7)
    radius = r * roll / yaw
    distances = np.hypot(states[:, 0], states[:, 1] - radius)
    assert distances == pytest.approx(abs(radius), rel=1e-8)


def test_a_sledge_drifts_across_the_slope():
    """x = g sin(a)/(2 w^2) sin^2(w t), y = g sin(a)/(2 w^2) (w t - sin(2 w t)/2)."""
    system = _example("knife_edge")
    times, w = np.linspace(0, 3, 13), 2.0
    _, states = _states(system, times)
    scale = 9.81 * np.sin(0.3) / (2 * w**2)
    assert states[:, 0] == pytest.approx(scale * np.sin(w * times) ** 2, abs=1e-9)
    assert states[:, 1] == pytest.approx(scale * (w * times - np.sin(2 * w * times) / 2), abs=1e-9)


def test_a_closed_loop_stays_closed_and_keeps_its_energy():
    """Free of torque over many turns, at a coarse tolerance: the loop is put back."""
    system = _started(_example("slider_crank"), w=20.0)
    system = replace(system, course=Course(inputs={}))
    compiled, states = _states(system, np.linspace(0, 20, 400), tolerance=1e-7)
    gaps = compiled.evaluate("closure", np.zeros(400), states)[:, :, 0]
    assert np.abs(gaps).max() < 1e-11
    assert states[-1, 0] > 300  # many turns
    energy = compiled.evaluate("energy", np.zeros(400), states)[:, 0, 0]
    assert energy == pytest.approx(energy[0], rel=1e-3)


def test_the_start_is_moved_onto_the_constraints():
    """The independent coordinate stays, the others follow; what cannot be closed is refused."""
    compiled = CompiledSystem.of(_example("slider_crank"))
    state, told = starting_state(compiled)
    assert state[0] == 0.6
    assert state[1] == pytest.approx(-np.arcsin(0.1 / 0.3 * np.sin(0.6)), abs=1e-12)
    assert [text.split(" moved")[0] for text in told] == ["start.rod", "start.s"]
    apart = pendulum(coordinates=["q", "p"], constraints=[{"zero": "q**2 + p**2 + 1"}])
    with pytest.raises(InputError, match="the constraints cannot be met"):
        starting_state(CompiledSystem.of(_started(read_system(apart), q=0.3, p=0.2)))


def test_starts_that_are_refused():
    disc = _started(_example("rolling_disc"), x_dot=1.0)
    with pytest.raises(InputError, match="start.x_dot: follows from the constraints.*yaw_dot"):
        starting_state(CompiledSystem.of(disc))
    loose = pendulum(coordinates=["q", "p"])
    with pytest.raises(InputError, match="speed p_dot has no inertia"):
        starting_state(CompiledSystem.of(read_system(loose)))


def test_inputs_are_formulas_of_time_and_state():
    """A linear oscillator driven in resonance: x = (t sin t)/2 for m = k = 1 and u = cos t."""
    tables = {
        "name": "oscillator",
        "coordinates": ["x"],
        "inputs": ["u"],
        "points": {"p": {"at": ["x", "0", "0"]}},
        "bodies": {"p": {"point": "p", "mass": 1}},
        "loads": {"x": "u - x"},
        "run": {"inputs": {"u": "cos(t)"}},
    }
    times = np.linspace(0, 10, 5)
    _, states = _states(read_system(tables), times)
    assert states[:, 0] == pytest.approx(times * np.sin(times) / 2, abs=1e-9)


def test_a_run_writes_results_and_keeps_them_in_a_singular_position(tmp_path):
    """A rod that slides through a pivot towards its end: 1/x has no value there."""
    tables = {
        "name": "falls",
        "coordinates": ["x"],
        "points": {"p": {"at": ["x", "0", "0"]}},
        "bodies": {"p": {"point": "p", "mass": 1}},
        "loads": {"x": "-1/x**2"},
        "start": {"x": 1.0},
        "run": {"duration": 3.0, "steps": 300},
    }
    with pytest.raises(AnalysisError, match=r"stopped at t = 1\.1\d* s"):
        run_system(read_system(tables), output=tmp_path / "falls")
    results = Results(tmp_path / "falls")
    assert results.summary["status"] == "failed"
    # Radial fall from rest: the centre is reached after pi/2/sqrt(2) = 1.11 s.
    assert results.probes["x"].time[-1] == pytest.approx(1.1, abs=0.011)


def test_results_of_a_run(tmp_path):
    """Figures, probes, frames of what is drawn; the same by another formalism."""
    system = replace(_example("double_pendulum"), course=Course(2.0, 50, 1e-10))
    outcome = run_system(system, output=tmp_path / "a", formalism="lagrange")
    other = run_system(system, output=tmp_path / "b", formalism="hamilton")
    assert outcome.probes["q2"].values == pytest.approx(other.probes["q2"].values, abs=1e-9)
    assert outcome.figures["largest change of energy"][0] < 1e-6
    results = Results(tmp_path / "a")
    frame = results.frame(25)
    assert set(frame.states) == {"upper", "lower"}
    upper, lower = (frame.states[name].frame for name in ("upper", "lower"))
    q1, q2 = (outcome.probes[name].values[25] for name in ("q1", "q2"))
    assert lower.r_O == pytest.approx([np.sin(q1), -np.cos(q1), 0.0], abs=1e-12)
    assert lower.R[:, 0] == pytest.approx([np.cos(q2), np.sin(q2), 0.0], abs=1e-12)
    assert upper.w[2] == pytest.approx(outcome.probes["q1_dot"].values[25], abs=1e-12)
    summary = json.loads((tmp_path / "a" / "summary.json").read_text())
    assert summary["provenance"]["method"].endswith("equations by lagrange")
    assert (tmp_path / "a" / "report.html").is_file()


def test_accelerations_of_frames():
    """a_O and e of the lower rod against differences of its velocity."""
    from flexforge.runtime.discrete.shapes import frames_of, shapes_of

    system, step = _example("double_pendulum"), 1e-4
    times = 0.5 + step * np.array([-1, 0, 1])
    compiled, states = _states(system, np.concatenate([[0.0], times]), 1e-12)
    frames = frames_of(compiled, shapes_of(compiled), times, states[1:])["lower"].frame
    global_velocity = np.einsum("tij,tj->ti", frames.R, frames.v_O)
    change = (global_velocity[2] - global_velocity[0]) / (2 * step)
    assert frames.R[1] @ frames.a_O[1] == pytest.approx(change, abs=1e-5)
    assert frames.e[1, 2] == pytest.approx((frames.w[2, 2] - frames.w[0, 2]) / (2 * step), abs=1e-5)
