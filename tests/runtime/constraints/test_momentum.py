# SPDX-License-Identifier: BSD-3-Clause
"""The impulse of the ground, of loads and of damping is what momentum gains, at second order."""

from __future__ import annotations

import elastic_links
import numpy as np
import pytest
import tied
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.observe.momentum import Momentum
from flexforge.runtime.run import run_model
from marks import slow

RAMP = {"ramp": {"to": 60.0, "duration": 0.05}}
ERROR = "largest error of the momentum balance"
DAMPED = elastic_links.SOFT | {"damping": {"alpha": 2.0, "beta": 5e-3}}
ACTUATED = {
    "actuators": [
        {"name": "buffer", "joint": "guide", "stiffness": 2e3, "damping": 5.0, "rest": 0.45,
         "force": {"ramp": {"to": 3.0, "duration": 0.05}}},
    ]
}  # fmt: skip
#: From nothing to all of it slowly: a sudden one moves modes too fast for the steps.
SLOW = {
    kind: {"kind": "gravity", "acceleration": down, "amplitude": "smooth_step(t, 0, 0.25)"}
    for kind, down in (("planar", [0, -9.81, 0]), ("spatial", [0, 0, -9.81]))
}
#: What holds no link, but a displacement of one: a force beside those of joints.
GRIP = {"name": "grip", "equation": "x_dot + 0.5*y_dot",
        "coordinates": {c: {"group": "rocker.xmax", "component": c} for c in "xy"}}  # fmt: skip
MECHANISMS = {
    "slider-crank, actuator": (lambda: elastic_links.slider_crank(RAMP, **ACTUATED), 0.06, 150),
    "four-bar, damped, weight": (
        lambda: elastic_links.four_bar(
            materials={"m": DAMPED}, loads=[SLOW["planar"], elastic_links.PUSH], constraints=[GRIP]
        ),
        0.3,
        50,
    ),
    "spatial, stop": (lambda: elastic_links.spatial_four_bar(loads=[SLOW["spatial"]]), 0.3, 150),
}


def followed(data, duration, steps, **analysis):
    """Return the balance of momentum of a run."""
    given = {"kind": "transient", "duration": duration, "steps": steps, "threads": 1}
    motion = tied.motion_of(data | {"analysis": given | {"tolerance": 1e-11} | analysis})
    momentum = Momentum(motion)
    momentum.follow()
    for _ in range(steps):
        motion.advance()
        momentum.follow()
    return momentum


@pytest.mark.slow
def test_joints_and_constraints_of_velocities_hold_together():
    """Of a small mechanism, whose steps C would take without the constraint, to round-off."""
    data = elastic_links.four_bar(loads=[elastic_links.PUSH], constraints=[GRIP])
    given = {"kind": "transient", "duration": 0.3, "steps": 75, "threads": 1, "tolerance": 1e-11}
    motion = tied.motion_of(data | {"analysis": given})
    for _ in range(75):
        motion.advance()
    assert np.abs(motion.velocity).max() > 1e-3
    assert motion.drift.velocity < 1e-12
    assert motion.drift.position < 1e-15


@pytest.mark.parametrize(
    "name", [slow("slider-crank, actuator"), slow("four-bar, damped, weight"), "spatial, stop"]
)
def test_impulse_is_what_momentum_gains(name):
    """Impulse less the gain of momentum vanishes at the second order of the step."""
    make, duration, steps = MECHANISMS[name]
    found = [followed(make(), duration, finer * steps).figures() for finer in (1, 2)]
    left = [one[ERROR] for one in found]
    order = np.log2(left[0] / left[1])
    print(f"{name}: relative error {left}, order {order:.2f}")
    assert found[0]["largest momentum"][0] > 0.01
    assert left[-1] < 1e-3
    assert order == pytest.approx(2.0, abs=0.2)


@pytest.mark.slow
def test_the_weight_on_a_runner_gives_momentum():
    """A sled from rest gains what its weight and its runner give; the support's z is left out.

    Closed form: momentum along the slope ``m g sin a / (2 W) sin(2 W t)``.
    """
    turn, pull, mass = 1.7, 4.905, 2.5
    data = {
        "mesh": {"points": {"edge": [0, 0, 0]}},
        "masses": [{"name": "sledge", "group": "edge", "mass": mass}],
        "supports": [{"group": "edge", "components": ["z"]}],
        "constraints": [{
            "name": "edge", "equation": "cos(1.7*t)*y_dot - sin(1.7*t)*x_dot",
            "coordinates": {c: {"group": "edge", "component": c} for c in "xy"},
        }],
        "loads": [{"kind": "gravity", "acceleration": [pull, 0, 0]}],
    }  # fmt: skip
    found = followed(data, 1.0, 200)
    left, size = found.imbalance()
    assert found.known and left.shape == (201, 2)
    times = np.linspace(0.0, 1.0, 201)
    largest = mass * pull / turn * np.abs(np.sin(turn * times)).max()  # along the heading
    assert found.figures()["largest momentum"][0] == pytest.approx(largest, rel=1e-4)
    assert np.abs(left).max() < 2e-4 * size


def test_momentum_that_stays_is_the_size_of_its_error():
    """A mass that glides without a force has the momentum ``m v``, and none that is gained."""
    data = {
        "mesh": {"points": {"puck": [0, 0, 0]}},
        "masses": [{"name": "puck", "group": "puck", "mass": 2.5}],
        "supports": [{"group": "puck", "components": ["z"]}],
        "constraints": [{
            "name": "rail", "equation": "y_dot",
            "coordinates": {c: {"group": "puck", "component": c} for c in "xy"},
        }],
        "initial": [{"group": "puck", "velocity": [3.0, 0, 0]}],
    }  # fmt: skip
    left, size = followed(data, 1.0, 4).imbalance()
    assert size == pytest.approx(7.5, rel=1e-12)
    assert np.abs(left).max() < 1e-12


def test_what_is_not_accounted_for_is_not_told(tmp_path):
    """A spring to a frame that moves and a run without all its frames have no balance."""
    data = elastic_links.slider_crank(RAMP) | {"output": {"formats": ["csv"]}}
    analysis = {"kind": "transient", "duration": 0.01, "steps": 20}
    spring = {"name": "k", "kind": "bushing", "at": "rod.xmax", "stiffness": [1.0, 1.0]}
    for more in ({"output": {"formats": ["csv"], "every": 2}}, {"connectors": [spring]}):
        spec = model_from_dict(data | {"analysis": analysis} | more)
        assert ERROR not in run_model(spec, output=tmp_path / "a").figures
    spec = model_from_dict(data | {"analysis": analysis})
    assert run_model(spec, output=tmp_path / "b").figures[ERROR] < 1e-2
