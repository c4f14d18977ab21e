# SPDX-License-Identifier: BSD-3-Clause
"""Lanczos's method in blocks, beside eigenvalues that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from flexforge.runtime.vibration import lanczos
from flexforge.runtime.vibration.lanczos import Found, largest

SIZE = 400
Problem = tuple[np.ndarray, np.ndarray, Callable[[Any], Any], Callable[[Any], Any]]


def problem(squares: np.ndarray, masses: np.ndarray, kind: type = float) -> Problem:
    """Return eigenvectors, masses, and the products with k^-1 and m, of known squares."""
    rng = np.random.default_rng(3)
    drawn = rng.standard_normal((SIZE, SIZE)) + (
        1j * rng.standard_normal((SIZE, SIZE)) if kind is complex else 0.0
    )
    turn = np.linalg.qr(drawn)[0] / np.sqrt(np.maximum(masses, 1e-300))[:, None]
    if not masses.all():
        turn = np.linalg.qr(drawn)[0]

    def solve(x: np.ndarray) -> np.ndarray:
        return turn @ ((turn.conj().T @ x) / squares[:, None])

    return turn, masses, solve, lambda x: masses[:, None] * x


def solved(found: Problem, count: int, **more: Any) -> Found:
    *_, solve, weigh = found
    return largest(solve, weigh, SIZE, count, **{"tolerance": 1e-10, "restarts": 50, **more})


@pytest.mark.parametrize("kind", [float, complex])
def test_eigenvalues_have_their_multiplicity(kind: type) -> None:
    """Pairs and triples, as of symmetric bodies; vectors have unit mass."""
    squares = np.sort(np.concatenate([[1.0, 1.0, 2.0, 3.0, 3.0, 3.0], np.arange(4.0, SIZE - 2.0)]))
    masses = np.linspace(1.0, 5.0, SIZE)
    given = problem(squares, masses, kind)
    found = solved(given, 8, kind=kind)
    np.testing.assert_allclose(1.0 / found.inverses, squares[:8], rtol=1e-13)
    product = found.vectors.conj().T @ (masses[:, None] * found.vectors)
    np.testing.assert_allclose(product, np.eye(8), atol=1e-12)
    image = given[2](masses[:, None] * found.vectors)
    np.testing.assert_allclose(image, found.vectors * found.inverses, atol=1e-10)


def test_restarts_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for little more than the wanted shapes: values close together."""
    squares = 1.0 + 0.01 * np.arange(SIZE)
    given = problem(squares, np.ones(SIZE))
    monkeypatch.setattr(lanczos, "_ROOM", 2)
    steps = []
    step = lanczos._Space.step
    monkeypatch.setattr(
        lanczos._Space, "step", lambda self: steps.append(self._known) or step(self)
    )
    found = solved(given, 5, restarts=500)
    assert any(later <= sooner for sooner, later in zip(steps, steps[1:], strict=False))
    np.testing.assert_allclose(1.0 / found.inverses, squares[:5], rtol=1e-13)


def test_the_nearest_on_both_sides_of_a_shift() -> None:
    """The largest absolute values, of either sign."""
    squares = np.concatenate([[-0.5, 0.6, -0.7, 0.8], np.linspace(2.0, 50.0, SIZE - 4)])
    found = solved(problem(squares, np.ones(SIZE)), 4)
    np.testing.assert_allclose(1.0 / found.inverses, squares[:4], rtol=1e-13)


def test_vectors_follow_motions_without_mass() -> None:
    """Where the mass is singular, vectors are images of the inverse in those unknowns, too.

    Half of the unknowns have no mass: with k = [[a, b], [b, c]] they are -c^-1 b u of the others.
    """
    rng = np.random.default_rng(1)
    drawn = rng.standard_normal((SIZE, SIZE))
    stiffness = drawn @ drawn.T + SIZE * np.eye(SIZE)
    masses = np.concatenate([np.ones(SIZE // 2), np.zeros(SIZE // 2)])
    inverse = np.linalg.inv(stiffness)
    found = largest(lambda x: inverse @ x, lambda x: masses[:, None] * x, SIZE, 6,
                    tolerance=1e-10, restarts=50)  # fmt: skip
    heavy, light = slice(0, SIZE // 2), slice(SIZE // 2, None)
    condensed = np.linalg.solve(stiffness[light, light], stiffness[light, heavy])
    schur = stiffness[heavy, heavy] - stiffness[heavy, light] @ condensed
    np.testing.assert_allclose(1.0 / found.inverses, np.linalg.eigvalsh(schur)[:6], rtol=1e-11)
    followed = -condensed @ found.vectors[heavy]
    assert abs(found.vectors[light] - followed).max() < 1e-9 * abs(followed).max()


def test_a_rank_below_the_count_is_all_that_is_found() -> None:
    """Five masses have five vibrations; the sixth does not exist."""
    masses = np.zeros(SIZE)
    masses[:5] = 1.0
    stiffness = np.arange(1.0, SIZE + 1.0)
    found = largest(lambda x: x / stiffness[:, None], lambda x: masses[:, None] * x, SIZE, 6,
                    tolerance=1e-10, restarts=50)  # fmt: skip
    np.testing.assert_allclose(1.0 / found.inverses, stiffness[:5], rtol=1e-13)


def test_more_shapes_of_one_frequency_than_a_block_has() -> None:
    """Further blocks of chance find the others: two frequencies of 200 shapes each, then many."""
    squares = np.repeat([1.0, 2.0], SIZE // 2)
    found = solved(problem(squares, np.ones(SIZE)), 10)
    np.testing.assert_allclose(1.0 / found.inverses, 1.0, rtol=1e-12)
    found = solved(problem(squares, np.ones(SIZE)), 30)
    np.testing.assert_allclose(1.0 / found.inverses, 1.0, rtol=1e-12)
    many = np.repeat(np.linspace(1.0, 9.0, SIZE // 8), 8)
    found = solved(problem(many, np.ones(SIZE)), 10)
    np.testing.assert_allclose(1.0 / found.inverses, many[:10], rtol=1e-12)


@pytest.mark.parametrize(("first", "error"), [(1e-10, 1e-12), (1e-11, 1e-15)])
def test_round_off_of_the_solutions_is_no_obstacle(first: float, error: float) -> None:
    """A frequency 1e5 times lower than the others, and solutions with errors."""
    squares = np.concatenate([[first], np.linspace(1.0, 40.0, SIZE - 1)])
    _, _, solve, weigh = problem(squares, np.ones(SIZE))
    rng = np.random.default_rng(5)

    def inexact(x: np.ndarray) -> np.ndarray:
        found = solve(x)
        return found * (1.0 + error * rng.standard_normal(found.shape))

    found = largest(inexact, weigh, SIZE, 5, tolerance=1e-14, restarts=40)
    np.testing.assert_allclose(1.0 / found.inverses, squares[:5], rtol=1e-4)
    assert len(found.inverses) == 5
