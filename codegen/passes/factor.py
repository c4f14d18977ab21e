# SPDX-License-Identifier: BSD-3-Clause
"""Factoring: common factors are pulled out of sums, the most frequent first."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain

from flexforge.codegen.ir.expression import Add, Const, Expr, Graph, Mul, operands
from flexforge.codegen.ir.program import Program
from flexforge.codegen.ir.traversal import transform
from flexforge.codegen.passes.rewriting import substitute


def factor_sums(program: Program) -> Program:
    """Turn ``a b + a c`` into ``a (b + c)``.

    Assumes
        Nothing.
    Guarantees
        Never more operations; equal results in exact arithmetic.
    """
    graph = program.graph
    return replace(program, body=substitute(program.body, lambda e: factor(e, graph)))


def factor(expr: Expr, graph: Graph) -> Expr:
    """Return the expression with every sum in it factored."""
    done: dict[int, Expr] = graph.results("factor")

    def change(node: Expr) -> Expr | None:
        return _factor_sum(node, graph) if isinstance(node, Add) else None

    # A factored product may share factors with its neighbours: repeat until nothing changes. Every
    # round that changes something saves an operation.
    while (changed := transform(expr, graph, change, done)) is not expr:
        expr = changed
    return expr


def _factors(term: Expr, graph: Graph) -> tuple[Expr, ...]:
    """Return the distinct factors that can be pulled out of a term, numbers without sign."""
    if not isinstance(term, Mul):
        return () if isinstance(term, Const) else (term,)
    found: list[Expr] = []
    for factor in operands(term):
        if not isinstance(factor, Const):
            found.append(factor)
        elif abs(factor.value) != 1:
            found.append(graph.const(factor.value if factor.value > 0 else -factor.value))
    return tuple(dict.fromkeys(found))


def _factor_sum(node: Expr, graph: Graph) -> Expr:
    """Pull out the factor that most terms share, and continue with both parts."""
    rest = [(term, _factors(term, graph)) for term in operands(node)]
    counts = Counter(chain.from_iterable([factors for _, factors in rest]))
    done: list[Expr] = []
    while True:
        shared = [(count, -factor.number, factor) for factor, count in counts.items() if count > 1]
        if not shared:
            return graph.add(*done, *(term for term, _ in rest))
        _, _, best = max(shared)
        inside = [term for term, factors in rest if best in factors]
        counts.subtract(chain.from_iterable([f for _, f in rest if best in f]))
        rest = [(term, factors) for term, factors in rest if best not in factors]
        quotient = graph.add(*(_without(t, best, graph) for t in inside))
        if isinstance(quotient, Add):
            quotient = _factor_sum(quotient, graph)
        done.append(graph.mul(best, quotient))


def _without(term: Expr, factor: Expr, graph: Graph) -> Expr:
    """Return the term divided by one of its factors; the sign of a number remains."""
    factors: list[Expr] = list(operands(term)) if isinstance(term, Mul) else [term]
    if isinstance(factor, Const):
        number = next(f for f in factors if isinstance(f, Const) and abs(f.value) == factor.value)
        factors[factors.index(number)] = graph.const(1 if number.value > 0 else -1)
    else:
        factors.remove(factor)
    return graph.mul(graph.const(1), *factors)
