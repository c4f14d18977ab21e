# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge reduce``, and runs and exports with its file."""

from __future__ import annotations

import pytest

REDUCED = """
[reduction]
modes = 3
basis = "shapes.h5"
"""


@pytest.fixture
def model(beam):
    """A cantilever in motion, of which shapes are kept in a file."""
    text = beam.read_text().replace(
        'kind = "static"', 'kind = "transient"\nduration = 0.01\nstep = 1e-3'
    )
    beam.write_text(text + REDUCED)
    return beam


def test_once_for_run_and_export(flexforge, model):
    """Coordinates, frequencies of both models and their error; then both commands read the file."""
    assert "flexforge reduce" in flexforge("run", model).error
    said = flexforge("reduce", model)
    assert said.code == 0, said.err
    assert "4 coordinates in" in said.out  # three vibrations, and the answer to the load
    assert said.out.count("Hz, reduced") == 3
    assert "largest error of these frequencies: " in said.out
    assert (model.parent / "shapes.h5").is_file()
    assert flexforge("run", model).code == 0
    assert flexforge("export", model, "-o", "c").code == 0


def test_as_json(flexforge, model):
    """The same as data; first the frequency of Euler and Bernoulli, within 3 %."""
    said = flexforge("reduce", model, "-o", "other.h5", "--json")
    assert said.json["coordinates"] == 4
    # 1.8751^2 / (2 pi) sqrt(E I / (rho A)) / L^2 of a beam 0.1 m high; stubby, so a bit softer.
    wanted = 1.8751**2 / 6.283185 * (2e11 * 0.1**2 / 12 / 7800) ** 0.5
    assert said.json["frequencies of the full model"][0] == pytest.approx(wanted, rel=0.03)
    assert said.json["largest error of these frequencies"] < 1e-9
    assert (model.parent / "other.h5").is_file()
