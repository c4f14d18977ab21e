# SPDX-License-Identifier: BSD-3-Clause
"""Levels below the finest one of a matrix that ranks share, by PETSc (GAMG)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints, Singles
from flexforge.runtime.ranks import Ranks
from flexforge.runtime.solvers.blocks import EMPTY
from flexforge.runtime.solvers.petsc import near_null_space, options
from flexforge.runtime.solvers.rows import KeptRows

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix

_OPTIONS = {
    "pc_type": "gamg", "pc_gamg_threshold": "0.02",
    # Aggregates of a squared graph are too large here: 25 iterations instead of 17.
    "pc_gamg_square_graph": "0", "pc_gamg_aggressive_coarsening": "0",  # old name and new
    "mg_levels_ksp_type": "chebyshev", "mg_levels_pc_type": "pbjacobi",
}  # fmt: skip


class Gamg:
    """One V-cycle of smoothed aggregation.

    Parameters
    ----------
    ranks : Ranks
        The processes.
    matrix : bsr_matrix, (n, n)
        What this rank contributes to the matrix, whose unknowns are numbered over all ranks, rank
        by rank.
    motions : ndarray, (m, k)
        Motions of this rank's unknowns that cost almost no energy.

    Attributes
    ----------
    bytes : int
        Memory of the matrix of this rank; PETSc does not report that of its levels.
    """

    def __init__(self, ranks: Ranks, matrix: bsr_matrix, motions: Floats) -> None:
        from petsc4py import PETSc

        communicator = ranks.communicator  # type: ignore[attr-defined]
        own, k = len(motions), matrix.blocksize[0]
        bounds = np.cumsum([0, *ranks.gathered(own // k)])
        rows = _summed(ranks, matrix, bounds).tocsr()
        shared = PETSc.Mat().createAIJ(
            ((own, None), (own, None)),
            k,
            csr=(rows.indptr.astype(np.int32), rows.indices.astype(np.int32), rows.data),
            comm=communicator,
        )
        self.bytes = 12 * rows.nnz
        del rows
        stiffness = shared.getDiagonal()
        values = stiffness.getArray()
        largest = ranks.largest(float(values.max(initial=0.0)))
        values[values <= EMPTY * largest] = largest
        shared.setDiagonal(stiffness)
        shared.setNearNullSpace(near_null_space(shared, motions))
        self._cycle = PETSc.PC().create(communicator)
        self._cycle.setOperators(shared)
        self._cycle.setOptionsPrefix(f"flexforge_{id(self)}_")
        with options(self._cycle.getOptionsPrefix(), _OPTIONS):
            self._cycle.setFromOptions()
            self._cycle.setUp()
        self._left, self._right = shared.createVecs()

    def __call__(self, residual: Singles) -> Singles:
        """Return an approximate solution for a right-hand side (m,)."""
        self._left.setArray(residual.astype(np.float64))
        self._cycle.apply(self._left, self._right)
        found: Singles = self._right.getArray().astype(np.float32)
        return found


def _summed(ranks: Ranks, matrix: bsr_matrix, bounds: Ints) -> bsr_matrix:
    """Return this rank's rows of the sum of matrices over the ranks, with a full diagonal."""
    from scipy.sparse import bsr_matrix

    kept = KeptRows(matrix)
    parts = [kept.some(low, high) for low, high in pairwise(bounds)]
    coming = ranks.exchanged([(one.data, one.indices, one.indptr) for one in parts])
    shape, sizes = parts[ranks.number].shape, matrix.blocksize
    count, first = bounds[ranks.number + 1] - bounds[ranks.number], bounds[ranks.number]
    total = bsr_matrix(
        (np.zeros((count, *sizes)), np.arange(first, first + count), np.arange(count + 1)),
        shape=shape,
    )
    for one in coming:
        total = total + bsr_matrix(one, shape=shape)
    return total.tobsr(sizes)
