# SPDX-License-Identifier: BSD-3-Clause
"""Contract: arrays that hold values of one iteration of a loop at a time lose the axis of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from flexforge.codegen.ir.expression import Expr, Index, Load
from flexforge.codegen.ir.program import Accumulate, For, Let, Program, Sines, Store
from flexforge.codegen.ir.traversal import postorder, transform
from flexforge.codegen.passes.rewriting import Body, substitute

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

    body = substitute(program.body, lambda value: transform(value, program.graph, change))
    arrays = tuple(replace(a, shape=kept(a.name, a.shape)) for a in program.arrays)
    return replace(program, arrays=arrays, body=stores(body))


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
