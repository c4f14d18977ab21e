# SPDX-License-Identifier: BSD-3-Clause
"""Matrices of the unknowns, taken out of blocks of nodes."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.assembly.graph import build_graph
from flexforge.runtime.system.block_sum import BlockSum
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


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("taken", ["stiffness", "inertia", "geometric", "all"])
def test_sums_of_blocks_are_reduced_as_their_matrix_is(d: int, taken: str) -> None:
    """Nothing is stored of other entries: a scalar mass has those of its own component alone."""
    rng = np.random.default_rng(2)
    cells = rng.permuted(np.tile(np.arange(NODES), (30, 1)), axis=1)[:, :4].astype(np.int32)
    graph = build_graph(np.zeros((NODES, d)), cells, 2)
    none, every = np.zeros(0), taken == "all"
    stiffness = rng.standard_normal(graph.nnz * d * d) if every or taken == "stiffness" else none
    geometric = rng.standard_normal(graph.nnz) if every or taken == "geometric" else none
    inertia = (2.0 + every) * np.eye(d) if every or taken == "inertia" else np.zeros((d, d))
    inertia[0, -1] += every
    mass = rng.standard_normal(graph.nnz)
    given = BlockSum(graph, stiffness, 3.0, mass, inertia, geometric, -0.5)
    values = np.zeros((graph.nnz, d, d)) + mass[:, None, None] * inertia
    if len(stiffness):
        values += 3.0 * stiffness.reshape(-1, d, d)
    if len(geometric):
        values -= 0.5 * geometric[:, None, None] * np.eye(d)
    size = (NODES * d, NODES * d)
    matrix = sparse.bsr_matrix((values, graph.columns, graph.pointers), shape=size)
    places = np.flatnonzero(rng.random(NODES * d) >= 0.3)
    found = UnknownMap((NODES, d), places).reduce_sum(given, 2)
    wanted = matrix.toarray()[np.ix_(places, places)]
    np.testing.assert_allclose(found.toarray(), wanted, rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(given.whole().toarray(), matrix.toarray(), rtol=1e-14, atol=1e-14)
    assert found.nnz == np.count_nonzero(wanted)
