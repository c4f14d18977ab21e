# SPDX-License-Identifier: BSD-3-Clause
"""Two links in motion and what a joint between them is by definition; numerical derivatives."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.mechanism.joints import Joint, marker
from flexforge.runtime.motion.frame import FrameState

RADIUS = 0.37
#: Seventh-order accurate central differences of a step of H: first and second derivative.
H = 2e-2
FIRST = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60
SECOND = np.array([2, -27, 270, -490, 270, -27, 2]) / 180


def exponential(x):
    """Rotation by a vector (Rodrigues)."""
    angle = np.linalg.norm(x)
    tilde = np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
    if angle == 0:
        return np.eye(3)
    return (
        np.eye(3) + np.sin(angle) / angle * tilde + (1 - np.cos(angle)) / angle**2 * tilde @ tilde
    )


class Moving:
    """A link that turns about a fixed axis while that axis is carried around another one."""

    def __init__(self, seed):
        random = np.random.default_rng(seed)
        self.inner, self.outer, self.start, self.along, self.bent = random.normal(size=(5, 3))
        self.inner /= np.linalg.norm(self.inner)
        self.outer /= np.linalg.norm(self.outer)

    def at(self, t):
        """State from derivatives by hand: R = exp(outer a(t)) exp(inner b(t))."""
        a, a1, a2 = 0.7 * t + 0.2 * t**2, 0.7 + 0.4 * t, 0.4
        b, b1, b2 = 0.3 + np.sin(t), np.cos(t), -np.sin(t)
        inside = exponential(self.inner * b)
        rotation = exponential(self.outer * a) @ inside
        carried = inside.T @ self.outer
        w = a1 * carried + b1 * self.inner
        e = a2 * carried + b2 * self.inner + a1 * np.cross(carried, b1 * self.inner)
        place = self.start + self.along * t + self.bent * np.sin(0.8 * t)
        velocity = self.along + 0.8 * self.bent * np.cos(0.8 * t)
        acceleration = -0.64 * self.bent * np.sin(0.8 * t)
        return FrameState(w, e, rotation.T @ velocity, rotation.T @ acceleration, rotation, place)


def joint_of(kind):
    one = marker((0.3, -0.2, 0.5), (0.2, 0.9, -0.4), (1.0, 0.3, 0.2))
    two = marker((-0.4, 0.1, 0.2), (0.7, -0.1, 0.5), (0.1, 0.3, 1.0))
    if kind == "free":  # far from the singular position of its angles
        two = marker((-0.4, 0.1, 0.2), (0.3, 0.7, -0.1), (0.9, -0.5, -0.1))
    return Joint(kind, kind, (0, 1), (one, two), radius=RADIUS if kind == "rolling" else 0.0)


#: Values of turns, which have none.
_TURNS = (0.0, 0.0, 0.0)


def turning(joint, frames):
    """The angular velocity of the second marker relative to the first, in axes of the first."""
    one, two = (frame.R @ frame.w for frame in frames)
    return (frames[0].R @ joint.markers[0].axes.T).T @ (two - one)


def defined(kind, points, triads):
    """The rows of a joint as textbooks write them; triads have the axes as columns."""
    (x1, y1, z1), (x2, y2, z2) = (triad.T for triad in triads)
    gap = points[1] - points[0]
    place = [gap @ x1, gap @ y1, gap @ z1]
    parallel = [x1 @ z2, y1 @ z2]
    turn = [(z1 @ y2 - y1 @ z2) / 2, (x1 @ z2 - z1 @ x2) / 2, (y1 @ x2 - x1 @ y2) / 2]
    angle = np.arctan2(y1 @ x2, x1 @ x2)
    return np.array(
        {
            "fixed": [*place, *turn],
            "revolute": [*place, *parallel, angle],
            "prismatic": [*place[:2], *turn, place[2]],
            "cylindrical": [*place[:2], *parallel, angle, place[2]],
            "universal": [
                *place,
                z1 @ z2,
                np.arctan2(y1 @ z2, x1 @ z2),
                np.arctan2(-z1 @ y2, z1 @ x2),
            ],
            "spherical": place,
            "planar": [place[2], *parallel, angle, place[0], place[1]],
            "point_on_line": place,
            "relative": [*place, *_TURNS, *(axis @ z2 for axis in (x1, y1, z1))],
            "free": [
                np.arctan2(-x1 @ y2, x1 @ x2),
                np.arcsin(x1 @ z2),
                np.arctan2(-y1 @ z2, z1 @ z2),
                *place,
            ],
            "rolling": [
                place[1] - RADIUS,
                place[2],
                *parallel,
                place[0] + RADIUS * angle,
                angle,
                place[0],
            ],
        }[kind]
    )


def values_moved(joint, frames, x):
    """The defined rows after displacements of the markers' points and turns, in the links."""
    points, triads = [], []
    for k, (frame, one) in enumerate(zip(frames, joint.markers, strict=True)):
        points.append(frame.r_O + frame.R @ (one.point + x[6 * k : 6 * k + 3]))
        triads.append(frame.R @ exponential(x[6 * k + 3 : 6 * k + 6]) @ one.axes.T)
    return defined(joint.kind, points, triads)


def differentiated(function, weights, step=H):
    return sum(w * function(k * step) for k, w in zip(range(-3, 4), weights, strict=True) if w)
