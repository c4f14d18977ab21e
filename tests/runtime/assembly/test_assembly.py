# SPDX-License-Identifier: BSD-3-Clause
"""Matrices over the nodes: against a plain sum, for any number of threads, in both layouts."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime import _operators
from flexforge.runtime.assembly import kernels
from flexforge.runtime.assembly.assemble import assemble_matrix
from flexforge.runtime.assembly.graph import build_graph
from flexforge.runtime.system.body import Combination
from models import ALL, DISTORTED, PLANE, STEEL, build, model
from scipy.sparse import bsr_matrix, csr_matrix

VALUES = STEEL | {"thickness": 0.1}


def mesh(cell: str, divisions: int = 3):
    """Return points and connectivity of a block, distorted in space."""
    places = build(
        model(
            cell,
            [divisions] * (2 if cell in PLANE else 3),
            **({} if cell in PLANE else {"corners": DISTORTED}),
        )
    )
    body = places.system.bodies[0]
    return body, body.points, body.part.connectivity


def dense(kernel, points, cells) -> np.ndarray:
    """Add element matrices one by one, each computed alone in a batch of its copies."""
    import ctypes

    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(kernel.function)
    size, dimension = kernel.rows // kernel.nodes, points.shape[1]
    total = np.zeros((len(points) * size,) * 2)
    workspace = np.empty(kernel.workspace, np.uint8)
    parameters = np.array([VALUES[name] for name in kernel.parameters])
    for cell in cells:
        packed = np.repeat(points[cell][:, :, None], kernel.lanes, axis=2).copy()
        assert packed.shape == (kernel.nodes, dimension, kernel.lanes)
        out = np.empty((kernel.rows, kernel.columns, kernel.lanes))
        call(
            packed.ctypes.data,
            parameters.ctypes.data,
            None,
            out.ctypes.data,
            workspace.ctypes.data,
        )
        rows = (cell[:, None] * size + np.arange(size)).ravel()
        total[np.ix_(rows, rows)] += out[:, :, 0]
    return total


@pytest.mark.parametrize("cell", ALL)
@pytest.mark.parametrize("term", ["stiffness", "scalar_mass"])
def test_matrix_is_the_sum_of_the_element_matrices(cell: str, term: str) -> None:
    """BSR and CSR hold what a plain loop over the elements adds up (round-off of the sum)."""
    body, points, cells = mesh(cell, 2)
    kernel = body.kernels[term]
    size = kernel.rows // kernel.nodes
    expected = dense(kernel, points, cells)
    graph = body.graph
    blocks = assemble_matrix(kernel, graph, points, VALUES).reshape(-1, size, size)
    shape = expected.shape
    found = bsr_matrix((blocks, graph.columns, graph.pointers), shape=shape).toarray()
    assert np.abs(found - expected).max() <= 1e-15 * np.abs(expected).max() * 8
    rows = assemble_matrix(kernel, graph, points, VALUES, csr=True)
    pattern = bsr_matrix((np.ones_like(blocks), graph.columns, graph.pointers), shape=shape).tocsr()
    assert (csr_matrix((rows, pattern.indices, pattern.indptr), shape=shape) != found).sum() == 0


@pytest.mark.parametrize("cell", ["tri3", "quad8", "tet10", "hex8"])
def test_same_bits_for_any_number_of_threads(cell: str) -> None:
    """Deterministic: 1, 2, 3 and 7 threads, run twice, give one and the same matrix, bit by bit."""
    body, points, cells = mesh(cell, 5)
    kernel = body.kernels["stiffness"]
    results = [
        assemble_matrix(kernel, build_graph(points, cells, threads), points, VALUES)
        for threads in (1, 2, 3, 7, 7)
    ]
    assert all((one == results[0]).all() for one in results)
    assert np.abs(results[0]).max() > 0


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_own_consecutive_nodes_where_few_elements_are_shared(threads: int) -> None:
    """Of a cube, numbered along x first: not halves along x, whose rows alternate in memory.

    Of the same cube with nodes in any order: pieces of space, as consecutive numbers would share
    nearly all elements.
    """
    _, points, cells = mesh("hex8", 9)
    ordered = build_graph(points, cells, threads)
    assert (np.diff(ordered.owner) >= 0).all() and len(np.unique(ordered.owner)) == threads
    assert np.bincount(ordered.owner).max() <= -(-len(points) // threads)
    number = np.random.default_rng(0).permutation(len(points))
    moved = np.empty_like(points)
    moved[number] = points
    mixed = build_graph(moved, number[cells], threads)
    shared = len(mixed.elements) - len(cells)
    assert 0 < shared <= (threads - 1) * 2 * 9**2
    assert (np.diff(mixed.owner) < 0).any()


@pytest.mark.parametrize("cell", ALL)
def test_every_level_of_the_processor_agrees(cell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Baseline, AVX2 and AVX-512 kernels differ by round-off only, for every standard term."""
    body, points, cells = mesh(cell, 2)
    rng = np.random.default_rng(1)
    state = 1e-3 * rng.standard_normal(points.shape)
    reference: dict[tuple[str, str], np.ndarray] = {}
    for level in (1, 3, 4):
        monkeypatch.setenv("FLEXFORGE_LEVEL", str(level))
        if level > kernels._standard.level():
            break
        table = kernels.standard_kernels()
        for term in ("stiffness", "scalar_mass", "geometric"):
            found = assemble_matrix(
                table[body.element, term], body.graph, points, VALUES, state=state
            )
            first = reference.setdefault((cell, term), found)
            assert np.abs(found - first).max() <= 1e-14 * np.abs(first).max()
    assert len(reference) == 3


@pytest.mark.parametrize("cell", ["quad8", "hex8"])
def test_products_without_a_matrix_are_those_with_it(cell: str) -> None:
    """One sweep ``(ck K + M (x) B + cg G (x) I) x`` equals the product with the matrix."""
    body, points, _ = mesh(cell)
    d = body.dimension
    rng = np.random.default_rng(2)
    body = body.stressed([rng.standard_normal(body.graph.nnz) * 1e9 for _ in range(2)])
    x = rng.standard_normal(points.shape)
    for c in (
        Combination(1.0, np.zeros((d, d)), np.zeros(2)),
        Combination(0.0, rng.standard_normal((d, d)), np.zeros(2)),
        Combination(0.3, 1e6 * rng.standard_normal((d, d)), np.array([0.5, -2.0])),
    ):
        expected = body.matrix(c) @ x.ravel()
        found = body.apply(c, x).ravel()
        assert np.abs(found - expected).max() <= 1e-13 * np.abs(expected).max()


def test_wrong_size_of_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """FLEXFORGE_LEVEL is refused in one line when it is no level."""
    from flexforge.codegen.errors import InputError

    monkeypatch.setenv("FLEXFORGE_LEVEL", "2")
    with pytest.raises(InputError, match="FLEXFORGE_LEVEL: found '2'; expected 1, 3 or 4"):
        kernels.level()


@pytest.mark.parametrize("count", [1, 4])
@pytest.mark.parametrize("threads", [1, 3])
def test_sizes_of_entries_times_vectors(count: int, threads: int) -> None:
    """What round-off is relative to: signs of the matrix do not count, those of vectors do."""
    rng = np.random.default_rng(3)
    matrix = csr_matrix(rng.standard_normal((50, 40)) * (rng.random((50, 40)) < 0.2))
    x, found = rng.standard_normal((40, count)), np.full((50, count), np.nan)
    rows = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    _operators.sizes_times(*rows, matrix.data, x, found, threads)
    np.testing.assert_allclose(found, np.abs(matrix.toarray()) @ x, rtol=1e-13, atol=1e-13)


def test_operators_take_scalar_fields() -> None:
    """The scalar mass matrix times one gives nodal masses that add up to the volume times rho."""
    body, _, _ = mesh("hex20")
    ones = np.ones((body.graph.nodes, 1))
    y = np.empty_like(ones)
    _operators.apply(
        body.graph.pointers,
        body.graph.columns,
        np.zeros(0),
        body.mass,
        np.zeros(0),
        0.0,
        np.eye(1),
        0.0,
        ones,
        y,
        1,
    )
    assert y.sum() == pytest.approx(body.total_mass, rel=1e-13)
