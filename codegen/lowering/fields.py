# SPDX-License-Identifier: BSD-3-Clause
"""Terms of elements that write out their field, as programs.

At every point of the cell and of its cross section the matrices of displacement, slopes and strain
are computed in components of the frame; from then on a pair of vectors is like a pair of nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import sympy
from flexforge.codegen.elements.field import FieldElement, nodal_position
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.elements.strain import VOIGT
from flexforge.codegen.equations import Term
from flexforge.codegen.frames import frame_for
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Expr, Graph, Parameter
from flexforge.codegen.ir.program import (
    Accumulate,
    Array,
    For,
    Let,
    Program,
    Statement,
    Store,
    Zero,
    expressions,
    walk,
)
from flexforge.codegen.ir.traversal import postorder
from flexforge.codegen.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.lowering.structure import find_structure
from flexforge.codegen.lowering.terms import Leaves, pair_statements
from flexforge.codegen.passes.prune import prune_unused


def lower_field_matrix(element: FieldElement, term: Term) -> Program:
    """Return the program of a matrix term; its output is ``out[a][i][b][j]`` of vectors a, b."""
    elastic = DENSITY not in term.density.free_symbols
    stations = Stations(element, "stiffness" if elastic else "mass")
    stations.define(element.constitutive.definitions if elastic else ())
    if elastic:
        leaves = stations.tabulate("B", element.in_frame(element.strain))
    else:
        leaves = stations.tabulate("N", element.shape)
    return stations.pairs(_block(term), leaves)


def lower_field_load(element: FieldElement, term: Term) -> Program:
    """Return the program of a load term; its output is ``out[a][i]``."""
    stations = Stations(element, "mass")
    graph, size = stations.graph, element.components
    leaves = stations.tabulate("N", element.shape)
    leaves |= stations.locate()
    leaves |= stations.motion(term.density, leaves)
    volume = graph.load("volume", "q")
    names = [f"sum{i}" for i in range(size)]
    sums = tuple(
        Accumulate(name, graph.mul(volume, convert(term.density[i], leaves, graph)))
        for i, name in enumerate(names)
    )
    stores = tuple(Store("out", ("a", i), graph.temp(name)) for i, name in enumerate(names))
    body: tuple[Statement, ...] = (*map(Zero, names), For("q", len(stations.places), sums), *stores)
    stations.statements.append(For("a", len(element.nodes), body))
    return stations.program(Array("out", (len(element.nodes), size), "output"))


def lower_field_geometric(element: FieldElement, term: Term) -> Program:
    """Return the program of the geometric stiffness under the stress of a displacement."""
    stations = Stations(element, "mass")
    graph, size, axes = stations.graph, element.components, element.dimension
    leaves = stations.tabulate("G", sympy.Matrix.vstack(*map(element.in_frame, element.slopes)))
    stations.fill("along", element.along)
    # Of a displacement: its slopes along the axes of the cell, in components along them.
    symbols = sympy.Matrix(axes, axes, lambda i, j: sympy.Symbol(f"h{i}{j}", real=True))
    known = stations.leaves | {
        symbols[i, j]: graph.temp(f"slope{i}{j}") for i in range(axes) for j in range(axes)
    }
    strain = sympy.Matrix(
        [symbols[i, j] + (symbols[j, i] if i != j else 0) for i, j in VOIGT[axes]]
    )
    stress = element.fibre_law * strain
    sums = tuple(
        Accumulate(f"slope{i}{j}", graph.mul(
            graph.load("state", "a", k),
            graph.add(*(
                graph.mul(
                    graph.load("along", "q", i, m), graph.load("G", "q", "a", j * size + m, k)
                )
                for m in range(size)
            )),
        ))
        for i, j, k in product(range(axes), range(axes), range(size))
    )  # fmt: skip
    zeros = tuple(Zero(f"slope{i}{j}") for i in range(axes) for j in range(axes))
    stores = tuple(
        Store("stress", ("q", n), convert(sympy.expand(value), known, graph))
        for n, value in enumerate(stress)
    )
    count = len(stations.places)
    body: tuple[Statement, ...] = (*zeros, For("a", len(element.nodes), sums), *stores)
    stations.statements.append(For("q", count, body))
    stations.arrays += [
        Array("state", (len(element.nodes), size), "input"),
        Array("stress", (count, len(stress)), "local"),
    ]
    initial = sympy.symbols(f"sigma1:{len(stress) + 1}", real=True)
    leaves |= {s: graph.load("stress", "q", n) for n, s in enumerate(initial)}
    return stations.pairs(_block(term), leaves)


def _block(term: Term) -> sympy.ImmutableMatrix:
    """Return the density of a pair of vectors, the scalar of a common block multiplied in."""
    structure = find_structure(term.density)
    if structure.name != "kronecker":
        return structure.block
    return sympy.ImmutableMatrix(structure.block * structure.scalar)


class Stations:
    """The points of an element and its cross section, and what a program computes at them.

    Parameters
    ----------
    element : FieldElement
        The declaration.
    purpose : str
        ``stiffness`` or ``mass``: which quadrature.
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
        points, weights = rule(element.cell, element.degree[purpose])
        self.places: list[dict[sympy.Symbol, sympy.Expr]] = []
        volumes = []
        for (point, weight), fibre in product(
            zip(points, weights, strict=True), element.fibres[purpose]
        ):
            along = dict(zip(REFERENCE, map(sympy.Float, point), strict=False))
            across = dict(zip(element.across, fibre.place, strict=True))
            self.places.append(along | across)
            volumes.append(sympy.Float(weight) * fibre.weight * element.measure)
        self._define_geometry()
        self.arrays.append(Array("volume", (len(volumes),), "local"))
        for number, volume in enumerate(volumes):
            self._store("volume", (number,), number, volume)

    def _define_geometry(self) -> None:
        """Append the definitions: those that change along the cell once a station."""
        moving: set[sympy.Symbol] = set(REFERENCE)
        fixed = []
        for symbol, value in self.element.definitions:
            if value.free_symbols & moving:
                moving.add(symbol)
            else:
                fixed.append((symbol, value))
        self.define(fixed)
        for number, place in enumerate(self.places):
            for symbol, value in self.element.definitions:
                if symbol in moving:
                    name = f"{symbol.name}_{number}"
                    here = value.xreplace(place)
                    self.statements.append(Let(name, self.entry(here)))
                    stand_in = sympy.Symbol(name, real=True)
                    self.leaves[stand_in] = self.graph.temp(name)
                    place[symbol] = stand_in

    def define(self, definitions: Iterable[tuple[sympy.Symbol, sympy.Expr]]) -> None:
        """Append names for what is the same at every station."""
        for symbol, value in definitions:
            self.statements.append(Let(symbol.name, self.entry(value)))
            self.leaves[symbol] = self.graph.temp(symbol.name)

    def entry(self, value: sympy.Expr) -> Expr:
        """Return a value that holds no coordinate of a station."""
        return convert(sympy.sympify(value), self.leaves, self.graph)

    def _store(self, array: str, index: tuple[int, ...], station: int, value: sympy.Expr) -> None:
        # Twice: what is across a section is made of names that change along the cell.
        here = value.xreplace(self.places[station]).xreplace(self.places[station])
        self.statements.append(Store(array, index, self.entry(here)))

    def tabulate(self, letter: str, rows: sympy.MatrixBase) -> Leaves:
        """Append the array ``letter[station][vector][row][component]``.

        Returns
        -------
        dict
            What the symbols of the generic vectors a and b are.
        """
        size, nodes = self.element.components, len(self.element.nodes)
        self.arrays.append(Array(letter, (len(self.places), nodes, rows.rows, size), "local"))
        for station, row, column in product(
            range(len(self.places)), range(rows.rows), range(rows.cols)
        ):
            index = (station, column // size, row, column % size)
            self._store(letter, index, station, sympy.sympify(rows[row, column]))
        point = MaterialPoint.of(self.element, frame_for(size), ("a", "b"))
        symbols = {"N": point.shape_matrix, "B": point.strain_matrix, "G": point.slopes}[letter]
        return {
            symbols[row, column]: self.graph.load(
                letter, "q", "ab"[column // size], row, column % size
            )
            for row, column in product(range(rows.rows), range(2 * size))
        }

    def fill(self, name: str, rows: sympy.MatrixBase) -> None:
        """Append the array ``name[station][row][column]`` of a matrix."""
        self.arrays.append(Array(name, (len(self.places), *rows.shape), "local"))
        for station, i, j in product(range(len(self.places)), *map(range, rows.shape)):
            self._store(name, (station, i, j), station, sympy.sympify(rows[i, j]))

    def locate(self) -> Leaves:
        """Append the positions of the stations, and return what x1 .. are."""
        size = self.element.components
        self.fill("position", self.element.position)
        symbols = sympy.symbols(f"x1:{size + 1}", real=True)
        return {x: self.graph.load("position", "q", i, 0) for i, x in enumerate(symbols)}

    def motion(self, density: sympy.MatrixBase, leaves: Leaves) -> Leaves:
        """Return what is left in a density: density of mass, motion of the frame, forces."""
        left = density.free_symbols - leaves.keys() - self.leaves.keys()
        return {
            s: self.graph.parameter(self.element.density if s == DENSITY else s.name) for s in left
        }

    def pairs(self, density: sympy.ImmutableMatrix, leaves: Leaves) -> Program:
        """Append the sums for all pairs of vectors, and return the program."""
        known = self.leaves | leaves | self.motion(density, leaves)
        self.statements += pair_statements(
            self.element, density, known, self.graph, len(self.places)
        )
        nodes, size = len(self.element.nodes), self.element.components
        return self.program(Array("out", (nodes, size, nodes, size), "output"))

    def program(self, output: Array) -> Program:
        """Return what was appended, without what nothing reads."""
        whole = Program((*self.arrays, output), (), tuple(self.statements), self.graph)
        program = prune_unused(whole)
        bodies = [program.body, *(s.body for s in walk(program.body) if isinstance(s, For))]
        used = {
            node.name
            for node in postorder(value for body in bodies for value in expressions(body))
            if isinstance(node, Parameter)
        }
        known = (*self.scalars, self.element.density)
        return replace(
            program, parameters=(*(n for n in known if n in used), *sorted(used - {*known}))
        )
