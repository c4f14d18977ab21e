# SPDX-License-Identifier: BSD-3-Clause
"""SymPy to expressions and back: nothing is lost, the unknown is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Add, Const, Div, Graph, Mul, Parameter, Sqrt, operands
from flexforge.codegen.ir.traversal import postorder

X, Y, Z = sympy.symbols("x y z", positive=True)


def _back(root):
    """Return an expression as a SymPy expression."""
    done = {}
    for node in postorder([root]):
        args = [done[a.number] for a in operands(node)]
        match node:
            case Const(_, value):
                done[node.number] = sympy.Rational(value) if isinstance(value, Fraction) else value
            case Parameter(_, name):
                done[node.number] = {"x": X, "y": Y, "z": Z}[name]
            case Add():
                done[node.number] = sympy.Add(*args)
            case Mul():
                done[node.number] = sympy.Mul(*args)
            case Div():
                done[node.number] = args[0] / args[1]
            case Sqrt():
                done[node.number] = sympy.sqrt(args[0])
    return done[root.number]


@pytest.mark.parametrize(
    "expression",
    [
        X + 2 * Y - Z / 3,
        (X + Y) ** 2 * (X - Z) ** 3,
        X / (Y + Z),
        1 / X**3 - 2 / (Y * Z) ** 2,
        sympy.sqrt(X**2 + Y**2) / Z,
        sympy.Integer(0),
        sympy.Rational(-7, 3),
        -X,
        -(X + Y) * (Y - X) / 2,
        X * Y / (X + Y) - X * Y * Z,
        (((X + 1) * Y + 2) * Z + 3) ** 5,
    ],
    ids=str,
)
def test_there_and_back(expression):
    """The converted expression is the same function."""
    graph = Graph()
    leaves = {s: graph.parameter(s.name) for s in (X, Y, Z)}
    found = _back(convert(expression, leaves, graph))
    assert sympy.simplify(found - expression) == 0


def test_floats_stay_floats():
    """A decimal of SymPy is a double here, a rational an exact fraction."""
    graph = Graph()
    assert convert(sympy.Float(0.1), {}, graph) is graph.const(0.1)
    assert convert(sympy.Rational(1, 10), {}, graph) is graph.const(Fraction(1, 10))


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (X + sympy.Symbol("unknown"), "symbol 'unknown' has no meaning"),
        (sympy.gamma(X), "cannot be compiled; expected"),
        (X**Y, "cannot be compiled"),
        (X ** sympy.Rational(1, 3), "cannot be compiled"),
    ],
    ids=str,
)
def test_what_kernels_do_not_have(expression, words):
    """Functions and symbols without meaning are refused by name."""
    graph = Graph()
    with pytest.raises(FlexforgeError, match=words):
        convert(expression, {X: graph.parameter("x"), Y: graph.parameter("y")}, graph)


def test_conversion_is_deterministic():
    """Two conversions create the same nodes in the same order."""
    texts = []
    for _ in range(2):
        graph = Graph()
        leaves = {s: graph.parameter(s.name) for s in (X, Y, Z)}
        root = convert(sympy.expand((X + Y * Z) ** 3), leaves, graph)
        texts.append(repr(list(postorder([root]))))
    assert texts[0] == texts[1]
