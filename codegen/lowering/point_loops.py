# SPDX-License-Identifier: BSD-3-Clause
"""Loops over points that wait for sums over all of them: means of an element.

What is computed at a point is written as one list of statements. A :class:`Pause` in it is where
sums over all points are needed: the loop ends there and another begins, and scalars that both use
are kept in arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from flexforge.codegen.ir.expression import Expr, Graph, Temp
from flexforge.codegen.ir.program import (
    Accumulate,
    Array,
    For,
    Let,
    Statement,
    Store,
    Zero,
    walk,
)
from flexforge.codegen.ir.traversal import postorder, transform


@dataclass(frozen=True, slots=True)
class Pause:
    """Sums over all points, which what follows may use.

    Attributes
    ----------
    sums : tuple of Accumulate
        The sums.
    then : list of Let
        Scalars of the element that are made of them.
    """

    sums: tuple[Accumulate, ...]
    then: list[Let] = field(default_factory=list)


def point_loops(
    statements: Sequence[Statement | Pause], points: int, graph: Graph
) -> tuple[list[Statement], list[Array]]:
    """Return the loops over the points q, and the arrays of what they keep for one another.

    Parameters
    ----------
    statements : sequence of Statement or Pause
        What happens at a point. Only what is assigned once may be used after a pause.
    points : int
        Number of points.
    graph : Graph
        Where expressions are created.
    """
    parts: list[list[Statement]] = [[]]
    pauses: list[Pause] = []
    for one in statements:
        if isinstance(one, Pause):
            parts[-1] += one.sums
            pauses.append(one)
            parts.append([])
        else:
            parts[-1].append(one)
    home = {
        s.name: k
        for k, part in enumerate(parts)
        for s in walk(tuple(part))
        if isinstance(s, Let | Zero | Accumulate)
    }
    for pause in pauses:
        for one in pause.sums:
            del home[one.name]
    kept = {name for k, part in enumerate(parts) for name in _used(part) if home.get(name, k) < k}
    found: list[Statement] = []
    for k, part in enumerate(parts):
        own = {name for name in kept if home[name] == k}
        body = [_reading(one, {n for n in kept if home[n] < k}, graph) for one in part]
        body += [Store(f"kept_{name}", ("q",), graph.temp(name)) for name in sorted(own)]
        if k < len(pauses):
            found += [Zero(one.name) for one in pauses[k].sums]
        found.append(For("q", points, tuple(body)))
        found += pauses[k].then if k < len(pauses) else []
    return found, [Array(f"kept_{name}", (points,), "local") for name in sorted(kept)]


def _used(part: Sequence[Statement]) -> set[str]:
    """Return the scalars that statements read."""
    values = [s.value for s in walk(tuple(part)) if isinstance(s, Let | Accumulate | Store)]
    return {node.name for node in postorder(values) if isinstance(node, Temp)}


def _reading(statement: Statement, names: set[str], graph: Graph) -> Statement:
    """Return a statement that reads scalars of earlier loops from their arrays."""

    def change(node: Expr) -> Expr | None:
        if isinstance(node, Temp) and node.name in names:
            return graph.load(f"kept_{node.name}", "q")
        return None

    if isinstance(statement, For):
        return replace(statement, body=tuple(_reading(one, names, graph) for one in statement.body))
    if isinstance(statement, Let | Accumulate | Store):
        return replace(statement, value=transform(statement.value, graph, change))
    return statement
