# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of the unknowns, taken out of blocks of nodes."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.system.unknown_map import UnknownMap
from scipy import sparse

NODES = 40


def blocks(d: int) -> sparse.bsr_matrix:
    """Return random blocks of some neighbours: an entry is zero in all, another one in some."""
    rng = np.random.default_rng(d)
    graph = (sparse.random(NODES, NODES, 0.2, random_state=rng) + sparse.eye(NODES)).tocsr()
    data = rng.standard_normal((graph.nnz, d, d))
    if d > 1:
        data[:, 0, -1] = 0.0
        data[::3, -1, 0] = 0.0
    size = (NODES * d, NODES * d)
    pointers, columns = (one.astype(np.int32) for one in (graph.indptr, graph.indices))
    return sparse.bsr_matrix((data, columns, pointers), shape=size)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("held", [0.0, 0.5])
@pytest.mark.parametrize("threads", [1, 3])
def test_blocks_are_reduced_as_their_matrix_is(d: int, held: float, threads: int) -> None:
    rng = np.random.default_rng(1)
    places = np.flatnonzero(rng.random(NODES * d) >= held)
    unknowns, given = UnknownMap((NODES, d), places), blocks(d)
    wanted = given.toarray()[np.ix_(places, places)]
    whole = unknowns.reduce_blocks(given, threads)
    assert (whole.toarray() == wanted).all()
    assert whole.nnz == unknowns.reduce(given.tocsr()).nnz  # zeros are entries
    sparser = unknowns.reduce_blocks(given, threads, dense=False)
    assert (sparser.toarray() == wanted).all()
    assert sparser.nnz < whole.nnz or d == 1
