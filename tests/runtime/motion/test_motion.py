# SPDX-License-Identifier: BSD-3-Clause
"""The frame's state: rotation, angular velocity and acceleration, origin, all consistent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.model.schema_frame import FrameSpec
from flexforge.runtime.motion.build import build_motion
from flexforge.runtime.motion.frame import FrameMotion
from flexforge.runtime.motion.rotation import about_axis
from flexforge.runtime.system.inertia import skew
from numpy.typing import NDArray

AXIS = [1 / np.sqrt(2.0), 0.0, -1 / np.sqrt(2.0)]
ORIGIN = {"acceleration": ["cos(2*t)", 1.0, {"polynomial": [0, 1]}], "velocity0": [1.0, 0, -1]}
FRAMES: dict[str, dict[str, Any]] = {
    "ramp": {"velocity": {"ramp": {"to": 6.0, "duration": 0.8}}, "axis": AXIS},
    "angle": {"angle": "0.3*sin(5*t) + 2*t", "axis": AXIS, "origin": ORIGIN},
    "axis beside": {"angle": "0.3*sin(5*t) + 2*t", "axis": AXIS, "point": [0.3, -0.8, 0.5]},
    "acceleration": {"acceleration": "3*exp(-t)", "velocity0": 2.0, "angle0": 0.4},
    "vector": {"velocity": ["3*sin(5*t)", "2 + t**2", {"ramp": {"to": 9, "duration": 0.8}}]},
    "vector, moving": {
        "velocity": [1.0, "cos(3*t)", "-t"],
        "origin": {"position": ["t**3", "sin(t)", 0.5]},
    },
}


def motion(frame: dict[str, Any], span: float = 1.0) -> FrameMotion:
    return build_motion(FrameSpec.model_validate(frame), span)


def rate(function: Callable[[float], NDArray[np.float64]], t: float) -> NDArray[np.float64]:
    """Tenth-order central difference."""
    weights, h = (5 / 6, -5 / 21, 5 / 84, -5 / 504, 1 / 1260), 2e-3
    return sum(
        weight * (function(t + k * h) - function(t - k * h)) for k, weight in enumerate(weights, 1)
    ) / np.float64(h)


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("t", [0.05, 0.31, 0.77])
def test_kinematics_are_consistent(name: str, t: float) -> None:
    """R' = R w~, e = w', r_O' = R v_O, and a_O = R^T r_O'' = v_O' + w x v_O (physics.md 1)."""
    frame = motion(FRAMES[name])
    state = frame.at(t)
    np.testing.assert_allclose(
        rate(lambda s: frame.at(s).R, t), state.R @ skew(state.w), atol=1e-10
    )
    np.testing.assert_allclose(rate(lambda s: frame.at(s).w, t), state.e, atol=1e-10)
    np.testing.assert_allclose(rate(lambda s: frame.at(s).r_O, t), state.R @ state.v_O, atol=1e-10)
    v_rate = rate(lambda s: frame.at(s).v_O, t)
    np.testing.assert_allclose(state.a_O, v_rate + np.cross(state.w, state.v_O), atol=1e-10)
    np.testing.assert_allclose(state.R.T @ state.R, np.eye(3), atol=1e-14)
    assert np.linalg.det(state.R) == pytest.approx(1.0)


def test_what_is_fixed_in_space_and_in_a_frame() -> None:
    """Along a steady axis a vector stays in the frame, across it does not; so does the velocity of
    an origin that glides."""
    turning = {"axis": AXIS, "velocity": 3.0, "angle0": 0.7}
    assert motion(turning).keeps(np.array([AXIS, [0.0, 0.0, 0.0]]))
    assert not motion(turning).keeps(np.array([AXIS, [0.0, 1.0, 0.0]]))
    for velocity, glides in ((AXIS, True), ([0.0, 2.0, 0.0], False)):
        origin = {"position": [f"{component}*t" for component in velocity]}
        assert motion(turning | {"origin": origin}).glides == glides


@pytest.mark.parametrize("along", range(3))
def test_a_body_of_revolution_may_move_along_its_axis(along: int) -> None:
    """A frame of one turns about y, and its origin has no velocity but along y."""
    position = [0.0, 0.0, 0.0]
    spinning = {"axis": [0.0, 1.0, 0.0], "velocity": 3.0}
    moving = {"position": [*position[:along], "2*t", *position[along + 1 :]]}
    assert motion(spinning).is_axial
    assert motion(spinning | {"origin": moving}).is_axial == (along == 1)


def test_a_turning_that_varies_too_fast_ends() -> None:
    """Pieces are halved so many times and no more: then the time is told."""
    frame = motion({"velocity": ["1e3*sin(1e9*t)", "1e3*cos(1e9*t)", 1.0]})
    with pytest.raises(InputError, match="an angular velocity, .* that varies too fast to be inte"):
        frame.at(0.5)


def test_frame_at_rest_is_the_default() -> None:
    """Without a description the body frame is the global one."""
    state = build_motion(FrameSpec()).at(3.0)
    np.testing.assert_array_equal(state.R, np.eye(3))
    for vector in (state.w, state.e, state.v_O, state.a_O, state.r_O):
        np.testing.assert_array_equal(vector, np.zeros(3))


def test_fixed_axis_in_closed_form() -> None:
    """Rotation by pi/2 about z takes x to y; w and e lie along the axis."""
    state = motion({"angle": {"polynomial": [0.0, 0.0, np.pi / 2]}}).at(1.0)
    np.testing.assert_allclose(state.R @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(state.w, [0.0, 0.0, np.pi], rtol=1e-15)
    np.testing.assert_allclose(state.e, [0.0, 0.0, np.pi], rtol=1e-15)


def test_origin_in_body_components() -> None:
    """v_O and a_O are the global velocity and acceleration turned into the body frame."""
    frame = motion(
        {"angle": {"polynomial": [0.0, np.pi / 2]}, "origin": {"velocity": [3, "4*t", 0]}}
    )
    state = frame.at(1.0)
    np.testing.assert_allclose(state.r_O, [3.0, 2.0, 0.0], rtol=1e-14)
    np.testing.assert_allclose(state.v_O, [4.0, -3.0, 0.0], atol=1e-14)
    np.testing.assert_allclose(state.a_O, [4.0, 0.0, 0.0], atol=1e-14)


def test_angular_acceleration_alone_at_time_zero() -> None:
    """CASES M5 needs e without w: acceleration given, at t = 0."""
    state = motion({"acceleration": 25.0}).at(0.0)
    assert (state.w[2], state.e[2]) == (0.0, 25.0)


def test_vector_form_equals_the_fixed_axis() -> None:
    """Along a fixed direction the integrated rotation is Rodrigues' to 1e-13, far along as well."""
    scale = [f"{a}*(200 + 100*sin(3*t))" for a in AXIS]
    vector = motion({"velocity": scale}, span=2.0)
    fixed = motion({"velocity": "200 + 100*sin(3*t)", "axis": AXIS}, span=2.0)
    for t in (-0.5, 0.01, 0.9, 2.0):
        np.testing.assert_allclose(vector.at(t).R, fixed.at(t).R, atol=2e-13)
        np.testing.assert_allclose(vector.at(t).R.T @ vector.at(t).R, np.eye(3), atol=1e-14)


def test_many_turns() -> None:
    """A thousand radians keep the rotation to 1e-12; a constant vector is closed form for ever."""
    vector = motion({"velocity": ["0", "0", "500 + sin(t)"]}, span=2.0)
    expected = about_axis(np.array([0.0, 0.0, 1.0]), 1000.0 + 1.0 - np.cos(2.0))
    np.testing.assert_allclose(vector.at(2.0).R, expected, atol=1e-12)
    constant = motion({"velocity": [300.0, 0.0, 400.0]}, span=1e4)
    axis = np.array([0.6, 0.0, 0.8])
    np.testing.assert_allclose(constant.at(1e4).R, about_axis(axis, 5e6), atol=1e-8)
    np.testing.assert_allclose(constant.at(1e4).w, [300.0, 0.0, 400.0], rtol=1e-15)
    with pytest.raises(InputError, match=r"up to 1e\+10 rad/s, .* turns too far, between t = 0"):
        motion({"velocity": ["t", "1e10 + t", 0]}).at(1.0)


def test_coning_motion_in_closed_form() -> None:
    """w = (a cos st, -a sin st, c) in body axes: R = exp(t g~) exp(s t z~), g = (a, 0, c - s)."""
    a, c, s = 2.0, 0.7, 5.0
    frame = motion({"velocity": [f"{a}*cos({s}*t)", f"-{a}*sin({s}*t)", c]}, span=3.0)
    turn = np.array([a, 0.0, c - s])  # w = B^T g + s z for R = exp(t g~) B, B = exp(s t z~)
    for t in (0.4, 1.7, 3.0):
        expected = about_axis(turn / np.linalg.norm(turn), np.linalg.norm(turn) * t) @ about_axis(
            np.array([0.0, 0.0, 1.0]), s * t
        )
        np.testing.assert_allclose(frame.at(t).R, expected, atol=1e-13)


def test_jump_of_the_angular_velocity_is_enclosed() -> None:
    """Turning about x up to 0.3 s, then about y: the product of the two rotations, to 1e-13."""
    x, y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    expected = about_axis(x, 1.2) @ about_axis(y, 3.5)
    late = "max(0, min(1, 1e300*(t - 0.3)))"
    found = motion({"velocity": [f"4*(1 - {late})", f"5*{late}", 0]}).at(1.0).R
    np.testing.assert_allclose(found, expected, atol=1e-13)


def test_state_does_not_depend_on_earlier_questions() -> None:
    """The same time gives the same bits, whichever times were asked for before."""
    one, other = motion(FRAMES["vector"]), motion(FRAMES["vector"])
    for t in np.linspace(0.0, 1.0, 7):
        other.at(float(t))
    np.testing.assert_array_equal(one.at(0.613).R, other.at(0.613).R)


def test_what_is_said_about_a_motion() -> None:
    """Rotation, steadiness and planarity, which analyses ask for."""
    steady = motion({"velocity": 5.0})
    assert (steady.rotates, steady.is_steady, steady.is_planar) == (True, True, True)
    ramp = motion(FRAMES["ramp"])
    assert (ramp.rotates, ramp.is_steady, ramp.is_planar) == (True, False, False)
    vector = motion({"velocity": [0, 0, "t"], "origin": {"velocity": [1, 1, 0]}})
    assert (vector.rotates, vector.is_steady, vector.is_planar) == (True, False, True)
    rest = motion({"angle": 0.3, "origin": {"position": [0, 0, "t"]}})
    assert (rest.rotates, rest.is_steady, rest.is_planar) == (False, True, False)
