# SPDX-License-Identifier: BSD-3-Clause
"""A sweep over the points of a quadrature rule: fields to the points, conjugates back to nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.quadrature import Degree, rule
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Expr, Graph, Index
from flexforge.codegen.ir.program import Accumulate, Array, For, Let, Statement, Store, Zero
from flexforge.codegen.lowering.geometry import circumference, cofactor_statements
from flexforge.codegen.lowering.tables import derivative_table, shape_table, weight_table
from flexforge.codegen.lowering.terms import Leaves
from flexforge.codegen.mechanics.shape_symbols import gradient_symbols, shape_symbol


@dataclass(frozen=True, slots=True)
class Field:
    """A nodal vector and the density that acts on its interpolation.

    Attributes
    ----------
    array, prefix
        The nodal vector is ``array[*prefix][a][i]``.
    density : sympy.ImmutableMatrix
        Block of a pair of nodes; a single entry if it is the same for every component.
    degree : int or GivenRule
        Degree of the quadrature.
    """

    array: str
    prefix: tuple[int, ...]
    density: sympy.ImmutableMatrix
    degree: Degree

    def used(self, size: int) -> tuple[int, ...]:
        """Return the components of the nodal vector that the density acts on."""
        block = self.density
        if block.rows == 1:
            return tuple(range(size))
        return tuple(j for j in range(size) if any(entry != 0 for entry in block[:, j]))


class Sweep:
    """The points of one quadrature rule: fields interpolated, conjugates stored.

    Attributes
    ----------
    arrays, statements : list
        Arrays it needs, and its statements.
    """

    def __init__(self, element: Element, degree: Degree, tag: str, graph: Graph) -> None:
        self.element, self.tag, self.graph = element, tag, graph
        self.points, weights = rule(element.cell, degree)
        self.arrays: list[Array] = [weight_table(weights, f"quadrature_weight{tag}")]
        self.statements: list[Statement] = []
        #: Conjugates: array and table, by whether the table holds values or slopes.
        self.conjugates: dict[str, str] = {}
        #: Components that their arrays have, one after the other; all by default.
        self.rows: dict[str, tuple[int, ...]] = {}

    def add(self, fields: Sequence[Field], leaves: Leaves) -> None:
        """Append all statements up to the conjugates at the points."""
        element, graph, tag = self.element, self.graph, self.tag
        count, size = len(self.points), element.components
        shapes = {shape_symbol("a"), shape_symbol("b")}
        gradients = {s for node in "ab" for s in gradient_symbols(node, size)}
        of_values = [bool(f.density.free_symbols & shapes) for f in fields]
        of_slopes = [bool(f.density.free_symbols & gradients) for f in fields]
        values, slopes = any(of_values), any(of_slopes)
        if values:
            self.arrays.append(shape_table(element, self.points, f"shape{tag}"))
        if element.dimension:
            self.arrays.append(derivative_table(element, self.points, f"shape_derivative{tag}"))
            self.interpolate("coordinates", (), f"jacobian{tag}", slopes=True)
        at_point: list[Statement] = list(self.geometry())
        # Where stresses depend on slopes alone, they are divided by the determinant in place of
        # the slopes: there are fewer of them.
        divided = any(a and b for a, b in zip(of_values, of_slopes, strict=True))
        sums: dict[tuple[str, int, int], Expr] = {}
        for number, field in enumerate(fields):
            name = f"field{tag}{number}"
            held, used = field.density.free_symbols, field.used(size)
            components: dict[tuple[sympy.Symbol, int], Expr] = {}
            if shape_symbol("b") in held:
                self.interpolate(
                    field.array, field.prefix, f"{name}_value", slopes=False, only=used
                )
                for place, i in enumerate(used):
                    components[shape_symbol("b"), i] = graph.load(f"{name}_value", "q", place)
            if held & set(gradient_symbols("b", size)):
                self.interpolate(field.array, field.prefix, f"{name}_slope", slopes=True, only=used)
                at_point += self.slopes(name, used, divided=divided)
                for i in used:
                    for j, symbol in enumerate(gradient_symbols("b", size)):
                        components[symbol, i] = graph.temp(f"{name}_gradient{i}{j}")
            self._conjugate(field.density, components, leaves, sums)
        at_point += self.stores(sums, values=values, slopes=slopes, divided=divided)
        self.statements.append(For("q", count, tuple(at_point)))

    def interpolate(
        self,
        array: str,
        prefix: tuple[int, ...],
        name: str,
        *,
        slopes: bool,
        only: Sequence[int] | None = None,
    ) -> None:
        """Append the loop that interpolates a nodal vector or its reference gradient.

        Parameters
        ----------
        array, prefix
            The nodal vector is ``array[*prefix][a][i]``.
        name : str
            Array of the result, ``name[q][place]`` or ``name[q][place][j]``.
        slopes : bool
            Whether the gradient is meant.
        only : sequence of int, optional
            The components at the places of the result; by default all.
        """
        element, graph = self.element, self.graph
        dim = element.dimension
        chosen = tuple(range(element.components) if only is None else only)
        columns: list[tuple[Index, ...]] = [(j,) for j in range(dim)] if slopes else [()]
        table = f"shape_derivative{self.tag}" if slopes else f"shape{self.tag}"
        entries = [(i, column) for i in chosen for column in columns]
        temps = {(i, c): f"{name}_" + "".join(map(str, (i, *c))) for i, c in entries}
        sums = tuple(
            Accumulate(
                temps[i, c],
                graph.mul(graph.load(array, *prefix, "a", i), graph.load(table, "q", "a", *c)),
            )
            for i, c in entries
        )
        stores = tuple(
            Store(name, ("q", chosen.index(i), *c), graph.temp(temps[i, c])) for i, c in entries
        )
        zeros = tuple(Zero(temps[entry]) for entry in entries)
        nodes, count = len(element.nodes), len(self.points)
        self.statements.append(For("q", count, (*zeros, For("a", nodes, sums), *stores)))
        extents = (count, len(chosen), *([dim] if slopes else []))
        self.arrays.append(Array(name, extents, "local"))

    def geometry(self) -> list[Statement]:
        """Return the statements for the Jacobian that a point needs."""
        graph, dim, tag = self.graph, self.element.dimension, self.tag
        if dim == 0:
            return []
        jacobian = [
            [graph.load(f"jacobian{tag}", "q", i, j) for j in range(dim)] for i in range(dim)
        ]
        return [
            *cofactor_statements(jacobian, graph, tag=tag),
            Let(f"reciprocal{tag}", graph.div(graph.const(1), graph.temp(f"determinant{tag}"))),
        ]

    def weight(self) -> Expr:
        """Return the quadrature weight, multiplied by the section or the circumference."""
        weight = self.graph.load(f"quadrature_weight{self.tag}", "q")
        if self.element.revolved:
            return self.graph.mul(weight, circumference(self.graph, self.radius()))
        if self.element.section is None:
            return weight
        return self.graph.mul(weight, self.graph.parameter(self.element.section))

    def radius(self) -> Expr:
        """Return the distance of the point from the axis of a body of revolution."""
        return self.graph.load(f"position{self.tag}", "q", 0)

    def interpolate_radius(self) -> None:
        """Append the loop that interpolates positions, of which the radius is a component."""
        self._tabulate_shapes()
        self.interpolate("coordinates", (), f"position{self.tag}", slopes=False)

    def interpolate_first(self, array: str, prefix: tuple[int, ...], name: str) -> Expr:
        """Append the loop that interpolates the first component of a nodal vector; return it."""
        self._tabulate_shapes()
        self.interpolate(array, prefix, name, slopes=False, only=(0,))
        return self.graph.load(name, "q", 0)

    def _tabulate_shapes(self) -> None:
        """Have the table of shape functions, once."""
        table = shape_table(self.element, self.points, f"shape{self.tag}")
        if all(one.name != table.name for one in self.arrays):
            self.arrays.append(table)

    def slopes(
        self, name: str, only: Sequence[int] | None = None, *, divided: bool = True
    ) -> list[Statement]:
        """Return ``du_i/dx_j = sum_k du_i/dxi_k (J^-1)_kj`` of an interpolated field.

        ``only`` are the components it has, by default all. Unless they are ``divided``, slopes are
        multiplied by the determinant of J.
        """
        graph, axes, tag = self.graph, range(self.element.dimension), self.tag
        factor = graph.temp(f"reciprocal{tag}") if divided else graph.const(1)
        return [
            Let(
                f"{name}_gradient{i}{j}",
                graph.mul(
                    factor,
                    graph.add(
                        *(
                            graph.mul(
                                graph.load(f"{name}_slope", "q", place, k),
                                graph.temp(f"adjugate{k}{j}{tag}"),
                            )
                            for k in axes
                        )
                    ),
                ),
            )
            for place, i in enumerate(axes if only is None else only)
            for j in axes
        ]

    def _conjugate(
        self,
        density: sympy.ImmutableMatrix,
        components: dict[tuple[sympy.Symbol, int], Expr],
        leaves: Leaves,
        sums: dict[tuple[str, int, int], Expr],
    ) -> None:
        """Add the conjugate of a field by a density: one entry per component and virtual slope."""
        graph, size = self.graph, self.element.components
        stand_in = {key: sympy.Symbol(f"u{n}") for n, key in enumerate(components)}
        known = leaves | {stand_in[key]: value for key, value in components.items()}
        tests = [("values", 0, shape_symbol("a"))]
        tests += [("slopes", k, s) for k, s in enumerate(gradient_symbols("a", size))]
        for i in range(size):
            # A single entry means a multiple of the identity.
            row = {j: density[i, j] for j in range(size)} if density.rows > 1 else {i: density[0]}
            for kind, k, test in tests:
                value = sum(
                    sympy.diff(entry, test, symbol) * stand_in[symbol, j]
                    for j, entry in row.items()
                    for symbol in [s for s, c in components if c == j]
                )
                if value != 0:
                    found = convert(sympy.expand(value), known, graph)
                    key = (kind, i, k)
                    sums[key] = graph.add(sums.get(key, graph.const(0)), found)

    def stores(
        self,
        sums: dict[tuple[str, int, int], Expr],
        *,
        values: bool,
        slopes: bool,
        divided: bool = True,
    ) -> list[Statement]:
        """Return the stores of the conjugates, weighted and transformed to the reference cell.

        Unless what acts on slopes is ``divided``, it is multiplied by the determinant.
        """
        graph, tag, size, count = self.graph, self.tag, self.element.components, len(self.points)
        # Components without a conjugate, as of a field along one axis alone, are left out.
        for kind in ("values", "slopes"):
            held = {i for known, i, _ in sums if known == kind}
            self.rows[kind] = tuple(i for i in range(size) if i in held)
        values, slopes = values and bool(self.rows["values"]), slopes and bool(self.rows["slopes"])
        if values:
            self.arrays.append(Array(f"force{tag}", (count, len(self.rows["values"])), "local"))
            self.conjugates["values"] = f"force{tag}"
        if slopes:
            rows = len(self.rows["slopes"])
            self.arrays.append(Array(f"flux{tag}", (count, rows, size), "local"))
            self.conjugates["slopes"] = f"flux{tag}"
        axes = range(self.element.dimension)
        zero, weight = graph.const(0), self.weight()
        stores: list[Statement] = []
        if values:
            volume = weight
            if self.element.dimension:
                volume = graph.mul(weight, graph.temp(f"determinant{tag}"))
            stores += [
                Store(f"force{tag}", ("q", place), graph.mul(volume, sums["values", i, 0]))
                for place, i in enumerate(self.rows["values"])
            ]
        if slopes:
            if not divided:
                weight = graph.mul(weight, graph.temp(f"reciprocal{tag}"))
            stores += [
                Let(f"stress{i}{k}{tag}", graph.mul(weight, sums.get(("slopes", i, k), zero)))
                for i in self.rows["slopes"]
                for k in axes
            ]
            # Volume times inverse Jacobian is weight times adjugate: no division.
            stores += [
                Store(
                    f"flux{tag}",
                    ("q", place, m),
                    graph.add(
                        *(
                            graph.mul(
                                graph.temp(f"stress{i}{k}{tag}"), graph.temp(f"adjugate{m}{k}{tag}")
                            )
                            for k in axes
                        )
                    ),
                )
                for place, i in enumerate(self.rows["slopes"])
                for m in axes
            ]
        return stores

    def back_to_nodes(self) -> Statement:
        """Return the loop that sums the conjugates at a node."""
        graph, tag, every = self.graph, self.tag, tuple(range(self.element.components))
        places = {kind: self.rows.get(kind, every) for kind in self.conjugates}
        sums = []
        for i in every:
            terms = []
            if i in places.get("values", ()):
                force = graph.load(f"force{tag}", "q", places["values"].index(i))
                terms.append(graph.mul(graph.load(f"shape{tag}", "q", "a"), force))
            if i in places.get("slopes", ()):
                place = places["slopes"].index(i)
                terms += [
                    graph.mul(
                        graph.load(f"shape_derivative{tag}", "q", "a", m),
                        graph.load(f"flux{tag}", "q", place, m),
                    )
                    for m in range(self.element.dimension)
                ]
            if terms:
                sums.append(Accumulate(f"sum{i}", graph.add(*terms)))
        return For("q", len(self.points), tuple(sums))

    def at_nodes(self) -> Statement:
        """Return the loop that stores these sums for all nodes: ``out[a][i]``."""
        size = self.element.components
        zeros = (Zero(f"sum{i}") for i in range(size))
        ends = (Store("out", ("a", i), self.graph.temp(f"sum{i}")) for i in range(size))
        return For("a", len(self.element.nodes), (*zeros, self.back_to_nodes(), *ends))
