# SPDX-License-Identifier: BSD-3-Clause
"""Starts of contacts: shapes that begin inside each other are told, those that rest are not."""

from __future__ import annotations

import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from swinging import G, transient
from touching import contact

MASS, RADIUS, STIFFNESS = 1.0, 0.1, 1e5
REST = MASS * G / STIFFNESS


def warnings(tables, folder):
    """Return what a short run warns of."""
    tables = {"analysis": transient(1e-3, 2), "output": {"formats": ["csv"]}} | tables
    return run_model(model_from_dict(tables), output=folder).warnings


def ball(depth, weight=G):
    """Return a ball that begins in a floor of a linear law, which stands 0.5 m high."""
    link = {"name": "ball", "mass": MASS, "inertia": [0.004] * 3,
            "placement": {"position": [0.2, 0.0, 0.5 + RADIUS - depth]}}  # fmt: skip
    touch = contact("sphere_on_plane", "linear", stiffness=STIFFNESS, damping=0.0,
                    at=[[0, 0, 0.5], [0, 0, 0]])  # fmt: skip
    fall = [{"kind": "gravity", "acceleration": [0.0, 0.0, -weight]}]
    return {"links": [link], "forces": [touch], "loads": fall}


def test_ball_that_begins_in_the_floor_is_told(tmp_path):
    """With the depth, the place of its centre and the force: 200 N for 9.81 N."""
    (told,) = warnings(ball(2e-3), tmp_path)
    assert told.startswith(
        "forces[0]: 'touch' begins 0.002 m deep at (0.2, 0, 0.598) m, where 200 N"
    )


@pytest.mark.parametrize("depth", [REST, 1.9 * REST, -0.01, 0.0])
def test_ball_that_rests_on_the_floor_or_above_it_is_not_told(depth, tmp_path):
    """Up to twice the depth of equilibrium, where it falls as much as it is thrown."""
    assert not warnings(ball(depth), tmp_path)


def test_deeper_than_twice_the_equilibrium_is_told(tmp_path):
    """Where the acceleration is half of that by the contact alone."""
    assert warnings(ball(2.1 * REST), tmp_path)


def test_balls_without_weight_that_a_spring_presses_together_are_not_told(tmp_path):
    """The spring balances the contact; without it both fly apart."""
    balls = [{"name": name, "mass": mass, "inertia": [0.004] * 3,
              "placement": {"position": [x, 1.0, 0.0]}}
             for name, x, mass in (("ball", 0.0, 1.0), ("other", 0.299, 50.0))]  # fmt: skip
    touch = contact("sphere_on_sphere", "linear", None, ("ball", "other"), damping=0.0)
    guide = {"name": "guide", "kind": "prismatic", "links": ["ball", "other"], "axis": [1, 0, 0]}
    spring = {"name": "spring", "joint": "guide", "force": -1e5 * 1e-3}
    tables = {"links": balls, "joints": [guide], "forces": [touch]}
    assert not warnings(tables | {"actuators": [spring]}, tmp_path / "pressed")
    (told,) = warnings(tables, tmp_path / "free")
    assert "'touch' begins 0.001 m deep at (0.299, 1, 0) m" in told


@pytest.mark.parametrize(("place", "told"), [(0.0, 0), (0.15, 1), (-0.15, 1)])
def test_start_beyond_a_stop_is_told(place, told, tmp_path):
    """By how much; nothing between the stops."""
    cart = {"name": "cart", "mass": 1.0, "placement": {"position": [place, 0.0, 0.0]}}
    guide = {"name": "guide", "kind": "prismatic", "links": ["ground", "cart"], "axis": [1, 0, 0]}
    stop = {"name": "stop", "joint": "guide", "contact": "stop", "normal": "hertz",
            "parameters": {"lower": -0.1, "upper": 0.1, "stiffness": 1e5}}  # fmt: skip
    found = warnings({"links": [cart], "joints": [guide], "forces": [stop]}, tmp_path)
    assert len(found) == told
    assert not told or "'stop' begins 0.05 beyond a stop" in found[0]


def test_rigid_shapes_that_begin_in_each_other_are_told_and_go_no_deeper(tmp_path):
    """There is no force at the start that would tell."""
    tables = ball(2e-3)
    tables["forces"][0] |= {"normal": "impact", "parameters": {"radius": RADIUS, "restitution": 0}}
    tables["probes"] = [{"name": "z", "link": "ball", "quantity": "position", "component": "z"}]
    tables |= {"analysis": transient(0.1, 20), "output": {"formats": ["csv"]}}
    found = run_model(model_from_dict(tables), output=tmp_path)
    (told,) = found.warnings
    assert told.startswith("forces[0]: 'touch' begins 0.002 m or rad deep")
    assert found.probes["z"].values.min() == pytest.approx(0.5 + RADIUS - 2e-3, abs=1e-9)
