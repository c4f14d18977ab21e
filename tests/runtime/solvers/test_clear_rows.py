# SPDX-License-Identifier: BSD-3-Clause
"""Many sparse rows that clearly do not depend on each other, beside dense decompositions."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.solvers import clear_rows as module
from flexforge.runtime.solvers.clear_rows import clear_rows
from scipy.sparse import csr_matrix

COUNT = 300


def rows(seed=0):
    """Return rows (300, 450) of some entries each, next to each other, of very unlike lengths."""
    rng = np.random.default_rng(seed)
    found = np.zeros((COUNT, 450))
    for k in range(COUNT):
        at = 3 * k // 2
        found[k, max(at - 1, 0) : at + 3] = 0.4 * rng.normal(
            size=len(found[k, max(at - 1, 0) : at + 3])
        )
        found[k, at] += 2.0
    return found * np.logspace(-4, 4, COUNT)[rng.permutation(COUNT), None]


@pytest.mark.parametrize("made", [np.asarray, csr_matrix])
def test_least_solution_is_that_of_a_dense_decomposition(made):
    """Also where lengths of rows differ by eight orders."""
    matrix, right = rows(), np.random.default_rng(1).normal(size=COUNT)
    sizes = np.linalg.norm(matrix, axis=1)
    found = clear_rows(made(matrix)).least(right * sizes)
    exact = np.linalg.lstsq(matrix / sizes[:, None], right, rcond=None)[0]
    assert np.abs(found - exact).max() < 1e-11 * np.abs(exact).max()


@pytest.mark.parametrize("off", [0.0, 1e-7])
def test_rows_near_the_span_of_others_are_not_clear(off):
    """A sum of others, and one that is hardly more; an empty one; more rows than columns."""
    matrix = rows()
    matrix[7] = matrix[5] / np.linalg.norm(matrix[5]) + matrix[6] / np.linalg.norm(matrix[6])
    matrix[7, 100] += off
    assert clear_rows(matrix) is None
    matrix[7] = 0.0
    assert clear_rows(matrix) is None
    assert clear_rows(rows().T) is None


def test_few_rows_are_left_to_dense_decompositions():
    """Which say more: what depends on what."""
    assert clear_rows(rows()[: module._FEW - 1]) is None
