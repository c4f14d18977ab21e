# SPDX-License-Identifier: BSD-3-Clause
"""Steps of constrained motion against what is known: masses in turning frames, a beam in parts."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.constraints.generalized_speeds import independent, null_space
from flexforge.runtime.constraints.null_space import Reducer
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.observe.energy import Energy
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.coordinates.canonical import Canonical
from flexforge.runtime.transient.coordinates.multipliers import Multipliers
from flexforge.runtime.transient.coordinates.null_space import Reduced
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.steppers.linear import LinearSteps
from flexforge.runtime.transient.system_model import TiedModel
from flexforge.runtime.transient.tied_motion import TiedMotion
from marks import slow
from pins import Pins

WAYS = ("multipliers", "null space", "independent")


def start(model, pairs, way, scheme, step, begin=None):
    """Return a motion from rest or from what ``begin`` makes of the frames."""
    spec = model_from_dict(model)
    places = build_system(spec, build_mesh(spec))
    system = places.system
    for body in system.bodies:
        body.assemble()
    pins = Pins(system, pairs)
    m, n = pins.pattern.shape

    def make(counts):
        if way == "multipliers":
            return Multipliers(1e-12, "scipy", counts, n + m)
        choose = null_space if way == "null space" else independent
        if way == "canonical":
            reducer = Reducer(pins.pattern, choose)
            return Canonical(system, loads, pins, reducer, 1e-12, "scipy", counts)
        return Reduced(Reducer(pins.pattern, choose), None, 1e-12, "scipy", counts)

    rest, loads = np.zeros((system.size, system.dimension)), Loads(spec, places)
    state = (rest, rest) if begin is None else begin(system.frames(0.0))
    counts, model = Counts(), TiedModel(system, loads, pins)
    stepper = LinearSteps(model, make(counts), scheme, step, counts)
    return TiedMotion(model, stepper, scheme, step, *state)


def run(model, pairs, way, scheme, steps, duration, begin=None):
    """Return the motion after its steps."""
    motion = start(model, pairs, way, scheme, duration / steps, begin)
    for _ in range(steps):
        motion.advance()
    return motion


def two_masses(force):
    """Return two masses at one place, each in a frame that turns about it in its own way."""
    return {
        "mesh": {"points": {"a": [0.0, 0.0, 0.0], "b": [0.0, 0.0, 0.0]}},
        "masses": [
            {"name": "one", "group": "a", "mass": 2.0,
             "frame": {"velocity": ["0.7", "1.1*t", "0.9"]}},
            {"name": "two", "group": "b", "mass": 3.0,
             "frame": {"axis": [0.6, 0.0, 0.8], "velocity": -1.3, "angle0": 0.4}},
        ],
        "loads": [{"kind": "force", "group": "a", "total": force, "frame": "global"}],
        "analysis": {"kind": "transient", "duration": 1.0, "steps": 10},
    }  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_two_masses_move_as_one(way):
    """u = F t^2 / (2 M) in space, liaison force F m2 / M, whatever the frames; second order."""
    force, errors, forces = np.array([5.0, -2.0, 1.0]), [], []
    for steps in (50, 100):
        motion = run(
            two_masses(force.tolist()), [((0, 0), (1, 0))], way, Scheme(-0.1, 0.2, 0.4225, 0.8),
            steps, 1.0,
        )  # fmt: skip
        frames = motion.system.frames(motion.time)
        found = [frame.R @ u for frame, u in zip(frames, motion.displacement, strict=True)]
        errors.append(np.abs(np.array(found) - force / 10.0).max())
        forces.append(np.abs(motion.multipliers + 0.6 * force).max())
        assert motion.drift.position < 1e-13
        if way != "multipliers":
            assert motion.drift.velocity < 1e-12 and motion.drift.acceleration < 1e-12
    assert errors[0] < 2e-3 and np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)
    if way == "multipliers":
        assert forces[0] < 2e-2 and np.log2(forces[0] / forces[1]) == pytest.approx(2.0, abs=0.15)
    else:
        assert max(forces) < 1e-12


def flying(place, velocity):
    """Return what makes the state of masses at a place, of a velocity in space, in their frames."""

    def begin(frames):
        q = np.array([frame.R.T @ place for frame in frames])
        v = [
            frame.R.T @ velocity - np.cross(frame.w, d) for frame, d in zip(frames, q, strict=True)
        ]
        return q, np.array(v)

    return begin


@pytest.mark.parametrize(
    "way", [slow("multipliers"), slow("null space"), "independent", "canonical"]
)
def test_two_masses_fly_on_from_where_they_are(way):
    """x + v t in space, whatever the frames, second order: at the start the relative velocity is
    R^T v - w x q, and the momentum of a mass that is displaced holds m w x q."""
    place, velocity, errors = np.array([0.4, -0.3, 0.5]), np.array([0.2, 0.6, -0.1]), []
    for steps in (20, 40):
        motion = run(
            two_masses([0.0, 0.0, 0.0]),
            [((0, 0), (1, 0))],
            way,
            Scheme(-0.1, 0.2, 0.4225, 0.8),
            steps,
            1.0,
            flying(place, velocity),
        )
        frames = motion.system.frames(motion.time)
        found = [frame.R @ u for frame, u in zip(frames, motion.displacement, strict=True)]
        errors.append(np.abs(np.array(found) - place - velocity).max())
    assert errors[0] < 2e-3 and np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.15)


def test_work_of_a_force_is_what_masses_gain():
    """F.(v t + F t^2 / (2 M)), whatever the frames; what does not balance is of second order."""
    force, velocity, left = np.array([5.0, -2.0, 1.0]), np.array([0.2, 0.6, -0.1]), []
    for steps in (20, 40):
        begin = flying(np.array([0.4, -0.3, 0.5]), velocity)
        newmark, pair = Scheme(0.0, 0.0, 0.25, 0.5), [((0, 0), (1, 0))]
        motion = start(two_masses(force.tolist()), pair, "independent", newmark, 1 / steps, begin)
        energy = Energy(motion)
        energy.follow()
        for _ in range(steps):
            motion.advance()
            energy.follow()
        found = energy.figures()
        left.append(found["largest error of the energy balance"])
    assert found["work of loads"][0] == pytest.approx(force @ (velocity + force / 10), rel=1e-3)
    fast = velocity + force / 5
    assert found["kinetic energy"][0] == pytest.approx(2.5 * fast @ fast, rel=1e-3)
    assert left[0] < 1e-3 and np.log2(left[0] / left[1]) == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("way", WAYS)
def test_a_beam_in_two_parts_moves_as_a_whole_one(way):
    """A beam cut in two and held together again bends as the same beam uncut, spin-up and all."""
    section = {"shape": "rectangle", "width": 0.02, "height": 0.01}
    frame = {"axis": [0, 0, 1], "velocity": "40*t"}
    body = {"element": "euler_beam", "material": "steel", "section": section, "frame": frame}
    common = {
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
        "loads": [{"kind": "gravity", "acceleration": [0.0, -9.81, 3.0]}],
        "analysis": {"kind": "transient", "duration": 0.1, "steps": 10},
    }
    line = {"cell": "line2", "divisions": [2]}
    parts = {
        "mesh": {"blocks": {
            "left": {**line, "corners": [[0, 0, 0], [0.5, 0, 0]]},
            "right": {**line, "corners": [[0.5, 0, 0], [1, 0, 0]]},
        }},
        "bodies": [{**body, "name": n, "cells": n} for n in ("left", "right")],
        "supports": [{"group": "left.xmin", "components": ["x", "y", "z", "rx", "ry", "rz"]}],
    }  # fmt: skip
    whole = {
        "mesh": {"block": {"cell": "line2", "divisions": [4], "corners": [[0, 0, 0], [1, 0, 0]]}},
        "bodies": [{**body, "name": "all"}],
        "supports": [{"group": "xmin", "components": ["x", "y", "z", "rx", "ry", "rz"]}],
    }
    scheme = Scheme(-0.1, 0.2, 0.4225, 0.8)
    # Displacements are vectors 0 to 2 of each part, rotations 3 to 5.
    cut = run(parts | common, [((0, 2), (1, 0)), ((0, 5), (1, 3))], way, scheme, 40, 0.1)
    uncut = run(whole | common, [], "independent", scheme, 40, 0.1)
    bodies = cut.system.bodies
    tip, same = cut.displacement[bodies[1].nodes[2]], uncut.displacement[4]
    assert np.linalg.norm(same) > 1e-3
    np.testing.assert_allclose(tip, same, rtol=1e-7)
