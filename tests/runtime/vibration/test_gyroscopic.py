# SPDX-License-Identifier: BSD-3-Clause
"""All eigenvalues of small gyroscopic problems, in pairs, against a general eigenvalue solver."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.vibration.gyroscopic import general_values, gyroscopic_pairs

SIZE = 40


def matrices(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return k, which may be definite, indefinite or singular, and a skew g."""
    random = np.random.default_rng(3)
    a, b = random.standard_normal((2, SIZE, SIZE))
    stiffness = a @ a.T / SIZE + 0.05 * np.eye(SIZE)
    if kind == "indefinite":
        stiffness -= 1.2 * np.eye(SIZE)
    if kind == "singular":
        u = np.linalg.qr(b)[0][:, :2]
        across = np.eye(SIZE) - u @ u.T
        stiffness = across @ stiffness @ across
    return 0.5 * (stiffness + stiffness.T), (b - b.T) / np.sqrt(SIZE)


def by_companion(stiffness: np.ndarray, viscous: np.ndarray) -> np.ndarray:
    """Return all 2 m eigenvalues of the companion matrix, by QR."""
    m = len(stiffness)
    return np.linalg.eigvals(np.block([[np.zeros((m, m)), np.eye(m)], [-stiffness, -viscous]]))


@pytest.mark.parametrize("kind", ["definite", "indefinite", "singular"])
def test_one_of_every_pair(kind: str) -> None:
    """lambda and -lambda together are the spectrum of the companion matrix; equations are met."""
    stiffness, skew = matrices(kind)
    values, vectors = gyroscopic_pairs(stiffness, skew, SIZE if kind == "definite" else 5)
    both = np.concatenate([values, -values])
    known = by_companion(stiffness, skew)
    # Zeros of a singular k are double: QR finds them to the root of its round-off.
    allowed = 1e-6 if kind == "singular" else 1e-11
    assert len(values) == SIZE
    for one in known:
        assert np.abs(both - one).min() <= allowed
    left = vectors * values**2 + skew @ vectors * values + stiffness @ vectors
    assert np.linalg.norm(left, axis=0).max() <= 100 * allowed


def test_the_lowest_of_a_definite_problem_are_computed_alone() -> None:
    """Those of the whole spectrum, to round-off."""
    stiffness, skew = matrices("definite")
    every, _ = gyroscopic_pairs(stiffness, skew, SIZE)
    few, vectors = gyroscopic_pairs(stiffness, skew, 5)
    assert vectors.shape == (SIZE, 5)
    np.testing.assert_allclose(np.sort(few.imag), np.sort(every.imag)[:5], rtol=1e-12)


def test_stable_vibrations_have_no_growth_at_all() -> None:
    """Imaginary eigenvalues are imaginary to the last bit, not to round-off, also with a k < 0."""
    stiffness, skew = matrices("definite")
    values, _ = gyroscopic_pairs(stiffness, skew, 5)
    assert not values.real.any()
    # A k < 0 is stabilised by a large g: lambda^2 -+ i g lambda - kappa with g^2 > 4 kappa.
    turn = np.kron(np.eye(3), [[0.0, -1.0], [1.0, 0.0]])
    values, _ = gyroscopic_pairs(-np.eye(6), 4.0 * turn, 5)
    assert not values.real.any()
    expected = np.repeat([2.0 - np.sqrt(3.0), 2.0 + np.sqrt(3.0)], 3)
    assert np.allclose(np.sort(values.imag), expected, rtol=1e-13)


def test_flutter_comes_in_fours() -> None:
    """Where a pair leaves the axis, the one that grows and the one that decays are exact images."""
    stiffness, skew = matrices("indefinite")
    values, _ = gyroscopic_pairs(stiffness, skew, 5)
    growing = values[(values.real > 0) & (values.imag > 0)]
    assert len(growing)
    for one in growing:
        assert np.abs(values - complex(-one.real, one.imag)).min() == 0.0


def test_damped_problems_are_solved_whole() -> None:
    """With a matrix that is not skew all 2 m eigenvalues are those of the companion matrix."""
    stiffness, skew = matrices("indefinite")
    viscous = skew + 0.1 * np.eye(SIZE)
    values, vectors = general_values(stiffness, viscous, 5)
    known = by_companion(stiffness, viscous)
    assert len(values) == 2 * SIZE
    assert max(np.abs(values - one).min() for one in known) <= 1e-11
    left = vectors * values**2 + viscous @ vectors * values + stiffness @ vectors
    assert np.linalg.norm(left, axis=0).max() <= 1e-8


def test_a_frequency_near_zero_takes_no_digits_from_the_others() -> None:
    """Oscillators in a frame that turns, one of them at its critical speed: w0 + W and |w0 - W|.

    In coordinates that mix all of them, with the second of its frequencies 0.5 rad/s, of 1e5.
    """
    speed, own = 1e4, 1e4 + np.array([-0.5, 9e3, 2e4, 4e4, 9e4])
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    mixed = np.linalg.qr(np.random.default_rng(5).standard_normal((10, 10)))[0]
    stiffness = mixed @ np.kron(np.diag(own**2 - speed**2), np.eye(2)) @ mixed.T
    skew = mixed @ np.kron(np.eye(5), 2.0 * speed * turn) @ mixed.T
    values, _ = gyroscopic_pairs(0.5 * (stiffness + stiffness.T), 0.5 * (skew - skew.T), 10)
    known = np.sort(np.concatenate([own + speed, np.abs(own - speed)]))
    found = np.sort(values.imag)
    np.testing.assert_allclose(found[1:], known[1:], rtol=1e-13)
    assert found[0] == pytest.approx(known[0], rel=1e-6)
    assert not values.real.any()
