# SPDX-License-Identifier: BSD-3-Clause
"""Programs to run passes on: written by hand, lowered from elements, and drawn at random."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.ir.program import (
    Accumulate,
    Array,
    For,
    Let,
    Program,
    Store,
    Zero,
)

POINTS, NODES = 3, 2
X = Array("coordinates", (NODES, 2), "input")
T = Array("table", (POINTS, NODES), "table", (0.5, 0.25, -1.0, 0.75, 2.0, -0.5))
V = Array("value", (POINTS,), "local")
OUT = Array("out", (NODES, NODES), "output")


def exact_inputs(program: Program, count: int = 2, seed: int = 1):
    """Return random small fractions for inputs and parameters."""
    rng = np.random.default_rng(seed)

    def draw():
        return Fraction(int(rng.integers(-9, 10)) or 1, int(rng.integers(1, 6)))

    arrays = {}
    for array in program.arrays:
        if array.kind == "input":
            size = int(np.prod((*array.shape, count)))
            values = np.empty(size, object)
            values[:] = [draw() for _ in range(size)]
            arrays[array.name] = values.reshape(*array.shape, count)
    if not arrays:
        arrays["coordinates"] = np.array([[Fraction(1)]], object)
    return arrays, {p: draw() for p in program.parameters}


def exact(program: Program, given=None):
    """Return the output in exact arithmetic, as a list of fractions."""
    arrays, parameters = given or exact_inputs(program)
    result = interpret(program, arrays, parameters).ravel().tolist()
    assert all(isinstance(v, Fraction) for v in result)
    return result


def nest(build, *, first=0, before=(), after=None, arrays=(), parameters=("p", "r")):
    """Return ``for a: for b: sum = 0; for q: sum += build(graph); out[a][b] = sum``.

    ``value[q]`` holds ``p / (1 + r^2)`` plus a table entry and can be read in the sum.
    """
    graph = Graph()
    p, r = graph.parameter("p"), graph.parameter("r")
    value = graph.add(graph.load("table", "q", 0), graph.div(p, graph.add(graph.const(1), r)))
    total = graph.temp("sum")
    stores = [Store("out", ("a", "b"), after(graph, total) if after else total)]
    if first == "a":
        stores.insert(0, Store("out", ("b", "a"), total))
    inner = (*before, Zero("sum"), For("q", POINTS, (Accumulate("sum", build(graph)),)), *stores)
    body = (
        For("q", POINTS, (Store("value", ("q",), value),)),
        For("a", NODES, (For("b", NODES, inner, first),)),
    )
    return Program((X, T, V, OUT, *arrays), parameters, body, graph)


def flat(build, parameters=("p", "r", "s")):
    """Return ``out[0] = .., out[1] = ..`` of expressions without loops."""
    graph = Graph()
    values = build(graph, *(graph.parameter(p) for p in parameters))
    out = Array("out", (len(values),), "output")
    body = tuple(Store("out", (k,), v) for k, v in enumerate(values))
    return Program((out,), parameters, body, graph)


def random_expression(graph: Graph, leaves, rng: np.random.Generator, depth: int):
    """Return a random expression with shared operands, numbers and signs."""
    if depth == 0 or rng.random() < 0.15:
        return leaves[rng.integers(len(leaves))]
    kind = rng.random()
    args = [random_expression(graph, leaves, rng, depth - 1) for _ in range(rng.integers(2, 4))]
    if kind < 0.45:
        return graph.add(*args)
    if kind < 0.85:
        return graph.mul(*args, *([graph.const(-1)] if rng.random() < 0.3 else []))
    square = graph.mul(args[1], args[1])
    return graph.div(args[0], graph.add(graph.const(1), square))


def random_program(seed: int) -> Program:
    """Return a random program of the shape that lowering produces."""
    rng = np.random.default_rng(seed)
    first = "a" if rng.random() < 0.5 else 0

    def build(graph):
        leaves = [
            graph.parameter("p"), graph.parameter("r"), graph.load("value", "q"),
            graph.load("table", "q", "a"), graph.load("table", "q", "b"), graph.const(3),
            graph.load("coordinates", "a", 0), graph.load("coordinates", "b", 1),
            graph.load("coordinates", 0, 1), graph.const(Fraction(-1, 2)),
        ]  # fmt: skip
        return random_expression(graph, leaves, rng, 3)

    def after(graph, total):
        return graph.add(graph.mul(total, graph.parameter("p")), graph.mul(total, graph.const(-1)))

    return nest(build, first=first, after=after if rng.random() < 0.5 else None)


__all__ = ["Accumulate", "Array", "For", "Let", "Store", "Zero", "exact", "flat", "nest",
           "random_expression", "random_program"]  # fmt: skip
