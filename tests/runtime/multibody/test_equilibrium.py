# SPDX-License-Identifier: BSD-3-Clause
"""Links that begin in the position in which they stay at rest."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError
from scipy.linalg import eigh
from scipy.optimize import brentq
from swinging import DOWN, G, begin, coordinates, follow, pin, rod, transient

AT_REST = {"start": "equilibrium"}


def test_pendulum_on_a_spring_rests_where_moments_balance():
    """k (x - rest) = - m g l cos(x) / 2, and it stays there."""
    tables = {
        "planar": True, "links": [rod("rod")], "loads": DOWN,
        "joints": [pin("pin", "ground", "rod", [0, 0, 0])],
        "actuators": [{"name": "spring", "joint": "pin", "stiffness": 4.0, "rest": 0.5}],
        "analysis": transient(0.5, 50, **AT_REST),
    }  # fmt: skip
    found = follow(tables, coordinates)[:, 0, 0]
    exact = brentq(lambda x: 4.0 * (x - 0.5) + 0.5 * G * np.cos(x), -2.0, 0.5)
    assert np.abs(found - exact).max() < 1e-8


def test_links_fall_into_the_stable_position():
    """Two rods that stand upright, not quite, hang in the end; with a law, where that says."""
    tables = {
        "planar": True,
        "links": [
            rod("a", placement={"angle": 1.55}),
            rod("b", placement={"position": [0, 1, 0], "angle": 1.6}),
        ],
        "joints": [
            pin("one", "ground", "a", [0, 0, 0]), pin("two", "a", "b", [[1, 0, 0], [0, 0, 0]])
        ],
        "loads": DOWN, "analysis": transient(0.1, 10, **AT_REST),
    }  # fmt: skip
    angles = coordinates(begin(tables))[:, 0]
    assert np.sin(angles[0]) == pytest.approx(-1.0, abs=1e-10)
    assert np.cos(angles[1]) == pytest.approx(1.0, abs=1e-10)
    law = "40*tanh(3*(0.2 - x))"
    held = tables | {"actuators": [{"name": "motor", "joint": "one", "law": law}]}
    angle = coordinates(begin(held))[0, 0]
    assert 40.0 * np.tanh(3.0 * (0.2 - angle)) == pytest.approx(1.5 * G * np.cos(angle), rel=1e-8)


def test_elastic_rod_rests_bent():
    """A rod on a pin and a soft spring sags at its end like a beam that its spring holds."""
    block = {"cell": "line2", "corners": [[0, 0, 0], [1, 0, 0]], "divisions": [8]}
    tables = {
        "mesh": {"blocks": {"b": block}},
        "materials": {"m": {"young": 2e10, "poisson": 0.3, "density": 7800.0}},
        "links": [{"name": "l"}],
        "bodies": [{"name": "b", "cells": "b", "material": "m", "frame": "l",
                    "element": "euler_beam_plane",
                    "section": {"shape": "round", "diameter": 0.02}}],
        "joints": [pin("pin", "ground", "l", [[0, 0, 0], "b.xmin"])],
        "actuators": [{"name": "spring", "joint": "pin", "stiffness": 1000.0}],
        "loads": DOWN, "include": {"geometric": False},
        "analysis": transient(0.1, 50, **AT_REST),
    }  # fmt: skip
    motion = begin(tables)
    line = 7800.0 * np.pi * 0.01**2 * G
    angle = coordinates(motion)[0, 0]  # at the pin, of the bent rod
    assert angle == pytest.approx(-0.5 * line / 1000.0, rel=1e-3)
    state = motion.links.mechanism.solve(np.zeros(1)).frames[0, 0]
    body = motion.system.bodies[0]
    node = body.nodes[int(np.argmax(body.part.points[:, 0]))]
    tip = state[0] + state[1:4] @ np.append([1.0, 0.0] + motion.displacement[node], 0.0)
    stiffness = 2e10 * np.pi * 0.01**4 / 4.0
    assert tip[1] == pytest.approx(-line / (8.0 * stiffness) + angle, rel=1e-3)
    for _ in range(50):
        motion.advance()
    assert np.abs(motion.velocity).max() < 1e-6


def test_small_vibrations_are_those_of_the_closed_form():
    """Two hanging rods by their quadratic equation; a damper at a pendulum by its own."""
    tables = {
        "planar": True,
        "links": [
            rod("a", placement={"angle": -1.5}),
            rod("b", placement={"position": [0, -1, 0], "angle": -1.5}),
        ],
        "joints": [
            pin("one", "ground", "a", [0, 0, 0]), pin("two", "a", "b", [[1, 0, 0], [0, 0, 0]])
        ],
        "loads": DOWN, "analysis": transient(0.1, 10, **AT_REST),
    }  # fmt: skip
    found = begin(tables).links.vibrations
    masses = np.array([[4.0 / 3.0, 0.5], [0.5, 1.0 / 3.0]])  # of the angles of both in space
    squares = eigh(np.diag([1.5 * G, 0.5 * G]), masses, eigvals_only=True)
    assert np.allclose(found, 1j * np.sqrt(squares), rtol=1e-9, atol=1e-9)
    damped = tables | {
        "links": tables["links"][:1], "joints": tables["joints"][:1],
        "actuators": [{"name": "d", "joint": "one", "damping": 0.4}],
    }  # fmt: skip
    motion = begin(damped)
    half = 0.5 * 0.4 * 3.0
    assert motion.links.vibrations[0] == pytest.approx(-half + 1j * np.sqrt(1.5 * G - half**2))
    assert motion.figures()["damping ratio 1"] == pytest.approx(half / np.sqrt(1.5 * G))


def test_what_nothing_holds_is_told():
    """A box that falls comes to rest nowhere."""
    box = {"name": "box", "mass": 1.0, "inertia": [1.0, 2.0, 3.0]}
    tables = {"links": [box], "loads": DOWN, "analysis": transient(0.1, 10, **AT_REST)}
    with pytest.raises(AnalysisError, match="come to rest nowhere"):
        begin(tables)
