# SPDX-License-Identifier: BSD-3-Clause
"""Small systems in prescribed frames, factored whenever they change: as the general path has it."""

from __future__ import annotations

import numpy as np
import pytest
from beyond import STRUCK, steps_to_the_end
from blocks import MODELS, block
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.native.steps import NativeSteps
from flexforge.runtime.start import start
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from models import stressed
from moving import FURTHER, spec_of

#: What 60 steps to 1e-14 each may differ by, relative to the largest of a field.
CLOSE = 1e-10
GEOMETRIC = {"include": {"geometric": True}}
WITHOUT = {"include": {"geometric": False, "euler": False, "centrifugal_load": False}}


@pytest.mark.parametrize("method", ["generalized_alpha", "newmark"])
@pytest.mark.parametrize("include", [GEOMETRIC, WITHOUT], ids=["all", "some"])
@pytest.mark.parametrize("name", MODELS)
def test_the_steps_are_those_of_the_general_path(name, include, method):
    """All terms of a moving frame, damping, gravity that turns, a pressure that changes."""
    compare_with_the_general_path(block(name, 60, method, **include))


@pytest.mark.parametrize("name", ["spatial", "vector", "tumbling", *FURTHER])
def test_every_load_and_motion_is_that_of_the_general_path(name):
    """Frames and origins that are integrated for, loads that turn with them, body forces."""
    compare_with_the_general_path(spec_of(name))


def compare_with_the_general_path(spec: ModelSpec) -> None:
    """Compare displacements and their rates at the end of a run."""
    places = stressed(spec)
    loads, state = Loads(spec, places), initial_state(spec, places)
    analysis = spec.analysis
    ours = start(analysis, places.system, loads, *state)
    assert isinstance(ours.stepper, NativeSteps)
    general = start(analysis, places.system, loads, *state, native=False)
    for _ in range(analysis.number_of_steps):
        ours.advance()
        general.advance()
    assert ours.time == general.time
    for field in ("displacement", "velocity", "acceleration"):
        wanted = getattr(general, field)
        np.testing.assert_allclose(
            getattr(ours, field), wanted, rtol=0.0, atol=CLOSE * np.abs(wanted).max()
        )


def test_a_steady_rotation_is_factored_once():
    """Matrices that do not change keep their factors: one of the mass, one of the step."""
    spec = block("planar", 60, "newmark", body={"frame": {"velocity": 3.0}})
    places = stressed(spec)
    run = start(spec.analysis, places.system, Loads(spec, places), *initial_state(spec, places))
    for _ in range(60):
        run.advance()
    assert run.counts.factorizations == 2


def test_all_that_came_before_it_grew_is_handed_over():
    """A force too large for numbers from the 13th step on: 12 are taken."""
    load = {
        "kind": "force",
        "group": "xmax",
        "total": [0.0, 10.0, 0.0],
        "amplitude": "1 + " + STRUCK,
    }
    spec = block("planar", 60, "newmark", loads=[load])
    places = stressed(spec)
    run = start(spec.analysis, places.system, Loads(spec, places), *initial_state(spec, places))
    assert isinstance(run.stepper, NativeSteps)
    steps_to_the_end(run, 12, 13 / 120)
