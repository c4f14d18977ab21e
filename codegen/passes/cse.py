# SPDX-License-Identifier: BSD-3-Clause
"""Common subexpressions: shared parts of the statements of a body are computed once.

Equal expressions are one node already; what remains is to name the nodes used more than once,
and to find partial sums and products that longer ones have in common.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations

from flexforge.codegen.ir.expression import Add, Expr, Graph, Mul, operands
from flexforge.codegen.ir.program import Accumulate, Let, Program, Statement, Store, expressions
from flexforge.codegen.ir.traversal import postorder, transform
from flexforge.codegen.passes.rewriting import Body, fresh_names, map_bodies, with_value

Pair = tuple[type, Expr, Expr]


def eliminate_common_subexpressions(program: Program) -> Program:
    """Name what is used twice in a body, partial sums and products included.

    Assumes
        No array entry or scalar that a body reads is changed in the same body after the first
        statement that reads it.
    Guarantees
        Never more operations. A temporary saves at least one operation: that is the cost model,
        loads are free.
    """
    fresh = fresh_names(program, "shared")

    def change(body: Body) -> Body:
        return _name_shared(_extract_pairs(body, program.graph, fresh), program.graph, fresh)

    return replace(program, body=map_bodies(program.body, change))


def _extract_pairs(body: Body, graph: Graph, fresh: Callable[[], str]) -> Body:
    """Give names to pairs of operands that several sums, or several products, share."""
    while True:
        counts: Counter[Pair] = Counter()
        for node in postorder(expressions(body)):
            if isinstance(node, Add | Mul) and len(operands(node)) > 2:
                counts.update((type(node), a, b) for a, b in combinations(operands(node), 2))
            elif isinstance(node, Add | Mul):
                # A pair that stands alone is shared as soon as a longer one contains it.
                a, b = operands(node)
                counts[type(node), a, b] += 1
        shared = [p for p, count in counts.items() if count > 1]
        if not shared:
            return body
        kind, a, b = max(shared, key=lambda p: (counts[p], -p[1].number, -p[2].number))
        pair = graph.add(a, b) if kind is Add else graph.mul(a, b)
        body = _introduce(body, pair, fresh(), graph, partial(_contract, kind=kind, a=a, b=b))


def _contract(node: Expr, kind: type, a: Expr, b: Expr) -> tuple[Expr, ...] | None:
    """Return the other operands of a node that contains the pair, or None."""
    if type(node) is not kind:
        return None
    others = list(operands(node))
    if a not in others:
        return None
    others.remove(a)
    if b not in others:
        return None
    others.remove(b)
    return tuple(others)


def _introduce(
    body: Body,
    value: Expr,
    name: str,
    graph: Graph,
    contract: Callable[[Expr], tuple[Expr, ...] | None],
) -> Body:
    """Compute ``value`` before its first use and put its name where it is contained."""
    temp = graph.temp(name)

    def insert(node: Expr) -> Expr | None:
        others = contract(node)
        return None if others is None else graph.rebuild(node, (temp, *others)) if others else temp

    result: list[Statement] = []
    defined = False
    for statement in body:
        if isinstance(statement, Let | Accumulate | Store):
            changed = transform(statement.value, graph, insert)
            if changed is not statement.value and not defined:
                result.append(Let(name, value))
                defined = True
            statement = with_value(statement, changed)
        result.append(statement)
    return tuple(result)


def _name_shared(body: Body, graph: Graph, fresh: Callable[[], str]) -> Body:
    """Give names to nodes that are used more than once in the body."""
    uses: Counter[int] = Counter(root.number for root in expressions(body))
    for node in postorder(expressions(body)):
        uses.update(arg.number for arg in operands(node))
    names: dict[int, str] = {}
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, Let | Accumulate | Store):
            done: dict[int, Expr] = {}
            for node in postorder([statement.value]):
                if node.number in names:
                    done[node.number] = graph.temp(names[node.number])
                    continue
                args = operands(node)
                rebuilt = graph.rebuild(node, tuple(done[a.number] for a in args))
                if args and uses[node.number] > 1:
                    own = isinstance(statement, Let) and node is statement.value
                    names[node.number] = statement.name if own else fresh()  # type: ignore[union-attr]
                    if not own:
                        result.append(Let(names[node.number], rebuilt))
                        rebuilt = graph.temp(names[node.number])
                done[node.number] = rebuilt
            statement = with_value(statement, done[statement.value.number])
        result.append(statement)
    return tuple(result)
