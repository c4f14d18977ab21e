# SPDX-License-Identifier: BSD-3-Clause
"""Springs, dampers and forces at joints against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from marks import slow

CRANK, ROD, ANGLE = 0.15, 0.3, 1.0
YOUNG, AREA = 2e9, 1e-4
SPRING, REST, PUSH = 3e5, 0.2, 40.0


def slider_crank(formalism, **actuator):
    """Return a slider-crank that stands still, its rod a bar, with something on its slider."""
    revolute = {"kind": "revolute"}
    return {
        "mesh": {"blocks": {"rod": {"cell": "line2", "divisions": [1],
                                    "corners": [[0, 0, 0], [ROD, 0, 0]]}}},
        "materials": {"soft": {"young": YOUNG, "poisson": 0.3, "density": 1000.0}},
        "links": [
            {"name": "crank", "placement": {"angle": ANGLE}},
            {"name": "moving", "placement": {"position": [0.08, 0.12, 0], "angle": -0.4}},
            {"name": "slider", "placement": {"position": [0.35, 0, 0]}, "mass": 0.5},
        ],
        "bodies": [{"name": "rod", "element": "bar2_plane", "material": "soft",
                    "section": {"area": AREA}, "frame": "moving"}],
        "joints": [
            {"name": "A", **revolute, "links": ["ground", "crank"]},
            {"name": "B", **revolute, "links": ["crank", "moving"],
             "at": [[CRANK, 0, 0], [0, 0, 0]]},
            {"name": "C", **revolute, "links": ["moving", "slider"],
             "at": [[ROD, 0, 0], [0, 0, 0]]},
            {"name": "D", "kind": "prismatic", "links": ["ground", "slider"], "axis": [1, 0, 0]},
        ],
        "drivers": [{"name": "held", "joint": "A", "value": ANGLE}],
        "actuators": [{"name": "buffer", "joint": "D", **actuator}],
        "include": {"geometric": False},
        "analysis": {"kind": "transient", "duration": 0.2, "steps": 200, "formalism": formalism},
        "probes": [
            {"name": "slide", "point": [0, 0, 0], "body": "slider", "component": "x"},
            {"name": "pin", "joint": "C", "quantity": "force", "component": "x"},
        ],
        "output": {"formats": ["csv"]},
    }  # fmt: skip


@pytest.mark.parametrize("formalism", ["maggi", *map(slow, ("lagrange", "kane", "hamilton"))])
def test_a_spring_and_a_push_on_the_slider(formalism, tmp_path):
    """(k + EA/l cos^2) u = F - k (x - rest): a bar and a spring share what presses them."""
    spec = slider_crank(formalism, stiffness=SPRING, rest=REST, damping=600.0, force=PUSH)
    found = run_model(model_from_dict(spec), output=tmp_path).figures
    tilt = np.arcsin(CRANK * np.sin(ANGLE) / ROD)
    place = CRANK * np.cos(ANGLE) + ROD * np.cos(tilt)
    rod = YOUNG * AREA / ROD * np.cos(tilt) ** 2
    moved = (PUSH - SPRING * (place - REST)) / (SPRING + rod)
    assert abs(moved) > 1e-3
    assert found["slide, at the end"][0] == pytest.approx(moved, rel=1e-6)
    # The rod pulls the slider back by what it is stretched.
    assert found["pin, at the end"][0] == pytest.approx(-rod * moved, rel=1e-5)


def test_a_damper_takes_what_it_takes(tmp_path):
    """Released from rest under a push, the slider's vibration decays at c / (2 m) 1/s."""
    damping, times = 60.0, []
    spec = slider_crank("kane", damping=damping, force=PUSH)
    spec["materials"]["soft"]["density"] = 1.0  # a rod of no mass to speak of
    spec["analysis"] |= {"duration": 0.02, "steps": 250, "rho_infinity": 1.0}
    run_model(model_from_dict(spec), output=tmp_path)
    rows = np.loadtxt(tmp_path / "probes.csv", delimiter=",", skiprows=1)
    tilt = np.arcsin(CRANK * np.sin(ANGLE) / ROD)
    rod = YOUNG * AREA / ROD * np.cos(tilt) ** 2
    shift = PUSH / rod
    swing = rows[:, 1] - shift
    peaks = [k for k in range(1, len(swing) - 1) if swing[k - 1] < swing[k] > swing[k + 1]]
    times = rows[peaks, 0]
    decay = -np.polyfit(times, np.log(swing[peaks]), 1)[0]
    assert decay == pytest.approx(damping / (2 * 0.5), rel=0.01)


@pytest.mark.parametrize(
    ("actuator", "message"),
    [
        ({}, "actuators.0.: found neither stiffness, damping, force nor law; expected one of them"),
        ({"stiffness": -1.0}, "actuators.0..stiffness: found -1"),
        ({"joint": "E", "stiffness": 1.0}, "actuators.0..joint: found the unknown joint 'E'"),
        ({"coordinate": "angle", "stiffness": 1.0}, "actuators.0..coordinate: found 'angle'"),
    ],
)
def test_what_no_actuator_is(actuator, message):
    """An actuator without effect, at no joint or along no coordinate is refused by its key."""
    with pytest.raises(InputError, match=message):
        model_from_dict(slider_crank("kane", **actuator))
