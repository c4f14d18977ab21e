# SPDX-License-Identifier: BSD-3-Clause
"""Bodies never change: stresses belong to states, and outlive those that come after them."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from flexforge.runtime.statics.prestress import prestressed
from flexforge.runtime.statics.steady import SteadySolver
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.vibration.campbell import Sweep
from flexforge.runtime.vibration.modes import solve_modes
from models import build, model

SPEED = 40.0


def blade(**tables: Any):
    """Return a model of a cantilever of beams that turns about an axis across it, ever faster."""
    beam = {
        "element": "timoshenko_beam",
        "section": {"shape": "rectangle", "width": 0.02, "height": 0.01},
        "frame": {"velocity0": SPEED, "acceleration": SPEED},
    }
    data = {"supports": [{"group": "xmin"}], "analysis": {"kind": "modes"}, "body": beam}
    return model("line2", [4], corners=[[0.1, 0, 0], [0.6, 0, 0]], **(data | tables))


def test_bodies_and_systems_cannot_be_changed() -> None:
    """What is shared by all states of a run is frozen: an attribute that is set raises."""
    system = build(blade()).system
    for one, name in (
        (system.bodies[0], "geometric"),
        (system.bodies[0], "motion"),
        (system, "bodies"),
    ):
        with pytest.raises(FrozenInstanceError):
            setattr(one, name, ())


def test_prestress_makes_another_system_of_the_same_matrices() -> None:
    """The bodies given stay without stresses, and nothing of theirs is assembled twice."""
    system = build(blade()).system
    report = prestressed(system, "auto")
    (body,), (stressed,) = system.bodies, report.system.bodies
    assert report.patterns == len(stressed.geometric) == len(stressed.stressing) == 1
    assert not body.geometric and not len(body.patterns) and not body.stressing
    assert stressed.stiffness is body.stiffness and stressed.inertia is body.inertia
    assert stressed.graph is body.graph and stressed.diagonal is body.diagonal
    assert report.system.stiffness_scale == system.stiffness_scale
    given = prestressed(report.system, "auto").system.bodies[0]  # twice is once
    np.testing.assert_array_equal(given.geometric, stressed.geometric)


def test_a_steady_state_outlives_the_next() -> None:
    """Modes about the state at t = 0 are the same bits after the state of twice the speed."""
    places = build(blade())
    steady = SteadySolver(places.system, Loads(blade(), places), "auto")
    slow = steady.find(0.0)
    before = solve_modes(slow.system, 3, None, 0.0, "auto").frequencies
    fast = steady.find(1.0)
    steady.close()
    again = solve_modes(slow.system, 3, None, 0.0, "auto").frequencies
    np.testing.assert_array_equal(again, before)
    assert (solve_modes(fast.system, 3, None, 1.0, "auto").frequencies > 1.05 * before).any()
    assert not places.system.bodies[0].geometric


def test_a_sweep_leaves_the_frames_as_they_are() -> None:
    """Over speeds up to 80 rad/s the bodies of the model keep theirs, 40 rad/s."""
    frame = {"frame": {"velocity": SPEED}}
    spec = blade()
    spec = blade(body=spec.bodies[0].model_dump(exclude_unset=True) | frame)
    places = build(spec)
    sweep = Sweep(places.system, Loads(spec, places), [0.0, 2.0 * SPEED], 2, "auto")
    assert [point.speed for point in sweep.run()] == [0.0, 2.0 * SPEED]
    assert places.system.bodies[0].motion.at(0.0).w[2] == SPEED
