# SPDX-License-Identifier: BSD-3-Clause
"""Motions of rods of several frames: energy, momentum, checkpoints, published figures."""

from __future__ import annotations

import json

import numpy as np
import pytest
from bent_rods import DIAMETER, found, position, rod
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

pytestmark = pytest.mark.filterwarnings("ignore:.*small displacements hold.*")
PIN = {"name": "pin", "kind": "revolute", "links": ["ground", "rod"],
       "at": [[0, 0, 0], "rod.xmin"]}  # fmt: skip
DOWN = {"kind": "gravity", "acceleration": [0, -9.81, 0]}


def soft(frames, cells, analysis, young=5e8, **tables):
    """Return a rod of a plastic that moves."""
    made = rod(frames, cells, analysis={"kind": "transient", **analysis}, **tables)
    made["materials"]["steel"] |= {"young": young, "density": 1000.0}
    return made


def test_pendulum_keeps_its_energy(tmp_path):
    """Terms of third order, by which the balance is off, and positions: the square of frames."""
    course = {"duration": 0.5, "steps": 200}
    runs = [
        found(soft(n, 8, course, joints=[PIN], loads=[DOWN]), tmp_path / str(n)) for n in (1, 2, 4)
    ]
    energy = [run.figures["largest error of the energy balance"] for run in runs]
    assert energy[1] < 0.35 * energy[0] and energy[2] < 0.35 * energy[1]
    assert energy[2] < 1e-4
    places = [position(run, -1) for run in runs]
    assert np.linalg.norm(places[2] - places[1]) < 0.4 * np.linalg.norm(places[1] - places[0])


def flying(steps):
    """Return a free rod that turns and flies, pushed across at one end for 0.04 s."""
    push = {"kind": "force", "group": "rod.xmax", "total": [0, 4, 0], "frame": "global",
            "amplitude": "smooth_step(t, 0, 0.02) - smooth_step(t, 0.02, 0.04)"}  # fmt: skip
    made = soft(4, 4, {"duration": 0.1, "steps": steps}, loads=[push])
    made["joints"] = []
    made["links"][0] |= {"velocity": [1.0, 0, 0], "angular_velocity": [0, 0, 3.0]}
    return made


def test_flying_rod_keeps_its_momentum(tmp_path):
    """That of a rigid rod at the start and the impulse 4 N * 0.02 s, to the square of the step."""
    mass = 1000.0 * np.pi * DIAMETER**2 / 4
    wanted = np.array([mass * 1.0, mass * 1.5 + 4.0 * 0.02])
    off = []
    for steps in (100, 200):
        run = found(flying(steps), tmp_path)
        assert run.figures["largest rotation"][0] > 3.0  # degrees: bent by far more than one frame
        momentum = np.array([run.figures[f"momentum {axis}"][0] for axis in "xy"])
        off.append(np.linalg.norm(momentum - wanted))
    assert off[1] < 1e-3 * np.linalg.norm(wanted)
    assert off[1] < 0.35 * off[0]


def test_results_speak_of_the_model(tmp_path):
    """A body that is cut is found by its name, a node of two pieces counts once."""
    probes = [
        {"name": "tip", "link": "rod", "point": [1, 0, 0], "quantity": "position",
         "component": "x"},
        {"name": "root", "body": "rod", "point": [0.01, 0, 0], "quantity": "section_force",
         "component": "Mz"},
        {"name": "most", "body": "rod", "reduce": "max", "quantity": "section_force",
         "component": "Mz"},
        {"name": "force", "joint": "clamp", "quantity": "force", "component": "y"},
    ]  # fmt: skip
    tables = rod(4, 8, probes=probes, loads=[
        {"kind": "force", "group": "rod", "each": [0, -0.01, 0], "frame": "global"},
        {"kind": "gravity", "body": "rod", "acceleration": [0, -9.81, 0]},
    ])  # fmt: skip
    tables["masses"] = [{"name": "bob", "group": "rod.xmax", "mass": 0.1}]  # without weight
    run = found(tables, tmp_path)
    weight = 9.81 * 7800.0 * np.pi * DIAMETER**2 / 4
    value = {name: probe.values[0] for name, probe in run.probes.items()}
    assert value["force"] == pytest.approx(weight + 9 * 0.01, rel=1e-9)
    assert value["tip"] == pytest.approx(1.0, abs=1e-3)
    assert abs(value["most"]) == pytest.approx(abs(value["root"]), rel=0.1)
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert [*summary["bodies"]][:4] == ["rod[1]", "rod[2]", "rod[3]", "rod[4]"]
    assert [one["name"] for one in summary["joint_points"]] == ["clamp"]
    assert [one["name"] for one in summary["model"]["joints"]] == ["clamp"]
    assert run.theory["strain of k_geo"] == "rod: Green's, along every fibre of the section"
    groups = check_model(model_from_dict(tables)).groups
    assert not any("[" in name for name in groups)


def test_run_goes_on_from_its_checkpoint_to_the_same_bits(tmp_path):
    """Also of pieces."""
    tables = soft(2, 4, {"duration": 0.02, "steps": 20}, joints=[PIN], loads=[DOWN],
                  output={"formats": ["csv"], "checkpoint": 1e-9})  # fmt: skip
    spec = model_from_dict(tables)
    run_model(spec, output=tmp_path / "whole")

    def stop(what, done, total):
        if what == "steps" and done == 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_model(spec, output=tmp_path / "parts", progress=stop)
    run_model(spec, output=tmp_path / "parts", resume=True)
    one, other = ((tmp_path / k / "probes.csv").read_text() for k in ("whole", "parts"))
    assert one == other


@pytest.mark.slow
def test_spin_up_manoeuvre(tmp_path):
    """A driven hub: -0.57440 m at 6.762 s, then stretched by rho A w^2 L^3 / (3 E A) on average."""
    rate = "6/15*min(t, 15) - 6/(2*pi)*sin(2*pi*min(t, 15)/15)"
    tables = soft(
        4, 16, {"duration": 20.0, "steps": 2000}, joints=[PIN],
        drivers=[{"name": "motor", "joint": "pin", "velocity": rate}],
    )  # fmt: skip
    tables["mesh"]["blocks"]["rod"]["corners"] = [[0, 0, 0], [10, 0, 0]]
    tables["materials"]["steel"] |= {"young": 2.8e7, "density": 1.2}
    tables["bodies"][0]["section"] = {"area": 1.0, "inertia_z": 5e-4}
    tables["probes"].append({"name": "angle", "joint": "pin", "quantity": "coordinate"})
    run = found(tables, tmp_path)
    x, y, angle = (run.probes[name].values for name in ("x", "y", "angle"))
    times = run.probes["angle"].time
    across = np.cos(angle) * y - np.sin(angle) * x
    along = np.cos(angle) * x + np.sin(angle) * y - 10.0
    peak = np.argmax(np.abs(across))
    assert across[peak] == pytest.approx(-0.57440, rel=2e-3)
    assert times[peak] == pytest.approx(6.762, abs=0.01)
    assert along[times > 15.0].mean() == pytest.approx(5.143e-4, rel=2e-3)
