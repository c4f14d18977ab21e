# SPDX-License-Identifier: BSD-3-Clause
"""The points of an element with an explicit field, and the quantities computed at them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

import sympy
from flexforge.codegen.elements.field import Definition, Fibre, FieldElement, nodal_position
from flexforge.codegen.elements.field_placed import Placed
from flexforge.codegen.elements.interpolation import POSITION_SPACES, REFERENCE, nodal_basis
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Expr, Graph, Parameter
from flexforge.codegen.ir.program import (
    Array,
    For,
    Let,
    Program,
    Statement,
    Store,
    expressions,
    walk,
)
from flexforge.codegen.ir.traversal import postorder
from flexforge.codegen.lowering.tables import weight_table
from flexforge.codegen.lowering.terms import Leaves, pair_statements
from flexforge.codegen.lowering.thermal import expansions
from flexforge.codegen.mechanics.frames import frame_for
from flexforge.codegen.mechanics.kinematics import DENSITY
from flexforge.codegen.mechanics.points import point_of
from flexforge.codegen.mechanics.shape_symbols import column
from flexforge.codegen.passes.prune import prune_unused


def position_shape(element: FieldElement) -> tuple[sympy.Expr, ...]:
    """Return the functions that interpolate positions and temperatures between the nodes."""
    places = element.places
    return nodal_basis(element.name, POSITION_SPACES[element.cell, len(places)], places)


class Stations:
    """The points of an element and its cross section, and the quantities computed at them.

    Parameters
    ----------
    element : FieldElement
        The declaration.
    purpose : str
        Purpose of the quadrature: ``stiffness``, ``mass`` or ``geometric``.
    """

    def __init__(self, element: FieldElement, purpose: str) -> None:
        self.element, self.graph = element, Graph()
        size, carried = element.components, len(element.carried)
        self.arrays = [Array("coordinates", (len(element.nodes), size), "input")]
        self.statements: list[Statement] = []
        self.leaves: Leaves = {
            nodal_position(node, axis): self.graph.load("coordinates", node * carried, axis)
            for node in range(len(element.places))
            for axis in range(size)
        }
        self.scalars = (*element.constitutive.parameters, *element.parameters)
        self.leaves |= {sympy.Symbol(n, real=True): self.graph.parameter(n) for n in self.scalars}
        pairs = list(
            product(
                zip(*rule(element.cell, element.degree[purpose]), strict=True),
                element.fibres[purpose],
            )
        )
        self.count = len(pairs)
        self.at_station: list[Statement] = []
        #: Of an element whose section is given at points: definitions, and the point of a station.
        self._placed = Placed.of(element) if element.varying else None
        self._point = [k // len(element.fibres[purpose]) for k in range(self.count)]
        points = tuple(float(x) for (point, _), _ in pairs for x in point)
        self.arrays += [
            Array("reference", (self.count, element.dimension), "table", points),
            weight_table([weight for (_, weight), _ in pairs]),
        ]
        self.leaves |= {
            x: self.graph.load("reference", "q", j)
            for j, x in enumerate(REFERENCE[: element.dimension])
        }
        self._define_geometry()
        self._place([fibre for _, fibre in pairs])
        volume = (self.graph.load("quadrature_weight", "q"), self.graph.load("portion", "q"))
        self.arrays.append(Array("volume", (self.count,), "local"))
        self.at_station.append(
            Store("volume", ("q",), self.graph.mul(*volume, self.entry(element.measure)))
        )

    def _define_geometry(self) -> None:
        """Append the definitions; those that vary along the cell go to every station."""
        if self._placed is not None:
            self._let(self._placed.definitions)
            given = [sympy.Symbol(name, real=True) for name in self.element.varying]
            self._spread([*given, *(symbol for symbol, _ in self.element.definitions)])
            return
        moving: set[sympy.Symbol] = set(REFERENCE)
        for symbol, value in self.element.definitions:
            where = self.statements
            if value.free_symbols & moving:
                moving.add(symbol)
                where = self.at_station
            where.append(Let(symbol.name, self.entry(value)))
            self.leaves[symbol] = self.graph.temp(symbol.name)

    def _let(self, definitions: Iterable[Definition]) -> None:
        """Append quantities that are computed once."""
        for symbol, value in definitions:
            self.statements.append(Let(symbol.name, self.entry(value)))
            self.leaves[symbol] = self.graph.temp(symbol.name)

    def _spread(self, symbols: Iterable[sympy.Symbol]) -> None:
        """Append arrays over the stations of quantities that differ between points."""
        assert self._placed is not None
        at = self._placed.at
        for symbol in (s for s in symbols if s in at[0]):
            self.arrays.append(Array(symbol.name, (self.count,), "local"))
            self.statements += [
                Store(symbol.name, (station,), self.entry(at[point][symbol]))
                for station, point in enumerate(self._point)
            ]
            self.leaves[symbol] = self.graph.load(symbol.name, "q")

    def _at(self, station: int, value: sympy.Expr) -> Expr:
        """Return a quantity of the section at a station."""
        if self._placed is None:
            return self.entry(value)
        at = self._placed.at[self._point[station]]
        return self.entry(sympy.sympify(value, strict=True).xreplace(at))

    def _place(self, fibres: Sequence[Fibre]) -> None:
        """Append the positions of the stations across the cell, and the weight of each."""
        across = self.element.across
        self.arrays += [Array("portion", (self.count,), "local")]
        if across:
            self.arrays += [Array("across", (self.count, len(across)), "local")]
        for station, fibre in enumerate(fibres):
            self.statements.append(Store("portion", (station,), self._at(station, fibre.weight)))
            self.statements += [
                Store("across", (station, k), self._at(station, place))
                for k, place in enumerate(fibre.place)
            ]
        self.leaves |= {x: self.graph.load("across", "q", k) for k, x in enumerate(across)}

    def define(self, definitions: Sequence[Definition]) -> None:
        """Append definitions that vary with nothing but the section."""
        if self._placed is None:
            self._let(definitions)
            return
        known = len(self._placed.definitions)
        self._placed = self._placed.adding(definitions)
        self._let(self._placed.definitions[known:])
        self._spread(symbol for symbol, _ in definitions)

    def entry(self, value: sympy.Expr) -> Expr:
        """Return the value at the station q."""
        return convert(sympy.sympify(value, strict=True), self.leaves, self.graph)

    def close(self) -> None:
        """Append the loop that computes all requested values at every station."""
        self.statements.append(For("q", self.count, tuple(self.at_station)))

    def tabulate(self, letter: str, rows: sympy.MatrixBase) -> Leaves:
        """Append the array ``letter[station][vector][row][component]``.

        Returns
        -------
        dict
            Expressions of the symbols of the generic vectors a and b.
        """
        size = self.element.components
        self.store(letter, rows)
        point = point_of(self.element, frame_for(size), ("a", "b"))
        symbols = {"N": point.shape_matrix, "B": point.strain_matrix, "G": point.slopes}[letter]
        return {
            symbols[row, column]: self.graph.load(
                letter, "q", "ab"[column // size], row, column % size
            )
            for row, column in product(range(rows.rows), range(2 * size))
        }

    def store(self, letter: str, rows: sympy.MatrixBase) -> None:
        """Append the array ``letter[station][vector][row][component]`` alone."""
        size, nodes = self.element.components, len(self.element.nodes)
        self.arrays.append(Array(letter, (self.count, nodes, rows.rows, size), "local"))
        self.at_station += [
            Store(letter, ("q", k // size, row, k % size), self.entry(rows[row, k]))
            for row, k in product(range(rows.rows), range(rows.cols))
        ]

    def warmth(self) -> Expr:
        """Append the temperatures of the stations, from the first components of nodal vectors.

        Returns
        -------
        Expr
            Temperature of the station q.
        """
        element, graph = self.element, self.graph
        carried, places = len(element.carried), element.places
        shape = position_shape(element)
        warm = sympy.symbols(f"warm1:{len(places) + 1}", real=True)
        self.leaves |= {s: graph.load("state", n * carried, 0) for n, s in enumerate(warm)}
        value = sum(h * t for h, t in zip(shape, warm, strict=True))
        self.leaves |= {
            s: graph.parameter(s.name)
            for s in column("expansion", element.constitutive.matrix.rows)
        }
        self.scalars = (*self.scalars, *expansions(element))
        self.at_station.append(Store("warmth", ("q",), self.entry(value)))
        self.arrays += [
            Array("state", (len(element.nodes), element.components), "input"),
            Array("warmth", (self.count,), "local"),
        ]
        return graph.load("warmth", "q")

    def fill(self, name: str, rows: sympy.MatrixBase) -> None:
        """Append the array ``name[station][row][column]`` of a matrix."""
        self.arrays.append(Array(name, (self.count, *rows.shape), "local"))
        self.at_station += [
            Store(name, ("q", i, j), self.entry(rows[i, j]))
            for i, j in product(*map(range, rows.shape))
        ]

    def locate(self) -> Leaves:
        """Append the positions of the stations, and return the expressions of x1 .."""
        size = self.element.components
        self.fill("position", self.element.position)
        symbols = sympy.symbols(f"x1:{size + 1}", real=True)
        return {x: self.graph.load("position", "q", i, 0) for i, x in enumerate(symbols)}

    def motion(self, density: sympy.MatrixBase, leaves: Leaves) -> Leaves:
        """Return the other symbols of a density: mass density, motion of the frame, forces."""
        left = density.free_symbols - leaves.keys() - self.leaves.keys()
        # Sorted, because sums are written in the order in which their operands were created.
        found = {s: self.graph.parameter(s.name) for s in sorted(left - {DENSITY}, key=str)}
        if DENSITY in left:
            name = self.element.density
            found[DENSITY] = self.graph.parameter(name) if name else self.graph.const(1)
        return found

    def pairs(self, density: sympy.ImmutableMatrix, leaves: Leaves) -> Program:
        """Append the sums for all pairs of vectors, and return the program."""
        known = self.leaves | leaves | self.motion(density, leaves)
        self.statements += pair_statements(self.element, density, known, self.graph, self.count)
        nodes, size = len(self.element.nodes), self.element.components
        return self.program(Array("out", (nodes, size, nodes, size), "output"))

    def program(self, output: Array) -> Program:
        """Return the program of all appended statements, without unused ones."""
        whole = Program((*self.arrays, output), (), tuple(self.statements), self.graph)
        program = prune_unused(whole)
        bodies = [program.body, *(s.body for s in walk(program.body) if isinstance(s, For))]
        used = {
            node.name
            for node in postorder(value for body in bodies for value in expressions(body))
            if isinstance(node, Parameter)
        }
        density = self.element.density
        known = (*self.scalars, *((density,) if density else ()))
        return replace(
            program, parameters=(*(n for n in known if n in used), *sorted(used - {*known}))
        )
