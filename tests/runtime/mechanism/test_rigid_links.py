# SPDX-License-Identifier: BSD-3-Clause
"""Transient analyses of rigid links alone: forces of joints and drivers of a given motion."""

from __future__ import annotations

import mechanisms
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.check import check_model
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

A, L, SPEED, MASS = 0.15, 0.3, 20.0, 0.4
FORCES = [
    {"name": "torque", "constraint": "motor", "quantity": "multiplier"},
    {"name": "pin x", "joint": "pin", "quantity": "force", "component": "x"},
    {"name": "pin y", "joint": "pin", "quantity": "force", "component": "y"},
]


def transient(data, probes, folder, steps=40, duration=0.3, **more):
    tables = data | {"probes": probes, "output": {"formats": ["csv"]}}
    tables["analysis"] = {"kind": "transient", "duration": duration, "steps": steps} | more
    outcome = run_model(model_from_dict(tables), output=folder)
    return outcome, {name: np.array(one.values) for name, one in outcome.probes.items()}


@pytest.fixture
def massive():
    """A slider-crank whose slider alone has a mass; the motor turns steadily."""
    data = mechanisms.slider_crank(A, L, SPEED)
    data["links"][2]["mass"] = MASS
    return data


def test_a_massless_rod_pushes_the_slider_along_itself(massive, tmp_path):
    """Closed form: with x = a cos + sqrt(l^2 - a^2 sin^2) the rod's force is m x'' / cos(b)."""
    outcome, found = transient(massive, FORCES, tmp_path)
    t = np.linspace(0.0, 0.3, 41)
    angle, root = SPEED * t, np.sqrt(L**2 - (A * np.sin(SPEED * t)) ** 2)
    s, c = np.sin(angle), np.cos(angle)
    bend = -(A**2) * (c**2 - s**2) / root - A**4 * (s * c) ** 2 / root**3
    force = MASS * SPEED**2 * (-A * c + bend)  # m x''
    slope = -A * s / root  # of the rod
    size = np.abs(force).max()
    np.testing.assert_allclose(found["pin x"], force, atol=1e-11 * size)
    np.testing.assert_allclose(found["pin y"], slope * force, atol=1e-11 * size)
    # The power of the motor is that of the slider's inertia.
    speed = A * SPEED * (-s - A * s * c / root)
    np.testing.assert_allclose(found["torque"], force * speed / SPEED, atol=1e-11 * size * A)
    assert outcome.figures["largest error of the energy balance"] < 1e-3
    assert outcome.figures["equations of a step"] == 0


@pytest.mark.parametrize("formalism", ["kane", "gibbs_appell", "lagrange"])
def test_formalisms_agree(massive, tmp_path, formalism):
    """The forces of a given motion do not depend on the formalism."""
    _, maggi = transient(massive, FORCES, tmp_path / "a", steps=5)
    _, other = transient(massive, FORCES, tmp_path / "b", steps=5, formalism=formalism)
    for name, values in maggi.items():
        np.testing.assert_allclose(other[name], values, atol=1e-7 * np.abs(values).max())


def test_links_without_mass_are_refused(tmp_path):
    """Without any mass there are no forces; the message says what to ask for instead."""
    with pytest.raises(
        InputError, match="found no mass .* expected the mass of a link, or"
    ) as told:
        transient(mechanisms.slider_crank(), FORCES, tmp_path)
    assert 'kind = "kinematics"' in str(told.value)


def test_hamilton_needs_something_that_moves(massive, tmp_path):
    """Without free displacements there are no momenta to step, nor to export."""
    with pytest.raises(InputError, match="formalism: found hamilton .* determine every"):
        transient(massive, FORCES, tmp_path, formalism="hamilton")
    analysis = {"kind": "transient", "duration": 0.1, "steps": 5, "formalism": "hamilton"}
    with pytest.raises(InputError, match="formalism: found hamilton .* determine every"):
        build_solver(model_from_dict(massive | {"analysis": analysis}))


def test_a_spring_is_carried_by_the_driver(massive, tmp_path):
    """A spring on the guide at rest needs k (x - rest) from the motor's lever: at 90 degrees."""
    massive["drivers"] = [mechanisms.driver("bearing", value=0.5 * np.pi)]
    massive["actuators"] = [{"name": "s", "joint": "guide", "stiffness": 100.0, "rest": 0.1}]
    massive["links"][0]["placement"]["angle"] = 1.5
    _, found = transient(massive, FORCES, tmp_path, steps=2)
    # x = sqrt(l^2 - a^2); dx/dangle = -a there, so the motor holds k (x - rest) (-a).
    held = -100.0 * (np.sqrt(L**2 - A**2) - 0.1) * A
    np.testing.assert_allclose(found["torque"], held, rtol=1e-9)


def test_an_unbalanced_rotor_in_space(tmp_path):
    """A rotor with an eccentric mass loads its bearing by m e W^2, and I_xz by a moment."""
    mass, e, product, speed = 2.0, 0.01, 3e-3, 50.0
    rotor = mechanisms.link("rotor") | {
        "mass": mass,
        "centre": [e, 0, 0],
        "inertia": [0.02, 0.02, 0.03, 0.0, product, 0.0],
    }
    data = {
        "links": [rotor],
        "joints": [mechanisms.joint("bearing", "revolute", "ground", "rotor")],
        "drivers": [mechanisms.driver("bearing", velocity=speed)],
    }
    probes = [
        {"name": what, "joint": "bearing", "quantity": what, "component": "magnitude"}
        for what in ("force", "moment")
    ]
    _, found = transient(data, probes, tmp_path, steps=10)
    np.testing.assert_allclose(found["force"], mass * e * speed**2, rtol=1e-12)
    np.testing.assert_allclose(found["moment"], product * speed**2, rtol=1e-12)


ROD = {
    "mesh": {"block": {"cell": "line2", "corners": [[0, 0], [L, 0]], "divisions": [2]}},
    "materials": {"steel": {"young": 2.1e11, "poisson": 0.3, "density": 7850.0}},
    "bodies": [
        {"name": "rod", "element": "euler_beam_plane", "material": "steel", "frame": "rod",
         "section": {"shape": "round", "diameter": 0.01}},
    ],
}  # fmt: skip


@pytest.mark.parametrize("velocity, warned", [(20.0, True), ("20*smooth_step(t, 0, 0.01)", False)])
def test_a_sudden_start_is_warned_of(massive, tmp_path, velocity, warned):
    """A driver with a velocity at t = 0 shocks elastic bodies; one that begins at rest does not."""
    massive["drivers"][0]["velocity"] = velocity
    massive["joints"][1]["at"] = [[A, 0, 0], "xmin"]
    massive["joints"][2]["at"] = ["xmax", [0, 0, 0]]
    outcome, _ = transient(massive | ROD, FORCES, tmp_path, steps=4, duration=4e-4)
    told = [text for text in outcome.warnings if "driver 'motor' moves at 20 rad/s" in text]
    assert len(told) == warned and all("smooth_step" in text for text in told)


def test_a_balance_that_is_left_out_says_why(massive, tmp_path):
    """With every second state alone there is no work; the summary says so, in its place."""
    tables = massive | {"probes": [], "output": {"formats": ["csv"], "every": 2}}
    tables["analysis"] = {"kind": "transient", "duration": 0.01, "steps": 4}
    figures = run_model(model_from_dict(tables), output=tmp_path).figures
    assert figures["energy balance"] == figures["momentum balance"]
    assert figures["energy balance"].endswith("expected output.every = 1")
    assert "kinetic energy" in figures and "work of drivers" not in figures


def test_rigid_links_have_no_vibration(massive, tmp_path):
    """Figures of what only elastic bodies have are left out, in the report and the check too."""
    tables = massive | {"probes": [], "output": {"formats": ["vtu", "report"]}}
    tables["analysis"] = {"kind": "transient", "duration": 0.01, "steps": 4}
    spec = model_from_dict(tables)
    figures = run_model(spec, output=tmp_path).figures
    idle = (
        "momentum relative to the frames",
        "largest displacement",
        "largest rotation",
        "strain energy",
    )
    assert not [name for name in figures if name.startswith(idle)]
    assert figures["kinetic energy"][0] > 0.0
    assert "largest displacement in a frame" not in (tmp_path / "report.html").read_text()
    assert not [line for line in check_model(spec).lines() if "box" in line]


def test_elastic_links_have_a_momentum_of_the_vibration(massive, tmp_path):
    """With the other figures of elastic bodies."""
    massive["joints"][1]["at"] = [[A, 0, 0], "xmin"]
    massive["joints"][2]["at"] = ["xmax", [0, 0, 0]]
    outcome, _ = transient(massive | ROD, FORCES, tmp_path, steps=4, duration=4e-4)
    for name in ("momentum relative to the frames x", "strain energy", "largest rotation"):
        assert name in outcome.figures
