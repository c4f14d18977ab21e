# SPDX-License-Identifier: BSD-3-Clause
"""Unroll: short loops written out, so that zeros and ones of their tables save operations."""

from __future__ import annotations

from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.ir.count import count
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Accumulate, Array, For, Let, Program, Store, Zero, walk
from flexforge.codegen.passes import unroll
from flexforge.codegen.passes.unroll import unroll_short_loops
from programs import exact
from specimens import ELEMENTS

X = Array("coordinates", (3,), "input")
OUT = Array("out", (3,), "output")
SIGNS = Array("signs", (3,), "table", (-1.0, 1.0, 0.0))


def _sum(graph):
    """Return ``sum = 0; for a: sum += X[a] signs[a]; out[..] = sum``."""
    value = graph.mul(graph.load("coordinates", "a"), graph.load("signs", "a"))
    return (
        Zero("sum"), For("a", 3, (Accumulate("sum", value),)),
        *(Store("out", (k,), graph.temp("sum")) for k in range(3)),
    )  # fmt: skip


def test_a_sum_with_zeros_and_ones_becomes_a_difference():
    """-X[0] + X[1] + 0 X[2]: one operation instead of six."""
    g = Graph()
    program = Program((X, SIGNS, OUT), (), _sum(g), g)
    after = unroll_short_loops(program)
    assert exact(after) == exact(program)
    assert not any(isinstance(s, For | Zero | Accumulate) for s in walk(after.body))
    assert (count(program).operations, count(after).operations) == (6, 1)


def test_entries_of_local_arrays_become_scalars():
    """An array that only numbers index is so many scalars; what is made in a copy has its name."""
    g = Graph()
    local = Array("v", (3,), "local")
    body = (
        For("a", 3, (
            Let("twice", g.mul(g.const(2), g.load("coordinates", "a"))),
            Store("v", ("a",), g.mul(g.temp("twice"), g.temp("twice"))),
        )),
        For("a", 3, (Store("out", ("a",), g.add(g.load("v", "a"), g.load("v", 0))),)),
    )  # fmt: skip
    program = Program((X, local, OUT), (), body, g)
    after = unroll_short_loops(program)
    assert exact(after) == exact(program)
    assert all(a.name != "v" for a in after.arrays)
    names = [s.name for s in walk(after.body) if isinstance(s, Let)]
    assert len(names) == len(set(names)) == 6


def test_what_was_read_before_a_copy_has_a_name_keeps_it():
    """A square of the outer scalar before the loop has one of this name, and of its own after."""
    g = Graph()
    square = g.mul(g.temp("x"), g.temp("x"))
    body = (
        Let("x", g.load("coordinates", 0)),
        For("a", 1, (
            Store("out", (0,), square),
            Let("x", g.add(g.load("coordinates", "a"), g.load("coordinates", 1))),
            Store("out", (1,), square),
        )),
        Store("out", (2,), g.load("coordinates", 2)),
    )  # fmt: skip
    program = Program((X, OUT), (), body, g)
    after = unroll_short_loops(program)
    assert not any(isinstance(s, For) for s in after.body)
    assert exact(after) == exact(program)


def test_long_loops_stay(monkeypatch):
    """Above a size a loop is kept, and the short ones inside it are written out."""
    g = Graph()
    out = Array("out", (3, 3), "output")
    inner = For("b", 3, (Store("out", ("a", "b"), g.load("coordinates", "b")),))
    program = Program((X, out), (), (For("a", 3, (inner,)),), g)
    monkeypatch.setattr(unroll, "LONGEST", 3)
    after = unroll_short_loops(program)
    assert exact(after) == exact(program)
    (loop,) = (s for s in walk(after.body) if isinstance(s, For))
    assert loop.index == "a"
    assert [s.index for s in loop.body] == [("a", 0), ("a", 1), ("a", 2)]
    assert unroll_short_loops(after) is after


def test_a_loop_that_would_keep_many_entries_stays(monkeypatch):
    """Entries of a local array that a loop around it reads every time are bounded."""
    g = Graph()
    local, out = Array("v", (4,), "local"), Array("out", (3,), "output")
    fill = For("q", 4, (Store("v", ("q",), g.load("coordinates", 0)),))
    term = g.mul(g.load("v", "q"), g.load("coordinates", "a"))
    again = For("q", 4, (Accumulate("s", term),))
    around = For("a", 3, (Zero("s"), again, Store("out", ("a",), g.temp("s"))))
    program = Program((X, local, out), (), (fill, around), g)
    monkeypatch.setattr(unroll, "LONGEST", 5)  # the loop around stays
    for kept, loops in ((4, 1), (3, 2)):
        monkeypatch.setattr(unroll, "KEPT", kept)
        after = unroll_short_loops(program)
        assert exact(after) == exact(program)
        assert sum(isinstance(s, For) for s in walk(after.body)) == loops


def test_upper_triangles_are_written_out():
    """A loop that starts from another one has its start put in."""
    g = Graph()
    out = Array("out", (3, 3), "output")
    fill = For("b", 3, (Store("out", ("a", "b"), g.const(0)),))
    upper = For("b", 3, (Store("out", ("a", "b"), g.load("coordinates", "b")),), "a")
    program = Program((X, out), (), (For("a", 3, (fill,)), For("a", 3, (upper,))), g)
    after = unroll_short_loops(program)
    assert exact(after) == exact(program)
    assert len(after.body) == 9 + 6


def test_jacobian_of_a_linear_tetrahedron():
    """tet4: nine differences of coordinates, of which det J = 6 V takes 14 operations more."""
    kernel = compile_kernel(ELEMENTS["tet4"], "scalar_mass")
    assert not any(isinstance(s, For) for s in walk(kernel.program.body))
    # differences 9, adjugate 9, determinant 5, weight and density 2, two products
    # of the table's entries, and two where rounding made the entries of the table differ
    assert kernel.count.operations <= 9 + 9 + 5 + 2 + 4


def test_names_of_copies_do_not_meet_names_of_entries():
    """Entry (1, 0) of array v, and copy 1 of a scalar v_1 or v_1_0, are different scalars."""
    g = Graph()
    local = Array("v", (2, 2), "local")
    squares = tuple(g.mul(g.load("coordinates", "a"), g.load("coordinates", k)) for k in range(2))
    body = (
        For("a", 2, (
            Let("v_0", squares[0]), Let("v_1", squares[1]), Let("v_1_0", g.load("coordinates", 2)),
            Store("v", ("a", 1), g.temp("v_1")),
            Store("v", ("a", 0), g.add(g.temp("v_0"), g.temp("v_1_0"))),
        )),
        *(Store("out", (k,), g.add(g.load("v", 1, k % 2), g.load("v", 0, k // 2)))
          for k in range(3)),
    )  # fmt: skip
    program = Program((X, local, OUT), (), body, g)
    assert exact(unroll_short_loops(program)) == exact(program)
