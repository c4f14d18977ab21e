# SPDX-License-Identifier: BSD-3-Clause
"""Pruning: what nobody reads is not computed."""

from __future__ import annotations

from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Accumulate, Array, For, Let, Program, Store, Zero
from flexforge.codegen.passes.prune import prune_unused
from programs import exact


def _program(extra=(), arrays=()):
    g = Graph()
    x = g.load("coordinates", 0)
    body = (*[e(g) for e in extra], Let("t", g.mul(x, x)), Store("out", (0,), g.temp("t")))
    own = (Array("coordinates", (1,), "input"), *arrays, Array("out", (1,), "output"))
    return Program(own, ("p",), body, g), body


def test_chains_of_unread_scalars_go():
    """A scalar read only by a scalar that nobody reads goes with it."""
    program, body = _program(
        [lambda g: Let("u", g.parameter("p")), lambda g: Let("v", g.mul(g.temp("u"), g.temp("u")))]
    )
    after = prune_unused(program)
    assert after.body == body[2:]
    assert exact(after) == exact(program)


def test_unread_arrays_go_with_the_loops_that_fill_them():
    """A local array nobody reads, the loop that fills it, and the input only it needed."""
    program, body = _program(
        [lambda g: For("q", 3, (Store("local", ("q",), g.load("other", "q")),))],
        [Array("local", (3,), "local"), Array("other", (3,), "input")],
    )
    after = prune_unused(program)
    assert after.body == body[1:]
    assert [a.name for a in after.arrays] == ["coordinates", "out"]


def test_unread_sums_go():
    """An accumulator nobody reads goes with its zero and its loop."""
    program, body = _program(
        [
            lambda g: Zero("s"),
            lambda g: For("q", 3, (For("b", 2, (Accumulate("s", g.parameter("p")),)),)),
        ]
    )
    assert prune_unused(program).body == body[2:]


def _rows(read):
    """Return a program that fills and reads an array in one loop, and a reading after it."""
    g = Graph()
    product = g.mul(g.load("coordinates", "q"), g.parameter("p"))
    fill = Store("local", (1, "q"), product)
    use = Store("out", ("q",), g.add(g.load("local", 1, "q"), g.load("coordinates", "q")))
    arrays = [Array("coordinates", (3,), "input"), Array("local", (2, 3), "local")]
    last = (Store("out", (0,), g.load("local", 1, read)),) if read is not None else ()
    body = (For("q", 3, (fill, use)), *last)
    return Program((*arrays, Array("out", (3,), "output")), ("p",), body, g)


def test_what_one_iteration_writes_and_reads_needs_no_room_for_others():
    """An array that one loop fills and reads, at a fixed place but for its index, is a scalar."""
    program = _rows(None)
    after = prune_unused(program)
    assert [a.name for a in after.arrays] == ["coordinates", "out"]
    assert isinstance(after.body[0].body[0], Let)
    assert exact(after) == exact(program)


def test_arrays_keep_an_axis_that_is_read_elsewhere():
    """An entry read after the loop stays."""
    program = _rows(2)
    assert prune_unused(program) is program


def test_what_is_read_stays():
    """Nothing to drop: the very same program comes back."""
    program, _ = _program()
    assert prune_unused(program) is program
    assert program.parameters == ("p",)  # the signature is not pruned
