# SPDX-License-Identifier: BSD-3-Clause
"""Central differences: their order, the longest stable step, and both ways through them."""

from __future__ import annotations

import numpy as np
import pytest
from blocks import MODELS, block
from flexforge.codegen.errors import InputError
from flexforge.runtime.native.steps import NativeSteps
from flexforge.runtime.start import start
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.coordinates.explicit import ExplicitCoordinates
from flexforge.runtime.transient.motion import Motion
from marks import slow
from models import stressed


def motions(name: str, steps: int, method: str = "central_difference") -> tuple[Motion, Motion]:
    """Return a block in a moving frame by both ways."""
    spec = block(name, steps, method)
    places = stressed(spec)
    loads, state = Loads(spec, places), initial_state(spec, places)
    ours = start(spec.analysis, places.system, loads, *state)
    general = start(spec.analysis, places.system, loads, *state, native=False)
    assert isinstance(ours.stepper, NativeSteps)
    assert isinstance(general.stepper.coordinates, ExplicitCoordinates)
    return ours, general


@pytest.mark.parametrize("name", MODELS)
def test_both_ways_take_the_same_steps(name):
    """Band matrices of C and sweeps over the elements: every term, damping, loads; 1e-11."""
    ours, general = motions(name, 4000)
    for _ in range(300):
        ours.advance()
        general.advance()
    for field in ("displacement", "velocity", "acceleration"):
        wanted = getattr(general, field)
        np.testing.assert_allclose(
            getattr(ours, field), wanted, rtol=0.0, atol=1e-11 * np.abs(wanted).max()
        )
    assert ours.counts.factorizations == 1


@pytest.mark.parametrize("name", ["planar", slow("spatial")])
def test_second_order(name):
    """Errors against Newmark's method in 16,000 steps fall by four when steps are halved."""

    def end(steps: int, method: str = "central_difference") -> np.ndarray:
        spec = block(name, steps, method)
        places = stressed(spec)
        state = initial_state(spec, places)
        run = start(spec.analysis, places.system, Loads(spec, places), *state)
        for _ in range(steps):
            run.advance()
        return run.displacement

    fine = end(16_000, "newmark")
    errors = [np.abs(end(steps) - fine).max() for steps in (2000, 4000)]
    assert 1.8 < np.log2(errors[0] / errors[1]) < 2.2


def test_too_long_steps_are_refused():
    """Naming what would be stable."""
    with pytest.raises(InputError, match=r"analysis.step: found .* expected less than"):
        motions("planar", 40)
