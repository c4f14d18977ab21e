# SPDX-License-Identifier: BSD-3-Clause
"""What tables of shape functions know of their cell: grids of nodes and points, and reflections."""

from __future__ import annotations

from itertools import product

import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.lowering.tables import find_grid, find_mirrors
from specimens import ELEMENTS


def test_grids_are_found_where_they_are():
    """Lines, quadrilaterals and hexahedra with all nodes of a grid; not serendipity or simplices.

    The tables of one coordinate multiply to the table of the cell (round-off).
    """
    found = set()
    for name, element in ELEMENTS.items():
        kernel = compile_kernel(element, "mass_action", passes={})
        table = kernel.program.array("shape")
        if table.grid is None:
            continue
        found.add(element.cell + str(len(element.nodes)))
        grid, (points, nodes) = table.grid, table.shape
        places = list(product(*(range(len(t)) for t in grid.values)))
        assert len(places) == points, name
        for q, a in product(range(points), range(nodes)):
            value = 1.0
            for k, line in enumerate(grid.values):
                value *= line[places[q][k]][grid.nodes[a][k]]
            assert value == pytest.approx(table.values[q * nodes + a], abs=1e-15)
    assert found == {"quadrilateral4", "quadrilateral9", "hexahedron8", "hexahedron27"}


def test_cells_that_are_mirrored():
    """Along every axis all but simplices; of wedges and pyramids those that leave the cell."""
    found = {}
    for element in ELEMENTS.values():
        table = compile_kernel(element, "mass_action", passes={}).program.array("shape")
        axes = () if table.mirrors is None else table.mirrors.axes
        found.setdefault(f"{element.cell}{len(element.nodes)}", axes)
    assert found.pop("wedge6") == found.pop("wedge15") == (2,)
    assert found.pop("pyramid5") == (0, 1)
    for cell, axes in found.items():
        simplex = cell.startswith(("tri", "tet"))
        assert axes == (() if simplex else tuple(range(2 if cell.startswith("quad") else 3))), cell


def test_points_that_are_not_mirrored():
    """Points on a diagonal are exchanged by no reflection along an axis, and fill no grid."""
    quad4, diagonal = ELEMENTS["quad4_plane_strain"], [(-0.5, -0.5), (0.5, 0.5)]
    assert find_mirrors(quad4, diagonal) is None
    assert find_grid(quad4, diagonal) is None
    assert (
        find_mirrors(quad4, [(-0.5, 0.0), (0.5, 0.0), (0.5, 0.0)]) is None
    )  # a point is there twice
    mirrors = find_mirrors(quad4, [(-0.5, 0.25), (0.5, 0.25)])
    assert mirrors is not None
    assert mirrors.axes == (0,)
