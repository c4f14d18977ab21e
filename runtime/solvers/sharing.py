# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of coarse levels that ranks share: summed over them, or handed to all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.ranks import Ranks
from flexforge.runtime.ranks.halo import halo_of
from flexforge.runtime.solvers.matmul import stacked, summed
from flexforge.runtime.solvers.rows import KeptRows, OfRank, Rows, SharedRows

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix


def rows_of(ranks: Ranks, matrix: bsr_matrix, counts: Sequence[int], threads: int) -> Rows:
    """Return the rows of this rank of the sum of the matrices of all ranks.

    Parameters
    ----------
    ranks : Ranks
        The processes.
    matrix : bsr_matrix, (n, n)
        What this rank contributes; nodes are numbered over all ranks, rank by rank.
    counts : sequence of int
        Number of nodes of every rank.
    threads : int
        Threads of the sum.
    """
    if ranks.count == 1:
        return KeptRows(matrix)
    bounds = np.cumsum([0, *counts])
    total = _summed(ranks, matrix, bounds, threads)
    halo, numbers = halo_of(ranks, counts, total.indices)
    return SharedRows(_renumbered(total, np.searchsorted(numbers, total.indices), len(numbers)),
                      halo, numbers)  # fmt: skip


def gathered_rows(rows: Rows) -> KeptRows:
    """Return the rows of all ranks, to every one of them.

    Parameters
    ----------
    rows : Rows
        Of this rank.
    """
    assert isinstance(rows, OfRank)
    count, here = int(rows.ranks.total(float(rows.count))), rows.some(0, rows.count)
    own = _renumbered(here, rows.numbers[here.indices], count)
    parts = rows.ranks.gathered((own.data, own.indices, own.indptr))
    shape = count * rows.block
    return KeptRows(stacked([
        type(own)(one, shape=((len(one[2]) - 1) * rows.block, shape)) for one in parts
    ]))  # fmt: skip


def _renumbered(matrix: bsr_matrix, columns: Ints, count: int) -> bsr_matrix:
    """Return a matrix with other numbers of its columns of blocks."""
    shape = matrix.shape[0], count * matrix.blocksize[1]
    return type(matrix)((matrix.data, columns, matrix.indptr), shape=shape)


def _summed(ranks: Ranks, matrix: bsr_matrix, bounds: Ints, threads: int) -> bsr_matrix:
    """Return this rank's rows of the sum of matrices over the ranks, with a full diagonal."""
    from scipy.sparse import bsr_matrix

    kept = KeptRows(matrix)
    parts = [kept.some(low, high) for low, high in pairwise(bounds)]
    coming = ranks.exchanged([(one.data, one.indices, one.indptr) for one in parts])
    first, last = bounds[ranks.number : ranks.number + 2]
    empty = (
        np.zeros((last - first, *matrix.blocksize)),
        np.arange(first, last),
        np.arange(last - first + 1),
    )
    shape = parts[ranks.number].shape
    return summed([bsr_matrix(one, shape=shape) for one in (empty, *coming)], threads)
