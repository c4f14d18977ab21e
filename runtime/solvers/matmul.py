# SPDX-License-Identifier: BSD-3-Clause
"""Products and sums of sparse matrices of small dense blocks, in threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from flexforge.runtime import _matmul
from flexforge.runtime.arrays import Floats
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix

_Graph: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32]]

_IN_ORDER = np.empty(0, dtype=np.int32)


def multiplied(left: bsr_matrix, right: bsr_matrix, threads: int) -> bsr_matrix:
    """Return ``A B``; its columns are ascending.

    Parameters
    ----------
    left, right : bsr_matrix, (m, k) and (k, n)
        A and B, in double precision.
    threads : int
        Number of threads; it changes no bit.
    """
    from scipy.sparse import bsr_matrix

    found = _product(_graph(left), _IN_ORDER, left.data, right, False, threads)
    return bsr_matrix(found, shape=(left.shape[0], right.shape[1]))


def multiplied_turned(left: bsr_matrix, right: bsr_matrix, threads: int) -> bsr_matrix:
    """Return ``A^T B``; the blocks of A are not copied.

    Parameters
    ----------
    left, right : bsr_matrix, (k, m) and (k, n)
        A and B, in double precision.
    threads : int
        Number of threads; it changes no bit.
    """
    from scipy.sparse import bsr_matrix, csr_matrix

    places = np.arange(len(left.indices), dtype=np.int32)
    sizes = left.shape[0] // left.blocksize[0], left.shape[1] // left.blocksize[1]
    turned = csr_matrix((places, left.indices, left.indptr), shape=sizes).tocsc()
    graph = turned.indptr.astype(np.int32), turned.indices.astype(np.int32)
    found = _product(graph, turned.data, left.data, right, True, threads)
    return bsr_matrix(found, shape=(left.shape[1], right.shape[1]))


def summed(parts: Sequence[bsr_matrix], threads: int) -> bsr_matrix:
    """Return the sum of matrices of one shape; its columns are ascending.

    Parameters
    ----------
    parts : sequence of bsr_matrix, (m, n)
        The matrices, in double precision.
    threads : int
        Number of threads; it changes no bit.
    """
    from scipy.sparse import bsr_matrix

    below = stacked(parts)
    count, rows = len(parts), len(parts[0].indptr) - 1
    # A product with unit matrices side by side.
    columns = np.arange(count * rows, dtype=np.int32).reshape(count, rows).T.ravel()
    pointers = np.arange(0, len(columns) + 1, count, dtype=np.int32)
    found = _product((pointers, columns), _IN_ORDER, None, below, False, threads)
    return bsr_matrix(found, shape=parts[0].shape)


def stacked(parts: Sequence[bsr_matrix]) -> bsr_matrix:
    """Return matrices of the same columns one below the other.

    Parameters
    ----------
    parts : sequence of bsr_matrix, (m, n)
        The matrices.
    """
    from scipy.sparse import bsr_matrix

    lengths = np.concatenate([[0], *(np.diff(one.indptr) for one in parts)])
    whole = (
        np.concatenate([one.data for one in parts]),
        np.concatenate([one.indices for one in parts]),
        np.cumsum(lengths),
    )
    shape = (sum(one.shape[0] for one in parts), parts[0].shape[1])
    return bsr_matrix(whole, shape=shape)


def _graph(matrix: bsr_matrix) -> _Graph:
    """Return row pointers and columns of blocks."""
    return matrix.indptr.astype(np.int32, copy=False), matrix.indices.astype(np.int32, copy=False)


def _product(
    graph: _Graph,
    places: NDArray[np.int32],
    values: Floats | None,
    right: bsr_matrix,
    turned: bool,
    threads: int,
) -> tuple[Floats, NDArray[np.int32], NDArray[np.int32]]:
    """Return values, columns and row pointers; a left matrix without values has unit blocks."""
    width = int(right.shape[1] // right.blocksize[1])
    left = None if values is None else np.ascontiguousarray(values)
    factor = np.ascontiguousarray(right.data)
    return _matmul.multiply(*graph, places, left, *_graph(right), factor, turned, width, threads)
