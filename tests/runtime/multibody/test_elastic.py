# SPDX-License-Identifier: BSD-3-Clause
"""Elastic links whose motion is found, against the equations of known motions and closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mechanism.mechanism import as_frame
from flexforge.runtime.multibody.motion import FoundMotion
from flexforge.runtime.observe.moving import Moving
from flexforge.runtime.run import run_model
from flexforge.runtime.transient.equations import equations_at
from flexforge.runtime.transient.model import Point
from swinging import DOWN, G, begin, coordinates, follow, frames, pin, transient

STEEL = {
    "m": {"young": 2e11, "poisson": 0.3, "density": 7800.0, "damping": {"alpha": 0.3, "beta": 1e-4}}
}
LINE = {"cell": "line2", "corners": [[0, 0, 0], [1, 0, 0]], "divisions": [4]}
ROUND = {"section": {"shape": "round", "diameter": 0.02}}
SHAPES = {
    "beam": (LINE, {"element": "timoshenko_beam", **ROUND}),
    "plane beam": (LINE, {"element": "euler_beam_plane", **ROUND}),
    "plate": (
        {"cell": "quad4", "corners": [[0, 0, 0.1], [1, 0, 0], [1, 0.4, 0], [0, 0.3, 0]],
         "divisions": [2, 1]},
        {"element": "mitc4", "thickness": 0.01},
    ),
    "plane": (
        {"cell": "quad4", "corners": [[0, 0], [1, 0], [1, 0.4], [0, 0.3]], "divisions": [2, 1]},
        {"element": "quad4", "thickness": 0.01},
    ),
    "solid": (
        {"cell": "hex8", "divisions": [2, 1, 1], "corners": [
            [x, y + 0.1 * x, z] for z in (0.0, 0.3) for x, y in ((0, 0), (1, 0), (1, 0.4), (0, 0.3))
        ]},
        {"element": "hex8"},
    ),
}  # fmt: skip


def flying(shape, **tables):
    """Return a body on a link without joints, with gravity, a force and a force that turns."""
    block, body = SHAPES[shape]
    end = {"kind": "force", "group": "b.xmax", "total": [3.0, 4.0, 0.0]}
    return {
        "mesh": {"blocks": {"b": block}}, "materials": STEEL, "links": [{"name": "l"}],
        "bodies": [{"name": "b", "cells": "b", "material": "m", "frame": "l", **body}],
        "loads": [*DOWN, end, end | {"frame": "global", "amplitude": "1 + t"}],
        "analysis": transient(0.1, 10), "include": {"geometric": False}, **tables,
    }  # fmt: skip


def _anywhere(motion, rng):
    model = motion.links.model
    q = motion.state.q.copy()
    rigid = model.poses.dimension
    q[: model.poses.size] = model.poses.retract(q[: model.poses.size], rng.normal(size=rigid))
    q[model.poses.size :] = 1e-2 * rng.normal(size=len(q) - model.poses.size)
    n = len(motion.state.z)
    return Point(0.2, q, rng.normal(size=n), motion.state.s, motion.state.mode, rng.normal(size=n))


@pytest.mark.parametrize("shape", SHAPES)
def test_equations_of_displacements_are_those_of_a_known_motion(shape):
    """With the frame's motion given, the forces on elastic coordinates are section 2's."""
    motion = begin(flying(shape))
    links, system = motion.links, motion.system
    at = _anywhere(motion, np.random.default_rng(3))
    found = np.zeros(len(at.rate))
    links.model.residual(at, found)
    (state,), _ = links.model.frames(at, np.zeros(0))
    frame = as_frame(state)
    rigid, elastic = links.model.poses.dimension, links.elastic
    values = (at.q[links.model.poses.size :], at.z[rigid:], at.rate[rigid:])
    equations = equations_at(system, motion.loads, at.t, [frame] * len(system.bodies))
    wanted = -elastic.matrix.T @ equations.left(*map(elastic.unknowns, values))
    assert np.abs(found[rigid:] - wanted).max() < 1e-9 * np.abs(wanted).max()


@pytest.mark.parametrize("shape", SHAPES)
def test_masses_are_those_of_the_kinetic_energy(shape):
    """Half of z M z is the energy of the velocity field, for any speeds and displacements."""
    motion = begin(flying(shape, analysis=transient(1e-6, 10)))  # rotations of plates about normals
    model, system = motion.links.model, motion.system
    rng = np.random.default_rng(5)
    at = _anywhere(motion, rng)
    masses = model.linearize(at).rate.toarray()
    assert np.abs(masses - masses.T).max() < 1e-12 * np.abs(masses).max()
    (state,), _ = model.frames(at, np.zeros(0))
    frame = as_frame(state)
    moving = Moving.__new__(Moving)
    body = system.bodies[0]
    cut = slice(0, body.dimension)
    d = motion.links.elastic.unknowns(at.q[model.poses.size :])
    rate = motion.links.elastic.unknowns(at.z[model.poses.dimension :])
    moving.body, moving.frame = body, frame
    moving.d, moving.rate = system.expand(d)[body.nodes], system.expand(rate)[body.nodes]
    moving._turning = np.array(
        [[0, -frame.w[2], frame.w[1]], [frame.w[2], 0, -frame.w[0]], [-frame.w[1], frame.w[0], 0]]
    )[cut, cut]
    moving._gliding = frame.v_O[cut]
    assert 0.5 * at.z @ masses @ at.z == pytest.approx(moving.kinetic(), rel=1e-10)


def flexible(supports, steps, duration=0.6, young=2e10, **keys):
    """Return a pendulum of one flexible rod in the plane, its frame held at the pin or not."""
    block, body = SHAPES["plane beam"]
    held = [{"group": "b.xmin", "body": "b", "components": ["x", "y", "rz"]}]
    return {
        "mesh": {"blocks": {"b": block}},
        "materials": {"m": {"young": young, "poisson": 0.3, "density": 7800.0}},
        "links": [{"name": "l", "placement": {"angle": -0.6}}],
        "bodies": [{"name": "b", "cells": "b", "material": "m", "frame": "l", **body}],
        "joints": [pin("pin", "ground", "l", [[0, 0, 0], "b.xmin"])],
        "loads": DOWN, "supports": held if supports else [],
        "analysis": transient(duration, steps, rho_infinity=0.7), **keys,
    }  # fmt: skip


def _tip(motion):
    """Return the place of the tip in space."""
    (state,) = frames(motion)
    body = motion.system.bodies[0]
    node = int(np.argmax(body.part.points[:, 0]))
    local = np.zeros(3)
    local[:2] = motion.displacement[body.nodes[node]]
    return state[0] + state[1:4] @ (body.part.points[node] + local)


def test_two_frames_of_a_link_agree():
    """Mean axes and a frame held at the pin: the tip is at one place, up to squared rotations."""
    one, two = (follow(flexible(held, 600), _tip) for held in (False, True))
    drop = np.ptp(one[:, 1])
    assert drop > 0.3
    assert np.abs(one - two).max() < 2e-4 * drop


def test_motion_found_and_then_given_takes_no_torque(tmp_path):
    """The angle at the pin as a driver: no torque next to that of gravity, the same deformation."""
    steps, duration = 1200, 0.6
    found = follow(flexible(False, steps), lambda m: [coordinates(m)[0, 0], *_tip(m)[:2]])
    table = tmp_path / "angle.csv"
    times = np.linspace(0.0, duration, steps + 1).tolist()
    rows = zip(times, found[:, 0].tolist(), strict=True)
    table.write_text("t,angle\n" + "\n".join(f"{t!r},{x!r}" for t, x in rows))
    driven = flexible(False, steps) | {
        "drivers": [{"name": "hand", "joint": "pin",
                     "value": {"table": str(table), "column": "angle"}}],
        "probes": [
            {"name": "torque", "constraint": "hand", "quantity": "torque"},
            {"name": "x", "group": "b.xmax", "body": "b", "component": "y"},
        ],
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    probes = run_model(model_from_dict(driven), output=tmp_path / "driven").probes
    mass = 7800.0 * np.pi * 0.01**2
    late = slice(20, None)  # the step of gravity at t = 0 is not resolved by the table
    assert np.abs(probes["torque"].values[late]).max() < 5e-3 * mass * G * 0.5


def test_beam_that_flies_keeps_its_momenta():
    """A bent beam that is let go while it turns: drifts of the second order, energy too."""
    velocity = ["0", "2*cos(3*x)", "3*x"]
    drifts = []
    for steps in (200, 400):
        tables = flying("beam", loads=[], analysis=transient(0.1, steps, rho_infinity=1.0))
        tables["links"] = [
            {"name": "l", "velocity": [0.3, 0, 0], "angular_velocity": [0.5, 3.0, 4.0]}
        ]
        tables["materials"] = {"m": {"young": 2e9, "poisson": 0.3, "density": 7800.0}}
        tables["initial"] = [{"body": "b", "velocity": velocity}]

        def account(motion):
            one = motion.links.model.account(motion.point)
            return [one.kinetic + one.strain, *one.momentum]

        found = follow(tables, account)
        drifts.append(np.abs(found - found[0]).max(axis=0) / np.abs(found[0]).max())
    assert np.all(drifts[1] < 2e-3)
    assert np.all(drifts[1] < 0.35 * drifts[0] + 1e-12)


def test_supports_that_hold_a_link_in_part_are_refused():
    """They are neither a frame nor none."""
    tables = flexible(False, 10) | {"supports": [{"group": "b.xmin", "components": ["x"]}]}
    with pytest.raises(InputError, match="hold the bodies of link 'l' in its frame in part"):
        begin(tables)


def test_shaft_that_spins_about_itself_twists_as_at_rest():
    """Inertia softens twist by the square of the spin, the stress within sections stiffens it."""
    frequencies = []
    for spin in (0.0, 2000.0):
        tables = flying("beam", loads=[], include={}, analysis=transient(6e-3, 1200))
        tables["links"] = [{"name": "l", "angular_velocity": [spin, 0.0, 0.0]}]
        tables["materials"] = {"m": {"young": 2e9, "poisson": 0.3, "density": 7800.0}}
        motion = begin(tables)
        body = motion.system.bodies[0]
        twist = np.zeros((motion.system.size, 3))
        x = body.part.points[:, 0]
        twist[body.rotations, 0] = 1e-3 * np.cos(np.pi * x)
        elastic, q = motion.links.elastic, motion.links.start.q.copy()
        twist = motion.system.map.sample(twist)
        q[len(q) - elastic.starts[-1] :] = elastic.coordinates(motion.system, twist)
        begun = replace(motion.links.start, q=q)
        motion = FoundMotion(
            motion.system, motion.loads, motion.stepper, replace(motion.links, start=begun), 5e-6
        )
        turns = []
        for _ in range(1200):
            motion.advance()
            turns.append(motion.displacement[body.rotations[np.argmin(x)], 0])
        sign = np.flatnonzero(np.diff(np.sign(turns)))
        frequencies.append(np.pi * (len(sign) - 1) / (5e-6 * (sign[-1] - sign[0])))
    # Free ends: pi / L sqrt(G / rho), here by four linear elements.
    exact = np.pi * np.sqrt(2e9 / 2.6 / 7800.0)
    assert frequencies[0] == pytest.approx(exact, rel=0.03)
    assert frequencies[1] == pytest.approx(frequencies[0], rel=2e-3)


def test_bent_beam_is_not_driven_about_itself_by_its_own_stress():
    """Stresses older than the bending they meet make it spin by 8 rad/s more; here remains 1."""
    tables = flying("beam", loads=[], include={}, analysis=transient(0.5, 500))
    tables["links"] = [{"name": "l", "angular_velocity": [30.0, 1.0, 0.0]}]
    tables["materials"] = {"m": {"young": 1.2e10, "poisson": 0.3, "density": 7800.0}}
    tables["bodies"][0]["section"] = {"shape": "round", "diameter": 0.006}
    tables["initial"] = [{"body": "b", "velocity": ["0", "10*(x - 0.5)**2 - 10/12", "0"]}]
    found = follow(tables, lambda m: [frames(m)[0, 5, 0], *m.links.model.account(m.point).momentum])
    spin, momenta = found[:, 0], found[:, 4:]
    assert np.abs(spin - 30.0).max() < 2.0
    assert np.abs(momenta - momenta[0]).max() < 2e-3 * np.abs(momenta[0]).max()


def test_reduced_link_swings_like_the_whole():
    """A pendulum of solid elements, its frame held at the pin, in six shapes and in all."""
    block = {"cell": "hex8", "divisions": [6, 1, 1], "corners": [
        [x, y, z] for z in (-0.02, 0.02) for x, y in ((0, -0.02), (1, -0.02), (1, 0.02), (0, 0.02))
    ]}  # fmt: skip
    tables = {
        "mesh": {"block": block},
        "materials": {"m": {"young": 1e9, "poisson": 0.3, "density": 2000.0}},
        "bodies": [{"name": "b", "element": "hex8", "material": "m", "frame": "l"}],
        "links": [{"name": "l", "placement": {"axis": [0, 1, 0], "angle": 0.3}}],
        "joints": [pin("pin", "ground", "l", [[0, 0, 0], "xmin"], axis=[0, 1, 0])],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "gravity", "acceleration": [0, 0, -G]}],
        "analysis": transient(0.3, 150, rho_infinity=0.5),
    }
    whole, reduced = (
        follow(tables | more, lambda m: [coordinates(m)[0, 0], np.abs(m.displacement).max()])
        for more in ({}, {"reduction": {"modes": 6}})
    )
    assert np.abs(whole[:, 0] - reduced[:, 0]).max() < 2e-5
    assert np.abs(whole[:, 1] - reduced[:, 1]).max() < 0.01 * whole[:, 1].max()


def test_a_driven_joint_at_a_bent_end_is_where_its_driver_says(tmp_path):
    """The coordinate of a joint is that of deformed links, in probes as in the equations."""
    bars = [
        {"name": k, "cells": k, "frame": k, "material": "m", "element": "timoshenko_beam", **ROUND}
        for k in "ab"
    ]
    outcome = run_model(model_from_dict({
        "mesh": {"blocks": {"a": LINE, "b": LINE}}, "materials": STEEL, "bodies": bars,
        "links": [{"name": "a"}, {"name": "b", "placement": {"position": [1, 0, 0]}}],
        "supports": [{"group": "a.xmin"}, {"group": "b.xmin"}],
        "joints": [pin("one", "ground", "a", [[0, 0, 0], "a.xmin"]),
                   pin("two", "a", "b", ["a.xmax", "b.xmin"])],
        "drivers": [{"name": "bend", "joint": "two", "value": "0.2*sin(20*t)"}],
        "loads": DOWN, "analysis": transient(0.2, 200),
        "probes": [{"name": "angle", "joint": "two", "quantity": "coordinate"},
                   {"name": "rate", "joint": "two", "quantity": "velocity"}],
    }), output=tmp_path)  # fmt: skip
    angle, rate = outcome.probes["angle"], outcome.probes["rate"]
    assert np.allclose(angle.values, 0.2 * np.sin(20.0 * angle.time), atol=1e-10)
    assert np.allclose(rate.values, 4.0 * np.cos(20.0 * rate.time), atol=2e-2)
