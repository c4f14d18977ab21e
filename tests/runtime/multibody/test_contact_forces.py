# SPDX-License-Identifier: BSD-3-Clause
"""Force and moment of contacts at a start, beside vectors: where things touch, and how fast."""

from __future__ import annotations

import numpy as np
import pytest
from swinging import transient
from touching import SHAPES, VALUES, begin, contact

SPEED, SPIN = np.array([0.3, -0.2, 0.05]), np.array([1.5, -2.0, 3.0])
R, STRIBECK = 0.1, 0.5


def unit(*components):
    """Return a direction."""
    return np.array(components) / np.linalg.norm(components)


OUT, LEAN = unit(0.6, 0.0, 0.8), 0.3
TILTED = unit(np.sin(LEAN), 0.0, np.cos(LEAN))
#: Of a shape on the ground: the centre of the second one, its axis, depth, normal, and the arm.
CASES = {
    "sphere_on_plane": (np.array([0.4, 0.2, R - 2e-3]), (0, 0, 1), 2e-3, unit(0, 0, 1),
                        np.array([0, 0, -R])),
    "sphere_on_sphere": (0.298 * OUT, (0, 0, 1), 2e-3, OUT, -R * OUT),
    "sphere_in_sphere": (0.012 * OUT, (0, 0, 1), 2e-3, -OUT, R * OUT),
    "pin_in_bore": (np.array([0.0072, 0.0096, 0.3]), (0, 0, 1), 2e-3, unit(-0.6, -0.8, 0),
                    np.array([0.06, 0.08, 0])),
    "cylinder_on_cylinder": (np.array([0.298, 0.0, 0.1]), (0, 0, 1), 2e-3, unit(1, 0, 0),
                             np.array([-R, 0, 0])),
    "cylinder_on_plane": (np.array([0.3, R - 2e-3, 0.1]), (0, 0, 1), 2e-3, unit(0, 1, 0),
                          np.array([0, -R, 0])),
    # The lowest point of the rim is down the slope of the disc.
    "disc_on_plane": (np.array([0.1, 0.2, R * np.sin(LEAN) - 2e-3]), TILTED, 2e-3, unit(0, 0, 1),
                      R * np.array([np.cos(LEAN), 0, -np.sin(LEAN)])),
    # The upper end alone touches: 5 mm aside at the middle, 7 mm more at the end.
    "pin_through_bore": (np.array([0.005, 0.0, 0.1]), unit(0.028, 0.0, np.sqrt(1 - 0.028**2)), 2e-3,
                         unit(-1, 0, 0), np.array([0.007 + R, 0, 0.25 * np.sqrt(1 - 0.028**2)])),
    "sleeve_on_pole": (np.array([0.005, 0.0, 0.1]), unit(0.028, 0.0, np.sqrt(1 - 0.028**2)), 2e-3,
                       unit(-1, 0, 0), np.array([-0.005 - R, 0, 0.25 * np.sqrt(1 - 0.028**2)])),
    # They overlap from z = 0 to z = 0.2, on whose middle the force acts.
    "roller_on_roller": (np.array([0.298, 0.0, 0.25]), (0, 0, 1), 2e-3, unit(1, 0, 0),
                         np.array([-R, 0, 0.1 - 0.25])),
}  # fmt: skip
SHARE = {"roller_on_roller": 0.2 / 0.4}


def rubs(friction, slip):
    """Return the coefficient of friction at a slip."""
    if friction == "coulomb":
        return VALUES["friction"]
    rest, slides = VALUES["rest_friction"], VALUES["friction"]
    return slides + (rest - slides) * np.exp(-((slip / STRIBECK) ** 2)) + (
        VALUES["viscous"] * slip
    )  # fmt: skip


@pytest.mark.parametrize("sense", [1.0, -1.0])
@pytest.mark.parametrize(
    ("shape", "friction"),
    [*((shape, "coulomb") for shape in CASES), ("sphere_on_plane", "stribeck")],
)
def test_force_and_moment_are_those_of_the_points_that_touch(shape, friction, sense):
    """A spring and a damper along the normal, and friction against the slip, at the arm.

    The other end of a pin moves outwards or inwards, by `sense`, and does nothing.
    """
    speed, spin = sense * SPEED, sense * SPIN
    place, axis, depth, normal, arm = CASES[shape]
    link = {"name": "ball", "mass": 1.0, "inertia": [0.02, 0.03, 0.04],
            "placement": {"position": place.tolist()},
            "velocity": speed.tolist(), "angular_velocity": spin.tolist()}  # fmt: skip
    touch = contact(shape, "linear", friction, axis=[[0, 0, 1], list(axis)], damping=100.0)
    if friction == "stribeck":
        touch["parameters"]["stribeck"] = STRIBECK
    motion = begin({"links": [link], "forces": [touch], "analysis": transient(1.0, 1000)})
    found = motion.reactions["touch"]
    velocity = speed + np.cross(spin, arm)
    towards = -velocity @ normal
    slip = velocity + towards * normal
    size = np.hypot(np.linalg.norm(slip), VALUES["regular"])
    push = max(VALUES["stiffness"] * depth + 100.0 * towards, 0.0) * SHARE.get(shape, 1.0)
    wanted = push * (normal - rubs(friction, size) * slip / size)
    assert push > 50.0  # N
    np.testing.assert_allclose(found.force, wanted, atol=1e-9 * push)
    np.testing.assert_allclose(found.moment, np.cross(arm, wanted), atol=1e-9 * push)


@pytest.mark.parametrize("planar", [False, True])
def test_formulas_of_a_law_are_those_of_numpy(planar):
    """Functions of both signs; in the plane the axis z is that of the model."""
    x, y = -0.3, 0.2
    force = [
        "abs(x) + 2*abs(y) + 4*max(x, y) + 8*min(x, y) + 16*positive(x) + 32*positive(y)",
        "step(x) + 2*step(y) + 4*atan2(y, x) + 8*tanh(x) + 16*nz + 32*nx + 64*z",
        "0",
    ]
    link = {"name": "ball", "mass": 1.0, "inertia": [0.1] if planar else [0.1] * 3,
            "placement": {"position": [x, y, 0.0]}}  # fmt: skip
    law = {"name": "law", "links": ["ground", "ball"], "force": force}
    tables = {"links": [link], "forces": [law], "analysis": transient(1.0, 1000)}
    found = begin(tables | ({"planar": True} if planar else {})).reactions["law"].force
    along = abs(x) + 2 * abs(y) + 4 * max(x, y) + 8 * min(x, y) + 32 * y
    across = 2 + 4 * np.arctan2(y, x) + 8 * np.tanh(x) + 16
    np.testing.assert_allclose(found, [along, across, 0.0], rtol=1e-14, atol=1e-14)


def test_all_shapes_are_here():
    """A shape that is declared has a case."""
    assert set(CASES) == set(SHAPES)
