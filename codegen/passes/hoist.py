# SPDX-License-Identifier: BSD-3-Clause
"""Hoisting by rate: expressions invariant in a loop are computed before it.

Rates, from slow to fast: the call (material, motion), the element, the quadrature point, the
node, the pair of nodes. An expression moves to the slowest rate it has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from flexforge.codegen.ir.expression import Add, Expr, Graph, Mul, operands
from flexforge.codegen.ir.program import (
    Accumulate,
    For,
    Let,
    Program,
    Statement,
    Store,
    Zero,
    walk,
)
from flexforge.codegen.ir.traversal import dependences, postorder
from flexforge.codegen.passes.rewriting import Body, fresh_names, map_bodies, substitute


def hoist_invariants(program: Program) -> Program:
    """Move the largest invariant subexpressions of every loop in front of it.

    Assumes
        Temporaries are assigned before use and, accumulators aside, once. An array that a loop
        writes may be read in it; such reads stay where they are.
    Guarantees
        The same operations, none more often than before; sums and products are regrouped so that
        their slow operands can move together.
    """
    fresh = fresh_names(program, "invariant")

    def change(body: Body) -> Body:
        result: list[Statement] = []
        for statement in body:
            if isinstance(statement, For):
                lets, inner = _lift(statement, program.graph, fresh)
                result += lets
                statement = replace(statement, body=inner)
            result.append(statement)
        return tuple(result)

    return replace(program, body=map_bodies(program.body, change))


def _lift(loop: For, graph: Graph, fresh: Callable[[], str]) -> tuple[list[Let], Body]:
    """Return the invariants of a loop, and its body without them."""
    inside = list(walk(loop.body))
    bound = frozenset({loop.index, *(s.index for s in inside if isinstance(s, For))})
    made = {s.name: bound for s in inside if isinstance(s, Let | Zero | Accumulate)}
    stored = {s.array: bound for s in inside if isinstance(s, Store)}
    lifter = _Lifter(graph, fresh, bound, made, stored)
    kept: list[Statement] = []
    for statement in loop.body:
        if isinstance(statement, Let) and lifter.invariant(statement.value):
            lifter.lets.append(statement)
            del made[statement.name]
        else:
            kept.append(statement)
    body = substitute(tuple(kept), lifter.lift)
    return lifter.lets, body


@dataclass(slots=True)
class _Lifter:
    """Extracts the invariant parts of expressions and names them."""

    graph: Graph
    fresh: Callable[[], str]
    bound: frozenset[str]
    made: dict[str, frozenset[str]]
    stored: dict[str, frozenset[str]]
    lets: list[Let] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)

    def invariant(self, root: Expr) -> bool:
        """Whether an expression is invariant in the loop."""
        return not dependences([root], self.made, self.stored)[root.number] & self.bound

    def name(self, node: Expr) -> Expr:
        """Return a reference to an invariant, computed before the loop; leaves stay."""
        if not operands(node):
            return node
        if node.number not in self.names:
            self.names[node.number] = self.fresh()
            self.lets.append(Let(self.names[node.number], node))
        return self.graph.temp(self.names[node.number])

    def lift(self, root: Expr) -> Expr:
        """Return the expression with its largest invariant parts replaced by their names."""
        depends = dependences([root], self.made, self.stored)
        done: dict[int, Expr] = {}
        for node in postorder([root]):
            if not depends[node.number] & self.bound:
                done[node.number] = node
                continue
            args = operands(node)
            slow = [a for a in args if not depends[a.number] & self.bound]
            if isinstance(node, Add | Mul) and len(slow) > 1:
                fast = [done[a.number] for a in args if depends[a.number] & self.bound]
                together = self.name(self.graph.rebuild(node, tuple(slow)))
                done[node.number] = self.graph.rebuild(node, (together, *fast))
            elif args:
                parts = (self.name(a) if a in slow else done[a.number] for a in args)
                done[node.number] = self.graph.rebuild(node, tuple(parts))
            else:
                done[node.number] = node
        if not depends[root.number] & self.bound:
            return self.name(root)
        return done[root.number]
