# SPDX-License-Identifier: BSD-3-Clause
"""Contract: what only one iteration of a loop needs is not kept for the others.

Local arrays lose the axis of a loop in which they are filled and read; entries that are then at
fixed places are scalars, which a compiler may keep in registers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from flexforge.codegen.ir.expression import Expr, Index, Load
from flexforge.codegen.ir.program import (
    Accumulate,
    For,
    Let,
    Program,
    Sines,
    Statement,
    Store,
    walk,
)
from flexforge.codegen.ir.traversal import postorder, transform
from flexforge.codegen.passes.rewriting import Body, fresh_names, replace_nodes

Place = TypeVar("Place", bound=Index)
Path = tuple[int, ...]
"""Where a loop stands: positions of statements in bodies, from outside."""


def contract_arrays(program: Program) -> Program:
    """Drop axes of local arrays whose every access is by the index of one loop.

    Assumes
        Entries of local arrays are written before they are read.
    Guarantees
        The same operations and values; never larger arrays.
    """
    uses: dict[str, _Uses] = defaultdict(_Uses)
    for array, index, around in _accesses(program.body, {}):
        uses[array].note(index, around)
    dropped = {
        array.name: axes
        for array in program.arrays
        if array.kind == "local" and (axes := uses[array.name].private)
    }
    if not dropped:
        return program

    def kept(array: str, index: tuple[Place, ...]) -> tuple[Place, ...]:
        return tuple(i for k, i in enumerate(index) if k not in dropped.get(array, ()))

    def change(node: Expr) -> Expr | None:
        if isinstance(node, Load) and node.array in dropped:
            return program.graph.load(node.array, *kept(node.array, node.index))
        return None

    def stores(body: Body) -> Body:
        return tuple(
            replace(s, index=kept(s.array, s.index))
            if isinstance(s, Store)
            else replace(s, body=stores(s.body))
            if isinstance(s, For)
            else s
            for s in body
        )

    body = replace_nodes(program.body, program.graph, change)
    arrays = tuple(replace(a, shape=kept(a.name, a.shape)) for a in program.arrays)
    return _scalars(replace(program, arrays=arrays, body=stores(body)), dropped)


def _scalars(program: Program, arrays: Collection[str]) -> Program:
    """Turn those arrays into scalars whose entries are at fixed places and filled in one body."""
    bodies: dict[str, set[Path]] = {array: set() for array in arrays}
    for array, index, around in _accesses(program.body, {}):
        if array in bodies:
            bodies[array].add(max(around.values(), key=len, default=()))
            if any(isinstance(i, str) for i in index):
                del bodies[array]
    places = Counter((s.array, s.index) for s in walk(program.body) if isinstance(s, Store))
    often = {array for (array, _), times in places.items() if times > 1}
    named = {array for array, found in bodies.items() if len(found) == 1} - often
    fresh = fresh_names(program, "held")
    names: dict[tuple[str, tuple[Index, ...]], str] = {}

    def change(node: Expr) -> Expr | None:
        if isinstance(node, Load) and node.array in named:
            return program.graph.temp(names[node.array, node.index])
        return None

    def visit(body: Body) -> Body:
        result: list[Statement] = []
        for statement in body:
            if isinstance(statement, For):
                statement = replace(statement, body=visit(statement.body))
            elif isinstance(statement, Let | Accumulate | Store):
                value = transform(statement.value, program.graph, change)
                statement = replace(statement, value=value)
                if isinstance(statement, Store) and statement.array in named:
                    name = names.setdefault((statement.array, statement.index), fresh())
                    statement = Let(name, value)
            result.append(statement)
        return tuple(result)

    body = visit(program.body)
    return replace(
        program, body=body, arrays=tuple(a for a in program.arrays if a.name not in named)
    )


@dataclass(slots=True)
class _Uses:
    """Accesses of an array: the loop that indexes each axis, where it is always the same."""

    loops: dict[int, Path] = field(default_factory=dict)
    seen: bool = False
    axes: int = 0

    @property
    def private(self) -> set[int]:
        """Axes that are indexed by one and the same loop in all accesses; never all axes."""
        return set(sorted(self.loops)[: self.axes - 1])

    def note(self, index: tuple[Index, ...], around: Mapping[str, Path]) -> None:
        """Add an access inside loops."""
        here = {
            axis: around[name]
            for axis, name in enumerate(index)
            if isinstance(name, str) and name in around and index.count(name) == 1
        }
        self.loops = (
            {axis: loop for axis, loop in self.loops.items() if here.get(axis) == loop}
            if self.seen
            else here
        )
        self.seen, self.axes = True, len(index)


def _accesses(
    body: Body, around: Mapping[str, Path], path: Path = ()
) -> Iterator[tuple[str, tuple[Index, ...], Mapping[str, Path]]]:
    """Yield every access of an array: its name, its index, and the loops around it by name."""
    for position, statement in enumerate(body):
        values: tuple[Expr, ...] = ()
        match statement:
            case For(name, _, inner):
                here = (*path, position)
                yield from _accesses(inner, {**around, name: here}, here)
            case Store(array, index, value):
                yield array, index, around
                values = (value,)
            case Let(_, value) | Accumulate(_, value):
                values = (value,)
            case Sines(angles):
                values = angles
        for node in postorder(values):
            if isinstance(node, Load):
                yield node.array, node.index, around
