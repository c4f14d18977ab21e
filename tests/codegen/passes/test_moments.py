# SPDX-License-Identifier: BSD-3-Clause
"""Moments: sum_q (c1 f1 + c2 f2) = c1 sum_q f1 + c2 sum_q f2, where that is cheaper."""

from __future__ import annotations

from dataclasses import replace

from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.ir.count import count
from flexforge.codegen.ir.expression import Graph, Mul, operands
from flexforge.codegen.ir.program import Accumulate, Array, For, Program, Store, Zero, walk
from flexforge.codegen.passes import PIPELINE
from flexforge.codegen.passes.moments import sum_moments
from programs import exact, nest
from specimens import ELEMENTS


def test_coefficients_leave_the_sum():
    """Sum_q p t[q,a] t[q,b]: the factor p is applied once a pair, not once a point."""
    program = nest(
        lambda g: g.mul(g.parameter("p"), g.load("table", "q", "a"), g.load("table", "q", "b"))
    )
    after = sum_moments(program)
    assert exact(after) == exact(program)
    assert count(program).products - count(after).products == 4 * (3 - 1)
    (accumulate,) = (s for s in walk(after.body) if isinstance(s, Accumulate))
    assert len(operands(accumulate.value)) == 2


def _two_sums(graph):
    """Return sums of (p + r) f and (p - r) f over q: one moment f serves both."""
    p, r = graph.parameter("p"), graph.parameter("r")
    f = graph.mul(graph.load("table", "q"), graph.load("coordinates", "q"))
    return (
        graph.mul(graph.add(p, r), f),
        graph.mul(graph.add(p, graph.mul(graph.const(-1), r)), f),
    )


def test_equal_sums_are_formed_once():
    """Two accumulators over one function of q become one."""
    g = Graph()
    first, second = _two_sums(g)
    arrays = (
        Array("coordinates", (4,), "input"),
        Array("table", (4,), "table", (1.0, 2.0, -1.0, 0.5)),
        Array("out", (2,), "output"),
    )
    body = (
        Zero("one"), Zero("two"),
        For("q", 4, (Accumulate("one", first), Accumulate("two", second))),
        Store("out", (0,), g.temp("one")), Store("out", (1,), g.temp("two")),
    )  # fmt: skip
    program = Program(arrays, ("p", "r"), body, g)
    after = sum_moments(program)
    assert exact(after) == exact(program)
    assert sum(isinstance(s, Accumulate) for s in walk(after.body)) == 1
    assert count(after).operations < count(program).operations


def test_it_is_left_alone_where_it_does_not_pay():
    """A product of sums that all change with q is not multiplied out: (t + x)(t - x) stays."""

    def build(g):
        t, v = g.load("table", "q", "a"), g.load("value", "q")
        return g.mul(g.add(t, v, g.const(1)), g.add(t, g.mul(g.const(2), v)), g.add(t, g.const(5)))

    program = nest(build)
    assert sum_moments(program).body == program.body


def test_isotropic_stiffness_needs_nine_sums_a_pair():
    """The docstring's claim: lambda and mu leave, nine moments int N_a,i N_b,j remain in space."""
    stages = {}
    compile_kernel(ELEMENTS["hex8"], "stiffness", dump=stages.__setitem__)
    sums = [
        s
        for s in walk(stages["moments"].body)
        if isinstance(s, Accumulate) and s.name.startswith("moment")
    ]
    assert len(sums) == 9
    reads = {str(operands(n)) for s in sums for n in [s.value] if isinstance(n, Mul)}
    assert len(reads) == 9


def test_point_loads_of_inertia_terms_reduce_to_one_scalar():
    """Coriolis: every entry is a number times one and the same moment of N_a N_b."""
    stages = {}
    compile_kernel(ELEMENTS["tet4"], "coriolis", dump=stages.__setitem__)
    loops = [s for s in walk(stages["moments"].body) if isinstance(s, For) and s.index == "q"]
    pair = loops[-1]
    assert len(pair.body) == 1


def test_without_it_the_kernel_costs_more():
    """Stiffness of hex8 without the pass takes at least 1.3 times the operations."""
    fewer = {k: v for k, v in PIPELINE.items() if k != "moments"}
    with_it = compile_kernel(ELEMENTS["hex8"], "stiffness").count.operations
    without = compile_kernel(ELEMENTS["hex8"], "stiffness", passes=fewer).count.operations
    assert without > 1.3 * with_it


def test_a_loop_that_does_more_than_add_is_not_touched():
    """A loop with a store in it is no sum."""
    program = nest(
        lambda g: g.mul(g.parameter("p"), g.load("table", "q", "a"), g.load("value", "q"))
    )
    g = program.graph
    outer = program.body[1]
    inner = outer.body[0]
    loop = next(s for s in inner.body if isinstance(s, For))
    spoiled = replace(loop, body=(*loop.body, Store("value", ("q",), g.const(1))))
    body = tuple(spoiled if s is loop else s for s in inner.body)
    outer = replace(outer, body=(replace(inner, body=body),))
    changed = replace(program, body=(program.body[0], outer))
    assert sum_moments(changed).body == changed.body


def test_sums_of_two_loops_stay():
    """A total in which another loop takes part is not complete: moments of one would lose it."""
    g = Graph()
    first = g.mul(g.parameter("p"), g.load("table", "q"), g.load("coordinates", "q"))
    second = g.mul(g.parameter("r"), g.load("coordinates", "q"))
    arrays = (
        Array("coordinates", (4,), "input"),
        Array("table", (4,), "table", (1.0, 2.0, -1.0, 0.5)),
        Array("out", (1,), "output"),
    )
    loops = [For("q", 4, (Accumulate("one", value),)) for value in (first, second)]
    body = (Zero("one"), *loops, Store("out", (0,), g.temp("one")))
    program = Program(arrays, ("p", "r"), body, g)
    assert exact(sum_moments(program)) == exact(program)
    alone = replace(program, body=(body[0], loops[0], body[-1]))
    assert sum_moments(alone) != alone
