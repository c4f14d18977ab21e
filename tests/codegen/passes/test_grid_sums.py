# SPDX-License-Identifier: BSD-3-Clause
"""Grid sums: sums over the nodes or points of a tensor-product cell, one axis at a time."""

from __future__ import annotations

from itertools import product

import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.ir.count import count
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Accumulate, Array, For, Grid, Program, Store, Zero
from flexforge.codegen.lowering.tables import find_grid
from flexforge.codegen.passes.grid_sums import factor_grid_sums
from programs import exact
from specimens import ELEMENTS

#: Lagrange functions on -1, 1 and -1, 0, 1 at -1/2, 1/2 and -1/2, 0, 1/2: exact in doubles.
LINES = {
    2: (((0.75, 0.25), (0.25, 0.75)), ((-0.5, 0.5), (-0.5, 0.5))),
    3: (((0.375, 0.75, -0.125), (0.0, 1.0, 0.0), (-0.125, 0.75, 0.375)),
        ((-1.0, 1.0, 0.0), (-0.5, 0.0, 0.5), (0.0, -1.0, 1.0))),
}  # fmt: skip


def _grid(axes, order):
    """Return a grid whose nodes are numbered against the order of the axes, and its tables."""
    nodes = tuple(place[::-1] for place in product(range(order), repeat=axes))
    values, slopes = LINES[order]
    grid = Grid(nodes, (values,) * axes, (slopes,) * axes)
    points = list(product(range(order), repeat=axes))

    def entry(q, a, axis=None):
        result = 1.0
        for k in range(axes):
            result *= (slopes if k == axis else values)[q[k]][a[k]]
        return result

    count = order**axes
    shape = Array("shape", (count, count), "table",
                  tuple(entry(q, a) for q in points for a in nodes), grid)  # fmt: skip
    derived = tuple(entry(q, a, k) for q in points for a in nodes for k in range(axes))
    slope = Array("slope", (count, count, axes), "table", derived, grid)
    return shape, slope, count


def _program(axes, order):
    """Interpolate x and its slopes, square what is found at the points, and take it back."""
    shape, slope, count = _grid(axes, order)
    g = Graph()
    x = g.load("coordinates", "a")
    names = ["value", *(f"slope{k}" for k in range(axes))]
    tables = [g.load("shape", "q", "a"), *(g.load("slope", "q", "a", k) for k in range(axes))]
    found = [g.load("found", "q", k) for k in range(axes + 1)]
    squares = [g.mul(f, f) for f in found]
    back = g.add(*(g.mul(t, g.load("square", "q", k)) for k, t in enumerate(tables)))
    body = (
        For("q", count, (
            *map(Zero, names),
            For("a", count, tuple(Accumulate(n, g.mul(t, x)) for n, t in zip(names, tables,
                                                                            strict=True))),
            *(Store("found", ("q", k), g.temp(n)) for k, n in enumerate(names)),
        )),
        For("q", count, tuple(Store("square", ("q", k), s) for k, s in enumerate(squares))),
        For("a", count, (
            Zero("sum"), For("q", count, (Accumulate("sum", back),)),
            Store("out", ("a",), g.temp("sum")),
        )),
    )  # fmt: skip
    arrays = (
        Array("coordinates", (count,), "input"), shape, slope,
        Array("found", (count, axes + 1), "local"), Array("square", (count, axes + 1), "local"),
        Array("out", (count,), "output"),
    )  # fmt: skip
    return Program(arrays, (), body, g)


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_the_same_sums(axes, order):
    """Where tables are exact the sums are, to the points and back, whatever order nodes have."""
    program = _program(axes, order)
    after = factor_grid_sums(program)
    assert after != program
    assert exact(after) == exact(program)
    assert factor_grid_sums(after) == after


def test_the_price_of_a_grid():
    """Of n^2d products a sum, d n^(d+1) remain, shared beginnings not counted twice."""
    program = _program(3, 3)
    # A value and three slopes to 27 points: vvv; svv, vsv, vvs begin with vv, v or s of the last
    # axis: 2 + 3 + 4 sums of 27 entries with 3 products each; as many on the way back.
    stages = 2 * (2 + 3 + 4) * 27 * 3
    assert count(factor_grid_sums(program)).products == stages + 4 * 27
    assert count(program).products == 2 * 4 * 27 * 27 + 4 * 27


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


def test_points_that_fill_no_grid():
    """Two points on the diagonal of a square are no grid."""
    assert find_grid(ELEMENTS["quad4_plane_strain"], [(-0.5, -0.5), (0.5, 0.5)]) is None


def test_it_is_kept_where_it_pays():
    """hex27: K d takes less than a third of the operations; a serendipity element has no grid."""
    from flexforge.codegen.passes import PIPELINE

    without = {n: run for n, run in PIPELINE.items() if n != "grid_sums"}
    hex27, quad8 = ELEMENTS["hex27"], ELEMENTS["quad8_plane_stress"]
    costs = [
        compile_kernel(hex27, "stiffness_action", passes=p).count.operations
        for p in (PIPELINE, without)
    ]
    assert costs[0] < costs[1] / 3
    program = compile_kernel(quad8, "stiffness_action", passes={}).program
    assert factor_grid_sums(program) == program
