# SPDX-License-Identifier: BSD-3-Clause
"""Uniform: what is the same at every point is computed once, and kept once."""

from __future__ import annotations

from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.ir.count import count
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Accumulate, Array, For, Let, Program, Store, Zero, walk
from flexforge.codegen.passes.uniform import keep_uniform_once
from programs import exact
from specimens import ELEMENTS

X = Array("coordinates", (2, 2), "input")
OUT = Array("out", (3,), "output")


def test_tables_lose_the_axes_along_which_they_do_not_change():
    """t[q][a] with equal rows becomes t[a]; a table of one number becomes that number."""
    g = Graph()
    rows = Array("rows", (3, 2), "table", (0.5, -1.0) * 3)
    same = Array("same", (3,), "table", (0.25,) * 3)
    value = g.add(
        g.mul(g.load("rows", "q", 1), g.load("coordinates", 0, 1)),
        g.mul(g.load("same", "q"), g.load("coordinates", 1, 1)),
    )
    body = (For("q", 3, (Store("out", ("q",), value),)),)
    program = Program((X, rows, same, OUT), (), body, g)
    after = keep_uniform_once(program)
    assert exact(after) == exact(program)
    assert after.array("rows").shape == (2,)
    assert all(a.name != "same" for a in after.arrays)


def _points(g, value):
    """Return ``for q: sum = 0; for a: sum += value; v[q] = 2 sum; for q: out[q] = v[q] t[q]``."""
    table = Array("t", (3,), "table", (1.0, 2.0, -0.5))
    local = Array("v", (3,), "local")
    first = For("q", 3, (
        Zero("sum"),
        For("a", 2, (Accumulate("sum", value),)),
        Let("twice", g.mul(g.const(2), g.temp("sum"))),
        Store("v", ("q",), g.temp("twice")),
    ))  # fmt: skip
    second = For("q", 3, (Store("out", ("q",), g.mul(g.load("v", "q"), g.load("t", "q"))),))
    return Program((X, table, local, OUT), (), (first, second), g)


def test_statements_leave_a_loop_that_does_not_change_them():
    """A sum over nodes inside the loop over points, the same at each, is formed once."""
    g = Graph()
    program = _points(g, g.load("coordinates", "a", 0))
    after = keep_uniform_once(program)
    assert exact(after) == exact(program)
    assert all(a.name != "v" for a in after.arrays)
    loops = [s for s in after.body if isinstance(s, For)]
    assert [loop.index for loop in loops] == ["a", "q"]
    assert count(after).operations == 2 + 1 + 3 < count(program).operations


def test_statements_that_change_stay():
    """With a factor that depends on the point nothing moves."""
    g = Graph()
    program = _points(g, g.mul(g.load("coordinates", "a", 0), g.load("t", "q")))
    assert keep_uniform_once(program).body == program.body


def test_a_sum_across_points_is_not_uniform():
    """sum += c in a loop over points changes with every one, though c does not."""
    g = Graph()
    loop = For("q", 3, (Accumulate("sum", g.load("coordinates", 0, 0)),
                        Store("out", ("q",), g.temp("sum"))))  # fmt: skip
    program = Program((X, OUT), (), (Zero("sum"), loop), g)
    after = keep_uniform_once(program)
    assert after.body == program.body
    assert exact(after) == exact(program)


def test_geometry_of_a_linear_simplex_is_computed_once():
    """tet4: one Jacobian for all points of the mass; hex8 keeps one a point."""
    for name, once in (("tet4", True), ("hex8", False)):
        program = keep_uniform_once(compile_kernel(ELEMENTS[name], "mass", passes={}).program)
        top = {s.name for s in program.body if isinstance(s, Let)}
        assert ("determinant" in top) == once, name
        assert any(isinstance(s, Let) and s.name == "determinant" for s in walk(program.body))
