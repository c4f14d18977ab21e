# SPDX-License-Identifier: BSD-3-Clause
"""Matrices and vectors over a mesh of arrays, compared with sums in NumPy."""

from __future__ import annotations

from pathlib import Path

import flexforge as ff
import numpy as np
import pytest
from flexforge.runtime.mesh import structured

EXAMPLES = Path(__file__).resolve().parents[3] / "examples" / "elements"
SQUARE = [[0, 0], [2, 0], [2, 1], [0, 1]]
BEAM = {"young": 2e11, "poisson": 0.3, "area": 1e-4, "inertia_z": 1e-9, "inertia_y": 2e-9,
        "offset_y": 0.0, "offset_z": 0.0, "torsion": 3e-9, "orientation1": 0.0,
        "orientation2": 0.0, "orientation3": 1.0}  # fmt: skip


def dense(kernel, points, nodes, **values):
    """Return the sum by loops in Python over what the kernel gives for single elements."""
    size = kernel.rows // kernel.nodes
    total = np.zeros((len(points) * size, len(points) * size))
    for element in nodes:
        rows = (size * np.asarray(element)[:, None] + np.arange(size)).ravel()
        total[np.ix_(rows, rows)] += kernel(points[element], **values)
    return total


def test_matrix_of_plane_elements_from_points_in_space():
    mesh = structured("quad8", SQUARE, [3, 2])
    kernel = ff.kernels_of("quad8_plane_stress", ["stiffness"])["stiffness"]
    values = {"young": 2e11, "poisson": 0.3, "thickness": 0.01}
    cells = mesh.blocks[0].nodes
    expected = dense(kernel, mesh.points[:, :2], cells, **values)
    for kind in ("csr", "bsr"):
        found = ff.assemble(kernel, mesh.points, cells, format=kind, **values)
        assert found.format == kind
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-13, atol=1e-4)


def test_nodes_with_rotations_have_six_unknowns():
    points = np.array([[0.0, 0, 0], [1, 0.2, 0], [2, 0, 0.3]])
    cells = np.array([[0, 1], [1, 2]])
    kernel = ff.kernels_of("euler_beam", ["stiffness"])["stiffness"]
    found = ff.assemble(kernel, points, cells, **BEAM)
    vectors = (2 * cells[..., None] + np.arange(2)).reshape(2, 4)
    expected = dense(kernel, np.repeat(points, 2, axis=0), vectors, **BEAM)
    assert found.shape == (18, 18)
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-13, atol=1e-9)


@pytest.mark.slow
def test_beams_of_a_file_have_six_unknowns_too():
    """The slender beam of the examples is the euler_beam of the library, node by node."""
    points = np.array([[0.0, 0, 0], [1, 0.2, 0], [2, 0, 0.3]])
    cells = [[0, 1], [1, 2]]
    library = ff.kernels_of("euler_beam", ["stiffness"])["stiffness"]
    own = ff.kernels_of(EXAMPLES / "beam.toml", ["stiffness"])["stiffness"]
    values = {name: value for name, value in BEAM.items() if name in own.parameters}
    expected = ff.assemble(library, points, cells, **BEAM).toarray()
    found = ff.assemble(own, points, cells, **values).toarray()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_vectors_and_states():
    mesh = structured("hex8", [[x, y, z] for z in (0, 1) for x, y in SQUARE], [3, 2, 2])
    points, cells = mesh.points, mesh.blocks[0].nodes
    kernels = ff.kernels_of("hex8", ["stiffness", "stiffness_action", "body_load"])
    d = np.random.default_rng(3).normal(size=points.shape)
    steel = {"young": 2e11, "poisson": 0.3}
    action = ff.assemble(kernels["stiffness_action"], points, cells, d, **steel)
    matrix = ff.assemble(kernels["stiffness"], points, cells, **steel)
    np.testing.assert_allclose(action.ravel(), matrix @ d.ravel(), rtol=1e-9, atol=1e-3)
    load = ff.assemble(kernels["body_load"], points, cells, f1=0.0, f2=0.0, f3=-9.81)
    np.testing.assert_allclose(load.sum(axis=0), [0, 0, -9.81 * 2], atol=1e-12)


def test_forces_that_fill_a_square_are_a_vector():
    """Two nodes of a plane, three of a facet in space: as many forces as a matrix has entries."""
    points = np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]])
    bar = ff.kernels_of("bar2_plane", ["body_load"])["body_load"]
    values = {"density": 2.0, "area": 0.5, "f1": 0.0, "f2": 1.0}
    found = ff.assemble(bar, points, [[0, 1], [1, 2]], **{n: values[n] for n in bar.parameters})
    assert found.shape == (3, 2)
    assert found[:, 1] / found[0, 1] == pytest.approx([1.0, 3.0, 2.0])


def test_threads_give_the_same_bits():
    mesh = structured("tet4", [[x, y, z] for z in (0, 1) for x, y in SQUARE], [5, 4, 3])
    kernel = ff.kernels_of("tet4", ["stiffness"])["stiffness"]
    one, two = (
        ff.assemble(
            kernel, mesh.points, mesh.blocks[0].nodes, threads=n, young=1.0, poisson=0.2
        ).data
        for n in (1, 2)
    )
    assert np.array_equal(one, two)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"cells": [[0, 1, 2, 9]]}, "cells: found 9; expected rows of points, 0 to 3"),
        ({"cells": [[0, 1, 2]]}, r"cells: found shape \(1, 3\); .* expects \(elements, 4\)"),
        ({"cells": [[0, 1, 2, 2.5]]}, "cells: .*expected whole numbers"),
        ({"cells": [[0, 3, 2, 1]]}, r"cells\[0\]: .* is -"),
        ({"points": [[0, 0], [1, 0], [1, np.nan], [0, 1]]}, "points: row 2 .*finite"),
        (
            {"points": [[0, 0], [1, np.inf], [1, np.nan], [0, 1]], "check": False},
            r"points: row 1 is \[1.0, inf\] \(and 1 more rows\); expected finite numbers",
        ),
        (
            {"values": {"young": np.nan, "poisson": 0.3, "thickness": 1.0}},
            "stiffness.*: parameter 'young': found nan; expected a finite number",
        ),
        (
            {"values": {"young": [1.0, 2.0], "poisson": 0.3, "thickness": 1.0}},
            r"parameter 'young': found a list of 2; expected a finite number",
        ),
        (
            {"state": [[0, 0], [0, 0], [0, np.nan], [0, 0]], "term": "stiffness_action"},
            r"state: row 2 is \[0.0, nan\]; expected finite numbers",
        ),
        ({"points": [[0, 0, 1]] * 4}, r"points: found shape \(4, 3\); .* expects \(n, 2\)"),
        ({"format": "coo"}, "format: found 'coo'; expected csr or bsr"),
        ({"values": {"yuong": 1.0}}, "parameter 'yuong' is unknown.*young"),
        ({"values": {"young": 1.0}}, "no value for parameter 'poisson'"),
        ({"state": np.zeros((4, 2))}, "state; expected none for 'stiffness'"),
        ({"term": "stress"}, "'stress' is not summed over elements"),
    ],
)
def test_bad_input_is_named(change, text):
    kernel = ff.kernels_of("quad4_plane_stress", [change.get("term", "stiffness")])
    points = change.get("points", [[0, 0], [1, 0], [1, 1], [0, 1]])
    values = change.get("values", {"young": 1.0, "poisson": 0.3, "thickness": 1.0})
    with pytest.raises(ff.InputError, match=text):
        ff.assemble(
            *kernel.values(), points, change.get("cells", [[0, 1, 2, 3]]), change.get("state"),
            format=change.get("format", "csr"), check=change.get("check", True), **values,
        )  # fmt: skip


def test_columns_for_rotations_are_refused():
    """Every node is named once, although kernels read a displacement and a rotation of each."""
    kernel = ff.kernels_of("timoshenko_beam_plane", ["stiffness"])["stiffness"]
    points = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]
    values = dict.fromkeys(kernel.parameters, 1.0)
    expected = r"expects \(elements, 2\): every node has a displacement and a rotation"
    for cells in ([[0, 0, 1, 1], [1, 1, 2, 2]], [[0], [1]]):
        with pytest.raises(ff.InputError, match=expected):
            ff.assemble(kernel, points, cells, **values)
    twice = r"or \(elements, 4, 2\): every node twice, once for its displacement"
    with pytest.raises(ff.InputError, match=twice):
        kernel(points, **values)


@pytest.mark.slow
def test_columns_for_rotations_of_own_beams_are_refused():
    kernel = ff.kernels_of(EXAMPLES / "beam.toml", ["stiffness"])["stiffness"]
    points = [[0.0, 0, 0], [1, 0, 0], [2, 0, 0]]
    values = dict.fromkeys(kernel.parameters, 1.0)
    with pytest.raises(ff.InputError, match=r"expects \(elements, 2\): every node has"):
        ff.assemble(kernel, points, [[0, 0, 1, 1], [1, 1, 2, 2]], **values)


@pytest.mark.parametrize("element", ["timoshenko_beam_plane", "euler_beam", "mitc4", "dkt3"])
def test_positions_of_rotations_are_not_read(element):
    """The README of kernels says so: a node has one position, in the row of its displacement."""
    kernel = ff.kernels_of(element, ["stiffness"])["stiffness"]
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]])[:, : kernel.dimension]
    points = np.repeat(corners[: kernel.nodes // 2], 2, axis=0)
    values = {**dict.fromkeys(kernel.parameters, 0.25), "orientation1": 0.0, "orientation2": 1.0}
    values = {name: value for name, value in values.items() if name in kernel.parameters}
    moved = points.copy()
    moved[1::2] += 7.0
    np.testing.assert_array_equal(kernel(moved, **values), kernel(points, **values))
