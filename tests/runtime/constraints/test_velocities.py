# SPDX-License-Identifier: BSD-3-Clause
"""Constraints of velocities against closed forms: a knife edge on an incline, one that turns."""

from __future__ import annotations

import elastic_links
import numpy as np
import pytest
import tied
from flexforge.codegen.errors import InputError
from flexforge.runtime.constraints.equations import Equation, Equations
from flexforge.runtime.constraints.generalized_speeds import independent, null_space
from flexforge.runtime.constraints.null_space import Reducer
from flexforge.runtime.constraints.rates import Allowing
from flexforge.runtime.formula.expressions import parse_expression
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.observe.energy import Energy
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.coordinates.multipliers import Multipliers
from flexforge.runtime.transient.coordinates.null_space import Reduced
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.steppers.linear import LinearSteps
from flexforge.runtime.transient.system_model import TiedModel
from flexforge.runtime.transient.tied_motion import TiedMotion
from marks import slow
from pins import Pins

NEWMARK = Scheme(0.0, 0.0, 0.25, 0.5)
DAMPED = Scheme(-0.1, 0.2, 0.4225, 0.8)
#: Ways to choose speeds, and multipliers.
WAYS = [slow(null_space), slow(independent), None]


def equation(text, names, places):
    """Return a constraint of velocities."""
    variables = ("t", *names, *(f"{name}_dot" for name in names))
    count = len(places)
    formula, columns = parse_expression(text, variables), np.array(places)
    return Equation("edge", formula, names, columns, np.eye(count), np.zeros((count, 0)))


def start(model, text, names, places, choose, step, scheme=NEWMARK, velocity=()):
    """Return a motion under one equation, and nothing else that ties."""
    spec = model_from_dict(model)
    built = build_system(spec, build_mesh(spec))
    system = built.system
    for body in system.bodies:
        body.assemble()
    pins = Pins(system, [])
    rates = Equations([equation(text, names, places)])
    rest, speed = np.zeros((2, system.size, system.dimension))
    for (node, component), value in velocity:
        speed[node, component] = value

    def make(counts):
        if choose is None:
            return Multipliers(1e-12, "scipy", counts, system.unknowns + 1)
        reducer, allowing = Reducer(pins.pattern, choose), Allowing(rates.names, choose)
        return Reduced(reducer, allowing, 1e-12, "scipy", counts)

    counts, model = Counts(), TiedModel(system, Loads(spec, built), pins, rates)
    stepper = LinearSteps(model, make(counts), scheme, step, counts)
    return TiedMotion(model, stepper, scheme, step, rest, speed)


@pytest.mark.parametrize("choose", WAYS)
def test_knife_edge_on_an_incline(choose):
    """x = g s sin^2(Wt) / (2 W^2), reaction 2 m g s sin Wt: a heading that turns steadily."""
    gravity, speed, mass = 4.905, 1.7, 2.5
    model = {
        "mesh": {"points": {"a": [0.0, 0.0, 0.0]}},
        "masses": [{"name": "edge", "group": "a", "mass": mass}],
        "loads": [{"kind": "gravity", "acceleration": [gravity, 0.0, 0.0]}],
        "supports": [{"group": "a", "components": ["z"]}],
        "analysis": {"kind": "transient", "duration": 1.0, "steps": 10},
    }
    errors, duration = [], 2.3
    for steps in (50, 100):
        motion = start(
            model, f"sin({speed}*t)*x_dot - cos({speed}*t)*y_dot", ("x", "y"), (0, 1), choose,
            duration / steps, DAMPED,
        )  # fmt: skip
        for _ in range(steps):
            motion.advance()
        angle = speed * duration
        x = gravity * np.sin(angle) ** 2 / (2 * speed**2)
        y = gravity * (angle - 0.5 * np.sin(2 * angle)) / (2 * speed**2)
        error = np.abs(motion.displacement[0, :2] - [x, y]).max()
        # The force along (sin, -cos) is the multiplier, reversed.
        force = abs(motion.multipliers[0] + 2 * mass * gravity * np.sin(angle))
        errors.append([error, force])
        assert motion.drift.velocity < 1e-12
        assert choose is None or motion.drift.acceleration < 1e-11
    order = np.log2(np.array(errors[0]) / errors[1])
    assert errors[0][0] < 2e-2 and order[0] == pytest.approx(2.0, abs=0.2) and order[1] > 1.8


@pytest.mark.parametrize("choose", [slow(null_space), slow(independent), None])
def test_a_sled_goes_in_circles(choose):
    """A knife edge under its centre, left alone, keeps speed and rate of turning: a circle."""
    model = {
        "mesh": {"points": {"a": [0.0, 0.0, 0.0]}},
        "masses": [{"name": "sled", "group": "a", "mass": 2.0, "inertia": [1.0, 1.0, 0.3]}],
        "supports": [{"group": "a", "components": ["z", "rx", "ry"]}],
        "analysis": {"kind": "transient", "duration": 1.0, "steps": 10},
    }
    speed, turning, duration, errors = 1.2, 2.0, 2.0, []
    for steps in (50, 100):
        motion = start(
            model, "sin(c)*x_dot - cos(c)*y_dot", ("x", "y", "c"), (0, 1, 2), choose,
            duration / steps, velocity=[((0, 0), speed), ((1, 2), turning)],
        )  # fmt: skip
        for _ in range(steps):
            motion.advance()
        angle = turning * duration
        expected = speed / turning * np.array([np.sin(angle), 1 - np.cos(angle)])
        errors.append(np.abs(motion.displacement[0, :2] - expected).max())
        assert motion.displacement[1, 2] == pytest.approx(angle, rel=1e-12)
        assert motion.drift.velocity < 1e-11
    assert errors[0] < 8e-3 and np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


def test_work_of_a_given_velocity_is_what_a_mass_gains():
    """Driven at 3 t along x it takes m (3 T)^2 / 2 from what drives it."""
    model = {
        "mesh": {"points": {"a": [0.0, 0.0, 0.0]}},
        "masses": [{"name": "driven", "group": "a", "mass": 2.5}],
        "analysis": {"kind": "transient", "duration": 1.0, "steps": 10},
    }
    motion = start(model, "x_dot - 3*t", ("x", "y"), (0, 1), independent, 0.05)
    energy = Energy(motion)
    energy.follow()
    for _ in range(20):
        motion.advance()
        energy.follow()
    found = energy.figures()
    assert found["kinetic energy"][0] == pytest.approx(2.5 * 9 / 2, rel=1e-12)
    assert found["work of drivers"][0] == pytest.approx(2.5 * 9 / 2, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x_dot**2 - y_dot", "constraint 'edge': 'x_dot.*' is not linear in the velocities"),
        ("sin(x) - t", r"constraint 'edge': .* contains no velocity; expected one such as x_dot"),
    ],
)
def test_what_no_constraint_of_velocities_is(text, message):
    """An equation that is not linear in the velocities, or has none, is refused by its name."""
    with pytest.raises(InputError, match=message):
        equation(text, ("x", "y"), (0, 1)).check()


def test_an_equation_is_a_constraint_of_velocities_from_the_start():
    """Turns of the ends of a slider-crank's rod and a sway: eliminated, and as a row of its own.

    Joints are at these nodes, so that their markers move with what the equation leaves.
    """
    ends = {
        "a": {"group": "rod.xmin", "component": "rz"},
        "b": {"group": "rod.xmax", "component": "rz"},
        "c": {"group": "rod.xmin", "component": "y"},
    }
    row = {"name": "even", "equation": "a_dot + b_dot + 3*c_dot", "coordinates": ends}
    terms = [ends["a"], ends["b"], {**ends["c"], "factor": 3.0}]
    crank = elastic_links.slider_crank({"ramp": {"to": 60.0, "duration": 0.05}})
    eliminated, tied_by_row, free = (
        tied.run(crank | more, 0.06, 60, formalism="kane", tolerance=1e-12)
        for more in ({"equations": [{"terms": terms}]}, {"constraints": [row]}, {})
    )
    size = np.abs(eliminated.displacement).max()
    assert np.abs(eliminated.displacement - tied_by_row.displacement).max() <= 1e-10 * size
    assert np.abs(eliminated.displacement - free.displacement).max() >= 0.1 * size
    for joint in ("bearing", "pin", "wrist"):
        one, other = (run.reactions[joint].force for run in (eliminated, tied_by_row))
        np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-8 * np.abs(other).max())
