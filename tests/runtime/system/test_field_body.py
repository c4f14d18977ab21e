# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of beams: inertia terms as combinations of constant matrices and loads."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.errors import FlexforgeError
from flexforge.runtime.assembly.assemble import assemble_matrix, assemble_vector
from flexforge.runtime.assembly.graph import build_graph
from flexforge.runtime.assembly.kernels import kernels_of
from flexforge.runtime.mesh import Part
from flexforge.runtime.motion.frame import FrameMotion
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.field_body import FieldBody, combine
from flexforge.runtime.system.frames import unit_blocks
from flexforge.runtime.system.inertia import skew
from marks import slow
from scipy.linalg import eigh
from scipy.sparse import bsr_matrix

TERMS = ("stiffness", "mass", "coriolis", "euler", "centrifugal", "euler_load", "centrifugal_load",
         "translation")  # fmt: skip
VALUES = {
    "young": 1e6, "poisson": 0.3, "density": 1.5, "area": 0.02, "inertia_y": 3e-5,
    "inertia_z": 1e-5, "torsion": 2e-5, "orientation1": 0.0, "orientation2": 1.0,
    "orientation3": 0.2, "offset_y": 0.0, "offset_z": 0.0,
}  # fmt: skip
COUNT, LENGTH = 6, 2.0


@pytest.fixture(scope="module", params=["euler_beam_plane", *map(slow, ("euler_beam", "bar2"))])
def body(request) -> FieldBody:
    """A line of elements along x, bent a little so that nothing vanishes by symmetry."""
    element = find(request.param)
    s = np.linspace(0.0, 1.0, COUNT + 1)
    points = np.column_stack([LENGTH * s, 0.1 * s**2, 0.05 * s * (element.components == 3)])
    cells = np.column_stack([np.arange(COUNT), np.arange(1, COUNT + 1)])
    numbers = np.arange(COUNT + 1)
    part = Part("line2", points, cells, numbers, numbers[:-1] + 1, numbers + 1, "by hand")
    carried = len(element.carried)
    vectors = np.stack([cells + k * (COUNT + 1) for k in range(carried)], -1).reshape(COUNT, -1)
    places = np.tile(points, (carried, 1))
    return FieldBody(
        element.name,
        part,
        element.components,
        element.name,
        kernels_of(element, TERMS),
        VALUES,
        0.0,
        0.0,
        FrameMotion(),
        build_graph(places, vectors, 1),
        np.arange(carried * (COUNT + 1)),
        carried=carried,
    )


def _combination(body, block, stiffness=0.0):
    return Combination(stiffness, np.asarray(block), np.zeros(0))


def _by_kernel(body, term, **motion):
    """Return a matrix term assembled for one motion, dense."""
    kernel, d = body.kernels[term], body.dimension
    values = assemble_matrix(kernel, body.graph, body.points, VALUES | motion).reshape(-1, d, d)
    return bsr_matrix((values, body.graph.columns, body.graph.pointers)).toarray()


def _motion(body):
    """Return w and e, as scalar arguments and as matrices."""
    w, e = np.array([0.3, -0.7, 1.1]), np.array([-0.2, 0.4, 0.9])
    if body.dimension == 2:
        w[:2] = e[:2] = 0.0
    cut = slice(0, body.dimension)
    given = {f"w{i + 1}": w[i] for i in range(3)} | {f"e{i + 1}": e[i] for i in range(3)}
    return given, skew(w)[cut, cut], skew(e)[cut, cut]


def test_every_block_is_a_combination_of_constant_matrices(body):
    """Mass, Coriolis, Euler and centrifugal terms of any motion, against their own kernels."""
    given, w, e = _motion(body)
    expected = {
        "mass": np.eye(body.dimension), "coriolis": w, "euler": e, "centrifugal": w @ w,
    }  # fmt: skip
    for term, block in expected.items():
        found = body.matrix(_combination(body, block)).toarray()
        direct = _by_kernel(body, term, **given)
        assert np.abs(found - direct).max() < 1e-13 * np.abs(direct).max()
    mixed = body.matrix(_combination(body, 2 * w + e, stiffness=0.5)).toarray()
    K = _by_kernel(body, "stiffness")
    direct = (
        0.5 * K + 2 * _by_kernel(body, "coriolis", **given) + _by_kernel(body, "euler", **given)
    )
    assert np.abs(mixed - direct).max() < 1e-13 * np.abs(direct).max()
    x = np.random.default_rng(1).standard_normal(body.points.shape)
    applied = body.apply(_combination(body, 2 * w + e, stiffness=0.5), x)
    assert np.abs(applied.ravel() - mixed @ x.ravel()).max() < 1e-12 * np.abs(applied).max()


def test_loads_of_the_frame(body):
    """Loads of any motion are combinations of constant ones; translations see the whole mass."""
    given, w, e = _motion(body)
    d = body.dimension
    for term, block in (("euler_load", e), ("centrifugal_load", w @ w)):
        direct = assemble_vector(body.kernels[term], body.graph.cells, body.points, VALUES | given)
        found = body.inertia_load(block)
        assert np.abs(found - direct).max() < 1e-13 * np.abs(direct).max()
    steps = np.linalg.norm(np.diff(body.part.points, axis=0), axis=1)
    mass = VALUES["density"] * VALUES["area"] * steps.sum()
    assert body.total_mass == pytest.approx(mass, rel=1e-13)
    force = body.translation_load(np.arange(1.0, d + 1))[: COUNT + 1].sum(axis=0)
    np.testing.assert_allclose(force, mass * np.arange(1.0, d + 1), rtol=1e-13)
    moving = np.zeros_like(body.points)
    moving[: COUNT + 1] = np.arange(1.0, d + 1)
    np.testing.assert_allclose(body.momentum(moving), mass * np.arange(1.0, d + 1), rtol=1e-13)


def test_the_diagonal_of_the_mass(body):
    """It is that of the assembled matrix."""
    M = _by_kernel(body, "mass")
    np.testing.assert_allclose(body.mass_diagonal().ravel(), M.diagonal(), rtol=1e-14)
    x = np.random.default_rng(2).standard_normal(body.points.shape)
    assert np.abs(body.mass_times(x).ravel() - M @ x.ravel()).max() < 1e-14


def test_a_block_that_no_motion_makes_is_refused():
    """In the plane a block is a multiple of 1 and of J."""
    from flexforge.runtime.system.field_body import combine

    blocks = np.array([np.eye(2), [[0.0, -1.0], [1.0, 0.0]]])
    np.testing.assert_allclose(
        combine(blocks, np.array([[2.0, 3.0], [-3.0, 2.0]]), "matrix"), [2, -3]
    )
    with pytest.raises(FlexforgeError, match="no combination of frame motions gives the block"):
        combine(blocks, np.diag([1.0, 2.0]), "matrix")


def test_cantilever_of_beams(body):
    """Lowest frequency (1.8751 / L)^2 sqrt(E I / rho A): 1 %, for the line is slightly bent.

    A bar, which does not bend, moves without any stiffness.
    """
    d, count = body.dimension, COUNT + 1
    free = np.ones((body.carried * count, d), dtype=bool)
    free[::count] = False  # displacement and rotation of the first node
    if d == 2:
        free[count:, 1] = False  # a rotation in the plane has one coordinate
    kept = np.flatnonzero(free)
    K, M = (_by_kernel(body, term)[np.ix_(kept, kept)] for term in ("stiffness", "mass"))
    lowest = eigh(K, M, eigvals_only=True)[0]
    if body.carried == 1:
        assert abs(lowest) < 1e-9 * np.abs(K).max() / np.abs(M).max()
        return
    found = np.sqrt(lowest)
    length = np.linalg.norm(np.diff(body.part.points, axis=0), axis=1).sum()
    stiff = VALUES["young"] * VALUES["inertia_z"] / (VALUES["density"] * VALUES["area"])
    assert found == pytest.approx((1.87510407 / length) ** 2 * np.sqrt(stiff), rel=1e-2)


@pytest.mark.parametrize("dimension", [2, 3])
def test_factors_of_blocks_are_those_of_least_squares(dimension: int) -> None:
    """Of one inverse for all blocks, the smallest factors that give a block exactly."""
    units = unit_blocks(dimension)[:9] if dimension == 3 else unit_blocks(2)[:2]
    if dimension == 3:
        units = np.concatenate([[np.eye(3)], units])  # 10 blocks in 9 directions: one is left over
    for wanted in np.tensordot(np.random.default_rng(3).normal(size=(5, len(units))), units, 1):
        factors = combine(units, wanted, "load")
        best = np.linalg.lstsq(units.reshape(len(units), -1).T, wanted.ravel(), rcond=None)[0]
        np.testing.assert_allclose(factors, best, rtol=1e-13, atol=1e-13)
