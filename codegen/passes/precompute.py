# SPDX-License-Identifier: BSD-3-Clause
"""Precompute: in sums over points for pairs of nodes, factors of one node are computed once.

``sum_q w(q) g_a(q) g_b(q)`` needs ``w(q) g_a(q)`` for every a, not for every pair (a, b).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from flexforge.codegen.ir.expression import Expr, Number, operands
from flexforge.codegen.ir.program import Accumulate, Array, For, Program, Statement, Store, Zero
from flexforge.codegen.ir.traversal import Monomial
from flexforge.codegen.passes.rewriting import cost, fresh_names, separate, temp_dependences


def precompute_point_values(program: Program) -> Program:
    """Move factors that do not depend on the second node of a pair into point arrays.

    Assumes
        Loops ``For(a, For(b, [.., For(q, Accumulate ..), ..]))`` over pairs and points.
    Guarantees
        One product per point remains for each factor that depends on b. If expansion would
        cost more than it saves, the loops stay as they are; never more weighted operations.
    """
    fresh = fresh_names(program, "point_value")
    temps = temp_dependences(program)
    graph = program.graph
    arrays = list(program.arrays)
    body: list[Statement] = []
    for statement in program.body:
        nest = _pair_nest(statement)
        if nest is None:
            body.append(statement)
            continue
        outer, inner, loop = nest
        stored: dict[Expr, str] = {}
        sums: list[Accumulate] = []
        expanded: dict[int, dict[Monomial, Number]] = {}
        for accumulate in loop.body:
            assert isinstance(accumulate, Accumulate)
            terms = []
            parts = separate(accumulate.value, inner.index, temps, graph, expanded)
            for changing, factor in parts.items():
                if operands(factor):
                    name = stored.setdefault(factor, "") or fresh()
                    stored[factor] = name
                    factor = graph.load(name, loop.index, outer.index)
                terms.append(graph.mul(factor, *changing))
            sums.append(Accumulate(accumulate.name, graph.add(*terms)))
        if not _pays(outer, inner, loop, stored, sums):
            body.append(statement)
            continue
        if stored:
            stores = tuple(
                Store(name, (loop.index, outer.index), value) for value, name in stored.items()
            )
            body.append(For(loop.index, loop.extent, (For(outer.index, outer.extent, stores),)))
            shape = (loop.extent, outer.extent)
            arrays += [Array(name, shape, "local") for name in stored.values()]
        changed = tuple(replace(s, body=tuple(sums)) if s is loop else s for s in inner.body)
        body.append(replace(outer, body=(replace(inner, body=changed),)))
    return replace(program, arrays=tuple(arrays), body=tuple(body))


def _pays(
    outer: For, inner: For, loop: For, stored: Collection[Expr], sums: Collection[Accumulate]
) -> bool:
    """Whether values stored per node save more than the sums over pairs then cost."""
    nodes = outer.extent
    pairs = nodes * (nodes + 1) // 2 if inner.first == outer.index else nodes * inner.extent
    before = pairs * cost(s.value for s in loop.body if isinstance(s, Accumulate))
    return pairs * cost(s.value for s in sums) + nodes * cost(stored) <= before


def _pair_nest(statement: Statement) -> tuple[For, For, For] | None:
    """Return the loops (a, b, q) of a sum for pairs of nodes, if the statement is one."""
    match statement:
        case For(_, _, (For(_, _, inner_body, _) as inner,), _):
            loops = [s for s in inner_body if isinstance(s, For)]
            others = (s for s in inner_body if isinstance(s, Zero | Store))
            complete = len(loops) + sum(1 for _ in others) == len(inner_body)
            sums_only = all(isinstance(s, Accumulate) for loop in loops for s in loop.body)
            if len(loops) == 1 and complete and sums_only:
                return statement, inner, loops[0]
    return None
