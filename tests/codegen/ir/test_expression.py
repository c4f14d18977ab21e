# SPDX-License-Identifier: BSD-3-Clause
"""Expressions: equal ones are one object, numbers fold, order is that of creation."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flexforge.codegen.ir.count import operations_of
from flexforge.codegen.ir.expression import Add, Const, Div, Graph, Mul, operands
from flexforge.codegen.ir.traversal import dependences, polynomial, postorder, transform


@pytest.fixture
def graph():
    return Graph()


def _operation_count(root):
    found = operations_of(root)
    return sum(found) - found.fused


def test_equal_expressions_are_one_object(graph):
    """Hash-consing: sums and products of the same operands in any order are the same node."""
    x, y = graph.parameter("x"), graph.parameter("y")
    assert graph.parameter("x") is x
    assert graph.add(x, y) is graph.add(y, x)
    assert graph.mul(x, graph.add(x, y)) is graph.mul(graph.add(y, x), x)
    assert graph.load("A", "q", 0) is graph.load("A", "q", 0)
    assert graph.load("A", "q", 0) is not graph.load("A", 0, "q")
    assert graph.temp("x") is not x
    assert graph.div(x, y) is not graph.div(y, x)


def test_nodes_are_immutable(graph):
    """A node cannot be changed under the feet of those who share it."""
    node = graph.add(graph.parameter("x"), graph.parameter("y"))
    with pytest.raises(AttributeError):
        node.args = ()


def test_numbers_fold(graph):
    """Zeros and ones vanish, numbers combine exactly, nested sums and products flatten."""
    x, y = graph.parameter("x"), graph.parameter("y")
    c = graph.const
    assert graph.add(x, c(0)) is x
    assert graph.mul(x, c(1)) is x
    assert graph.mul(x, c(0)) is c(0)
    assert graph.add() is c(0)
    assert graph.mul() is c(1)
    assert graph.add(c(Fraction(1, 3)), c(Fraction(1, 6))) is c(Fraction(1, 2))
    assert graph.mul(c(2), x, c(Fraction(1, 2))) is x
    assert graph.add(x, graph.add(y, c(2)), c(-2)) is graph.add(x, y)
    assert operands(graph.mul(x, graph.mul(y, x))) == (x, x, y)
    assert graph.div(x, c(4)) is graph.mul(x, c(Fraction(1, 4)))
    # a float is not the fraction it hashes like
    assert graph.const(0.5) is not graph.const(Fraction(1, 2))
    assert isinstance(graph.const(0.5).value, float)


def test_numbers_order_nodes_by_creation(graph):
    """Numbers increase from operands to the expressions that use them: a deterministic order."""
    x, y = graph.parameter("x"), graph.parameter("y")
    root = graph.mul(graph.add(y, x), graph.add(x, graph.mul(x, y)))
    for node in postorder([root]):
        assert all(a.number < node.number for a in operands(node))
        assert list(operands(node)) == sorted(operands(node), key=lambda e: e.number)


@pytest.mark.parametrize(("exponent", "products"), [(0, 0), (1, 0), (2, 1), (3, 2), (4, 2), (5, 3),
                                                    (6, 3), (8, 3), (16, 4)])  # fmt: skip
def test_powers_are_products_of_shared_squares(graph, exponent, products):
    """x^n takes as many products as binary powering: Knuth, TAOCP vol. 2, section 4.6.3."""
    x = graph.parameter("x")
    root = graph.power(x, exponent)
    shared = {n.number: n for n in postorder([root])}.values()
    assert sum(len(operands(n)) - 1 for n in shared if isinstance(n, Mul)) == products
    assert polynomial(root) == {(x,) * exponent: 1}


def test_negative_powers_divide_once(graph):
    """x^-3 is one quotient over the cube."""
    x = graph.parameter("x")
    root = graph.power(x, -3)
    assert isinstance(root, Div)
    assert operands(root) == (graph.const(1), graph.power(x, 3))


def test_polynomial_multiplies_out(graph):
    """(x + 2 y)(x - y) = x^2 + x y - 2 y^2, with cancelled terms gone."""
    x, y = graph.parameter("x"), graph.parameter("y")
    c = graph.const
    product = graph.mul(graph.add(x, graph.mul(c(2), y)), graph.add(x, graph.mul(c(-1), y)))
    assert polynomial(product) == {(x, x): 1, (x, y): 1, (y, y): -2}
    square = graph.mul(graph.add(x, y), graph.add(x, graph.mul(c(-1), y)))
    assert polynomial(square) == {(x, x): 1, (y, y): -1}
    quotient = graph.div(x, y)
    assert polynomial(graph.add(quotient, c(3))) == {(quotient,): 1, (): 3}
    # equal terms of one sum add up
    assert polynomial(graph.add(x, x, graph.mul(c(3), x))) == {(x,): 5}


def test_dependences(graph):
    """A load depends on the loops in its index, on those that write it, a scalar on its own."""
    A = graph.load("A", "q", 0)
    t = graph.temp("t")
    root = graph.add(A, graph.mul(t, graph.parameter("p")))
    found = dependences([root], {"t": frozenset("b")})
    assert found[root.number] == {"q", "b"}
    assert found[A.number] == {"q"}
    assert dependences([A], {}, {"A": frozenset("a")})[A.number] == {"q", "a"}


def test_transform_replaces_from_the_leaves_up(graph):
    """Every node is offered with its operands already replaced; untouched parts stay the same."""
    x, y = graph.parameter("x"), graph.parameter("y")
    root = graph.add(graph.mul(x, y), x)
    changed = transform(root, graph, lambda n: graph.const(3) if n is x else None)
    assert changed is graph.add(graph.mul(graph.const(3), y), graph.const(3))
    assert transform(root, graph, lambda n: None) is root


def test_deep_expressions_need_no_recursion(graph):
    """Twenty thousand nested quotients: traversals are iterative (DESIGN: ir)."""
    node = x = graph.parameter("x")
    for _ in range(20000):
        node = graph.div(node, graph.add(node, x))
    assert sum(1 for _ in postorder([node])) == 40001
    assert transform(node, graph, lambda n: None) is node
    assert dependences([node], {})[node.number] == frozenset()


def test_operations_of_an_expression_printed_in_full(graph):
    """A node used twice is printed twice, signs cost nothing: (a + b)(a + b) - c has 4."""
    a, b, c = (graph.parameter(n) for n in "abc")
    total = graph.add(a, b)
    square = graph._product(total, total)
    root = graph.add(square, graph.mul(graph.const(-1), c))
    assert isinstance(root, Add)
    assert _operation_count(root) == 4
    assert operations_of(root).fused == 1
    assert isinstance(graph.const(2), Const)
