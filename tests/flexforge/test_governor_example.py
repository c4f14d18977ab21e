# SPDX-License-Identifier: BSD-3-Clause
"""The example of a centrifugal governor stands and vibrates as one of rigid rods, by hand."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

MODEL = Path(__file__).parents[2] / "examples" / "governor" / "model.toml"


def test_the_governor_is_one_of_rigid_rods_but_for_its_elasticity(tmp_path):
    """Lagrange's equation of the angle of the arms, with heavy rods ten thousand times as stiff."""
    tables = tomllib.loads(MODEL.read_text())
    tables["materials"]["carbon"]["young"] *= 1e4
    figures = run_model(model_from_dict(tables), output=tmp_path).figures
    length, speed, bob, sleeve, g = 0.25, 20.0, 0.5, 1.5, 9.81
    rod = 1600.0 * np.pi * 0.003**2 * length
    weight = 2.0 * bob + 2.0 * sleeve + 4.0 * rod
    turned = 2.0 * bob + 4.0 / 3.0 * rod
    cosine = weight * g / (turned * speed**2 * length)
    assert figures["height of the sleeve"][0] == pytest.approx(
        -2.0 * length * cosine, rel=4e-6
    )  # sections turn
    sine = np.sqrt(1.0 - cosine**2)
    lower = 0.25 * cosine**2 + 2.25 * sine**2 + 1.0 / 12.0
    mass = 2.0 * bob + 2.0 / 3.0 * rod + 2.0 * rod * lower + 4.0 * sleeve * sine**2
    frequency = np.sqrt(turned / mass) * speed * sine
    ratio = 0.5 * 2.0 * (2.0 * sine) ** 2 / (mass * frequency)
    found = 2.0 * np.pi * figures["mode 1"][0] / np.sqrt(1.0 - ratio**2)
    assert found == pytest.approx(frequency, rel=1e-5)
    assert figures["damping ratio of mode 1"] == pytest.approx(ratio, rel=1e-5)
