# SPDX-License-Identifier: BSD-3-Clause
"""Unroll: short loops are written out, so that zeros and ones in tables save operations.

The derivatives of the shape functions of a linear simplex are 0, 1 and -1: unrolled, its Jacobian
takes one subtraction per entry. Accumulations become sums, local arrays with constant indices
become scalars, and names of numbers are replaced by the numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from flexforge.codegen.ir.count import count
from flexforge.codegen.ir.expression import Const, Expr, Graph, Index, Load, Temp
from flexforge.codegen.ir.program import (
    Accumulate,
    Array,
    For,
    Let,
    Program,
    Statement,
    Store,
    Zero,
    walk,
)
from flexforge.codegen.ir.traversal import postorder, transform
from flexforge.codegen.passes.rewriting import Body, replace_nodes

#: A loop that would unroll into more statements than this stays a loop: a short one, and a longer
#: one that no other loop repeats.
LONGEST, LONGER = 320, 1500
#: Fraction of the operations that has to vanish where longer loops are written out: zeros and ones
#: in tables, and what all points have in common.
VANISHED = 0.13
#: A loop inside a loop that stays is not unrolled if it would read more entries of local arrays
#: than this repeatedly: compilers spill them all to the stack. hex20's action had stack frames of
#: 35 KiB with eight lanes, and was slower despite a fifth fewer operations.
KEPT = 128


def unroll_short_loops(program: Program) -> Program:
    """Unroll short loops.

    Assumes
        Scalars made in a loop are not read after it, accumulators that were zeroed before it aside.
    Guarantees
        The same values; sums keep their terms, without those that are zero.
    """
    return _unrolled(program, LONGEST)


def unroll_longer_loops(program: Program) -> Program:
    """Unroll longer loops too: of masses, whose shape functions at points are a few numbers.

    Assumes and guarantees what unrolling short loops does, and leaves programs alone in which it
    saves little before anything is shared: they would be worked on for long, and seldom gain.
    """
    changed = _unrolled(program, LONGER)
    before, after = count(program).operations, count(changed).operations
    return changed if after < (1 - VANISHED) * before else program


def _unrolled(program: Program, longest: int) -> Program:
    """Unroll loops of at most so many statements."""
    tables = {a.name: a for a in program.arrays if a.kind == "table"}
    while True:  # constant folding may have shortened another loop
        local = frozenset(a.name for a in program.arrays if a.kind == "local")
        unroller = _Unroller(program.graph, tables, local, _names(program), longest)
        if not unroller.finds_short(program.body):
            return program
        body = unroller.visit(program.body, {}, {})
        program = _scalars(replace(program, body=_sums(body, program.graph)))
        program = replace(program, body=_propagate(program.body, program.graph))


def _names(program: Program) -> set[str]:
    """Return the names of all arrays and scalars."""
    scalars = {s.name for s in walk(program.body) if isinstance(s, Let | Zero)}
    return scalars | {a.name for a in program.arrays}


def _size(body: Body) -> int:
    """Return the statements of a body with short loops unrolled."""
    return sum(s.extent * _size(s.body) if isinstance(s, For) else 1 for s in body)


@dataclass(slots=True)
class _Unroller:
    """Copies statements with the values of loops substituted."""

    graph: Graph
    tables: Mapping[str, Array]
    local: frozenset[str]
    taken: set[str]
    longest: int
    copies: Counter[str] = field(default_factory=Counter)

    def finds_short(self, body: Body, *, repeated: bool = False) -> bool:
        """Whether a body has a loop to unroll; ``repeated`` as in :meth:`visit`."""
        return any(
            (isinstance(s.first, int) and not self._is_long(s, repeated=repeated))
            or self.finds_short(s.body, repeated=True)
            for s in body
            if isinstance(s, For)
        )

    def visit(
        self, body: Body, at: dict[str, int], names: dict[str, str], *, repeated: bool = False
    ) -> Body:
        """Return the body with loop values substituted, scalars renamed, short loops unrolled.

        ``repeated`` tells whether the body is inside a loop that stays.
        """
        result: list[Statement] = []
        put_in = _PutIn(self, at, names)
        for statement in body:
            match statement:
                case For(index, extent, inner, first):
                    start = at[first] if isinstance(first, str) and first in at else first
                    if isinstance(start, str) or self._is_long(statement, repeated=repeated):
                        inside = self.visit(inner, at, dict(names), repeated=True)
                        result.append(replace(statement, body=inside, first=start))
                        continue
                    for position in range(start, extent):
                        result += self.visit(
                            inner, at | {index: position}, dict(names), repeated=repeated
                        )
                case Let(name, value):
                    value = put_in(value)
                    result.append(Let(put_in.fresh(name), value))
                case Zero(name):
                    result.append(Zero(put_in.fresh(name)))
                case Accumulate(name, value):
                    result.append(Accumulate(names.get(name, name), put_in(value)))
                case Store(array, where, value):
                    result.append(Store(array, put_in.place(where), put_in(value)))
        return tuple(result)

    def _is_long(self, loop: For, *, repeated: bool) -> bool:
        """Return whether a loop is too long to be unrolled."""
        if _size((loop,)) > (LONGEST if repeated else self.longest):
            return True
        if not repeated:
            return False
        values = [s.value for s in walk(loop.body) if isinstance(s, Let | Accumulate | Store)]
        kept = {
            (node.array, node.index)
            for node in postorder(values)
            if isinstance(node, Load)
            and node.array in self.local
            and all(i == loop.index for i in node.index if isinstance(i, str))
        }
        return loop.extent * len(kept) > KEPT

    def fresh(self, name: str) -> str:
        """Return a name for another copy of a scalar."""
        self.copies[name] += 1
        while f"{name}_{self.copies[name]}" in self.taken:
            self.copies[name] += 1
        found = f"{name}_{self.copies[name]}"
        self.taken.add(found)
        return found


@dataclass(slots=True)
class _PutIn:
    """Puts the values of loops, and the names of copies, into the expressions of one body.

    Attributes
    ----------
    unroller : _Unroller
        What copies the body.
    at : mapping of str to int
        Values of loops.
    names : dict of str to str
        Names of the copies of scalars, which is added to.
    """

    unroller: _Unroller
    at: Mapping[str, int]
    names: dict[str, str]
    _done: dict[int, Expr] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)

    def __call__(self, value: Expr) -> Expr:
        """Return an expression of this copy."""
        return transform(value, self.unroller.graph, self._changed, self._done, leaves=True)

    def fresh(self, name: str) -> str:
        """Return the name of a scalar in this copy of its statement."""
        if self.at:
            self.names[name] = self.unroller.fresh(name)
            if name in self._read:  # with its former name
                self._done.clear()
                self._read.clear()
        return self.names.get(name, name)

    def place(self, where: tuple[Index, ...]) -> tuple[Index, ...]:
        """Return an index with the values of loops substituted."""
        at = self.at
        return tuple([at.get(i, i) if isinstance(i, str) else i for i in where])

    def _changed(self, leaf: Expr) -> Expr | None:
        graph = self.unroller.graph
        if isinstance(leaf, Temp):
            self._read.add(leaf.name)
            return graph.temp(self.names[leaf.name]) if leaf.name in self.names else None
        if not isinstance(leaf, Load):
            return None
        index = self.place(leaf.index)
        table = self.unroller.tables.get(leaf.array)
        if table is None or not all(isinstance(i, int) for i in index):
            return graph.load(leaf.array, *index) if index != leaf.index else None
        flat = 0
        for i, extent in zip(index, table.shape, strict=True):
            flat = flat * extent + int(i)
        # A fraction: folded constants are rounded only once, when printed.
        return graph.const(Fraction(table.values[flat]))


def _sums(body: Body, graph: Graph) -> Body:
    """Turn accumulators with all terms in one body into sums."""
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, For):
            statement = replace(statement, body=_sums(statement.body, graph))
        result.append(statement)
    terms: dict[str, list[Expr]] = {s.name: [] for s in result if isinstance(s, Zero)}
    last: dict[str, int] = {}
    for position, statement in enumerate(result):
        if isinstance(statement, Accumulate) and statement.name in terms:
            terms[statement.name].append(statement.value)
            last[statement.name] = position
    for position, statement in enumerate(result):
        inside = walk(statement.body) if isinstance(statement, For) else (statement,)
        for one in inside:
            early = {n for n in _read(one) if n in last and position <= last[n]}
            if isinstance(statement, For) and isinstance(one, Accumulate):
                early.add(one.name)
            for name in early:
                terms.pop(name, None)
    kept: list[Statement] = []
    for position, statement in enumerate(result):
        if isinstance(statement, Zero) and statement.name in terms and statement.name in last:
            continue
        if isinstance(statement, Accumulate) and statement.name in terms:
            if last[statement.name] == position:
                kept.append(Let(statement.name, graph.add(*terms[statement.name])))
            continue
        kept.append(statement)
    return tuple(kept)


def _read(statement: Statement) -> set[str]:
    if not isinstance(statement, Let | Accumulate | Store):
        return set()
    return {n.name for n in postorder([statement.value]) if isinstance(n, Temp)}


def _scalars(program: Program) -> Program:
    """Turn local arrays whose indices are all constant into scalars."""
    named = {a.name for a in program.arrays if a.kind == "local"}
    statements = [s for s in walk(program.body) if isinstance(s, Let | Accumulate | Store)]
    nodes = postorder([s.value for s in statements])
    for one in (*statements, *(node for node in nodes if isinstance(node, Load))):
        if isinstance(one, Store | Load) and any(isinstance(i, str) for i in one.index):
            named.discard(one.array)
    if not named:
        return program
    graph = program.graph
    taken = _names(program)
    names: dict[tuple[str, tuple[Index, ...]], str] = {}

    def name(array: str, index: tuple[Index, ...]) -> str:
        if (array, index) not in names:
            free = "_".join((array, *map(str, index)))
            while free in taken:
                free += "_"
            names[array, index] = free
            taken.add(free)
        return names[array, index]

    def change(node: Expr) -> Expr | None:
        if isinstance(node, Load) and node.array in named:
            return graph.temp(name(node.array, node.index))
        return None

    def visit(body: Body) -> Body:
        return tuple(
            Let(name(s.array, s.index), s.value)
            if isinstance(s, Store) and s.array in named
            else replace(s, body=visit(s.body))
            if isinstance(s, For)
            else s
            for s in body
        )

    body = visit(replace_nodes(program.body, graph, change))
    arrays = tuple(a for a in program.arrays if a.name not in named)
    return replace(program, arrays=arrays, body=body)


def _propagate(body: Body, graph: Graph) -> Body:
    """Propagate numbers and copies of scalars to where they are read."""
    known: dict[str, Expr] = {}
    done: dict[int, Expr] = {}
    read: set[str] = set()
    summed = {s.name for s in walk(body) if isinstance(s, Accumulate)}

    def change(node: Expr) -> Expr | None:
        if not isinstance(node, Temp):
            return None
        read.add(node.name)
        return known.get(node.name)

    def visit(statements: Body) -> Body:
        result: list[Statement] = []
        for statement in statements:
            if isinstance(statement, For):
                result.append(replace(statement, body=visit(statement.body)))
                continue
            if isinstance(statement, Let | Accumulate | Store):
                value = transform(statement.value, graph, change, done, leaves=True)
                statement = replace(statement, value=value)
                plain = isinstance(value, Const) or (
                    isinstance(value, Temp) and value.name not in summed
                )
                if isinstance(statement, Let) and plain:
                    if statement.name in read:  # of another body, with another value
                        done.clear()
                        read.clear()
                    known[statement.name] = value
                    continue
            result.append(statement)
        return tuple(result)

    return visit(body)
