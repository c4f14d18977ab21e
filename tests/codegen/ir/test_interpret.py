# SPDX-License-Identifier: BSD-3-Clause
"""The interpreter is the meaning of a program: by hand, exactly, and in the type of its inputs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.ir.program import Accumulate, Array, For, Let, Program, Store, Zero
from programs import exact, nest


def _triangle():
    """Return ``out[a][b] = sum_q t[q] X[a] X[b] / p`` for b >= a, zero below the diagonal."""
    g = Graph()
    product = g.mul(g.load("t", "q"), g.load("X", "a"), g.load("X", "b"))
    body = (
        For("a", 3, (For("b", 3, (Store("out", ("a", "b"), g.const(0)),)),)),
        Let("scale", g.div(g.const(1), g.parameter("p"))),
        For("a", 3, (For("b", 3, (
            Zero("sum"),
            For("q", 2, (Accumulate("sum", product),)),
            Store("out", ("a", "b"), g.mul(g.temp("sum"), g.temp("scale"))),
        ), "a"),)),
    )  # fmt: skip
    arrays = (
        Array("X", (3,), "input"),
        Array("t", (2,), "table", (0.5, 0.25)),
        Array("out", (3, 3), "output"),
    )
    return Program(arrays, ("p",), body, g)


def test_by_hand():
    """Loops, triangular loops, tables, accumulators and scalars, on two elements at once."""
    X = np.array([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]])
    found = interpret(_triangle(), {"X": X}, {"p": 3.0})
    expected = np.einsum("al,bl->abl", X, X) * 0.75 / 3
    expected = np.where((np.arange(3)[:, None] <= np.arange(3))[..., None], expected, 0)
    assert np.allclose(found, expected, rtol=1e-15, atol=0)


def test_exactly():
    """With fractions nothing is rounded: 3/4 * (1/3)(1/7) / 3 = 1/84."""
    X = np.array([[Fraction(1, 3)], [Fraction(1, 7)], [Fraction(2)]], object)
    found = interpret(_triangle(), {"X": X}, {"p": Fraction(3)})
    assert found[0, 1, 0] == Fraction(1, 84)
    assert found[1, 0, 0] == 0
    assert all(isinstance(v, Fraction) for v in found.ravel())


def test_type_of_the_arithmetic():
    """Single precision in, single precision throughout."""
    X = np.array([[1.0], [3.0], [0.5]], np.float32)
    found = interpret(_triangle(), {"X": X}, {"p": 3.0})
    assert found.dtype == np.float32
    assert found[0, 1, 0] == np.float32(0.75) * np.float32(3) * (np.float32(1) / np.float32(3))


def test_what_is_not_stored_is_not_a_number():
    """An output nobody writes is noticed: it stays NaN."""
    g = Graph()
    out = Array("out", (2,), "output")
    inputs = (Array("X", (1,), "input"), out)
    program = Program(inputs, (), (Store("out", (0,), g.const(1)),), g)
    found = interpret(program, {"X": np.ones((1, 1))}, {})
    assert found[0, 0] == 1
    assert np.isnan(found[1, 0])


def test_programs_of_the_tests_are_exact():
    """The nest the passes are tried on: sum over q of table, against plain Python."""
    program = nest(lambda g: g.mul(g.load("table", "q", "a"), g.load("table", "q", "b")))
    t = [[Fraction(1, 2), Fraction(1, 4)], [Fraction(-1), Fraction(3, 4)], [Fraction(2),
          Fraction(-1, 2)]]  # fmt: skip
    expected = [sum(t[q][a] * t[q][b] for q in range(3)) for a in (0, 1) for b in (0, 1)]
    assert exact(program) == [v for v in expected for _ in (0, 1)]
