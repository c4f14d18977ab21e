# SPDX-License-Identifier: BSD-3-Clause
"""Forces that switch at events, exported: the same events in C, and events of states in FMUs."""

from __future__ import annotations

import shutil
import subprocess

import fmpy
import numpy as np
import pytest
from exported_mechanisms import export
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from fmpy.validation import validate_fmu
from fmus import unpacked

G, HEIGHT, REBOUND, STEPS, DURATION = 9.81, 1.0, 0.5, 60, 1.8


def bouncing():
    """A rigid ball falls on a rigid floor; it rests there from about 1.355 s on."""
    return {
        "links": [{"name": "ball", "mass": 2.0, "inertia": [0.004] * 3,
                   "placement": {"position": [0, 0, 0.1 + HEIGHT]}}],
        "forces": [{"name": "floor", "links": ["ground", "ball"], "contact": "sphere_on_plane",
                    "normal": "impact", "parameters": {"radius": 0.1, "restitution": REBOUND}}],
        "loads": [{"kind": "gravity", "acceleration": [0, 0, -G]}],
        "probes": [{"name": "z", "link": "ball", "quantity": "position", "component": "z"},
                   {"name": "push", "joint": "floor", "quantity": "force", "component": "z"}],
        "analysis": {"kind": "transient", "duration": DURATION, "steps": STEPS, "threads": 1},
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def height(t):
    """Return the height of the ball after impacts with a coefficient of restitution."""
    begin, speed = -np.sqrt(2.0 * HEIGHT / G), G * np.sqrt(2.0 * HEIGHT / G)
    while t > begin + 2.0 * speed / G and speed > 1e-12:
        begin += 2.0 * speed / G
        speed *= REBOUND
    return max(speed * (t - begin) - 0.5 * G * (t - begin) ** 2, 0.0)


def test_an_exported_ball_bounces_and_rests_as_in_the_run(tmp_path):
    """Heights are those of the closed form, and the floor bears the weight in the end."""
    instance = export(bouncing(), tmp_path / "c").create()
    found = [instance.get()]
    for k in range(STEPS):
        assert instance.advance((k + 1) * DURATION / STEPS) == 0
        found.append(instance.get())
    run = run_model(model_from_dict(bouncing()), output=tmp_path / "run").probes
    expected = np.array([run[name] for name in ("z", "push")]).T
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    heights = [0.1 + height(t) for t in np.linspace(0.0, DURATION, STEPS + 1)]
    np.testing.assert_allclose(expected[:, 0], heights, atol=1e-10)
    assert expected[-1, 1] == pytest.approx(2.0 * G, rel=1e-9)
    assert expected[STEPS // 2, 1] == 0.0


@pytest.mark.parametrize("version", [2, 3])
def test_an_integrator_finds_the_impacts_by_their_indicators(version, tmp_path):
    """Model exchange by CVode, and the FMU's own steps; both until the ball rests."""
    path = unpacked(build_solver(model_from_dict(bouncing()), "ball"), version, tmp_path / "b.fmu")
    assert validate_fmu(str(path)) == []
    known = fmpy.read_model_description(str(path))
    indicators = [one for one in known.modelVariables if one.name.startswith("event[")]
    assert [one.description for one in indicators] == ["force 'floor': impact",
                                                       "force 'floor': parts"]  # fmt: skip
    for kind, tolerance in (("CoSimulation", 1e-9), ("ModelExchange", 2e-5)):
        found = fmpy.simulate_fmu(
            str(path), fmi_type=kind, stop_time=DURATION, output_interval=DURATION / STEPS,
            relative_tolerance=1e-9, record_events=False,
        )  # fmt: skip
        expected = [0.1 + height(t) for t in found["time"]]
        assert len(expected) > STEPS
        np.testing.assert_allclose(found["z"], expected, atol=tolerance)


def test_dry_friction_sticks_and_slips_in_model_exchange(tmp_path):
    """A cart on a spring comes to rest after three half periods, 0.3 of what one takes aside."""
    mu, stiffness, mass = 0.2, 400.0, 2.0
    loss = 2.0 * mu * mass * G / stiffness  # of amplitude per half period
    guide = {"name": "guide", "kind": "prismatic", "links": ["ground", "cart"], "axis": [1, 0, 0],
             "at": [[0, 0, 0], [0, 0, 0]]}  # fmt: skip
    model = {
        "planar": True, "joints": [guide],
        "loads": [{"kind": "gravity", "acceleration": [0, -G, 0]}],
        "links": [{"name": "cart", "mass": mass, "inertia": [0.1],
                   "placement": {"position": [3.3 * loss, 0, 0]}}],
        "forces": [{"name": "rub", "joint": "guide", "friction": "dry",
                    "parameters": {"friction": mu, "rest_friction": mu}},
                   {"name": "spring", "joint": "guide", "parameters": {"k": stiffness},
                    "force": ["-k*x", "0", "0"]}],
        "probes": [{"name": "x", "link": "cart", "quantity": "position", "component": "x"}],
        "analysis": {"kind": "transient", "duration": 1.2, "steps": 120, "threads": 1},
    }  # fmt: skip
    path = unpacked(build_solver(model_from_dict(model), "osc"), 3, tmp_path / "o.fmu")
    found = fmpy.simulate_fmu(str(path), fmi_type="ModelExchange", stop_time=1.2,
                              output_interval=0.01, relative_tolerance=1e-9)  # fmt: skip
    assert found["x"][-1] == pytest.approx(-0.3 * loss, rel=1e-4)
    assert np.ptp(found["x"][found["time"] > 0.8]) < 1e-9  # half a period takes 0.22 s


def rolling():
    """A ball that is thrown on a floor with a spin across its way: it bounces, slips and rolls."""
    radius, mass, steps = 0.1, 2.0, 250
    parameters = {"radius": radius, "restitution": 0.4, "friction": 0.2, "rest_friction": 0.25,
                  "shortest": 1e-4}  # fmt: skip
    return {
        "links": [{"name": "ball", "mass": mass, "inertia": [0.4 * mass * radius**2] * 3,
                   "placement": {"position": [0, 0, radius + 0.01]},
                   "velocity": [1.5, 0.3, 0], "angular_velocity": [2.0, -4.0, 1.0]}],
        "forces": [{"name": "floor", "links": ["ground", "ball"], "contact": "sphere_on_plane",
                    "normal": "impact", "friction": "dry", "parameters": parameters}],
        "loads": [{"kind": "gravity", "acceleration": [0, 0, -G]}],
        "probes": [*({"name": axis, "link": "ball", "quantity": "position", "component": axis}
                     for axis in "xyz"),
                   {"name": "rub", "joint": "floor", "quantity": "force", "component": "x"}],
        "analysis": {"kind": "transient", "duration": 0.5, "steps": steps, "threads": 1},
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def test_dry_friction_of_a_rigid_contact_is_that_of_the_run(tmp_path):
    """Of a C library to round-off, of an FMU by its own steps, and by CVode."""
    run = run_model(model_from_dict(rolling()), output=tmp_path / "run")
    names = ("x", "y", "z", "rub")
    expected = np.array([run.probes[name] for name in names]).T
    for event in ("impact", "sticks"):
        assert run.figures[f"force 'floor': {event}"] >= 1
    assert run.figures["energy lost in impacts of force 'floor'"][0] > 0.1
    instance = export(rolling(), tmp_path / "c").create()
    found = [instance.get()]
    for time in 0.002 * np.arange(1, 251):
        assert instance.advance(time) == 0
        found.append(instance.get())
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    solver = build_solver(model_from_dict(rolling()), "ball")
    path = unpacked(solver, 3, tmp_path / "b.fmu")
    for kind, tolerance in (("CoSimulation", 1e-9), ("ModelExchange", 4e-4)):
        told = fmpy.simulate_fmu(
            str(path), fmi_type=kind, stop_time=0.5, output_interval=0.002,
            relative_tolerance=1e-9, record_events=False,
        )  # fmt: skip
        for name, values in zip(names[:3], expected.T, strict=False):
            np.testing.assert_allclose(told[name], values, atol=tolerance)


@pytest.mark.slow
def test_sanitizers_find_nothing_where_contacts_stick(tmp_path):
    """Of a ball that bounces, slips and rolls: no read beside an array, nothing undefined."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    export(rolling(), tmp_path)
    sources = [str(one) for one in sorted((tmp_path / "src").glob("*.c"))]
    command = ["gcc", "-std=c99", "-g", "-O1", "-fsanitize=address,undefined", "-Iinclude", "-Isrc"]
    subprocess.run([*command, *sources, "example/main.c", "-lm", "-o", "program"], cwd=tmp_path,
                   check=True)  # fmt: skip
    told = subprocess.run([tmp_path / "program"], check=True, capture_output=True, text=True)
    assert not told.stderr
    assert len(told.stdout.splitlines()) > 250


@pytest.mark.parametrize("formalism", ["maggi", "hamilton"])
def test_contacts_that_touch_and_part_are_exported(formalism, tmp_path):
    """A ball on a spring of a floor, by other formalisms: the same events, bit for bit."""
    model = bouncing()
    model["forces"][0] |= {"normal": "linear", "parameters": {"radius": 0.1, "stiffness": 1e5,
                                                              "damping": 20.0}}  # fmt: skip
    model["analysis"]["formalism"] = formalism
    instance = export(model, tmp_path / "c").create()
    found = [instance.get()]
    for k in range(STEPS):
        assert instance.advance((k + 1) * DURATION / STEPS) == 0
        found.append(instance.get())
    outcome = run_model(model_from_dict(model), output=tmp_path / "run")
    assert outcome.figures["force 'floor': touches"] >= 2
    expected = np.array([outcome.probes[name] for name in ("z", "push")]).T
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def caught(duration, steps):
    """A door swings into a latch, which tears at 6 N m of a moment of 2 N m/s from 1 s on."""
    latch = {
        "name": "latch", "joint": "hinge", "kept": {"latched": 0, "torn": 0, "hits": 0},
        "hold": {"speed": "x_dot", "during": "latched"},
        "parameters": {"closed": 0.4, "strength": 6.0},
        "events": [{"name": "latches", "when": "closed - x + latched + 10*torn",
                    "sets": {"latched": 1}},
                   {"name": "hits", "when": "closed - x + hits", "sets": {"hits": 1}},
                   {"name": "tears", "when": "strength - abs(held)*latched",
                    "sets": {"latched": 0, "torn": 1}, "at_once": True}],
    }  # fmt: skip
    return {
        "planar": True,
        "joints": [{"name": "hinge", "kind": "revolute", "links": ["ground", "door"]}],
        "links": [{"name": "door", "mass": 3.0, "inertia": [0.7],
                   "angular_velocity": [0, 0, 0.8]}],
        "actuators": [{"name": "pull", "joint": "hinge",
                       "force": {"points": [[0.0, 0.0], [1.0, 0.0], [5.0, -8.0]]}}],
        "forces": [latch],
        "probes": [{"name": "angle", "joint": "hinge", "quantity": "coordinate"}],
        "analysis": {"kind": "transient", "duration": duration, "steps": steps, "threads": 1},
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def test_events_of_a_law_of_ones_own_are_exported(tmp_path):
    """A latch in C, in both kinds of FMU and in the run: 0.4 rad from 0.5 s on, torn at 4 s."""
    duration, steps = 4.5, 970
    model = caught(duration, steps)
    instance = export(model, tmp_path / "c").create()
    found = [instance.get()[0]]
    for k in range(steps):
        assert instance.advance((k + 1) * duration / steps) == 0
        found.append(instance.get()[0])
    run = run_model(model_from_dict(model), output=tmp_path / "run").probes["angle"]
    np.testing.assert_allclose(found, run, rtol=1e-12, atol=1e-12)

    def angle(t):
        after = np.maximum(t - 4.0, 0.0)
        return np.where(t < 0.5, 0.8 * t, 0.4 - (3.0 * after**2 + after**3 / 3.0) / 0.7)

    np.testing.assert_allclose(found, angle(np.linspace(0.0, duration, steps + 1)), atol=5e-6)
    path = unpacked(build_solver(model_from_dict(model), "door"), 3, tmp_path / "d.fmu")
    assert validate_fmu(str(path)) == []
    for kind in ("CoSimulation", "ModelExchange"):
        told = fmpy.simulate_fmu(
            str(path), fmi_type=kind, stop_time=duration, output_interval=duration / steps,
            relative_tolerance=1e-9, record_events=False,
        )  # fmt: skip
        np.testing.assert_allclose(told["angle"], angle(told["time"]), atol=5e-5)
