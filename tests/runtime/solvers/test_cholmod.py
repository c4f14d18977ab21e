# SPDX-License-Identifier: BSD-3-Clause
"""The calls made to scikit-sparse, old and new, checked against stand-ins of its interface."""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.solvers.cholmod import Cholmod
from flexforge.runtime.solvers.interface import Kind
from numpy.typing import NDArray
from scipy import sparse

DEFINITE = Kind(symmetric=True, positive_definite=True)


class StandInError(Exception):
    """CholmodError."""


class StandInNotDefinite(StandInError):
    """CholmodNotPositiveDefiniteError: the column is in the order of the factor."""

    def __init__(self, column: int) -> None:
        super().__init__("not positive definite")
        self.column = column


class DenseFactor:
    """What both interfaces have in common, with a reversed ordering and dense factors."""

    def __init__(self, matrix: Any) -> None:
        self.order = np.arange(matrix.shape[0])[::-1]
        self.lower: NDArray[np.float64] | None = None

    def dense(self, matrix: Any) -> None:
        permuted = matrix.toarray()[np.ix_(self.order, self.order)]
        for column in range(len(permuted)):
            if np.linalg.eigvalsh(permuted[: column + 1, : column + 1])[0] <= 0.0:
                raise StandInNotDefinite(column)
        self.lower = np.linalg.cholesky(permuted)

    def answer(self, rhs: NDArray[np.float64]) -> NDArray[np.float64]:
        assert self.lower is not None
        solution = np.empty_like(rhs)
        solution[self.order] = np.linalg.solve(self.lower @ self.lower.T, rhs[self.order])
        return solution


class OldFactor(DenseFactor):
    """scikit-sparse 0.4: `analyze`, `cholesky_inplace`, a call, `P`."""

    def cholesky_inplace(self, matrix: Any) -> None:
        assert isinstance(matrix, sparse.csc_matrix)
        self.dense(matrix)

    def __call__(self, rhs: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.answer(rhs)

    def P(self) -> NDArray[np.int64]:
        return self.order


class NewFactor(DenseFactor):
    """scikit-sparse 0.5: `CholeskyFactor`, `factorize`, `solve`, `perm`, `nnz`."""

    def __init__(self, matrix: Any, *, supernodal_mode: str, order: str) -> None:
        assert isinstance(matrix, sparse.csc_array)
        assert supernodal_mode == "supernodal"
        if order == "metis":
            raise StandInError("not installed")
        super().__init__(matrix)

    def factorize(self, matrix: Any) -> None:
        self.dense(matrix)

    def solve(self, rhs: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.answer(rhs)

    @property
    def perm(self) -> NDArray[np.int64]:
        return self.order

    @property
    def nnz(self) -> int:
        return 123


def old_analyze(matrix: Any, mode: str, ordering_method: str) -> OldFactor:
    assert (mode, ordering_method) == ("supernodal", "metis")
    return OldFactor(matrix)


@pytest.fixture(params=["old", "new"])
def interface(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Put a stand-in of scikit-sparse in place."""
    module = types.ModuleType("sksparse.cholmod")
    module.CholmodError = StandInError  # type: ignore[attr-defined]
    module.CholmodNotPositiveDefiniteError = StandInNotDefinite  # type: ignore[attr-defined]
    if request.param == "new":
        module.CholeskyFactor = NewFactor  # type: ignore[attr-defined]
    else:
        module.analyze = old_analyze  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sksparse", types.ModuleType("sksparse"))
    monkeypatch.setitem(sys.modules, "sksparse.cholmod", module)
    return str(request.param)


def matrix() -> sparse.csr_matrix:
    rng = np.random.default_rng(0)
    half = rng.standard_normal((6, 6))
    return sparse.csr_matrix(half @ half.T + 6 * np.eye(6))


def test_solutions_and_updates(interface: str) -> None:
    """Factor, solve one and several, update, close: as for any backend."""
    given = matrix()
    factors = Cholmod(given, DEFINITE)
    for rhs in (np.arange(6.0), np.arange(12.0).reshape(6, 2)):
        np.testing.assert_allclose(factors.solve(rhs), np.linalg.solve(given.toarray(), rhs))
    factors.update(sparse.csr_matrix(2.0 * given))
    np.testing.assert_allclose(given @ factors.solve(np.ones(6)), 0.5 * np.ones(6))
    assert factors.bytes == (123 * 8 if interface == "new" else None)
    factors.close()
    with pytest.raises(AnalysisError, match="closed"):
        factors.solve(np.ones(6))


def test_the_failed_pivot_is_given_in_the_users_order(interface: str) -> None:
    """CHOLMOD counts in its own order; the message does not."""
    broken = sparse.csr_matrix(np.diag([1.0, 1.0, 1.0, -1.0, 1.0, 1.0]))
    with pytest.raises(AnalysisError, match="at equation 3 "):
        Cholmod(broken, DEFINITE)


def test_only_definite_matrices(interface: str) -> None:
    """Anything else is refused before the library is asked."""
    with pytest.raises(AnalysisError, match="not known to be positive definite"):
        Cholmod(matrix(), Kind(symmetric=True, positive_definite=False))
