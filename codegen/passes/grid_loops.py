# SPDX-License-Identifier: BSD-3-Clause
"""Loops over a grid: one point index per axis, and sums along one axis after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from flexforge.codegen.ir.expression import Expr, Graph, Index, Load
from flexforge.codegen.ir.program import (
    Accumulate,
    Array,
    For,
    Grid,
    Let,
    Program,
    Statement,
    Store,
    Zero,
    walk,
)
from flexforge.codegen.ir.traversal import postorder
from flexforge.codegen.passes.rewriting import Body, replace_nodes

Entry = tuple[str, tuple[Index, ...]]
"""An array and an index in it."""

Term = tuple[Entry, Entry, tuple[bool, ...]]
"""The entry a sum is stored in, the entry that is summed, the axes along which it is derived."""


def split_points(program: Program, points: str, grid: Grid) -> Program | None:
    """Return the program with the loop over the points of a grid replaced by one loop per axis.

    None if points are numbered differently somewhere.
    """
    counts = tuple(len(table) for table in grid.values)
    names = [f"{points}{k}" for k in range(len(counts))]
    places = _places(program, points)
    if places is None:
        return None
    arrays = []
    for array in program.arrays:
        if (place := places.get(array.name)) is not None:
            if array.kind not in ("local", "table") or array.shape[place] != prod(counts):
                return None
            shape = (*array.shape[:place], *counts, *array.shape[place + 1 :])
            array = replace(array, shape=shape, grid=None)
        arrays.append(array)

    def index(array: str, at: tuple[Index, ...]) -> tuple[Index, ...]:
        place = places.get(array)
        return at if place is None else (*at[:place], *names, *at[place + 1 :])

    def change(node: Expr) -> Expr | None:
        if isinstance(node, Load) and node.array in places:
            return program.graph.load(node.array, *index(node.array, node.index))
        return None

    def visit(body: Body) -> Body:
        result: list[Statement] = []
        for statement in body:
            if isinstance(statement, Store):
                statement = replace(statement, index=index(statement.array, statement.index))
            if isinstance(statement, For):
                statement = replace(statement, body=visit(statement.body))
                if statement.index == points:
                    (statement,) = _nested(zip(names, counts, strict=True), statement.body)
            result.append(statement)
        return tuple(result)

    body = replace_nodes(program.body, program.graph, change)
    return replace(program, arrays=tuple(arrays), body=visit(body))


def _places(program: Program, points: str) -> dict[str, int] | None:
    """Return the index position of the points in each array; None if it differs between entries."""
    found: dict[str, set[int | None]] = {}

    def note(array: str, index: tuple[Index, ...]) -> None:
        place = index.index(points) if points in index else None
        found.setdefault(array, set()).add(place)

    for statement in walk(program.body):
        if isinstance(statement, Store):
            note(statement.array, statement.index)
        if isinstance(statement, Let | Accumulate | Store):
            for node in postorder([statement.value]):
                if isinstance(node, Load):
                    note(node.array, node.index)
    if any(len(places) > 1 for places in found.values()):
        return None
    known = {array: places.pop() for array, places in found.items()}
    return {array: place for array, place in known.items() if place is not None}


def _nested(loops: Sequence[tuple[str, int]] | zip[tuple[str, int]], body: Body) -> Body:
    """Return loops around a body, the first outermost."""
    for index, extent in reversed(list(loops)):
        body = (For(index, extent, body),)
    return body


@dataclass(slots=True)
class AxisSums:
    """Builder of sums over a grid, one axis at a time.

    Attributes
    ----------
    graph : Graph
        Where expressions are created.
    fresh : callable
        Yields unused names.
    arrays : list of Array
        Arrays of the statements: tables of one coordinate, partial sums.
    """

    graph: Graph
    fresh: Callable[[], str]
    arrays: list[Array] = field(default_factory=list)
    _tables: dict[tuple[tuple[float, ...], ...], str] = field(default_factory=dict)

    def to_points(self, grid: Grid, points: str, terms: Sequence[Term]) -> Body:
        """Return the statements that sum over the nodes, the last axis first."""
        axes = len(grid.values)
        sources = list(dict.fromkeys(source for _, source, _ in terms))
        nodes = [len(table[0]) for table in grid.values]
        counts = [len(table) for table in grid.values]
        start = self._local((*nodes, len(sources)))
        body: list[Statement] = [
            Store(start, (*place, c), self.graph.load(array, *_at(index, number)))
            for c, (array, index) in enumerate(sources)
            for number, place in enumerate(grid.nodes)
        ]
        partial: dict[tuple[bool, ...], str] = {(): start}
        for k in reversed(range(axes)):
            wanted: dict[tuple[bool, ...], dict[bool, list[int]]] = {}
            for _, source, slopes in terms:
                columns = wanted.setdefault(slopes[k + 1 :], {}).setdefault(slopes[k], [])
                if sources.index(source) not in columns:
                    columns.append(sources.index(source))
            found: dict[tuple[bool, ...], str] = {}
            for rest, kinds in wanted.items():
                outer = [(f"a{j}", nodes[j]) for j in range(k)]
                outer += [(f"{points}{j}", counts[j]) for j in range(k, axes)]
                here = tuple(name for name, _ in outer)
                inner = (*here[:k], f"a{k}", *here[k + 1 :])
                zeros, sums, stores = [], [], []
                for slope, columns in kinds.items():
                    target = "" if k == 0 else self._local((*(n for _, n in outer), len(sources)))
                    found[slope, *rest] = target
                    table = self._table(grid, k, slope)
                    weight = self.graph.load(table, f"{points}{k}", f"a{k}")
                    for c in columns:
                        name = self.fresh()
                        value = self.graph.load(partial[rest], *inner, c)
                        zeros.append(Zero(name))
                        sums.append(Accumulate(name, self.graph.mul(weight, value)))
                        if k:
                            stores.append(Store(target, (*here, c), self.graph.temp(name)))
                            continue
                        places = [t for t, s, d in terms if s == sources[c] and d == (slope, *rest)]
                        for array, index in places:
                            at = _split(index, points, axes)
                            stores.append(Store(array, at, self.graph.temp(name)))
                loop = For(f"a{k}", nodes[k], tuple(sums))
                body += _nested(outer, (*zeros, loop, *stores))
            partial = found
        return tuple(body)

    def to_nodes(self, grid: Grid, points: str, terms: Sequence[Term]) -> Body:
        """Return the statements that sum over the points, the first axis first."""
        axes = len(grid.values)
        targets = list(dict.fromkeys(target for target, _, _ in terms))
        nodes = [len(table[0]) for table in grid.values]
        counts = [len(table) for table in grid.values]
        body: list[Statement] = []
        # Remaining sums by the axes left: component of the result, and the entry.
        left: dict[tuple[bool, ...], list[tuple[int, Entry]]] = {}
        for target, (array, index), slopes in terms:
            entry = array, _split(index, points, axes)
            left.setdefault(slopes, []).append((targets.index(target), entry))
        for k in range(axes):
            merged: dict[tuple[bool, ...], list[tuple[bool, int, Entry]]] = {}
            for slopes, items in left.items():
                merged.setdefault(slopes[1:], []).extend((slopes[0], *item) for item in items)
            left = {}
            for rest, group in merged.items():
                outer = [(f"a{j}", nodes[j]) for j in range(k + 1)]
                outer += [(f"{points}{j}", counts[j]) for j in range(k + 1, axes)]
                here = tuple(name for name, _ in outer)
                partial = self._local((*(n for _, n in outer), len(targets)))
                columns = list(dict.fromkeys(c for _, c, _ in group))
                names = {c: self.fresh() for c in columns}
                sums: dict[int, Expr] = dict.fromkeys(columns, self.graph.const(0))
                for slope, c, (array, index) in group:
                    table = self._table(grid, k, slope)
                    weight = self.graph.load(table, f"{points}{k}", f"a{k}")
                    value = self.graph.mul(weight, self.graph.load(array, *index))
                    sums[c] = self.graph.add(sums[c], value)
                stores = [Store(partial, (*here, c), self.graph.temp(names[c])) for c in columns]
                steps = tuple(Accumulate(names[c], sums[c]) for c in columns)
                loop = For(f"{points}{k}", counts[k], steps)
                body += _nested(outer, (*map(Zero, names.values()), loop, *stores))
                left[rest] = [(c, (partial, (*here, c))) for c in columns]
        (result,) = {entry[0] for _, entry in left[()]}
        body += [
            Store(array, _at(index, number), self.graph.load(result, *place, c))
            for c, (array, index) in enumerate(targets)
            for number, place in enumerate(grid.nodes)
        ]
        return tuple(body)

    def _local(self, shape: tuple[int, ...]) -> str:
        """Return the name of a new array."""
        self.arrays.append(Array(self.fresh(), shape, "local"))
        return self.arrays[-1].name

    def _table(self, grid: Grid, axis: int, slope: bool) -> str:
        """Return the name of the table of one coordinate; equal tables are one."""
        rows = (grid.slopes if slope else grid.values)[axis]
        if rows not in self._tables:
            self._tables[rows] = self.fresh()
            flat = tuple(v for row in rows for v in row)
            shape = len(rows), len(rows[0])
            self.arrays.append(Array(self._tables[rows], shape, "table", flat))
        return self._tables[rows]


def _split(index: tuple[Index, ...], points: str, axes: int) -> tuple[Index, ...]:
    """Return an index with the point replaced by one index per axis."""
    place = index.index(points)
    return (*index[:place], *(f"{points}{k}" for k in range(axes)), *index[place + 1 :])


def _at(index: tuple[Index, ...], number: int) -> tuple[Index, ...]:
    """Return an index with the loop over nodes replaced by a node number."""
    (place,) = (k for k, i in enumerate(index) if isinstance(i, str))
    return (*index[:place], number, *index[place + 1 :])
