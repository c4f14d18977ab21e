# SPDX-License-Identifier: BSD-3-Clause
"""Mirrored sums: on a cell that reflections map to itself, even and odd parts are summed apart.

Sums and differences of what is at two nodes that mirror each other are even or odd in the
coordinate, and even values at the nodes make even values at the points, or odd slopes. Every
mirrored axis leaves half of the products: of 64 between the nodes and the points of hex8, eight.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from flexforge.codegen.ir.expression import Expr, Graph, Index, Load, Number
from flexforge.codegen.ir.program import (
    Accumulate,
    Array,
    For,
    Let,
    Mirrors,
    Program,
    Statement,
    Store,
    Zero,
)
from flexforge.codegen.passes.node_sums import Entry, NodeSum, node_sum, set_apart
from flexforge.codegen.passes.parities import (
    Key,
    Orbit,
    Parity,
    by_parity,
    orbits_of,
    parts_of,
    replaced,
    turned,
)
from flexforge.codegen.passes.rewriting import Body, fresh_names
from flexforge.codegen.passes.unroll import unroll_short_loops


def mirror_sums(program: Program) -> Program:
    """Sum even and odd parts of what is at nodes, or at points, apart from each other.

    Assumes
        Loops that begin ``For(q, Zero .., For(a, Accumulate ..)``, or with a and q exchanged, whose
        sums are products of a table with mirrors and an entry of an array.
    Guarantees
        The same sums, up to rounding if tables are mirrored up to rounding.
    """
    rolled = _mirrored(program, write_out=False)
    if rolled is program or not any(isinstance(s, For) for s in unroll_short_loops(rolled).body):
        return rolled
    # Most loops over parts have a step or two. Where other loops stay, they are written out here:
    # that they save operations is no reason to unroll what else can be.
    return _mirrored(program, write_out=True)


def _mirrored(program: Program, *, write_out: bool) -> Program:
    """Return a program with mirrored sums, whose own short loops may be written out."""
    tables = {a.name: a for a in program.arrays if a.mirrors is not None}
    writer = _Writer(program.graph, tables, fresh_names(program, "part"), write_out)
    body: list[Statement] = []
    for statement in program.body:
        written = writer.written(node_sum(statement, tables))
        if written is None and isinstance(statement, For):
            written = writer.apart(statement)
        body += (statement,) if written is None else written
    if tuple(body) == program.body:
        return program
    return replace(program, arrays=(*program.arrays, *writer.arrays), body=tuple(body))


@dataclass(frozen=True, slots=True)
class _Parts:
    """A column of a table, such as slopes along an axis, split into parts.

    Attributes
    ----------
    parity : Parity
        Of the functions: 1 where even values at the nodes are odd at the points.
    tables : mapping of Parity to str
        Names of the tables ``[orbit of points][orbit of nodes]``, by parity at the nodes.
    """

    parity: Parity
    tables: Mapping[Parity, str]

    def at_points(self, parity: Parity) -> Parity:
        """Return the parity at the points of what has a parity at the nodes."""
        return tuple(a ^ b for a, b in zip(parity, self.parity, strict=True))


@dataclass(slots=True)
class _Writer:
    """Builder of sums of parts.

    Attributes
    ----------
    graph : Graph
        Where expressions are created.
    tables : mapping of str to Array
        Tables with mirrors.
    fresh : callable
        Returns unused names.
    write_out : bool
        Whether short loops over parts are written out.
    arrays : list of Array
        Arrays of the statements.
    """

    graph: Graph
    tables: Mapping[str, Array]
    fresh: Callable[[], str]
    write_out: bool
    arrays: list[Array] = field(default_factory=list)
    _parts: dict[tuple[str, tuple[Index, ...]], _Parts | None] = field(default_factory=dict)
    _known: dict[int, Expr] = field(default_factory=dict)

    def apart(self, loop: For) -> Body | None:
        """Return the statements of a loop that begins with sums; None if it does not."""
        parts = set_apart(loop, self.fresh(), self.graph)
        if parts is None:
            return None
        sums, array, after = parts
        written = self.written(node_sum(sums, self.tables))
        if written is None:
            return None
        self.arrays.append(array)
        return (*written, after)

    def written(self, found: NodeSum | None) -> Body | None:
        """Return the statements of a sum of parts; None where tables are not mirrored."""
        if found is None:
            return None
        mirrors = {self.tables[table.array].mirrors for _, _, table in found.terms}
        if len(mirrors) != 1:
            return None
        (one,) = mirrors
        assert one is not None
        first = len(self.arrays)
        kinds = [self._split(table, one) for _, _, table in found.terms]
        if None in kinds:
            return None
        nodes, points = orbits_of(one.nodes, one.axes), orbits_of(one.points, one.axes)
        here, there, read, write = nodes, points, found.nodes, found.points
        if not found.to_points:
            here, there, read, write = there, here, write, read
        sources = list(dict.fromkeys(source for _, source, _ in found.terms))
        sums: dict[tuple[Parity, int], list[tuple[str, Parity, int]]] = {}
        for (target, source, _), kind in zip(found.terms, kinds, strict=True):
            assert kind is not None
            for parity, table in kind.tables.items():
                before, after = parity, kind.at_points(parity)
                if not found.to_points:
                    before, after = after, before
                term = table, before, sources.index(source)
                sums.setdefault((after, found.targets.index(target)), []).append(term)
        self._known = {}
        body: list[Statement] = []
        given = self._analyse(body, here, sources, read)
        made = self._sum(body, sums, given, (here, there), to_points=found.to_points)
        self._synthesize(body, there, found.targets, made, write)
        if not self.write_out:
            return tuple(body)
        own, known = self.arrays[first:], [a for a in self.arrays[:first] if a.kind == "table"]
        short = unroll_short_loops(Program((*known, *own), (), tuple(body), self.graph))
        self.arrays[first:] = [one for one in own if one in short.arrays]
        return short.body

    def _split(self, load: Load, mirrors: Mirrors) -> _Parts | None:
        """Return the parts of a column of a table; None if it is not mirrored."""
        key = load.array, load.index[2:]
        if key not in self._parts:
            self._parts[key] = self._split_column(load, mirrors)
        return self._parts[key]

    def _split_column(self, load: Load, mirrors: Mirrors) -> _Parts | None:
        array = self.tables[load.array]
        inner, offset = 1, 0
        for extent, index in zip(array.shape[2:], load.index[2:], strict=True):
            if not isinstance(index, int):
                return None
            inner, offset = inner * extent, offset * extent + index
        column = array.values[offset::inner]
        count = len(mirrors.nodes)
        rows: list[Sequence[Number]] = [
            column[q * count : (q + 1) * count] for q in range(len(mirrors.points))
        ]
        parity = turned(rows, mirrors)
        if parity is None:
            return None
        found = _Parts(parity, {})
        points = by_parity(orbits_of(mirrors.points, mirrors.axes))
        tables: dict[Parity, str] = {}
        for before, nodes in by_parity(orbits_of(mirrors.nodes, mirrors.axes)).items():
            parts = parts_of(rows, points.get(found.at_points(before), []), nodes, before)
            if any(map(any, parts)):
                tables[before] = self._table(parts)
        return replace(found, tables=tables)

    def _analyse(
        self, body: list[Statement], orbits: Sequence[Orbit], sources: Sequence[Entry], loop: str
    ) -> dict[Parity, str]:
        """Write the parts of entries; return the names of their arrays [orbit][source]."""
        by = by_parity(orbits)
        arrays = {parity: self._local((len(own), len(sources))) for parity, own in by.items()}
        for c, (array, index) in enumerate(sources):
            for orbit in orbits:
                values: dict[Key, Expr] = {
                    sides: self.graph.load(array, *_at(index, loop, number))
                    for sides, number in orbit.members.items()
                }
                for axis in range(len(orbit.sides)):
                    values = self._parted(body, values, axis)
                for parity, value in values.items():
                    body.append(Store(arrays[parity], (by[parity].index(orbit), c), value))
        return arrays

    def _sum(
        self,
        body: list[Statement],
        sums: Mapping[tuple[Parity, int], Sequence[tuple[str, Parity, int]]],
        given: Mapping[Parity, str],
        orbits: tuple[Sequence[Orbit], Sequence[Orbit]],
        *,
        to_points: bool,
    ) -> dict[tuple[Parity, int], tuple[str, int]]:
        """Write the sums of parts; return for every parity and target its array and column."""
        before, after = map(by_parity, orbits)
        made: dict[tuple[Parity, int], tuple[str, int]] = {}
        outer, inner = "m", "n"
        for parity, own in after.items():
            wanted = {target: terms for (one, target), terms in sums.items() if one == parity}
            if not wanted:
                continue
            array = self._local((len(own), len(wanted)))
            names = {target: self.fresh() for target in wanted}
            made |= {(parity, target): (array, k) for k, target in enumerate(wanted)}
            steps: dict[Parity, list[Statement]] = {}
            for target, terms in wanted.items():
                for table, part, source in terms:
                    at = (outer, inner) if to_points else (inner, outer)
                    weight = self.graph.load(table, *at)
                    value = self.graph.load(given[part], inner, source)
                    step = Accumulate(names[target], self.graph.mul(weight, value))
                    steps.setdefault(part, []).append(step)
            loops = [For(inner, len(before[part]), tuple(each)) for part, each in steps.items()]
            stores = [
                Store(array, (outer, k), self.graph.temp(name))
                for k, name in enumerate(names.values())
            ]
            body.append(For(outer, len(own), (*map(Zero, names.values()), *loops, *stores)))
        return made

    def _synthesize(
        self,
        body: list[Statement],
        orbits: Sequence[Orbit],
        targets: Sequence[Entry],
        made: Mapping[tuple[Parity, int], tuple[str, int]],
        loop: str,
    ) -> None:
        """Write the values of targets from their parts."""
        by = by_parity(orbits)
        for c, (array, index) in enumerate(targets):
            for orbit in orbits:
                values: dict[Key, Expr] = {}
                for parity in orbit.parities:
                    if (parity, c) in made:
                        part, column = made[parity, c]
                        values[parity] = self.graph.load(part, by[parity].index(orbit), column)
                for axis, side in enumerate(orbit.sides):
                    values = self._joined(body, values, axis) if side else values
                for sides, number in orbit.members.items():
                    value = values.get(sides, self.graph.const(0))
                    body.append(Store(array, _at(index, loop, number), value))

    def _parted(
        self, body: list[Statement], values: Mapping[Key, Expr], axis: int
    ) -> dict[Key, Expr]:
        """Return even and odd parts along an axis, from what is on its sides."""
        found: dict[Key, Expr] = {}
        for key, value in values.items():
            if key[axis] == 0:
                found[key] = value
            elif key[axis] > 0:
                other = values[replaced(key, axis, -1)]
                found[replaced(key, axis, 0)] = self._named(body, value, other)
                found[key] = self._named(body, value, self._negative(other))
        return found

    def _joined(
        self, body: list[Statement], values: Mapping[Key, Expr], axis: int
    ) -> dict[Key, Expr]:
        """Return what is on the sides of an axis, from its even part, its odd part, or both."""
        found: dict[Key, Expr] = {}
        for key, value in values.items():
            high, low = replaced(key, axis, 1), replaced(key, axis, -1)
            even, odd = values.get(replaced(key, axis, 0)), values.get(high)
            if even is None:
                found[high], found[low] = value, self._negative(value)
            elif odd is None:
                found[high] = found[low] = value
            elif key[axis] == 0:
                found[high] = self._named(body, even, odd)
                found[low] = self._named(body, even, self._negative(odd))
        return found

    def _named(self, body: list[Statement], *terms: Expr) -> Expr:
        """Return the name of a sum, which is written unless it is known."""
        value = self.graph.add(*terms)
        if value.number not in self._known:
            name = self.fresh()
            body.append(Let(name, value))
            self._known[value.number] = self.graph.temp(name)
        return self._known[value.number]

    def _negative(self, value: Expr) -> Expr:
        return self.graph.mul(self.graph.const(-1), value)

    def _local(self, shape: tuple[int, ...]) -> str:
        """Return the name of a new array."""
        self.arrays.append(Array(self.fresh(), shape, "local"))
        return self.arrays[-1].name

    def _table(self, rows: Sequence[Sequence[Fraction]]) -> str:
        """Return the name of a table; equal tables are one."""
        values = tuple(value for row in rows for value in row)
        shape = len(rows), len(rows[0])
        for known in self.arrays:
            if known.kind == "table" and (known.shape, known.values) == (shape, values):
                return known.name
        self.arrays.append(Array(self.fresh(), shape, "table", values))
        return self.arrays[-1].name


def _at(index: tuple[Index, ...], loop: str, number: int) -> tuple[Index, ...]:
    """Return an index with a number in place of a loop."""
    return tuple(number if one == loop else one for one in index)
