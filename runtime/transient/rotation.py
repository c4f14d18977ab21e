# SPDX-License-Identifier: BSD-3-Clause
"""Rotations by unit quaternions ``(cos, axis * sin)`` of half the angle, body to space axes.

All functions are analytic, with series where an angle is small, so that a complex step through them
differentiates exactly. Formulas: Sonneville, Cardona and Bruels, "Geometrically exact beam finite
element formulated on the special Euclidean group SE(3)", CMAME 268 (2014), appendix A.
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[Any]  # real, or complex while a complex step differentiates

_TERMS = 12  # of a series for arguments below one: the rest is below round-off


def cross(v: Values) -> Values:
    """Return the matrix ``v~`` with ``v~ b = v x b``, of reals or complex numbers."""
    zero = v[0] * 0.0
    return np.array([[zero, -v[2], v[1]], [v[2], zero, -v[0]], [-v[1], v[0], zero]])


def _function(
    closed: Callable[[Any], Any], coefficient: Callable[[int], float]
) -> Callable[[Any], Any]:
    """Return a function of a squared angle x: closed form of the angle, or ``sum c_k (-x)^k``."""
    series = [coefficient(k) for k in range(_TERMS)]

    def evaluate(x: Any) -> Any:
        if abs(x) < 1.0:
            total = x * 0.0
            for c in reversed(series):
                total = c - x * total
            return total
        return closed(np.sqrt(x))

    return evaluate


#: sin(a)/a, (1 - cos a)/a^2, (a - sin a)/a^3 and the two that follow, of x = a^2.
sinc = _function(lambda a: np.sin(a) / a, lambda k: 1.0 / factorial(2 * k + 1))
versine = _function(lambda a: (1.0 - np.cos(a)) / a**2, lambda k: 1.0 / factorial(2 * k + 2))
third = _function(lambda a: (a - np.sin(a)) / a**3, lambda k: 1.0 / factorial(2 * k + 3))
fourth = _function(
    lambda a: (a * a + 2.0 * np.cos(a) - 2.0) / (2.0 * a**4), lambda k: 1.0 / factorial(2 * k + 4)
)
fifth = _function(
    lambda a: (2.0 * a - 3.0 * np.sin(a) + a * np.cos(a)) / (2.0 * a**5),
    lambda k: (k + 1.0) / factorial(2 * k + 5),
)


def matrix(p: Values) -> Values:
    """Return R of a unit quaternion (4,), (3, 3): body to space components."""
    w, v = p[0], p[1:]
    s = cross(v)
    return np.asarray(np.eye(3) + 2.0 * w * s + 2.0 * s @ s)


def of_matrix(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the unit quaternion (4,) of a rotation matrix (3, 3), with its first number >= 0."""
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(rotation).as_quat()
    found = np.array([w, x, y, z])
    return found if w >= 0.0 else -found


def product(p: Values, r: Values) -> Values:
    """Return the quaternion of one rotation after another: ``R(p) R(r)``."""
    vector = p[0] * r[1:] + r[0] * p[1:] + cross(p[1:]) @ r[1:]
    return np.concatenate([[p[0] * r[0] - p[1:] @ r[1:]], vector])


def exponential(turn: Values) -> Values:
    """Return the unit quaternion of a rotation vector (3,)."""
    half = 0.5 * turn
    x = half @ half
    return np.concatenate([[1.0 - x * versine(x)], sinc(x) * half])


def logarithm(p: Values) -> Values:
    """Return the rotation vector (3,) of a unit quaternion, of at most half a turn."""
    if p[0].real < 0.0:
        p = -p
    s2 = p[1:] @ p[1:]
    # Angle = 4 atan(t), t = sin(half) / (1 + cos(half)) <= 1.
    if abs(s2) < 1e-2:
        t2 = s2 / (1.0 + p[0]) ** 2
        ratio = sum((-t2) ** k / (2 * k + 1) for k in range(_TERMS)) / (1.0 + p[0])
    else:
        s = np.sqrt(s2)
        ratio = np.arctan(s / (1.0 + p[0])) / s
    return np.asarray(4.0 * ratio * p[1:])


def normalized(p: Values) -> Values:
    """Return a quaternion of length one, which rounding does not drift away from."""
    return np.asarray(p / np.sqrt(p @ p))


def tangent(turn: Values) -> Values:
    """Return T with ``exp(turn + d) = exp(turn) exp(T d)`` to first order, (3, 3)."""
    x, s = turn @ turn, cross(turn)
    return np.asarray(np.eye(3) - versine(x) * s + third(x) * (s @ s))


def screw_coupling(move: Values, turn: Values) -> Values:
    """Return the block of T on SE(3) from turns to displacements, (3, 3)."""
    x, a, b = turn @ turn, -cross(turn), -cross(move)
    ab, ba = a @ b, b @ a
    aba = ab @ a
    return np.asarray(
        0.5 * b
        + third(x) * (ab + ba + aba)
        + fourth(x) * (a @ ab + ba @ a - 3.0 * aba)
        + fifth(x) * (aba @ a + a @ aba)
    )
