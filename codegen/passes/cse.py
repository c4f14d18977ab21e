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

from flexforge.codegen.ir.expression import Add, Const, Expr, Graph, Mul, operands
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
            if isinstance(node, Add | Mul):
                counts.update(_pairs(node))
        shared = [p for p, count in counts.items() if count > 1]
        if not shared:
            return body
        kind, a, b = max(shared, key=lambda p: (counts[p], -p[1].number, -p[2].number))
        pair = graph.add(a, b) if kind is Add else graph.mul(a, b)
        name = fresh()
        contract = partial(_contract, kind=kind, a=a, b=b, temp=graph.temp(name), graph=graph)
        body = _introduce(body, pair, name, graph, contract)


def _is_sign(node: Expr) -> bool:
    """Whether a factor only changes the sign, which costs nothing."""
    return isinstance(node, Const) and node.value == -1


def _pairs(node: Add | Mul) -> Counter[Pair]:
    """Return how often each pair of operands can be taken out of a sum or product."""
    args = [a for a in operands(node) if not _is_sign(a)]
    kind = type(node)
    if len(set(args)) == len(args):
        return Counter((kind, a, b) for a, b in combinations(args, 2))
    many = Counter(args)
    pairs = Counter({(kind, a, b): min(many[a], many[b]) for a, b in combinations(many, 2)})
    pairs.update({(kind, a, a): count // 2 for a, count in many.items()})
    return pairs


def _contract(node: Expr, kind: type, a: Expr, b: Expr, temp: Expr, graph: Graph) -> Expr | None:
    """Return a node with every occurrence of the pair replaced, or None if there is none."""
    if type(node) is not kind:
        return None
    others, found = list(operands(node)), 0
    while a in others:
        rest = list(others)
        rest.remove(a)
        if b not in rest:
            break
        rest.remove(b)
        others, found = rest, found + 1
    return graph.rebuild(node, (temp,) * found + tuple(others)) if found else None


def _introduce(
    body: Body, value: Expr, name: str, graph: Graph, contract: Callable[[Expr], Expr | None]
) -> Body:
    """Compute ``value`` before its first use and put its name where it is contained."""
    result: list[Statement] = []
    defined = False
    for statement in body:
        if isinstance(statement, Let | Accumulate | Store):
            changed = transform(statement.value, graph, contract)
            if changed is not statement.value and not defined:
                result.append(Let(name, value))
                defined = True
            statement = with_value(statement, changed)
        result.append(statement)
    return tuple(result)


def _is_free(node: Expr) -> bool:
    """Whether a node costs nothing beyond its operands: a leaf, or a change of sign."""
    args = operands(node)
    return not args or (isinstance(node, Mul) and sum(not _is_sign(a) for a in args) == 1)


def _name_shared(body: Body, graph: Graph, fresh: Callable[[], str]) -> Body:
    """Give names to nodes that are used more than once in the body."""
    uses: Counter[int] = Counter(root.number for root in expressions(body))
    for node in reversed(list(postorder(expressions(body)))):
        # A free node gets no name: it uses its operand as often as it is used itself.
        times = uses[node.number] if _is_free(node) else 1
        for arg in operands(node):
            uses[arg.number] += times
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
                if uses[node.number] > 1 and not _is_free(node):
                    if isinstance(statement, Let) and node is statement.value:
                        names[node.number] = statement.name
                    else:
                        names[node.number] = fresh()
                        result.append(Let(names[node.number], rebuilt))
                        rebuilt = graph.temp(names[node.number])
                done[node.number] = rebuilt
            statement = with_value(statement, done[statement.value.number])
        result.append(statement)
    return tuple(result)
