# SPDX-License-Identifier: BSD-3-Clause
"""GMRES: solutions against dense solves, counts of solves, and what does not converge."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.solvers import GmresResult, gmres
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Counted:
    """A dense operator that counts its calls."""

    def __init__(self, matrix: Array) -> None:
        self.matrix = matrix
        self.calls = 0

    def __call__(self, vector: Array) -> Array:
        self.calls += 1
        return np.asarray(self.matrix @ vector)


def rotating(size: int, speed: float) -> tuple[Array, Array]:
    """Symmetric positive matrix, and one with a skew part like that of Coriolis terms."""
    rng = np.random.default_rng(size)
    half = rng.standard_normal((size, size))
    symmetric = half @ half.T / size + np.eye(size)
    skew = rng.standard_normal((size, size))
    return symmetric, symmetric + speed * (skew - skew.T) / np.sqrt(size)


def solve(
    matrix: Array, preconditioner: Array, rhs: Array, **options: object
) -> tuple[GmresResult, Counted, Counted]:
    product, inverse = Counted(matrix), Counted(np.linalg.inv(preconditioner))
    return gmres(product, rhs, inverse, **options), product, inverse  # type: ignore[arg-type]


@pytest.mark.parametrize("speed", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-12])
def test_solution_equals_the_dense_one(speed: float, tolerance: float) -> None:
    """Preconditioned by the constant part, the rotating one is solved to the tolerance."""
    constant, matrix = rotating(60, speed)
    rhs = np.linspace(-1.0, 2.0, 60)
    result, product, inverse = solve(matrix, constant, rhs, tolerance=tolerance)
    assert result.converged
    residual = np.linalg.norm(rhs - matrix @ result.solution) / np.linalg.norm(rhs)
    assert residual <= tolerance
    assert result.residual == pytest.approx(residual, rel=1e-3, abs=1e-15)
    error = np.linalg.norm(result.solution - np.linalg.solve(matrix, rhs))
    assert error <= 10 * tolerance * np.linalg.cond(matrix) * np.linalg.norm(rhs)
    assert result.preconditioner_solves == inverse.calls == result.iterations
    cycles = -(-result.iterations // 20)
    assert result.products == product.calls == result.iterations + cycles


def test_the_exact_inverse_takes_one_solve() -> None:
    """With the factors of the matrix itself, one triangular solve is enough."""
    _, matrix = rotating(40, 0.3)
    result, _, inverse = solve(matrix, matrix, np.ones(40), tolerance=1e-10)
    assert (result.converged, result.iterations, inverse.calls) == (True, 1, 1)


def test_a_good_guess_saves_iterations_and_an_exact_one_all() -> None:
    """The residual, relative to the right-hand side, is what counts."""
    constant, matrix = rotating(50, 0.3)
    rhs = np.ones(50)
    exact = np.linalg.solve(matrix, rhs)
    guess = exact + 1e-5 * np.sin(np.arange(50.0))
    kept = guess.copy()
    far, _, _ = solve(matrix, constant, rhs, tolerance=1e-8)
    near, _, _ = solve(matrix, constant, rhs, tolerance=1e-8, guess=guess)
    there, _, inverse = solve(matrix, constant, rhs, tolerance=1e-8, guess=exact)
    assert near.converged and 0 < near.iterations < far.iterations
    assert (there.converged, there.iterations, inverse.calls) == (True, 0, 0)
    np.testing.assert_array_equal(guess, kept)


def test_a_guess_farther_than_zero_is_dropped_and_one_may_ask_for_an_iteration() -> None:
    """A bad guess costs one product, no iteration; an exact one is iterated where that is asked."""
    constant, matrix = rotating(50, 0.1)
    rhs = np.cos(np.arange(50.0))
    exact = np.linalg.solve(matrix, rhs)
    none, first, _ = solve(matrix, constant, rhs, tolerance=1e-8)
    far, product, _ = solve(matrix, constant, rhs, tolerance=1e-8, guess=-5.0 * exact)
    assert far.iterations == none.iterations and product.calls == first.calls + 1
    np.testing.assert_array_equal(far.solution, none.solution)
    near = exact + 1e-10 * np.sin(np.arange(50.0))
    once, _, _ = solve(matrix, constant, rhs, tolerance=1e-8, guess=near, least_iterations=1)
    assert once.iterations == 1 and once.converged
    error = np.linalg.norm(once.solution - exact)
    assert error < 0.5 * np.linalg.norm(near - exact)


def test_restarts() -> None:
    """A small Krylov space converges too, in more iterations, still one solve each."""
    constant, matrix = rotating(80, 0.6)
    rhs = np.cos(np.arange(80.0))
    whole, _, _ = solve(matrix, constant, rhs, restart=80)
    small, product, inverse = solve(matrix, constant, rhs, restart=4)
    assert whole.converged and small.converged
    assert small.iterations >= whole.iterations
    assert inverse.calls == small.iterations == small.preconditioner_solves
    assert product.calls == small.products


def test_an_estimated_residual_saves_a_product() -> None:
    constant, matrix = rotating(80, 0.1)
    rhs = np.cos(np.arange(80.0))
    checked, _, _ = solve(matrix, constant, rhs, tolerance=1e-6)
    found, product, inverse = solve(matrix, constant, rhs, tolerance=1e-6, estimated=True)
    assert found.solution == pytest.approx(checked.solution, rel=1e-14)
    assert found.residual == pytest.approx(checked.residual, rel=1e-6)
    assert product.calls == found.products == checked.products - 1
    assert inverse.calls == found.iterations


def test_exact_in_as_many_iterations_as_unknowns() -> None:
    """Without a preconditioner the Krylov space is exhausted after n steps at the most."""
    rng = np.random.default_rng(3)
    matrix = rng.standard_normal((25, 25))
    rhs = rng.standard_normal(25)
    result, _, _ = solve(matrix, np.eye(25), rhs, restart=25, tolerance=1e-9)
    assert result.converged and result.iterations <= 25
    np.testing.assert_allclose(result.solution, np.linalg.solve(matrix, rhs), rtol=1e-5)


def test_preconditioner_that_changes() -> None:
    """The flexible variant allows another preconditioner at each call."""
    constant, matrix = rotating(40, 0.4)
    inverses = [np.linalg.inv(constant), np.linalg.inv(constant + 0.3 * np.eye(40))]
    calls = iter(range(1000))
    result = gmres(
        lambda v: matrix @ v, np.ones(40), lambda v: inverses[next(calls) % 2] @ v, tolerance=1e-10
    )
    assert result.converged
    np.testing.assert_allclose(matrix @ result.solution, np.ones(40), atol=1e-8)


def test_zero_right_hand_side() -> None:
    """Zero is the solution, whatever the guess."""
    result, product, inverse = solve(np.eye(4), np.eye(4), np.zeros(4), guess=np.ones(4))
    assert result.converged and not result.solution.any()
    assert (product.calls, inverse.calls) == (0, 0)


def test_nearly_singular() -> None:
    """A condition number of 1e10 still gives the residual that was asked for."""
    rng = np.random.default_rng(5)
    left, _ = np.linalg.qr(rng.standard_normal((30, 30)))
    right, _ = np.linalg.qr(rng.standard_normal((30, 30)))
    matrix = left @ np.diag(np.r_[np.ones(29), 1e-10]) @ right
    result, _, _ = solve(matrix, np.eye(30), matrix @ np.ones(30), restart=30)
    assert result.converged and result.residual <= 1e-8


def test_singular_and_inconsistent() -> None:
    """What has no solution is reported as not converged, finite and soon."""
    matrix = np.diag(np.r_[np.ones(9), 0.0])
    result, _, _ = solve(matrix, np.eye(10), np.ones(10))
    assert not result.converged
    assert result.iterations <= 4
    assert result.residual == pytest.approx(1 / np.sqrt(10), rel=1e-6)
    zero, _, _ = solve(np.zeros((5, 5)), np.eye(5), np.ones(5))
    assert not zero.converged and np.isfinite(zero.solution).all()
    shift = np.roll(np.eye(6), 1, axis=0)  # stagnates until the space is whole
    stuck, _, _ = solve(shift, np.eye(6), np.eye(6)[0], restart=3)
    assert not stuck.converged
    whole, _, _ = solve(shift, np.eye(6), np.eye(6)[0], restart=6)
    assert whole.converged


def test_gives_up_after_the_iterations_allowed() -> None:
    """The count is a limit, and the best iterate so far comes back."""
    constant, matrix = rotating(60, 0.5)
    result, _, inverse = solve(matrix, constant, np.ones(60), tolerance=1e-14, most_iterations=3)
    assert (result.converged, inverse.calls) == (False, 3)
    assert result.residual < 0.5


def test_values_that_are_not_finite() -> None:
    """NaN in the right-hand side or from the matrix is an error, not an endless search."""
    with pytest.raises(AnalysisError, match="non-finite right-hand side"):
        solve(np.eye(3), np.eye(3), np.array([1.0, np.nan, 0.0]))
    with pytest.raises(AnalysisError, match="non-finite product of the matrix"):
        solve(np.full((3, 3), np.nan), np.eye(3), np.ones(3))
