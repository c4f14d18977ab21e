# SPDX-License-Identifier: BSD-3-Clause
"""The example of an arm controlled by its torques: the loop is closed, and what rests is known."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest
from flexforge.cli import main

HERE = Path(__file__).parents[2] / "examples" / "torque_arm"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def control():
    """The program of the example."""
    if not shutil.which("cc"):
        pytest.skip("cc is not installed")
    spec = importlib.util.spec_from_file_location("control", HERE / "control.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_arm_follows_and_its_torques_hold_its_weight(control, tmp_path):
    """Errors of some 40 mrad on the way; at rest shoulder and elbow carry what hangs on them."""
    model = str(HERE / "model.toml")
    assert main(["export", model, "--as", "fmu3", "--name", "arm", "-o", str(tmp_path)]) == 0
    found = control.controlled(tmp_path / "arm.fmu")
    assert np.abs(found["errors"]).max() < 0.05
    assert np.abs(found["errors"][-200:]).max() < 0.005
    held = found["torques"][-200:].mean(axis=0)
    places = found["places"][-1]
    # Weights of the forearm's tube, housing and motor, of wrist, hand and tool, by their distance.
    tube = 2700 * np.pi * (0.02**2 - 0.018**2) * 0.5
    elbow, wrist, tip = (places[k, 0] for k in (1, 2, 3))
    hanging = tube * 0.5 * (wrist - elbow) + 0.5 * (wrist - elbow)
    beyond = 3.0 * (wrist - elbow) + (0.6 * 0.04 + 0.4 * 0.11 + 2.0 * 0.19) * (tip - wrist) / 0.24
    assert held[2] == pytest.approx(9.81 * (hanging + beyond), rel=0.05)
