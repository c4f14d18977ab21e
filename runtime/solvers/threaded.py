# SPDX-License-Identifier: BSD-3-Clause
"""Products of sparse matrices of small dense blocks, in threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime import _blocks
from flexforge.runtime.solvers.blocks import block_diagonal
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix

_LEAST = 2_000_000  # entries of a matrix that threads are worth their start for


class ThreadedProduct:
    """A matrix of blocks that is multiplied in threads.

    Parameters
    ----------
    matrix : bsr_matrix, (m, n)
        Its blocks have at most 6 x 6 entries.
    threads : int
        Number of threads.
    dtype : type
        Precision in which it is kept: float32 or float64, which shares the entries.
    """

    def __init__(self, matrix: bsr_matrix, threads: int, dtype: type = np.float32) -> None:
        self._pointers = matrix.indptr.astype(np.int32, copy=False)
        self._columns = matrix.indices.astype(np.int32, copy=False)
        self._data: NDArray[Any] = np.ascontiguousarray(matrix.data, dtype=dtype)
        self._rows, self._threads = matrix.shape[0], threads if self._data.size > _LEAST else 1
        self.bytes = sum(x.nbytes for x in (self._pointers, self._columns, self._data))

    def __matmul__(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the product with a vector (n,) of its precision."""
        y = np.empty(self._rows, dtype=self._data.dtype)
        _blocks.times(self._pointers, self._columns, self._data, x, y, self._threads)
        return y


def of_blocks(blocks: NDArray[Any], threads: int) -> ThreadedProduct:
    """Return a block diagonal matrix.

    Parameters
    ----------
    blocks : ndarray, (k, b, b)
        Its blocks; their precision is that of the products.
    threads : int
        Number of threads.
    """
    return ThreadedProduct(block_diagonal(blocks), threads, blocks.dtype.type)
