# SPDX-License-Identifier: BSD-3-Clause
"""Direct solvers: every backend against dense solves, and what each refuses."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.solvers import available, factorize
from flexforge.runtime.solvers.pardiso import upper_triangle
from numpy.typing import NDArray
from scipy import sparse

INSTALLED = [one.name for one in available() if one.version is not None and one.name[-3:] != "amg"]
GENERAL = [name for name in INSTALLED if name != "cholmod"]


def chain(size: int, *, free: bool = False) -> sparse.csr_matrix:
    """Stiffness of a chain of springs between masses, held at both ends or free."""
    matrix = sparse.diags([-np.ones(size - 1), 2 * np.ones(size), -np.ones(size - 1)], [-1, 0, 1])
    matrix = matrix.tolil()
    if free:
        matrix[0, 0] = matrix[-1, -1] = 1.0
    return sparse.csr_matrix(matrix)


def random_matrix(size: int, seed: int = 0) -> sparse.csr_matrix:
    """Unsymmetric, diagonally dominant, with a symmetric pattern."""
    rng = np.random.default_rng(seed)
    part = sparse.random(size, size, density=0.05, random_state=seed, format="csr")
    pattern = part + part.T
    pattern.data = rng.standard_normal(len(pattern.data))
    return sparse.csr_matrix(pattern + 10 * sparse.identity(size))


def dense_solution(matrix: sparse.csr_matrix, rhs: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.linalg.solve(matrix.toarray(), rhs)


@pytest.mark.parametrize("solver", INSTALLED)
@pytest.mark.parametrize("columns", [None, 1, 3])
def test_positive_definite(solver: str, columns: int | None) -> None:
    """Solutions equal those of a dense solver for one and for several right-hand sides."""
    matrix = random_matrix(80)
    matrix = sparse.csr_matrix(matrix @ matrix.T)
    rng = np.random.default_rng(1)
    rhs = rng.standard_normal(80 if columns is None else (80, columns))
    kept = rhs.copy()
    factors = factorize(matrix, solver, positive_definite=True)
    assert factors.name == solver
    found = factors.solve(rhs)
    assert found.shape == rhs.shape
    np.testing.assert_allclose(found, dense_solution(matrix, rhs), rtol=1e-11)
    np.testing.assert_array_equal(rhs, kept)


@pytest.mark.parametrize("solver", GENERAL)
def test_unsymmetric(solver: str) -> None:
    """Skew terms such as those of Coriolis are no obstacle."""
    matrix, rhs = random_matrix(120), np.arange(120.0)
    assert abs(matrix - matrix.T).max() > 1.0
    found = factorize(matrix, solver).solve(rhs)
    np.testing.assert_allclose(found, dense_solution(matrix, rhs), rtol=1e-11)


@pytest.mark.parametrize("solver", GENERAL)
def test_indefinite_with_zeros_on_the_diagonal(solver: str) -> None:
    """A saddle point, as multipliers make it, with no diagonal stored in the lower block."""
    stiffness = chain(30)
    constraint = sparse.csr_matrix(([1.0, -1.0, 1.0], ([0, 0, 1], [3, 9, 20])), shape=(2, 30))
    matrix = sparse.bmat([[stiffness, constraint.T], [constraint, None]], format="csr")
    rhs = np.linspace(-1.0, 1.0, 32)
    found = factorize(matrix, solver, symmetric=True).solve(rhs)
    np.testing.assert_allclose(found, dense_solution(matrix, rhs), atol=1e-11)


@pytest.mark.parametrize("solver", INSTALLED)
def test_several_factorizations_live_together(solver: str) -> None:
    """Handles are separate: the first still solves after the second was made, or closed."""
    first, second = chain(50), sparse.csr_matrix(3.0 * chain(40))
    one = factorize(first, solver, positive_definite=True)
    two = factorize(second, solver, positive_definite=True)
    np.testing.assert_allclose(one.solve(np.ones(50)), dense_solution(first, np.ones(50)))
    np.testing.assert_allclose(two.solve(np.ones(40)), dense_solution(second, np.ones(40)))
    two.close()
    np.testing.assert_allclose(one.solve(np.ones(50)), dense_solution(first, np.ones(50)))
    with pytest.raises(AnalysisError, match="closed"):
        two.solve(np.ones(40))
    two.close()  # twice is no error
    for size in range(20, 40):  # dropped without close
        factorize(chain(size), solver, positive_definite=True).solve(np.ones(size))


@pytest.mark.parametrize("solver", INSTALLED)
def test_update_with_new_values(solver: str) -> None:
    """New values in the same pattern replace the old ones."""
    matrix = chain(60)
    factors = factorize(matrix, solver, positive_definite=True)
    changed = sparse.csr_matrix(matrix + 0.5 * sparse.identity(60))
    factors.update(changed)
    rhs = np.linspace(0.0, 1.0, 60)
    np.testing.assert_allclose(factors.solve(rhs), dense_solution(changed, rhs), rtol=1e-12)


@pytest.mark.parametrize("solver", INSTALLED)
def test_memory_is_told(solver: str) -> None:
    """Where a backend tells its memory, it is at least that of the factor's band."""
    found = factorize(chain(1000), solver, positive_definite=True).bytes
    assert found is None or found > 8 * 1000


@pytest.mark.parametrize("solver", INSTALLED)
@pytest.mark.parametrize("size", [7, 100, 333])
def test_a_free_body_is_refused(solver: str, size: int) -> None:
    """A free chain has a rigid motion; round-off must not hide it."""
    matrix = sparse.csr_matrix(np.pi * chain(size, free=True))
    with pytest.raises(AnalysisError, match=r"singular or indefinite matrix.*expected supports"):
        factorize(matrix, solver, positive_definite=True)


@pytest.mark.parametrize("solver", GENERAL)
def test_singular_matrices_of_every_kind_are_refused(solver: str) -> None:
    """Also without the promise of definiteness, and for unsymmetric ones."""
    free = sparse.csr_matrix(np.pi * chain(50, free=True))
    with pytest.raises(AnalysisError, match="singular"):
        factorize(free, solver, symmetric=True)
    unsymmetric = random_matrix(50).tolil()
    unsymmetric[7] = unsymmetric[9]
    with pytest.raises(AnalysisError, match="singular"):
        factorize(sparse.csr_matrix(unsymmetric), solver)


@pytest.mark.parametrize("solver", INSTALLED)
def test_the_failed_pivot_is_named(solver: str) -> None:
    """A negative diagonal entry that nothing couples to is the equation that fails."""
    matrix = chain(40).tolil()
    matrix[17] = 0.0
    matrix[:, 17] = 0.0
    matrix[17, 17] = -1.0
    with pytest.raises(AnalysisError, match="at equation 17 "):
        factorize(sparse.csr_matrix(matrix), solver, positive_definite=True)


@pytest.mark.parametrize("solver", INSTALLED)
def test_a_saddle_is_refused(solver: str) -> None:
    """Two equations with nothing on the diagonal: eigenvalues 1 and -1, each row can be solved."""
    saddle = sparse.csr_matrix(np.array([[0.0, 1.0], [1.0, 0.0]]))
    matrix = sparse.csr_matrix(sparse.block_diag([chain(20), saddle]))
    with pytest.raises(AnalysisError, match="singular or indefinite"):
        factorize(matrix, solver, positive_definite=True)


@pytest.mark.parametrize("solver", INSTALLED)
def test_stiff_but_regular_matrices_pass(solver: str) -> None:
    """A condition number of 1e10 leaves digits enough to be accepted."""
    scale = sparse.diags(np.logspace(0, 5, 60))
    matrix = sparse.csr_matrix(scale @ chain(60) @ scale)
    factors = factorize(matrix, solver, positive_definite=True)
    rhs = matrix @ np.ones(60)
    np.testing.assert_allclose(factors.solve(rhs), np.ones(60), rtol=1e-6)


@pytest.mark.parametrize("solver", INSTALLED)
def test_values_that_are_not_finite_are_refused(solver: str) -> None:
    """NaN and infinity are named with their equation, in the matrix and in the right-hand side."""
    matrix = chain(20)
    factors = factorize(matrix, solver, positive_definite=True)
    rhs = np.ones(20)
    rhs[5] = np.nan
    with pytest.raises(AnalysisError, match="equation 5 of the right-hand side"):
        factors.solve(rhs)
    with pytest.raises(AnalysisError, match=r"shape \(19,\); expected \(20,\)"):
        factors.solve(np.ones(19))
    broken = matrix.copy()
    broken.data[broken.indptr[12]] = np.inf
    with pytest.raises(AnalysisError, match="found inf in equation 12"):
        factorize(broken, solver, positive_definite=True)


def test_matrices_of_wrong_form_are_refused() -> None:
    """Not square, empty, or with an empty row."""
    for matrix, message in (
        (sparse.csr_matrix((3, 4)), "3 x 4"),
        (sparse.csr_matrix((0, 0)), "0 x 0"),
        (sparse.csr_matrix(np.diag([1.0, 0.0, 1.0])), "the row is empty"),
    ):
        with pytest.raises(AnalysisError, match=message):
            factorize(matrix)


def test_unsorted_and_repeated_entries() -> None:
    """Entries in any order, some twice, mean their sum; the caller's matrix stays as it is."""
    matrix = sparse.csr_matrix(
        (np.array([1.0, 4.0, 1.0, -1.0, 5.0]), np.array([1, 0, 1, 0, 1]), np.array([0, 3, 5])),
        shape=(2, 2),
    )
    found = factorize(matrix).solve(np.array([1.0, 2.0]))
    np.testing.assert_allclose(found, np.linalg.solve([[4.0, 2.0], [-1.0, 5.0]], [1.0, 2.0]))
    assert matrix.nnz == 5


def test_choice_of_the_solver() -> None:
    """Unknown and missing solvers are errors of the input; auto finds one."""
    with pytest.raises(
        InputError, match="found 'pardso'; expected one of .*did you mean 'pardiso'"
    ):
        factorize(chain(5), "pardso")
    for backend in available():
        if backend.version is None:
            assert backend.why_not
            with pytest.raises(InputError, match="cannot be used here"):
                factorize(chain(5), backend.name, positive_definite=True)
    assert factorize(chain(5)).name in INSTALLED
    assert "scipy" in INSTALLED


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("solver", INSTALLED)
def test_number_of_threads(solver: str, threads: int) -> None:
    """The number of threads does not change the solution beyond round-off."""
    matrix = random_matrix(200)
    matrix = sparse.csr_matrix(matrix @ matrix.T)
    factors = factorize(matrix, solver, threads, positive_definite=True)
    np.testing.assert_allclose(factors.solve(matrix @ np.ones(200)), np.ones(200), rtol=1e-9)


def test_upper_triangle_stores_every_diagonal_entry() -> None:
    """PARDISO wants sorted rows that begin on the diagonal, also where it is zero."""
    matrix = sparse.csr_matrix(np.array([[2.0, 0, 5], [0, 0, 1], [5, 1, 0]]))
    upper = upper_triangle(matrix)
    np.testing.assert_array_equal(upper.indptr, [0, 2, 4, 5])
    np.testing.assert_array_equal(upper.indices, [0, 2, 1, 2, 2])
    np.testing.assert_array_equal(upper.data, [2, 5, 0, 1, 0])


@pytest.mark.parametrize("solver", INSTALLED)
def test_solutions_do_not_depend_on_threads_or_memory(solver: str) -> None:
    """The same bits for one and two threads, and wherever arrays lie: runs repeat themselves."""
    side = sparse.identity(17)
    line = chain(17)
    matrix = sparse.csr_matrix(
        sparse.kron(sparse.kron(line, side), side)
        + sparse.kron(sparse.kron(side, line), side)
        + sparse.kron(sparse.kron(side, side), line)
    )
    rhs = np.sin(np.arange(17.0**3))
    found, kept = set(), []
    for threads in (1, 2, 1, 2):
        kept.append(np.zeros(1001 * len(kept) + 7))  # what comes next lies elsewhere
        found.add(factorize(matrix, solver, threads).solve(rhs).tobytes())
    assert len(found) == 1
