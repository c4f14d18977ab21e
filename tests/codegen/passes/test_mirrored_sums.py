# SPDX-License-Identifier: BSD-3-Clause
"""Mirrored sums: even and odd parts of what is at nodes or points, each summed apart."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.ir.count import count
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Accumulate, Array, For, Let, Mirrors, Program, Store, Zero
from flexforge.codegen.passes import PIPELINE
from flexforge.codegen.passes.mirrored_sums import mirror_sums
from flexforge.codegen.passes.unroll import unroll_short_loops
from programs import exact
from specimens import ELEMENTS

#: Lagrange functions on -1, 1 and -1, 0, 1 at -1/2, 1/2 and -1/2, 0, 1/2: exact in doubles.
LINES = {
    2: (((0.75, 0.25), (0.25, 0.75)), ((-0.5, 0.5), (-0.5, 0.5))),
    3: (((0.375, 0.75, -0.125), (0.0, 1.0, 0.0), (-0.125, 0.75, 0.375)),
        ((-1.0, 1.0, 0.0), (-0.5, 0.0, 0.5), (0.0, -1.0, 1.0))),
}  # fmt: skip


def _tables(axes, order, mirrored):
    """Return the tables of a grid whose nodes are numbered against the order of the points."""
    points = list(product(range(order), repeat=axes))
    nodes = [place[::-1] for place in reversed(points)]
    values, slopes = LINES[order]

    def entry(q, a, axis=None):
        result = 1.0
        for k in range(axes):
            result *= (slopes if k == axis else values)[q[k]][a[k]]
        return result

    def places(numbers):
        return tuple(tuple(2 * x - order + 1 for x in one) for one in numbers)

    mirrors = Mirrors(mirrored, places(nodes), places(points))
    size = order**axes
    shape = Array("shape", (size, size), "table",
                  tuple(entry(q, a) for q in points for a in nodes), None, mirrors)  # fmt: skip
    derived = tuple(entry(q, a, k) for q in points for a in nodes for k in range(axes))
    return shape, Array("slope", (size, size, axes), "table", derived, None, mirrors), size


def _program(axes, order, mirrored, first=0):
    """Interpolate x and its slopes, square what is found at the points, and take it back.

    Or take slopes alone back, from ``first = 1`` on.
    """
    shape, slope, size = _tables(axes, order, mirrored)
    g = Graph()
    x = g.load("coordinates", "a")
    names = ["value", *(f"slope{k}" for k in range(axes))]
    tables = [g.load("shape", "q", "a"), *(g.load("slope", "q", "a", k) for k in range(axes))]
    found = [g.load("found", "q", k) for k in range(axes + 1)]
    squares = [g.mul(f, f) for f in found]
    kinds = list(enumerate(tables))[first:]
    back = g.add(*(g.mul(t, g.load("square", "q", k)) for k, t in kinds))
    body = (
        For("q", size, (
            *map(Zero, names),
            For("a", size, tuple(Accumulate(n, g.mul(t, x)) for n, t in zip(names, tables,
                                                                           strict=True))),
            *(Store("found", ("q", k), g.temp(n)) for k, n in enumerate(names)),
        )),
        For("q", size, tuple(Store("square", ("q", k), s) for k, s in enumerate(squares))),
        For("a", size, (
            Zero("sum"), For("q", size, (Accumulate("sum", back),)),
            Store("out", ("a",), g.temp("sum")),
        )),
    )  # fmt: skip
    arrays = (
        Array("coordinates", (size,), "input"), shape, slope,
        Array("found", (size, axes + 1), "local"), Array("square", (size, axes + 1), "local"),
        Array("out", (size,), "output"),
    )  # fmt: skip
    return Program(arrays, (), body, g)


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("mirrored", [(0,), (0, 1), (1,), (0, 1, 2), (0, 2)])
def test_the_same_sums(mirrored, order):
    """To the points and back, whatever axes are mirrored, and whatever order nodes have."""
    program = _program(max(mirrored) + 1, order, mirrored)
    after = mirror_sums(program)
    assert after != program
    assert exact(after) == exact(program)
    assert mirror_sums(after) == after


@pytest.mark.parametrize("axes", [1, 2])
def test_slopes_alone(axes):
    """Along the last axis they make odd values at nodes alone: those of one side are negative."""
    program = _program(axes, 2, tuple(range(axes)), first=axes)
    after = mirror_sums(program)
    assert after != program
    assert exact(after) == exact(program)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_the_price_of_two_nodes_an_axis(axes):
    """A product for each part, there and back, and one for each square.

    A value has 2^d parts; a slope those 2^(d-1) that are odd along its axis at the nodes.
    """
    program = _program(axes, 2, tuple(range(axes)))
    parts = 2**axes + axes * 2 ** (axes - 1)
    squares = (axes + 1) * 2**axes
    before, after = (count(unroll_short_loops(p)) for p in (program, mirror_sums(program)))
    assert after.products == 2 * parts + squares
    assert before.products == 2 * (axes + 1) * 4**axes + squares


def test_sums_that_are_used_where_they_are_made():
    """A loop that goes on after its sums is divided; one that goes on summing is not."""
    shape, _, size = _tables(2, 2, (0, 1))
    g = Graph()
    step = Accumulate("value", g.mul(g.load("shape", "q", "a"), g.load("coordinates", "a")))
    sums = (Zero("value"), For("a", size, (step,)))
    square = Let("square", g.mul(g.temp("value"), g.temp("value")))
    used = (square, Store("out", ("q",), g.temp("square")))
    arrays = (Array("coordinates", (size,), "input"), shape, Array("out", (size,), "output"))
    program = Program(arrays, (), (For("q", size, (*sums, *used)),), g)
    after = mirror_sums(program)
    assert after != program
    assert exact(after) == exact(program)
    more = Accumulate("value", g.const(1))
    summing = replace(program, body=(For("q", size, (*sums, more, *used)),))
    assert mirror_sums(summing) == summing


def test_tables_that_are_not_mirrored():
    """One entry of a slope that is off leaves the sums as they are: places alone say nothing."""
    program = _program(2, 2, (0, 1))
    slope = program.array("slope")
    spoiled = replace(slope, values=(slope.values[0] * (1 + 1e-12), *slope.values[1:]))
    arrays = tuple(spoiled if a.name == "slope" else a for a in program.arrays)
    program = replace(program, arrays=arrays)
    assert mirror_sums(program) == program


def test_it_is_kept_where_it_pays():
    """hex20: K d takes less than a quarter of the operations; tet10 has no reflections."""
    without = {n: run for n, run in PIPELINE.items() if n != "mirrored_sums"}
    costs = [
        compile_kernel(ELEMENTS["hex20"], "stiffness_action", passes=p).count.operations
        for p in (PIPELINE, without)
    ]
    assert costs[0] < costs[1] / 4
    program = compile_kernel(ELEMENTS["tet10"], "stiffness_action", passes={}).program
    assert mirror_sums(program) == program
