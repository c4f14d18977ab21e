# SPDX-License-Identifier: BSD-3-Clause
"""Steps of changing length, and states that others go on from, by every stepper of systems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from blocks import block
from elastic_links import slider_crank
from flexforge.runtime.constraints.build import build_ties
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.start import start
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.state import State
from marks import slow
from models import build, stressed

IDENTITY = bytes(32)
METHODS = ("generalized_alpha", "newmark", "central_difference")


def free(method, *, native, steps=4000):
    """Return the motion of a block in a moving frame at t = 0."""
    spec = block("planar", steps, method)
    places = stressed(spec)
    state = initial_state(spec, places)
    return start(spec.analysis, places.system, Loads(spec, places), *state, native=native)


def tied(*, native, formalism="maggi"):
    """Return the motion of a slider-crank with an elastic rod at t = 0."""
    analysis = {"kind": "transient", "duration": 0.01, "steps": 100, "threads": 1,
                "tolerance": 1e-13, "formalism": formalism}  # fmt: skip
    spec = model_from_dict(slider_crank(150.0, analysis=analysis))
    places = build(spec)
    loads, state = Loads(spec, places), initial_state(spec, places)
    return start(
        spec.analysis, places.system, loads, *state, build_ties(spec, places), native=native
    )


def alternating(motion, steps, first=1.0, then=0.5):
    """Return the state after steps of two lengths in turns, from the start of a motion."""
    state, h = motion.state, motion.step
    for number in range(steps):
        length = h * (first if number % 2 == 0 else then)
        state = motion.stepper.advance(state, length, state.t + length)
    return state


def close(one, other, relative):
    """Compare the coordinates of two states, and their velocities."""
    for x, y in ((one.q, other.q), (one.z, other.z)):
        np.testing.assert_allclose(x, y, rtol=0.0, atol=relative * np.abs(y).max())


@pytest.mark.parametrize("method", METHODS)
def test_steps_of_changing_length_are_the_same_in_c(method):
    """Of bodies in frames: band matrices of C and sweeps over the elements."""
    ours, general = (free(method, native=native) for native in (True, False))
    one, other = alternating(ours, 40), alternating(general, 40)
    assert one.t == other.t
    close(one, other, 1e-10)
    wanted = general.stepper.point(other).rate
    found = ours.stepper.point(one).rate
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("formalism", ["maggi", "lagrange"])
def test_steps_of_changing_length_are_the_same_in_c_with_joints(formalism):
    """Of bodies on links that their stress stiffens: what is expected at the end moves too."""
    ours, general = (tied(native=native, formalism=formalism) for native in (True, False))
    assert ours.stepper.solver_name.startswith("native")
    assert ours.stepper.unknowns == general.stepper.unknowns
    one, other = alternating(ours, 30), alternating(general, 30)
    close(one, other, 1e-7)
    at_end = [motion.stepper.expected(state) for motion, state in ((ours, one), (general, other))]
    np.testing.assert_allclose(*at_end, rtol=0.0, atol=1e-7 * np.abs(at_end[1]).max())


@pytest.mark.parametrize("native", [True, slow(False)])
def test_changing_lengths_keep_the_order(native):
    """Two lengths in turns: errors of accelerations fall by four with both lengths halved.

    An averaged acceleration that stays that of the step before falls by two at most.
    """

    def end(steps):
        motion = free("generalized_alpha", native=native, steps=steps)
        return motion.stepper.point(alternating(motion, steps // 10))

    fine = end(16_000)
    coarse, halved = (np.linalg.norm(end(steps).rate - fine.rate) for steps in (2000, 4000))
    assert 1.8 < np.log2(coarse / halved) < 2.3


@pytest.mark.parametrize(
    ("make", "exact"),
    [
        (lambda: free("generalized_alpha", native=True), True),
        (lambda: free("central_difference", native=True), True),
        (lambda: free("generalized_alpha", native=False), False),
        (lambda: free("central_difference", native=False), True),
        (lambda: free("gauss4", native=False, steps=400), False),
        (lambda: tied(native=True), False),
        (lambda: tied(native=False), False),
        (lambda: tied(native=True, formalism="lagrange"), False),
        (lambda: tied(native=False, formalism="lagrange"), False),
        (lambda: tied(native=False, formalism="hamilton"), False),
    ],
    ids=["free in C", "explicit in C", "free", "explicit", "Hamilton's pair", "tied in C",
         "Maggi", "Lagrange in C", "Lagrange", "Hamilton, tied"],
)  # fmt: skip
def test_a_motion_goes_on_from_its_bytes(make, exact):
    """A state that is written, read and gone on from by another stepper gives the same motion.

    Bit for bit where nothing is iterated from what was before, as links of a mechanism are and
    equations with factors of earlier steps; else to their tolerance.
    """
    through = make()
    for _ in range(7):
        through.advance()
    written = through.state.to_bytes(IDENTITY)
    read = State.from_bytes(written, IDENTITY)
    other = make()
    state = replace(read)
    for _ in range(5):
        through.advance()
        state = other.stepper.advance(state, through.step, through.time)
    if exact:
        assert state.to_bytes(IDENTITY) == through.state.to_bytes(IDENTITY)
    else:
        close(state, through.state, 1e-9)
