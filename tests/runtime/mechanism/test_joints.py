# SPDX-License-Identifier: BSD-3-Clause
"""Joint equations against their definitions, differentiated numerically."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.joints.table import JOINTS
from flexforge.runtime.mechanism.joints import VALUE, Joint, marker, pack, row_values
from flexforge.runtime.motion.frame import FrameState
from moving_links import (
    FIRST,
    SECOND,
    H,
    Moving,
    differentiated,
    exponential,
    joint_of,
    values_moved,
)

#: Kinds whose rows all have values; the others are in ``tests/codegen/joints/test_kinds.py``.
KINDS = [kind for kind, one in JOINTS.items() if not one.of_forces]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_jacobian_are_those_of_the_definition(kind):
    """Rows are the definition's; the Jacobian is its derivative by displacements and turns."""
    joint, frames = joint_of(kind), (Moving(1).at(0.4), Moving(2).at(0.4))
    phi, q, jacobian, _, _ = joint.rows(*frames)
    np.testing.assert_allclose([*phi, *q], values_moved(joint, frames, np.zeros(12)), atol=1e-14)
    for column in range(12):
        unit = np.eye(12)[column]
        wanted = differentiated(lambda h: values_moved(joint, frames, h * unit), FIRST) / H  # noqa: B023
        np.testing.assert_allclose(jacobian[:, column], wanted, atol=2e-9)


@pytest.mark.parametrize("kind", JOINTS)
def test_rates_of_the_jacobian_are_its_time_derivatives(kind):
    """J' and J'' are derivatives of J along the motion of both links."""
    joint, links, t = joint_of(kind), (Moving(3), Moving(4)), 0.3

    def jacobian(h):
        return joint.rows(*(link.at(t + h) for link in links))[2]

    _, _, _, first, second = joint.rows(*(link.at(t) for link in links))
    np.testing.assert_allclose(first, differentiated(jacobian, FIRST) / H, atol=2e-8)
    np.testing.assert_allclose(second, differentiated(jacobian, SECOND) / H**2, atol=2e-7)
    assert np.abs(second).max() > 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_rigid_rows_give_velocity_and_acceleration(kind):
    """Rates of the rows are J (v_O, w), and J (a_O, e) + gamma, of the rigid motion."""
    joint, links, t = joint_of(kind), (Moving(5), Moving(6)), 0.2

    def values(h):
        return row_values(joint.evaluate("rigid", *(link.at(t + h) for link in links))[:, :VALUE])

    states = [link.at(t) for link in links]
    rows = joint.evaluate("rigid", *states)
    jacobian, gamma = rows[:, VALUE : VALUE + 12], rows[:, VALUE + 12]
    velocity = np.concatenate([pack(state)[[4, 5]].ravel() for state in states])
    acceleration = np.concatenate([pack(state)[[6, 7]].ravel() for state in states])
    rate = differentiated(values, FIRST) / H
    np.testing.assert_allclose(jacobian @ velocity, rate, atol=1e-8)
    np.testing.assert_allclose(
        jacobian @ acceleration + gamma, differentiated(values, SECOND) / H**2, atol=1e-7
    )


def test_ground_is_a_frame_at_rest():
    """A joint with the ground is one with a frame at rest in the origin."""
    joint, frame = joint_of("revolute"), Moving(7).at(0.1)
    rest = FrameState(*(np.zeros(3) for _ in range(4)), np.eye(3), np.zeros(3))
    for one, other in zip(joint.rows(None, frame), joint.rows(rest, frame), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "kind, axis, held, free",
    [
        ("fixed", (0, 0, 1), 3, ()), ("fixed", (1, 0, 0), 3, ()),
        ("revolute", (0, 0, 1), 2, ("angle",)), ("prismatic", (1, 1, 0), 2, ("slide",)),
        ("cylindrical", (1, 0, 0), 2, ("slide",)), ("cylindrical", (0, 0, 1), 2, ("angle",)),
        ("spherical", (0, 0, 1), 2, ()), ("point_on_line", (0, 1, 0), 1, ("slide",)),
        ("rolling", (0, 0, 1), 2, ("angle", "slide")),
        ("free", (0, 0, 1), 0, ("angle", "slide", "second_slide")),
        ("free", (1, 0, 0), 0, ("second_angle", "slide", "third_slide")),
    ],
)  # fmt: skip
def test_joints_in_the_plane_have_the_equations_of_the_plane(kind, axis, held, free):
    """Two bodies in a plane have three relative motions, of which a joint holds some."""
    markers = tuple(marker((0.1 * k, 0.2, 0.0), axis, planar=True) for k in (1, 2))
    joint = Joint(kind, kind, (0, 1), markers, planar=True, radius=0.1)
    assert (joint.held, tuple(joint.free_rows)) == (held, free)
    frames = []
    for angle in (0.3, 0.9):
        turn, zero = exponential(np.array([0, 0, angle])), np.zeros(3)
        spin = np.array([0, 0, angle])
        frames.append(FrameState(spin, zero, zero, zero, turn, np.array([angle, -angle, 0.0])))
    _, _, *jacobians = joint.rows(*frames)
    for jacobian in jacobians:
        assert not jacobian[:, (2, 3, 4, 8, 9, 10)].any()
    assert np.linalg.matrix_rank(jacobians[0][: joint.held]) == held


def test_angles_are_next_to_where_they_were():
    """An angle goes on counting beyond half a turn; so does the way rolled."""
    parts = np.array([[0.0, np.sin(7.0), np.cos(7.0), 1.0], [2.0, np.sin(7.0), np.cos(7.0), 0.5]])
    np.testing.assert_allclose(row_values(parts, np.array([6.5, 5.2])), [7.0, 5.5], rtol=1e-15)
    np.testing.assert_allclose(row_values(parts)[0], 7.0 - 2 * np.pi, rtol=1e-15)
