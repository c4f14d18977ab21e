# SPDX-License-Identifier: BSD-3-Clause
"""Matrices that are applied and never formed, against assembled ones."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.errors import InputError
from flexforge.runtime.assembly.action import build_action
from flexforge.runtime.assembly.assemble import assemble_matrix
from flexforge.runtime.assembly.graph import build_graph
from flexforge.runtime.assembly.kernels import kernels_of
from flexforge.runtime.assembly.sparse import assemble
from marks import slow
from scipy.sparse import bsr_matrix
from test_assembly import VALUES, mesh

TERMS = ("stiffness_action", "mass_action", "motion_action")
MATRICES = {"stiffness_action": "stiffness", "mass_action": "mass"}
MOTION = VALUES | {f"{vector}{i}": 0.3 * i for vector in "we" for i in (1, 2, 3)}
#: Thin and thick, planar and spatial, simplices and grids; with 27 cells no batch is complete.
CELLS = ("tri3", "quad8", "quad9", "tet4", "hex8")


def _product(term, body, graph, points, x):
    kernel = kernels_of(body.element, (term,))[term]
    size = points.shape[1]
    blocks = assemble_matrix(kernel, graph, points, MOTION).reshape(-1, size, size)
    return (bsr_matrix((blocks, graph.columns, graph.pointers)) @ x.ravel()).reshape(x.shape)


@pytest.mark.parametrize("cell", ["tri3", slow("quad8"), slow("quad9"), "tet4", slow("hex8")])
def test_an_action_is_the_product_with_the_assembled_matrix(cell):
    """K u, M u, and all terms of the moving frame at once (round-off of the sums)."""
    body, points, _ = mesh(cell)
    x = np.random.default_rng(1).standard_normal((3, *points.shape))
    kernels = kernels_of(body.element, TERMS)
    for term, matrix in MATRICES.items():
        found = build_action(kernels[term], body.graph, points)(x[0], MOTION)
        expected = _product(matrix, body, body.graph, points, x[0])
        assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max(), term
    d, v, a = x
    parts = {"mass": a, "coriolis": 2 * v, "stiffness": d, "euler": d, "centrifugal": d}
    expected = sum(_product(term, body, body.graph, points, y) for term, y in parts.items())
    found = build_action(kernels["motion_action"], body.graph, points)(x, MOTION)
    assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max()


def test_an_action_of_a_tangent_is_the_product_with_the_assembled_matrix():
    """At a state of large strains, which the action reads besides the vector."""
    _, points, cells = mesh("tet4")
    graph = build_graph(points, cells, 2)
    d, x = np.random.default_rng(4).standard_normal((2, *points.shape))
    d *= 0.02
    law = {"lame": 2.0, "mu": 3.0}
    kernels = kernels_of(hyperelastic("tet4", "neo_hookean"), ("tangent", "tangent_action"))
    matrix = assemble(kernels["tangent"], points, cells, d, **law)
    expected = (matrix @ x.ravel()).reshape(x.shape)
    found = build_action(kernels["tangent_action"], graph, points)(np.stack([d, x]), law)
    assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max()


@pytest.mark.parametrize("cell", ["quad8", slow("hex8")])
def test_the_same_bits_for_any_number_of_threads(cell):
    """Contributions arrive in the order of the elements, whoever computes them."""
    body, points, cells = mesh(cell, 5)
    x = np.random.default_rng(2).standard_normal(points.shape)
    kernel = kernels_of(body.element, TERMS)["stiffness_action"]
    results = [
        build_action(kernel, build_graph(points, cells, threads), points)(x, MOTION)
        for threads in (1, 2, 3, 7)
    ]
    assert all((one == results[0]).all() for one in results)
    assert np.abs(results[0]).max() > 0


def test_memory_is_used_again():
    """What stood in ``out`` is overwritten; the result lies in it, without the threads' rows."""
    body, points, _ = mesh("tet4")
    x = np.random.default_rng(3).standard_normal(points.shape)
    action = build_action(kernels_of(body.element, TERMS)["mass_action"], body.graph, points)
    out = np.full((len(points) + body.graph.threads, 3), np.nan)
    found = action(x, MOTION, out)
    assert np.shares_memory(found, out)
    assert (found == action(x, MOTION)).all()


def test_what_is_refused():
    """Vectors of another shape, a kernel that is no action, a missing scalar: one line each."""
    body, points, _ = mesh("tet4")
    kernels = kernels_of(body.element, ("stiffness", *TERMS))
    motion = build_action(kernels["motion_action"], body.graph, points)
    with pytest.raises(InputError, match=r"shape \(64, 3\); expected \(3, 64, 3\)"):
        motion(np.zeros((64, 3)), MOTION)
    with pytest.raises(InputError, match="'e1'"):
        motion(np.zeros((3, 64, 3)), VALUES)
    with pytest.raises(InputError, match="'stiffness' is not an action"):
        build_action(kernels["stiffness"], body.graph, points)
    with pytest.raises(InputError, match=r"out of shape \(64, 2\)"):
        motion(np.zeros((3, 64, 3)), MOTION, np.zeros((64, 2)))
