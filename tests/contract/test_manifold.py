# SPDX-License-Identifier: BSD-3-Clause
"""Rotations and rigid motions: increments come back, and T is the derivative it is said to be."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.transient import rotation
from flexforge.runtime.transient.manifold import SE3, SO3, Euclidean, Product

MANIFOLDS = {
    "R3": Euclidean(3),
    "SO3": SO3(),
    "SE3": SE3(),
    "product": Product((Euclidean(2), SO3(), SE3(), Euclidean(1))),
}
#: Zero, where rounding could eat a formula, both sides of where series end, nearly half a turn.
ANGLES = (0.0, 1e-12, 1e-6, 0.19, 0.21, 1.0 - 1e-9, 1.0 + 1e-9, 2.5, 3.1)


@pytest.fixture(params=MANIFOLDS)
def manifold(request):
    return MANIFOLDS[request.param]


def increment(manifold, angle, seed=1):
    """Return an increment whose turns are by an angle."""
    dz = np.random.default_rng(seed).normal(size=manifold.dimension)
    parts = getattr(manifold, "places", [(manifold, None, slice(None))])
    for part, _, along in parts:
        if not isinstance(part, Euclidean):
            turn = dz[along][-3:]
            turn *= angle / np.linalg.norm(turn)
    return dz


def some_point(manifold):
    return manifold.retract(manifold.origin(), increment(manifold, 1.7, seed=2))


@pytest.mark.parametrize("angle", ANGLES)
def test_increments_come_back(manifold, angle):
    """``difference(retract(q, dz), q) = dz`` for turns of less than half a circle."""
    q, dz = some_point(manifold), increment(manifold, angle)
    np.testing.assert_allclose(
        manifold.difference(manifold.retract(q, dz), q), dz, rtol=1e-13, atol=2e-15
    )


@pytest.mark.parametrize("angle", [*ANGLES, 5.0])
def test_tangent_is_the_derivative_of_retract(manifold, angle):
    """T e by a complex step through ``difference(retract(q, dz + e), retract(q, dz))``; more than
    half a turn too. T on the wrong side, or of -dz, differs at first order of the angle."""
    q, dz = some_point(manifold), increment(manifold, angle)
    there = manifold.retract(q, dz)
    size, eps = manifold.dimension, 1e-30
    columns = [
        manifold.difference(manifold.retract(q, dz + 1j * eps * e), there).imag / eps
        for e in np.eye(size)
    ]
    t = manifold.tangent(dz)
    t = np.eye(size) if t is None else getattr(t, "toarray", lambda t=t: t)()
    np.testing.assert_allclose(t, np.array(columns).T, atol=1e-13)


def test_screws_are_exact():
    """A constant velocity of the body's axes, kept for one step or for ten, leads to the same
    place: a helix, by Chasles' theorem."""
    se3, z = SE3(), np.array([1.0, 0.5, -0.2, 0.3, 0.2, 2.0])
    q = once = some_point(se3)
    once = se3.retract(once, z)
    for _ in range(10):
        q = se3.retract(q, z / 10.0)
    np.testing.assert_allclose(q, once, atol=3e-15)


def test_a_quaternion_and_its_negative_are_one_rotation():
    """The difference of p and -p is zero, not a whole turn."""
    p = some_point(SO3())
    np.testing.assert_allclose(SO3().difference(-p, p), np.zeros(3), atol=1e-16)


def test_quaternions_are_those_of_the_matrix_exponential():
    """``R(exp(a)) = expm(a~)`` and ``R(p r) = R(p) R(r)``, SciPy's exponential."""
    from scipy.linalg import expm

    a, b = np.array([0.3, -1.2, 2.0]), np.array([-0.5, 0.1, 0.7])
    p, r = rotation.exponential(a), rotation.exponential(b)
    np.testing.assert_allclose(rotation.matrix(p), expm(rotation.cross(a)), atol=1e-14)
    both = rotation.matrix(rotation.product(p, r))
    np.testing.assert_allclose(both, rotation.matrix(p) @ rotation.matrix(r), atol=1e-15)


def test_quaternions_do_not_drift():
    """Ten thousand small turns leave the length at one to round-off."""
    q = SO3().origin()
    for _ in range(10_000):
        q = SO3().retract(q, np.array([1e-3, 2e-3, -1e-3]))
    assert abs(q @ q - 1.0) < 1e-15
