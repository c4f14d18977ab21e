# SPDX-License-Identifier: BSD-3-Clause
"""Steps taken many at once against the same steps one by one, by the code of large systems."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from beyond import STRUCK, steps_to_the_end
from flexforge.runtime.constraints.build import build_ties
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.native import instance_steps
from flexforge.runtime.start import start
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads
from marks import slow

LINE = {"cell": "line2", "divisions": [3]}
STEEL = {
    "young": 2e11, "poisson": 0.3, "density": 7870.0, "damping": {"alpha": 2.0, "beta": 1e-5}
}  # fmt: skip


def slider_crank(formalism):
    """Return a planar slider-crank with an elastic rod."""
    revolute = {"kind": "revolute"}
    return {
        "mesh": {"blocks": {"rod": {**LINE, "corners": [[0, 0, 0], [0.3, 0, 0]]}}},
        "materials": {"steel": STEEL},
        "links": [
            {"name": "crank"},
            {"name": "moving", "placement": {"position": [0.15, 0, 0]}},
            {"name": "slider", "placement": {"position": [0.45, 0, 0]}, "mass": 0.03},
        ],
        "bodies": [{"name": "rod", "element": "euler_beam_plane", "material": "steel",
                    "section": {"shape": "round", "diameter": 0.006}, "frame": "moving"}],
        "joints": [
            {"name": "A", **revolute, "links": ["ground", "crank"]},
            {"name": "B", **revolute, "links": ["crank", "moving"],
             "at": [[0.15, 0, 0], [0, 0, 0]]},
            {"name": "C", **revolute, "links": ["moving", "slider"],
             "at": [[0.3, 0, 0], [0, 0, 0]]},
            {"name": "D", "kind": "prismatic", "links": ["ground", "slider"], "axis": [1, 0, 0]},
        ],
        "drivers": [{"name": "motor", "joint": "A", "velocity": 120}],
        "loads": [
            {"kind": "gravity", "acceleration": [0.0, -9.81, 0.0]},
            {"kind": "force", "group": "rod.xmax", "total": [0.0, 3.0, 0.0], "frame": "global",
             "amplitude": "sin(300*t)"},
        ],
        "analysis": {"kind": "transient", "duration": 0.012, "steps": 120, "tolerance": 1e-13,
                     "formalism": formalism},
    }  # fmt: skip


def arm(formalism):
    """Return a spatial arm of two elastic links, each turned about an axis of its own."""
    body = {"element": "timoshenko_beam", "material": "steel",
            "section": {"shape": "rectangle", "width": 0.02, "height": 0.01}}  # fmt: skip
    return {
        "mesh": {"blocks": {
            "one": {**LINE, "corners": [[0, 0, 0], [0.5, 0, 0]]},
            "two": {**LINE, "corners": [[0, 0, 0], [0.4, 0, 0]]},
        }},
        "materials": {"steel": STEEL},
        "links": [{"name": "upper"},
                  {"name": "lower", "placement": {"position": [0.5, 0, 0]}}],
        "bodies": [{**body, "name": "one", "cells": "one", "frame": "upper"},
                   {**body, "name": "two", "cells": "two", "frame": "lower"}],
        "joints": [
            {"name": "A", "kind": "revolute", "links": ["ground", "upper"], "axis": [0, 0.6, 0.8]},
            {"name": "B", "kind": "revolute", "links": ["upper", "lower"],
             "at": ["one.xmax", "two.xmin"], "axis": [0, 1, 0]},
        ],
        "drivers": [{"name": "a", "joint": "A", "value": "2*sin(4*t)"},
                    {"name": "b", "joint": "B", "value": "t**2 + cos(5*t) - 1"}],
        "loads": [
            {"kind": "gravity", "acceleration": [0.0, 0.0, -9.81]},
            {"kind": "force", "group": "two.xmax", "total": [1.0, 2.0, 0.5], "frame": "body"},
        ],
        "analysis": {"kind": "transient", "duration": 0.24, "steps": 120, "tolerance": 1e-13,
                     "formalism": formalism},
    }  # fmt: skip


def motion_of(model, *, at_once):
    """Return a motion at t = 0."""
    spec = model_from_dict(model)
    places = build_system(spec, build_mesh(spec))
    for body in places.system.bodies:
        body.assemble()
    rest = np.zeros((places.system.size, places.system.dimension))
    loads = Loads(spec, places)
    ties = build_ties(spec, places)
    return start(spec.analysis, places.system, loads, rest, rest, ties, native=at_once)


def heated(formalism):
    """Return the slider-crank with a rod that two changes of temperature stress."""
    given = slider_crank(formalism)
    given["materials"] = {"steel": STEEL | {"expansion": 1.2e-5}}
    given["loads"] += [
        {"kind": "temperature", "body": "rod", "change": 25.0, "amplitude": "1 - exp(-200*t)"},
        {"kind": "temperature", "body": "rod", "change": "50*x", "amplitude": "t/0.01"},
    ]
    return given


def beside(formalism):
    """Return the arm beside a wing in a frame of its own, whose origin glides and swings."""
    given = arm(formalism)
    given["mesh"]["blocks"]["wing"] = {**LINE, "corners": [[0, 0, 0], [0.3, 0, 0]]}
    frame = {"axis": [0, 1, 0], "velocity": "3*sin(2*t)",
             "origin": {"velocity": [2.0, "sin(3*t)", 0]}}  # fmt: skip
    given["bodies"].append(given["bodies"][0] | {"name": "wing", "cells": "wing", "frame": frame})
    given["supports"] = [{"group": "wing.xmin"}]
    return given


#: Every model and every formalism once; the others are slow.
ALONE = ((slider_crank, "hamilton"), (arm, "kane"), (heated, "maggi"))


@pytest.mark.parametrize(
    ("model", "formalism"),
    [
        one if one in ALONE else slow(*one)
        for one in (
            *product((slider_crank, arm, heated), ("maggi", "kane", "hamilton")),
            (beside, "hamilton"),
        )
    ],
)
def test_many_steps_at_once_are_the_same_steps(model, formalism, monkeypatch):
    """Displacements, velocities, accelerations and multipliers agree, across choices of speeds."""
    monkeypatch.setattr(instance_steps, "FEWEST", 7)
    monkeypatch.setattr(instance_steps, "MOST", 28)
    given = model(formalism)
    fast, slow = (motion_of(given, at_once=at_once) for at_once in (True, False))
    for _ in range(60):
        fast.advance()
        slow.advance()
    assert fast.time == slow.time
    # Accelerations have the round-off of stiff modes in them, which one way of solving iterates.
    # Velocities come from momenta, of which the motion of the frames has the most by far.
    speeds = 1e-6 if formalism == "hamilton" else 1e-7
    for name, agreement in (("displacement", 1e-8), ("velocity", speeds), ("acceleration", 1e-5)):
        one, other = getattr(fast, name), getattr(slow, name)
        assert np.abs(one).max() > 0
        np.testing.assert_allclose(one, other, rtol=0, atol=agreement * np.abs(other).max())
    np.testing.assert_allclose(
        fast.multipliers, slow.multipliers, rtol=0, atol=1e-6 * np.abs(slow.multipliers).max()
    )
    matrices = 2 if formalism == "hamilton" else 1  # of the pair, and the masses at its end
    assert fast.counts.factorizations == matrices * 60
    assert fast.counts.solves == 60
    assert fast.solver_name.startswith("native")
    assert fast.drift.power <= 1e-9 * fast.drift.power_size


@pytest.mark.parametrize("model", [slider_crank, arm, heated])
def test_momenta_differ_from_speeds_by_the_square_of_the_step(model):
    """Hamilton's midpoints against Kane's averages, under loads, stress and heat in time."""
    apart = []
    for steps in (1000, 2000, 4000):
        ends = []
        for formalism in ("hamilton", "kane"):
            given = model(formalism)
            given["analysis"]["steps"] = steps
            motion = motion_of(given, at_once=True)
            for _ in range(steps // 2):
                motion.advance()
            ends.append(motion.state.q)
        apart.append(np.abs(ends[0] - ends[1]).max() / np.abs(ends[1]).max())
    assert apart[0] < 0.05
    assert np.log2(apart[1] / apart[2]) == pytest.approx(2.0, abs=0.3), apart


def steep(formalism, steps):
    """Return a crank almost as long as its rod, whose end a line of the ground holds."""
    given = slider_crank(formalism)
    length = 0.292
    given["links"] = [
        {"name": "crank"}, {"name": "moving", "placement": {"position": [length, 0, 0]}}
    ]  # fmt: skip
    given["joints"] = [
        given["joints"][0],
        given["joints"][1] | {"at": [[length, 0, 0], "rod.xmin"]},
        {"name": "C", "kind": "point_on_line", "links": ["ground", "moving"],
         "at": [[0, 0, 0], "rod.xmax"], "axis": [1, 0, 0]},
    ]  # fmt: skip
    given["drivers"][0]["velocity"] = 60
    given["analysis"] |= {"duration": 0.03, "steps": steps}
    return given


def test_momenta_are_those_of_other_coordinates_where_these_are_chosen():
    """The rod turns by more than the row of its end bears: one change, and still second order."""
    apart = []
    for steps in (600, 1200):
        ends, chosen = [], []
        for formalism in ("hamilton", "kane"):
            motion = motion_of(steep(formalism, steps), at_once=True)
            stepper = motion.stepper
            ties = stepper._constants.ties
            choice = slice(-ties.speeds - ties.choices, -ties.speeds)  # momenta come last
            for _ in range(steps):
                chosen.append(stepper._row(motion.state)[choice])
                motion.advance()
            ends.append(motion.state.q)
        changes = np.abs(np.diff(chosen[:steps], axis=0)).max(axis=1) > 1e-9
        assert changes.sum() == 1
        apart.append(np.abs(ends[0] - ends[1]).max() / np.abs(ends[1]).max())
    assert apart[0] < 1e-4
    assert np.log2(apart[0] / apart[1]) == pytest.approx(2.0, abs=0.1)


def test_all_that_came_before_it_grew_is_handed_over():
    """A force on a rod, too large for numbers from the 53rd step on: 52 are taken."""
    given = slider_crank("maggi")
    given["loads"][1] |= {"amplitude": STRUCK, "total": [0.0, 60.0, 0.0]}
    given["analysis"] |= {"duration": 0.24}
    with np.errstate(over="ignore"):
        steps_to_the_end(motion_of(given, at_once=True), 52, 0.106)
