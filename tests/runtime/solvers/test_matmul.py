# SPDX-License-Identifier: BSD-3-Clause
"""Products and sums of block matrices against dense ones, and their bits over threads."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.solvers.matmul import multiplied, multiplied_turned, stacked, summed
from scipy.sparse import bsr_matrix

RANDOM = np.random.default_rng(7)


def sparse(rows: int, columns: int, sizes: tuple[int, int]) -> bsr_matrix:
    """Return a matrix of random blocks, with an empty row, an empty column and no order in rows."""
    there = RANDOM.random((rows, columns)) < 0.3
    there[rows // 2] = there[:, columns // 3] = False
    places = [RANDOM.permutation(np.flatnonzero(row)) for row in there]
    pointers = np.cumsum([0, *map(len, places)])
    data = RANDOM.standard_normal((pointers[-1], *sizes))
    shape = rows * sizes[0], columns * sizes[1]
    return bsr_matrix((data, np.concatenate(places), pointers), shape=shape)


def same(found: bsr_matrix, expected: np.ndarray) -> None:
    """Compare with a dense matrix to round-off; columns are ascending and occur once."""
    assert np.allclose(found.toarray(), expected, rtol=0.0, atol=1e-13 * np.abs(expected).max())
    rows = np.repeat(np.arange(len(found.indptr) - 1), np.diff(found.indptr))
    keys = rows * found.shape[1] + found.indices
    assert (np.diff(keys) > 0).all()


@pytest.mark.parametrize(
    "sizes", [(3, 3, 6), (6, 6, 6), (2, 2, 3), (3, 3, 3), (1, 1, 2), (4, 5, 2)]
)
def test_products_are_those_of_dense_matrices(sizes: tuple[int, int, int]) -> None:
    """A B and A^T B, of blocks that have kernels of their own and of others, in 1 to 3 threads."""
    rows, inner, across = sizes
    left, right = sparse(20, 11, (rows, inner)), sparse(11, 13, (inner, across))
    turned = sparse(11, 20, (inner, rows))
    same(multiplied(left, right, 1), left.toarray() @ right.toarray())
    same(multiplied_turned(turned, right, 1), turned.toarray().T @ right.toarray())
    for threads in (2, 3, 40):
        for product, one in ((multiplied, left), (multiplied_turned, turned)):
            alone, found = product(one, right, 1), product(one, right, threads)
            assert (alone.indices == found.indices).all() and (alone.data == found.data).all()


def test_sums_are_those_of_dense_matrices() -> None:
    """Of one, two and five matrices, and of matrices without entries."""
    parts = [sparse(9, 14, (3, 6)) for _ in range(5)]
    for count in (1, 2, 5):
        expected = sum(one.toarray() for one in parts[:count])
        same(summed(parts[:count], 2), expected)
    nothing = bsr_matrix((27, 84), blocksize=(3, 6))
    same(summed([nothing, parts[0]], 2), parts[0].toarray())
    assert summed([nothing, nothing], 2).nnz == 0
    assert multiplied(nothing, sparse(14, 3, (6, 6)), 2).nnz == 0
    expected = np.concatenate([one.toarray() for one in parts])
    assert (stacked(parts).toarray() == expected).all()
