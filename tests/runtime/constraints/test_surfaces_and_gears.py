# SPDX-License-Identifier: BSD-3-Clause
"""Joints on faces of solids against beams; gears and wheels that roll, with elastic bodies."""

from __future__ import annotations

import elastic_links
import numpy as np
import pytest
import tied

SWING = "3*smooth_step(t, 0, 0.4)"
HUB = {"name": "hub", "kind": "revolute", "links": ["ground", "arm"]}
MOTOR = {"name": "motor", "joint": "hub", "value": SWING}


def swung(block, body):
    """Return an arm of 0.3 m that a motor swings, of one block and body."""
    return {
        "mesh": {"blocks": {"arm": block}},
        "materials": {"m": elastic_links.SOFT | {"poisson": 0.0}},
        "links": [{"name": "arm"}],
        "bodies": [{"name": "arm", "cells": "arm", "material": "m", "frame": "arm"} | body],
        "joints": [HUB | {"at": [[0, 0, 0], "arm.xmin"]}],
        "drivers": [MOTOR],
    }


def deflection(data, steps=40):
    """Return the deflection of the arm's tip over time."""
    given = {"kind": "transient", "duration": 0.4, "steps": steps, "threads": 1}
    motion = tied.motion_of(data | {"analysis": given})
    body = motion.system.bodies[0]
    tip = body.placed[np.isclose(body.part.points[:, 0], 0.3)]
    found = []
    for _ in range(steps):
        motion.advance()
        found.append(motion.displacement[tip, 1].mean())
    return np.array(found)


@pytest.mark.parametrize(
    "element",
    ["hex20", pytest.param("hex8i", marks=pytest.mark.slow)],  # compiled on first use
)
def test_a_solid_arm_on_a_face_bends_as_a_beam(element):
    """A slender arm of solids, its joint on the mean and the turn of a face: a beam, to 1 %."""
    cell, divisions = ("hex20", [8, 1, 1]) if element == "hex20" else ("hex8", [20, 2, 1])
    y, z = 0.004, 0.005
    corners = [[x, a, c] for c in (-z, z) for x, a in ((0, -y), (0.3, -y), (0.3, y), (0, y))]
    block = {"cell": cell, "corners": corners, "divisions": divisions}
    section = {"shape": "rectangle", "width": 2 * y, "height": 2 * z}
    solid = deflection(swung(block, {"element": element}))
    beam = deflection(
        swung(elastic_links.line(0.3, 8), {"element": "euler_beam", "section": section})
    )
    peak = np.abs(beam).max()
    assert peak > 1e-3
    np.testing.assert_allclose(solid, beam, atol=0.01 * peak)


def test_a_gear_passes_its_torque_on():
    """A gear of ratio -2 turns an arm twice as slowly, with the torque that this takes."""
    stiff = elastic_links.STEEL
    data = {
        "mesh": {"blocks": {"one": elastic_links.line(0.2), "two": elastic_links.line(0.3)}},
        "materials": {"m": stiff},
        "links": [{"name": "one"}, {"name": "two", "placement": {"position": [0.6, 0, 0]}}],
        "bodies": [elastic_links.beam(name, "euler_beam_plane") for name in ("one", "two")],
        "joints": [
            {"name": "A", "kind": "revolute", "links": ["ground", "one"],
             "at": [[0, 0, 0], "one.xmin"]},
            {"name": "B", "kind": "revolute", "links": ["ground", "two"],
             "at": [[0.6, 0, 0], "two.xmin"]},
        ],
        "gears": [{"name": "gear", "joints": ["A", "B"], "ratio": -2.0}],
        "drivers": [{"name": "motor", "joint": "A", "value": "2*t**3"}],
    }  # fmt: skip
    motion = tied.run(data, 0.5, 50, formalism="kane", tolerance=1e-11)
    acceleration = 12.0 * 0.5  # of joint A at the end
    area = np.pi / 4 * 0.01**2
    moments = [stiff["density"] * area * length**3 / 3 for length in (0.2, 0.3)]
    np.testing.assert_allclose(motion.system.frames(0.5)[1].e[2], -acceleration / 2, rtol=1e-12)
    # Joint B is turned by minus the ratio times the gear's effort.
    on_two = moments[1] * -acceleration / 2
    assert 2.0 * motion.multiplier("gear") == pytest.approx(on_two, rel=1e-3)
    motor = moments[0] * acceleration - motion.multiplier("gear")
    assert motion.multiplier("motor") == pytest.approx(motor, rel=1e-3)


def test_a_wheel_with_an_elastic_spoke_rolls():
    """A wheel that rolls without slip is pushed and borne by the ground: momentum of its spoke."""
    data = {
        "mesh": {"blocks": {"wheel": elastic_links.line(0.2)}},
        "materials": {"m": elastic_links.SOFT},
        "links": [{"name": "wheel", "placement": {"position": [0, 0.2, 0]}}],
        "bodies": [elastic_links.beam("wheel", "euler_beam_plane")],
        "joints": [{"name": "road", "kind": "rolling", "links": ["ground", "wheel"],
                    "radius": 0.2, "at": [[0, 0, 0], "wheel.xmin"]}],
        "drivers": [{"name": "motor", "joint": "road", "coordinate": "angle",
                     "value": "-5*smooth_step(t, 0, 1)"}],
        "loads": [{"kind": "gravity", "acceleration": [0, -9.81, 0]}],
    }  # fmt: skip
    motion = tied.run(data, 0.6, 60, formalism="maggi", tolerance=1e-11)
    frame = motion.system.frames(motion.time)[0]
    turned = 5 * 0.6**3 * (10 - 15 * 0.6 + 6 * 0.36)
    assert frame.r_O[0] == pytest.approx(0.2 * turned, rel=1e-12)
    mass = motion.system.bodies[0].total_mass
    force = tied.ground_force(motion) + [0, -9.81 * mass, 0]
    rate = tied.momentum_rate(motion)
    assert np.abs(rate).max() > 0.2 * mass * 9.81
    np.testing.assert_allclose(force, rate, atol=1e-9 * np.abs(rate).max())
