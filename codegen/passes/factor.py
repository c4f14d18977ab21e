# SPDX-License-Identifier: BSD-3-Clause
"""Factoring: common factors of the terms of a sum are pulled out, the most frequent first."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

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

    def change(node: Expr) -> Expr | None:
        return _factor_sum(node, graph) if isinstance(node, Add) else None

    # What a product was factored into may share factors with its neighbours: once more, until
    # nothing is left to pull out. Every round that changes something saves an operation.
    while (changed := transform(expr, graph, change)) is not expr:
        expr = changed
    return expr


def _factors(term: Expr) -> tuple[Expr, ...]:
    return operands(term) if isinstance(term, Mul) else (term,)


def _factor_sum(node: Expr, graph: Graph) -> Expr:
    """Pull the factor that most terms share out of them, and go on with both parts."""
    rest = list(operands(node))
    done: list[Expr] = []
    while True:
        counts: Counter[Expr] = Counter()
        for term in rest:
            # A factor counts once a term; signs and numbers are no factors worth pulling out.
            counts.update({f: 1 for f in _factors(term) if not isinstance(f, Const)})
        shared = [(count, -factor.number, factor) for factor, count in counts.items() if count > 1]
        if not shared:
            return graph.add(*done, *rest)
        _, _, best = max(shared, key=lambda entry: entry[:2])
        inside = [t for t in rest if best in _factors(t)]
        rest = [t for t in rest if best not in _factors(t)]
        quotient = graph.add(*(_without(t, best, graph) for t in inside))
        if isinstance(quotient, Add):
            quotient = _factor_sum(quotient, graph)
        done.append(graph.mul(best, quotient))


def _without(term: Expr, factor: Expr, graph: Graph) -> Expr:
    """Return the term divided by one of its factors."""
    factors = list(_factors(term))
    factors.remove(factor)
    return graph.mul(graph.const(1), *factors)
