# SPDX-License-Identifier: BSD-3-Clause
"""Hoisting by rate: expressions invariant in a loop are computed before it.

Rates, from slow to fast: the call (material, motion), the element, the quadrature point, the
node, the pair of nodes. An expression moves to the slowest rate it has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from flexforge.codegen.ir.expression import Add, Expr, Graph, Load, Mul, Temp, operands
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
from flexforge.codegen.ir.traversal import unfinished
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
    bound = {loop.index, *(s.index for s in inside if isinstance(s, For))}
    made = {s.name for s in inside if isinstance(s, Let | Zero | Accumulate)}
    stored = {s.array for s in inside if isinstance(s, Store)}
    lifter = _Lifter(graph, fresh, bound, made, stored)
    kept: list[Statement] = []
    for statement in loop.body:
        if isinstance(statement, Let) and not lifter.varies(statement.value):
            # Temporaries are assigned before use: nothing that reads this one was looked at.
            lifter.lets.append(statement)
            made.discard(statement.name)
        else:
            kept.append(statement)
    body = substitute(tuple(kept), lifter.lift)
    return lifter.lets, body


@dataclass(slots=True)
class _Lifter:
    """Extracts the invariant parts of expressions and names them."""

    graph: Graph
    fresh: Callable[[], str]
    bound: set[str]
    made: set[str]
    stored: set[str]
    lets: list[Let] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    _varying: dict[int, bool] = field(default_factory=dict)
    _lifted: dict[int, Expr] = field(default_factory=dict)

    def varies(self, root: Expr) -> bool:
        """Whether an expression changes in the loop."""
        varying = self._varying
        for node in unfinished(root, varying):
            if node.args:
                found = any(varying[a.number] for a in node.args)
            elif isinstance(node, Load):
                found = node.array in self.stored or not self.bound.isdisjoint(node.index)
            else:
                found = isinstance(node, Temp) and node.name in self.made
            varying[node.number] = found
        return varying[root.number]

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
        if not self.varies(root):
            return self.name(root)
        varying, done = self._varying, self._lifted
        for node in unfinished(root, done):
            args = node.args
            if not args or not varying[node.number]:
                done[node.number] = node
                continue
            slow = [a for a in args if not varying[a.number]]
            if isinstance(node, Add | Mul) and len(slow) > 1:
                fast = [done[a.number] for a in args if varying[a.number]]
                together = self.name(self.graph.rebuild(node, tuple(slow)))
                done[node.number] = self.graph.rebuild(node, (together, *fast))
            else:
                parts = [done[a.number] if varying[a.number] else self.name(a) for a in args]
                done[node.number] = self.graph.rebuild(node, tuple(parts))
        return done[root.number]
