# SPDX-License-Identifier: BSD-3-Clause
"""Uniform: values that are equal at all points are computed and stored once.

The Jacobian of a linear simplex is the same at all quadrature points, because the derivatives of
its shape functions are constant. Tables lose axes along which they are constant, invariant
statements move out of loops, and local arrays lose axes along which equal values are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from flexforge.codegen.ir.expression import Expr, Graph, Index, Load, Temp
from flexforge.codegen.ir.program import (
    Accumulate,
    Array,
    For,
    Let,
    Program,
    Sines,
    Statement,
    Store,
    Zero,
    walk,
)
from flexforge.codegen.ir.traversal import dependences, postorder
from flexforge.codegen.passes.rewriting import (
    Body,
    map_bodies,
    replace_nodes,
    temp_dependences,
)


def keep_uniform_once(program: Program) -> Program:
    """Move invariants out of loops, including arrays and whole statements.

    Assumes
        Temporaries are assigned before use; loops run at least once; an accumulator that is set to
        zero in a loop is not read after it from another iteration.
    Guarantees
        The same operations, none more often than before.
    """
    program = _shrink_tables(program)
    while True:
        moved = replace(program, body=map_bodies(program.body, _move_out))
        shrunk = _shrink_locals(moved)
        if shrunk is moved:
            return moved
        program = shrunk


def _shrink_tables(program: Program) -> Program:
    """Drop axes along which tables are constant; a table of one number becomes that number."""
    dropped: dict[str, set[int]] = {}
    arrays: list[Array] = []
    constants: dict[str, Fraction] = {}
    for array in program.arrays:
        if array.kind == "table":
            values = np.array(array.values, dtype=object).reshape(array.shape)
            axes = {k for k in range(values.ndim) if (values == values.take([0], axis=k)).all()}
            if axes:
                dropped[array.name] = axes
                values = values[tuple(0 if k in axes else slice(None) for k in range(values.ndim))]
                if not np.ndim(values):
                    constants[array.name] = Fraction(array.values[0])
                    continue
                array = replace(array, shape=values.shape, values=tuple(values.ravel()))
        arrays.append(array)
    if not dropped:
        return program
    body = _drop_axes(program.body, dropped, constants, program.graph)
    return replace(program, arrays=tuple(arrays), body=body)


def _shrink_locals(program: Program) -> Program:
    """Drop the axes of local arrays along which the stored values are constant."""
    temps, nodes = temp_dependences(program), dict[int, frozenset[str]]()
    stores: dict[str, list[tuple[Store, dict[str, int | str]]]] = {}
    for store, loops in _stores(program.body, {}):
        stores.setdefault(store.array, []).append((store, loops))
    dropped: dict[str, set[int]] = {}
    arrays: list[Array] = []
    scalars: set[str] = set()
    for array in program.arrays:
        axes = set()
        if array.kind == "local":
            axes = {
                k
                for k in range(len(array.shape))
                if all(
                    _uniform(store, k, loops, temps, nodes) for store, loops in stores[array.name]
                )
            }
        if len(axes) == len(array.shape) and len(stores[array.name]) == 1:
            scalars.add(array.name)
            continue
        if axes := set(sorted(axes)[: len(array.shape) - 1]):
            dropped[array.name] = axes
            shape = tuple(n for k, n in enumerate(array.shape) if k not in axes)
            array = replace(array, shape=shape)
        arrays.append(array)
    if not dropped and not scalars:
        return program
    body = _drop_axes(program.body, dropped, {}, program.graph)
    return replace(program, arrays=tuple(arrays), body=_name(body, scalars, program.graph))


def _name(body: Body, scalars: set[str], graph: Graph) -> Body:
    """Turn arrays that hold one value into scalars."""

    def change(node: Expr) -> Expr | None:
        return graph.temp(node.array) if isinstance(node, Load) and node.array in scalars else None

    named = replace_nodes(body, graph, change)
    return _with_stores(named, scalars, lambda store: Let(store.array, store.value))


def _with_stores(body: Body, arrays: Container[str], change: Callable[[Store], Statement]) -> Body:
    """Return the body with changed stores to some arrays."""
    return tuple(
        change(s)
        if isinstance(s, Store) and s.array in arrays
        else replace(s, body=_with_stores(s.body, arrays, change))
        if isinstance(s, For)
        else s
        for s in body
    )


def _stores(
    body: Body, loops: dict[str, int | str]
) -> Iterator[tuple[Store, dict[str, int | str]]]:
    """Yield every store with the loops around it and where they start."""
    for statement in body:
        if isinstance(statement, Store):
            yield statement, loops
        elif isinstance(statement, For):
            yield from _stores(statement.body, loops | {statement.index: statement.first})


def _uniform(
    store: Store,
    axis: int,
    loops: Mapping[str, Index],
    temps: Mapping[str, frozenset[str]],
    nodes: dict[int, frozenset[str]],
) -> bool:
    """Whether a store fills all of an axis with one value."""
    loop = store.index[axis]
    if not isinstance(loop, str) or loops.get(loop) != 0 or store.index.count(loop) != 1:
        return False
    return loop not in dependences([store.value], temps, known=nodes)[store.value.number]


def _drop_axes(
    body: Body, dropped: Mapping[str, set[int]], constants: Mapping[str, Fraction], graph: Graph
) -> Body:
    """Return the body with indices dropped from loads and stores."""

    def kept(array: str, index: tuple[Index, ...]) -> tuple[Index, ...]:
        return tuple(i for k, i in enumerate(index) if k not in dropped[array])

    def change(node: Expr) -> Expr | None:
        if not isinstance(node, Load) or node.array not in dropped:
            return None
        if node.array in constants:
            return graph.const(constants[node.array])
        return graph.load(node.array, *kept(node.array, node.index))

    rest = replace_nodes(body, graph, change)
    return _with_stores(rest, dropped, lambda s: replace(s, index=kept(s.array, s.index)))


def _move_out(body: Body) -> Body:
    """Move invariant statements in front of their loop."""
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, For):
            fixed, changing = _divide(statement)
            result += fixed
            if changing:
                result.append(replace(statement, body=tuple(changing)))
        else:
            result.append(statement)
    return tuple(result)


def _divide(loop: For) -> tuple[list[Statement], list[Statement]]:
    """Return the invariant statements of a loop, and the others."""
    zeroed = {s.name for s in walk(loop.body) if isinstance(s, Zero)}
    # An accumulator varies with the iterations even if its terms are invariant.
    names = {s.name for s in walk(loop.body) if isinstance(s, Accumulate)} - zeroed
    arrays: set[str] = set()
    pending = [(position, _uses(s, loop.index)) for position, s in enumerate(loop.body)]
    changing: set[int] = set()
    while True:
        found = {position for position, uses in pending if uses.change(names, arrays)}
        if not found:
            fixed = [s for position, s in enumerate(loop.body) if position not in changing]
            return fixed, [s for position, s in enumerate(loop.body) if position in changing]
        changing |= found
        for position, uses in pending:
            if position in found:
                names |= uses.made
                arrays |= uses.stored
        pending = [one for one in pending if one[0] not in found]


@dataclass(slots=True)
class _Uses:
    """What a statement depends on besides its loop, and what it makes, loops in it included."""

    indexed: bool = False
    names: set[str] = field(default_factory=set)
    arrays: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)

    def change(self, names: set[str], arrays: set[str]) -> bool:
        """Whether the statement depends on the loop, directly or through names and arrays."""
        return self.indexed or not (self.names.isdisjoint(names) and self.arrays.isdisjoint(arrays))


def _uses(statement: Statement, index: str) -> _Uses:
    """Return what a statement in a loop depends on, given the index of the loop."""
    uses = _Uses()
    values: list[Expr] = []
    for one in walk((statement,)):
        match one:
            case Zero(name):
                uses.made.add(name)
            case For(_, _, _, first):
                uses.indexed |= first == index
            case Store(array, where, value):
                uses.indexed |= index in where
                uses.stored.add(array)
                values.append(value)
            case Let(name, value) | Accumulate(name, value):
                uses.made.add(name)
                values.append(value)
            case Sines(angles, sines, cosines):
                uses.names.update(sines, cosines)
                values += angles
    for node in postorder(values):
        if isinstance(node, Load):
            uses.indexed |= index in node.index
            uses.arrays.add(node.array)
        elif isinstance(node, Temp):
            uses.names.add(node.name)
    uses.names |= uses.made
    uses.arrays |= uses.stored
    return uses
