# SPDX-License-Identifier: BSD-3-Clause
"""Moments: constant factors are moved out of sums.

``sum_q (c1 f1(q) + c2 f2(q))`` becomes ``c1 sum_q f1(q) + c2 sum_q f2(q)``, and equal sums are
computed once. The stiffness of an isotropic solid thus becomes nine sums per pair of nodes, with
the elastic constants applied afterwards.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from flexforge.codegen.ir.expression import Expr, Number, Temp
from flexforge.codegen.ir.program import Accumulate, For, Program, Statement, Zero, walk
from flexforge.codegen.ir.traversal import Monomial
from flexforge.codegen.passes.rewriting import (
    Body,
    cost,
    fresh_names,
    map_bodies,
    replace_nodes,
    separate,
    sorted_terms,
    temp_dependences,
)


def sum_moments(program: Program) -> Program:
    """Replace the accumulators of sums by moments where that is cheaper.

    Assumes
        A sum is a body ``Zero .., For(q, Accumulate ..), ..`` whose loop only accumulates, and
        nothing else adds to what it accumulates.
    Guarantees
        The same sums up to the order of additions; never more weighted operations.
    """
    fresh = fresh_names(program, "moment")
    temps = temp_dependences(program)
    graph = program.graph

    def change(body: Body) -> Body:
        zeroed = {s.name for s in body if isinstance(s, Zero)} - _added_to_often(body)
        for position, statement in enumerate(body):
            if isinstance(statement, For) and _only_accumulates(statement, zeroed):
                return _split(body, position, statement)
        return body

    def _split(body: Body, position: int, loop: For) -> Body:
        sums: dict[str, Expr] = {}
        for s in loop.body:
            if isinstance(s, Accumulate):
                sums[s.name] = graph.add(s.value, *([sums[s.name]] if s.name in sums else []))
        expanded: dict[int, dict[Monomial, Number]] = {}
        split = {
            name: separate(value, loop.index, temps, graph, expanded)
            for name, value in sums.items()
        }
        moments: dict[Monomial, str] = {}
        for parts in split.values():
            for monomial in sorted_terms(parts):
                moments.setdefault(monomial, "")
        before = cost(sums.values()) + len(sums)
        products = [graph.mul(*m) for m in moments]
        after = cost(products) + len(products)
        finish_cost = cost(
            graph.add(*(graph.mul(c, graph.mul(*m)) for m, c in parts.items()))
            for parts in split.values()
        ) - cost(products)
        if before * loop.extent <= after * loop.extent + finish_cost:
            return body
        for monomial in moments:
            moments[monomial] = fresh()
        totals = {
            name: graph.add(
                *(graph.mul(parts[m], graph.temp(moments[m])) for m in sorted_terms(parts))
            )
            for name, parts in split.items()
        }
        kept = [s for s in body[:position] if not (isinstance(s, Zero) and s.name in sums)]
        zeros = [Zero(name) for name in moments.values()]
        accumulates: list[Statement] = [
            Accumulate(name, graph.mul(*monomial)) for monomial, name in moments.items()
        ]
        rest = replace_nodes(body[position + 1 :], graph, lambda node: _inserted(node, totals))
        return (*kept, *zeros, replace(loop, body=tuple(accumulates)), *rest)

    return replace(program, body=map_bodies(program.body, change))


def _added_to_often(body: Body) -> set[str]:
    """Return the accumulators to which more than one statement of a body adds, loops included."""
    each = [
        {one.name for one in walk((statement,)) if isinstance(one, Accumulate)}
        for statement in body
    ]
    counts = Counter(name for names in each for name in names)
    return {name for name, count in counts.items() if count > 1}


def _only_accumulates(loop: For, zeroed: set[str]) -> bool:
    """Whether a loop only accumulates complete sums; partial sums stay as they are."""
    return bool(loop.body) and all(
        isinstance(s, Accumulate) and s.name in zeroed for s in loop.body
    )


def _inserted(node: Expr, totals: dict[str, Expr]) -> Expr | None:
    """Return the expression in moments of an old accumulator."""
    return totals.get(node.name) if isinstance(node, Temp) else None
