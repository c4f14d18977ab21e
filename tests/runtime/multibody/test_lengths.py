# SPDX-License-Identifier: BSD-3-Clause
"""Contacts of shapes of a length: they touch with their ends, or as far as they overlap."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from swinging import G, frames, transient
from touching import contact, follow

MASS, INERTIA, LENGTH, CLEARANCE = 1.0, 0.02, 0.1, 1e-3
ENDS = ("pin_through_bore", "sleeve_on_pole")


def guided(shape, friction, **keys):
    """Return a link with a length along y of the ground, in the plane."""
    link = {"name": "block", "mass": MASS, "inertia": [INERTIA], **keys}
    rubs = {} if friction is None else {"friction": 0.2, "regular": 1e-4}
    touch = contact(shape, "linear", friction, ("ground", "block"), axis=[0, 1, 0], radius=0.02,
                    length=LENGTH, clearance=CLEARANCE, stiffness=1e6, damping=0.0,
                    **rubs)  # fmt: skip
    return {"planar": True, "links": [link], "forces": [touch]}


@pytest.mark.parametrize("shape", ENDS)
def test_block_tilts_in_its_guide_until_its_ends_have_taken_its_energy(shape):
    """Both ends touch: I w^2 / 2 = k d^2 with d = L/2 sin a - c; it turns back as fast."""
    speed, stiffness = 1.0, 1e6
    tables = guided(shape, None, angular_velocity=[0, 0, speed])
    tables["analysis"] = transient(0.1, 2000)

    def turned(motion):
        state = frames(motion)[0]
        return np.arctan2(state[1, 1], state[1, 0]), state[5, 2], *state[0, :2]

    angle, turn, *place = follow(tables, turned).T
    depth = np.sqrt(INERTIA * speed**2 / (2.0 * stiffness))
    assert np.abs(angle).max() == pytest.approx(
        np.arcsin(2.0 * (depth + CLEARANCE) / LENGTH), rel=1e-4
    )
    assert np.abs(turn[np.argmax(np.abs(turn) < 0.5) :]).max() == pytest.approx(speed, rel=1e-3)
    assert np.ptp(np.sign(turn)) == 2
    assert np.abs(place).max() < 1e-12


@pytest.mark.parametrize("shape", ENDS)
def test_sleeve_that_a_torque_tilts_slides_slowly_or_sticks(shape):
    """Its ends bear M/L each: it falls by g - 2 mu M/(m L), or not at all; it hangs tilted."""
    places = []
    for torque in (1.0, 3.0):
        tilt = np.arcsin(2.0 * (CLEARANCE + torque / LENGTH / 1e6) / LENGTH)
        tables = guided(shape, "coulomb", placement={"angle": float(tilt)})
        tables["joints"] = [{"name": "free", "kind": "free", "links": ["ground", "block"]}]
        tables["actuators"] = [{"name": "torque", "joint": "free", "coordinate": "angle",
                                "force": torque}]  # fmt: skip
        tables["forces"][0]["parameters"]["damping"] = 2e3
        tables["loads"] = [{"kind": "gravity", "acceleration": [0.0, -G, 0.0]}]
        tables["analysis"] = transient(0.1, 500)
        places.append(follow(tables, lambda m: frames(m)[0, 0, 1])[-1])
    slides = G - 2.0 * 0.2 * 1.0 / (MASS * LENGTH)
    assert places[0] == pytest.approx(-0.5 * slides * 0.1**2, rel=2e-3)
    assert abs(places[1]) < 2e-5  # 0.1 s of creep, less than `regular`


@pytest.mark.parametrize(("aside", "share"), [(0.0, 1.0), (0.25, 0.5), (0.45, 0.0)])
def test_roller_on_a_roller_stands_on_what_overlaps(aside, share):
    """A length of 0.5 m on one of 0.4 m: its depth at rest is m g/(k share), or it falls."""
    roller = {"name": "roller", "mass": MASS, "inertia": [0.01] * 3,
              "placement": {"position": [0.0, 0.3, aside]}}  # fmt: skip
    guide = {"name": "guide", "kind": "prismatic", "links": ["ground", "roller"],
             "axis": [0, 1, 0], "at": [[0, 0, aside], [0, 0, 0]]}  # fmt: skip
    touch = contact("roller_on_roller", "linear", None, ("ground", "roller"), damping=200.0)
    tables = {"links": [roller], "joints": [guide], "forces": [touch],
              "loads": [{"kind": "gravity", "acceleration": [0.0, -G, 0.0]}],
              "analysis": transient(0.4, 800)}  # fmt: skip
    fallen = 0.3 - follow(tables, lambda m: frames(m)[0, 0, 1])[-1]
    expected = MASS * G / (1e5 * share) if share else 0.5 * G * 0.4**2
    assert fallen == pytest.approx(expected, rel=1e-5)


def test_length_is_required():
    """By the shapes that have one."""
    tables = guided("pin_through_bore", None) | {"analysis": transient(0.1, 10)}
    del tables["forces"][0]["parameters"]["length"]
    with pytest.raises(InputError, match="parameters: missing length"):
        model_from_dict(tables)
