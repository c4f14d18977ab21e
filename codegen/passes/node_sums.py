# SPDX-License-Identifier: BSD-3-Clause
"""Node sums: the sums over nodes or points that passes may write in another way."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from flexforge.codegen.ir.expression import Expr, Graph, Index, Load, Mul, Temp, operands
from flexforge.codegen.ir.program import Accumulate, Array, For, Statement, Store, Zero, walk
from flexforge.codegen.passes.rewriting import replace_nodes

Entry = tuple[str, tuple[Index, ...]]
"""An array and an index of it, with the name of a loop for the node or the point."""


@dataclass(frozen=True, slots=True)
class NodeSum:
    """A statement that sums products of tables and entries over all nodes, or all points.

    Attributes
    ----------
    points, nodes : str
        Names of the loops.
    to_points : bool
        Whether it sums from nodes to points, or back.
    targets : tuple of Entry
        The entries that are stored, also of sums without a term.
    terms : tuple
        Terms of the sums: the entry stored, the entry read, and the table with its index, in which
        point and node come first.
    """

    points: str
    nodes: str
    to_points: bool
    targets: tuple[Entry, ...]
    terms: tuple[tuple[Entry, Entry, Load], ...]


def set_apart(loop: For, name: str, graph: Graph) -> tuple[For, Array, For] | None:
    """Split a loop that begins with sums into the sums, stored, and what is done with them.

    Parameters
    ----------
    loop : For
        The loop.
    name : str
        Name of the array of the sums.
    graph : Graph
        Where expressions are created.

    Returns
    -------
    tuple of For, Array and For, or None
        The loop of the sums, the array and the other loop; None if it does not begin with sums, or
        goes on summing.
    """
    count = next((k for k, s in enumerate(loop.body) if not isinstance(s, Zero)), 0)
    zeros, rest = loop.body[:count], loop.body[count + 1 :]
    sums = loop.body[count] if count else None
    names = [s.name for s in zeros if isinstance(s, Zero)]
    if not isinstance(sums, For) or not rest or all(isinstance(s, Store) for s in rest):
        return None
    own = {s.name for s in sums.body if isinstance(s, Accumulate)}
    if own != set(names) or any(isinstance(s, Accumulate) and s.name in own for s in walk(rest)):
        return None
    places = {one: (loop.index, k) for k, one in enumerate(names)}
    stores = tuple(Store(name, place, graph.temp(one)) for one, place in places.items())

    def change(node: Expr) -> Expr | None:
        if isinstance(node, Temp) and node.name in places:
            return graph.load(name, *places[node.name])
        return None

    after = replace(loop, body=replace_nodes(rest, graph, change))
    array = Array(name, (loop.extent, len(names)), "local")
    return replace(loop, body=(*zeros, sums, *stores)), array, after


def node_sum(loop: Statement, tables: Container[str]) -> NodeSum | None:
    """Return the sum that a statement is, if any.

    Parameters
    ----------
    loop : Statement
        The statement.
    tables : container of str
        Names of the tables ``[point][node]..`` of sums.
    """
    if not isinstance(loop, For):
        return None
    inner = [s for s in loop.body if isinstance(s, For)]
    stores = [s for s in loop.body if isinstance(s, Store)]
    if len(inner) != 1 or len(loop.body) != 2 * len(stores) + 1:
        return None
    targets: dict[str, Entry] = {}
    for store in stores:
        rest = tuple(i for i in store.index if i != loop.index)
        if not isinstance(store.value, Temp) or len(rest) + 1 != len(store.index):
            return None
        targets[store.value.name] = store.array, store.index
    terms: list[tuple[Entry, Entry, Load]] = []
    directions: set[bool] = set()
    for statement in inner[0].body:
        if not isinstance(statement, Accumulate) or statement.name not in targets:
            return None
        for value in _terms(statement.value):
            product = _product(value, tables)
            if product is None:
                return None
            table, entry = product
            forward = table.index[:2] == (loop.index, inner[0].index)
            if not forward and table.index[:2] != (inner[0].index, loop.index):
                return None
            if inner[0].index not in entry.index or loop.index in entry.index:
                return None
            terms.append((targets[statement.name], (entry.array, entry.index), table))
            directions.add(forward)
    zeros = {s.name for s in loop.body if isinstance(s, Zero)}
    if len(directions) != 1 or zeros != set(targets):  # also where no term is summed
        return None
    forward = directions.pop()
    points, nodes = (loop, inner[0]) if forward else (inner[0], loop)
    return NodeSum(points.index, nodes.index, forward, tuple(targets.values()), tuple(terms))


def _terms(value: Expr) -> Sequence[Expr]:
    """Return the terms of a sum."""
    return (value,) if isinstance(value, Mul) else operands(value)


def _product(value: Expr, tables: Container[str]) -> tuple[Load, Load] | None:
    """Return the table and the entry that a term multiplies."""
    args = operands(value)
    if not isinstance(value, Mul) or len(args) != 2:
        return None
    first, second = args
    if not isinstance(first, Load) or not isinstance(second, Load):
        return None
    if second.array in tables:
        first, second = second, first
    return (first, second) if first.array in tables and second.array not in tables else None
