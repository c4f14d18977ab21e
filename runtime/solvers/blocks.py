# SPDX-License-Identifier: BSD-3-Clause
"""Operations on sparse matrices of small dense blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix

#: Of the largest stiffness, below which it is none: that of a diagonal entry, or of an eigenvalue.
EMPTY = 1e-10


def hold(blocks: bsr_matrix, free: NDArray[np.bool_], which: Ints | None = None) -> None:
    """Hold rows and columns: all is zero but a diagonal entry, the largest of their block.

    Parameters
    ----------
    blocks : bsr_matrix, (m, n)
        With blocks on the diagonal; changed.
    free : ndarray of bool, (n / d, d)
        Which columns are not held.
    which : ndarray of int, (m / d,), optional
        Numbers of the rows of blocks among the columns; by default the same.
    """
    touched = np.asarray((~free).any(axis=1))
    if not touched.any():
        return
    if which is None:
        which = np.arange(len(free), dtype=np.int32)
    rows = np.repeat(which, np.diff(blocks.indptr))
    near = np.flatnonzero(touched[rows] | touched[blocks.indices])
    node, component = np.nonzero(~free[which])
    own = diagonal_places(blocks, which)[node]
    largest = np.abs(blocks.data[own]).max(axis=(1, 2))
    if (largest == 0.0).any():  # nothing is there
        largest[largest == 0.0] = np.abs(blocks.data).max(initial=0.0) or 1.0
    blocks.data[near] *= free[rows[near]][:, :, None] & free[blocks.indices[near]][:, None, :]
    blocks.data[own, component, component] = largest


def turn(blocks: bsr_matrix, triads: Floats, which: Ints | None = None) -> None:
    """Take rows and columns in the triads of their nodes: ``T_i^T A_ij T_j``.

    Parameters
    ----------
    blocks : bsr_matrix, (m, n)
        Changed.
    triads : ndarray, (n / d, d, d)
        Of every node.
    which : ndarray of int, (m / d,), optional
        Numbers of the rows of blocks among the columns; by default the same.
    """
    rows = np.repeat(np.arange(len(triads)) if which is None else which, np.diff(blocks.indptr))
    unit = np.eye(triads.shape[1])
    turned = (triads != unit).any(axis=(1, 2))
    near = np.flatnonzero(turned[rows] | turned[blocks.indices])
    left, right = triads[rows[near]].transpose(0, 2, 1), triads[blocks.indices[near]]
    blocks.data[near] = left @ blocks.data[near] @ right


def block_diagonal(blocks: NDArray[Any]) -> bsr_matrix:
    """Return a block diagonal matrix.

    Parameters
    ----------
    blocks : ndarray, (k, b, b)
        Its blocks.
    """
    from scipy.sparse import bsr_matrix

    count, b, _ = blocks.shape
    parts = (blocks, np.arange(count), np.arange(count + 1))
    return bsr_matrix(parts, shape=(count * b,) * 2)


def of_singles(blocks: bsr_matrix) -> bsr_matrix:
    """Return a matrix in single precision; SciPy's own way looks for entries that are double.

    Parameters
    ----------
    blocks : bsr_matrix, (m, n)
        The matrix; its graph is shared.
    """
    parts = (blocks.data.astype(np.float32), blocks.indices, blocks.indptr)
    return type(blocks)(parts, shape=blocks.shape)


def diagonal_places(blocks: bsr_matrix, which: Ints | None = None) -> Ints:
    """Return the number of the block on the diagonal of every row of blocks.

    Parameters
    ----------
    blocks : bsr_matrix, (m, n)
        The matrix.
    which : ndarray of int, (m / d,), optional
        Numbers of the rows of blocks among the columns; by default the same.
    """
    counts = np.diff(blocks.indptr)
    own = np.arange(len(counts)) if which is None else which
    rows = np.repeat(own.astype(blocks.indices.dtype, copy=False), counts)
    return np.flatnonzero(rows == blocks.indices)


def with_diagonal(blocks: bsr_matrix, which: Ints | None = None) -> bsr_matrix:
    """Return a matrix with a block on the diagonal of every row: sums drop those that are zero.

    Parameters
    ----------
    blocks : bsr_matrix, (m, n)
        The matrix.
    which : ndarray of int, (m / d,), optional
        Numbers of the rows of blocks among the columns; by default the same.
    """
    from scipy.sparse import bsr_matrix, csr_matrix

    d, count = blocks.blocksize[0], blocks.shape[0] // blocks.blocksize[0]
    own = np.arange(count) if which is None else which
    there = np.zeros(count, dtype=bool)
    there[np.searchsorted(blocks.indptr, diagonal_places(blocks, own), side="right") - 1] = True
    missing = np.flatnonzero(~there)
    if not len(missing):
        return blocks
    rows = np.repeat(np.arange(count), np.diff(blocks.indptr))
    places = np.concatenate([rows, missing]), np.concatenate([blocks.indices, own[missing]])
    shape = (count, blocks.shape[1] // d)
    order = csr_matrix((np.arange(1, len(places[0]) + 1), places), shape=shape)
    data = np.concatenate([blocks.data, np.zeros((len(missing), d, d))])[order.data - 1]
    return bsr_matrix((data, order.indices, order.indptr), shape=blocks.shape)


def some_rows(blocks: bsr_matrix, which: Ints) -> bsr_matrix:
    """Return some rows of the blocks of a matrix, in the order given.

    Parameters
    ----------
    blocks : bsr_matrix, (m, k)
        The matrix.
    which : ndarray of int
        Numbers of the rows of blocks.
    """
    from scipy.sparse import bsr_matrix

    d = blocks.blocksize[0]
    lengths = np.diff(blocks.indptr)[which]
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(blocks.indptr[which] - pointers[:-1], lengths) + np.arange(pointers[-1])
    chosen = (blocks.data.take(places, axis=0), blocks.indices.take(places), pointers)
    return bsr_matrix(chosen, shape=(len(which) * d, blocks.shape[1]))


def chosen_columns(blocks: bsr_matrix, number: Ints) -> bsr_matrix:
    """Return some columns of the blocks of a matrix.

    Parameters
    ----------
    blocks : bsr_matrix, (m, k)
        The matrix.
    number : ndarray of int, (k / b,)
        New number of every column of blocks, or -1 to leave it out.
    """
    from scipy.sparse import bsr_matrix

    columns = number[blocks.indices]
    there = columns >= 0
    pointers = np.concatenate([[0], np.cumsum(there)])[blocks.indptr]
    width = (int(number.max(initial=-1)) + 1) * blocks.blocksize[1]
    parts = (blocks.data[there], columns[there], pointers)
    return bsr_matrix(parts, shape=(blocks.shape[0], width))
