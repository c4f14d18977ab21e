# SPDX-License-Identifier: BSD-3-Clause
"""Motions that nothing restrains, apart from those that vibrate."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.vibration.quadratic import QuadraticProblem, solve_complete
from flexforge.runtime.vibration.unrestrained import Unrestrained


def roots(k: np.ndarray, c: np.ndarray, m: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the roots of a problem whose first unknowns nothing restrains, and vectors."""
    rest = Unrestrained.of(k, c, m, count)
    assert rest is not None
    problem = QuadraticProblem(rest.mass, rest.viscous, rest.stiffness, paired=True, singular=False)
    found = solve_complete(problem, len(m) - count, None)
    assert found is not None
    return rest.completed(found.values, found.vectors)


def test_a_mass_slides_on_a_disc_that_turns_freely() -> None:
    """Radial mass m on a spring k at r: ``w^2 = k/m - W^2 + 4 W^2 m r^2 / (J + m r^2)``.

    Angular momentum is that of both; a driven disc has no last term.
    """
    m, k, r, inertia, speed = 0.4, 900.0, 0.3, 0.05, 40.0
    mass = np.diag([inertia + m * r * r, m])
    viscous = 2.0 * m * r * speed * np.array([[0.0, 1.0], [-1.0, 0.0]])
    stiffness = np.diag([0.0, k - m * speed**2])
    values, vectors = roots(stiffness, viscous, mass, 1)
    square = k / m - speed**2 + 4.0 * speed**2 * m * r * r / (inertia + m * r * r)
    np.testing.assert_allclose(values, [0.0, 1j * np.sqrt(square)], rtol=1e-13)
    left = stiffness @ vectors + viscous @ (values * vectors) + mass @ (values**2 * vectors)
    assert np.abs(left).max() < 1e-10
    assert np.sum(vectors.conj() * (mass @ vectors), axis=0) == pytest.approx(1.0)


def test_a_frequency_near_zero_is_not_taken_for_a_zero() -> None:
    """Where rotation nearly takes the stiffness away, beside two motions that are zeros."""
    shape = np.zeros((6, 4))
    shape[2:] = np.eye(4)
    stiffness = shape @ np.diag([1e-10, 2.0, 3.0, 5.0]) @ shape.T
    skew = np.zeros((6, 6))
    skew[0, 3], skew[1, 4], skew[3, 5] = 0.7, 0.4, 0.3
    mass = np.eye(6) + 0.2 * (shape @ shape.T)
    mass[0, 2] = mass[2, 0] = 0.1
    values, _ = roots(stiffness, skew - skew.T, mass, 2)
    assert not values[:2].any()
    n = np.linalg.inv(mass)
    first = np.block([[np.zeros((6, 6)), np.eye(6)], [-n @ stiffness, -n @ (skew - skew.T)]])
    expected = np.sort(np.linalg.eigvals(first).imag)[-4:]
    assert values[2].imag == pytest.approx(expected[0], rel=1e-6)
    np.testing.assert_allclose(values[3:].imag, expected[1:], rtol=1e-12)


def test_motions_that_dampers_act_on_are_not_taken_out() -> None:
    """A drag of the free motion: it has a root of its own."""
    mass, stiffness = np.eye(2), np.diag([0.0, 1.0])
    assert Unrestrained.of(stiffness, np.diag([0.1, 0.0]), mass, 1) is None
