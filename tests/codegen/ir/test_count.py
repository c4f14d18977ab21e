# SPDX-License-Identifier: BSD-3-Clause
"""Counts: from the IR, again from the printed C, and against a committed table."""

from __future__ import annotations

import json

import operations
import pytest
import recount
from compiled import kernel_of
from compiled import kernels as generated
from flexforge.codegen.ir.count import Count, accesses, count
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Accumulate, Array, For, Let, Program, Store, Zero
from flexforge.codegen.output.sources import kernel_sources
from flexforge.codegen.output.standard import continuum_shares
from specimens import ELEMENTS, FACET_ELEMENTS, HEAVY, REPEATED, SMALL, heavy_are_slow

LARGER = (*HEAVY, *REPEATED, "hex8")
NAMES = [*ELEMENTS, *FACET_ELEMENTS]
MARKED = [(name, pytest.mark.slow if name in LARGER else ()) for name in NAMES]


def _text(kernels):
    (text,) = [t for n, t in kernel_sources(kernels).items() if n != "kernel_table.c"]
    return text


def _bytes(kernel, size):
    """Return the bytes an element moves: what the text reads of its arguments, and the result."""
    used = ("coordinates" not in kernel.pieces.unused) + kernel.state_vectors
    arguments = used * kernel.nodes * kernel.dimension
    return size * (arguments + kernel.rows * kernel.columns + len(kernel.parameters))


@pytest.mark.parametrize(
    ("name", "lanes", "scalar"),
    [
        pytest.param("hex8", 16, "double", marks=pytest.mark.slow),
        *(
            pytest.param(name, 8, "double", marks=pytest.mark.slow if name in SMALL[1:] else marks)
            for name, marks in MARKED
        ),
        *((name, *kind) for name in SMALL for kind in ((1, "double"), (4, "float"))),
        *(
            pytest.param(name, *kind, marks=pytest.mark.slow)
            for name in NAMES
            if name not in (*SMALL, *HEAVY)
            for kind in ((1, "double"), (4, "float"))
        ),
    ],
)
def test_the_printed_text_has_the_counted_operations(name, lanes, scalar):
    """Recount from the C text: every number of every descriptor is exact."""
    kernels = generated(name, lanes, scalar)
    text = _text(kernels)
    found, printed = recount.functions(text), recount.descriptors(text)
    assert set(found) == set(printed) == {k.name for k in kernels}
    size = 4 if scalar == "float" else 8
    for kernel in kernels:
        again, said = found[kernel.name], printed[kernel.name]
        for family in ("additions", "products", "quotients", "roots", "fused"):
            assert again[family] == said[family] == getattr(kernel.written, family), family
        # On the stack or in the workspace, of all lanes that a group has.
        assert again["entries"] * size * kernel.layout.width == said["stack"]
        local = kernel.written.stack * kernel.layout.width
        assert (said["stack"], said["workspace"] >= local) in ((local, local == 0), (0, True))
        assert _bytes(kernel, size) == said["bytes"]
        scalars = sum(1 for key in again if key.startswith("scalar "))
        assert scalars == kernel.written.temporaries


@pytest.mark.slow
def test_counts_of_the_installed_standard_kernels():
    """What an installation ships of continua, 79 kernels a level, costs what the table says.

    Besides these each element and facet has the kernel by which its geometry is checked.
    """
    table = json.loads(operations.TABLE.read_text())
    installed = [kernel for share in continuum_shares() for kernel in share.kernels()]
    kernels = [kernel for kernel in installed if kernel.term != "jacobian"]
    assert len(kernels) == 18 * 4 + 7
    assert len(installed) == len(kernels) + 18 + 7
    for kernel in kernels:
        facet = kernel.term == "pressure"
        name = f"{kernel.element}_{kernel.dimension}d" if facet else kernel.element
        assert kernel.count.operations == table[name][kernel.term], kernel.name


@pytest.mark.parametrize("name", heavy_are_slow(*NAMES, more=("hex8",)))
def test_the_committed_table(name):
    """Operation counts as committed; tests/codegen/operations.py writes the table anew."""
    table = json.loads(operations.TABLE.read_text())
    assert set(table) == set(NAMES)
    assert {k.term: k.count.operations for k in generated(name)} == table[name]


def test_one_product_more_is_noticed():
    """The recount can fail: one factor more in the text is one product more."""
    text = _text([kernel_of("hex20", "mass")])
    (name, before) = next(iter(recount.functions(text).items()))
    changed = text.replace("const double determinant = ", "const double determinant = 2.0*", 1)
    assert changed != text
    after = recount.functions(changed)[name]
    assert after["products"] - before["products"] == 27  # points


def test_by_hand():
    """All families, a triangular loop and an accumulation, counted with a pencil.

    Loop a 0..2, b a..2: 6 pairs; q 0..3: 24 points. A point: x y + x (1 add, 1 mul, fused) and the
    accumulation (1 add, not fused: the value is a sum). A pair: one quotient of a sum by a root.
    """
    g = Graph()
    x, y = g.load("coordinates", "a"), g.load("coordinates", "b")
    s, p = g.temp("s"), g.parameter("p")
    body = (
        Let("twice", g.mul(g.const(2), p)),
        For("a", 3, (For("b", 3, (
            Zero("s"),
            For("q", 4, (Accumulate("s", g.add(g.mul(x, y), x)),)),
            Store("out", ("a", "b"), g.div(g.add(s, p), g.sqrt(g.temp("twice")))),
        ), "a"),)),
    )  # fmt: skip
    arrays = (Array("coordinates", (3,), "input"), Array("work", (5,), "local"),
              Array("out", (3, 3), "output"))  # fmt: skip
    found = count(Program(arrays, ("p",), body, g))
    assert found == Count(
        additions=24 + 24 + 6,
        products=1 + 24,
        quotients=6,
        roots=6,
        fused=24,
        bytes_moved=8 * (3 + 9 + 1),
        stack=40,
        temporaries=2,
    )
    assert found.operations == 54 + 25 + 6 + 6
    assert accesses(Program(arrays, ("p",), body, g)) == 0
    assert count(Program(arrays, ("p",), body, g), 4).stack == 20


def test_accesses_of_local_arrays():
    """One store a point, and in each of six pairs a load of two entries of four points."""
    g = Graph()
    arrays = (Array("kept", (4, 2), "local"), Array("out", (3, 3), "output"))
    both = g.mul(g.load("kept", "q", 0), g.load("kept", "q", 1))
    body = (
        For("q", 4, (Store("kept", ("q", 0), g.parameter("p")),)),
        For("a", 3, (For("b", 3, (
            Zero("s"),
            For("q", 4, (Accumulate("s", g.add(both, g.load("kept", "q", 0))),)),
            Store("out", ("a", "b"), g.temp("s")),
        ), "a"),)),
    )  # fmt: skip
    assert accesses(Program(arrays, ("p",), body, g)) == 4 + 6 * 4 * 2


def test_loops_that_start_from_others():
    """Iterations of b from a, with other extents, and of two loops that start from one."""
    g = Graph()

    def runs(body):
        out = Array("out", (1,), "output")
        return count(Program((out,), ("p",), body, g)).additions

    one = (Accumulate("s", g.parameter("p")),)
    assert runs((For("a", 2, (For("b", 5, one, "a"),)),)) == 5 + 4
    both = (For("b", 4, (For("c", 4, one, "a"),), "a"),)
    assert runs((For("a", 4, both),)) == 16 + 9 + 4 + 1
    assert runs((For("a", 4, (*one, For("b", 4, one, "a"))),)) == 4 + 10
    assert runs((For("a", 4, (For("b", 2, one, "a"),)),)) == 2 + 1


def test_accumulating_a_negative_is_no_fused_operation():
    """S += -x is a subtraction; s += x y can be fused."""
    g = Graph()
    x, y = g.parameter("x"), g.parameter("y")
    out = Array("out", (1,), "output")
    body = (Zero("s"), Accumulate("s", g.mul(g.const(-1), x)), Accumulate("s", g.mul(x, y)))
    found = count(Program((out,), ("x", "y"), body, g))
    assert (found.additions, found.products, found.fused) == (2, 1, 1)
