# SPDX-License-Identifier: BSD-3-Clause
"""Matrices from moments: sums over the points first, then the pairs of nodes.

``K_aibj = sum_q sum_kl g_a,k g_b,l D_ikjl`` with constant gradients g takes every entry of D
through the sums of few different rows of products ``g_a,k g_b,l``, and then nothing but additions
for every pair of nodes. D is symmetric under the exchange of (i, k) and (j, l): what is summed are
its entries with ``k <= l``, for components on the diagonal, above it, and below it where ``k < l``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, product
from math import prod

import sympy
from flexforge.codegen.ir.expression import Expr, Graph, Index
from flexforge.codegen.ir.program import Array, For, Statement, Store
from flexforge.codegen.lowering.deformed import DeformedPoint
from flexforge.codegen.lowering.pair_products import Axes, Row

Entry = Callable[[Index, Index, Index, Index], Expr]
"""What an entry of a matrix has, by node and component of its row and its column."""
Kind = tuple[str, int, int]
"""Components (``diagonal``, ``upper`` or ``lower``) and the directions k and l of entries of D."""


def components(size: int) -> dict[str, list[tuple[int, int]]]:
    """Return the pairs of components (i, j) of every kind."""
    upper = list(combinations(range(size), 2))
    return {
        "diagonal": [(i, i) for i in range(size)],
        "upper": upper,
        "lower": [(j, i) for i, j in upper],
    }


def kinds(size: int) -> list[Kind]:
    """Return the kinds of entries of D that are summed."""
    return [
        (name, k, m)
        for k, m in combinations_with_replacement(range(size), 2)
        for name in components(size)
        if k < m or name != "lower"
    ]


class Moments:
    """Sums over the points of entries of D.

    Parameters
    ----------
    axes : Axes
        Products of gradients.
    size : int
        Components of displacements.
    graph : Graph
        Where expressions are created.
    """

    def __init__(self, axes: Axes, size: int, graph: Graph) -> None:
        self.axes, self.size, self.graph = axes, size, graph
        self._rows = {
            (k, m): [axes.rows(axis, k, m) for axis in range(len(axes.points))]
            for k, m in combinations_with_replacement(range(size), 2)
        }
        self._stages = {kind: self._ordered(kind) for kind in kinds(size)}

    @property
    def terms(self) -> int:
        """Terms of the sums that are written out: all, except in loops over axes of a grid."""
        written = 0
        for first, *further in self._stages.values():
            lines = prod(n for axis, n in enumerate(first.shape) if axis != first.axis)
            written += lines * sum(len(row) for row in first.rows)
            written += sum(len(row) for stage in further for row in stage.rows)
        return written

    def stores(self, moduli: sympy.Matrix, point: DeformedPoint) -> list[Statement]:
        """Return the statements that store the entries of D at the point q."""
        found: list[Statement] = []
        for kind in kinds(self.size):
            name, k, m = kind
            for number, (i, j) in enumerate(components(self.size)[name]):
                value = point.value(moduli[i * self.size + k, j * self.size + m])
                found.append(Store(_named("modulus", kind), ("q", number), value))
        return found

    def arrays(self) -> Iterator[Array]:
        """Yield the arrays of D and of its moments."""
        pairs = len(components(self.size)["upper"])
        nodes = len(self.axes.nodes)
        for kind, stages in self._stages.items():
            width = len(components(self.size)[kind[0]])
            yield Array(_named("modulus", kind), (prod(self.axes.points), width), "local")
            for stage in stages:
                yield Array(stage.name, (*stage.shape, width), "local")
        yield Array("across", (pairs, nodes, nodes), "local")

    def matrix(self, further: Entry | None = None) -> list[Statement]:
        """Return the statements that compute ``out[a][i][b][j]`` from the entries of D.

        Pairs of components are done one after the other, so that their moments can share memory.

        Parameters
        ----------
        further : callable, optional
            Returns what an entry has besides its sum over the points, by a, i, b and j.
        """
        graph, nodes = self.graph, range(len(self.axes.nodes))
        known = components(self.size)
        diagonal, upper = self._sums("diagonal"), [*self._sums("upper"), *self._sums("lower")]
        for a, b in combinations_with_replacement(nodes, 2):
            total = graph.add(*self._terms("diagonal", "diagonal", a, b))
            total = total if further is None else graph.add(total, further(a, "c", b, "c"))
            diagonal += [
                Store("out", (n, "c", m, "c"), total) for n, m in dict.fromkeys([(b, a), (a, b)])
            ]
        upper += [
            Store("across", ("c", a, b), graph.add(*self._terms("upper", "lower", a, b)))
            for a, b in product(nodes, repeat=2)
        ]
        copies: list[Statement] = []
        for number, (i, j) in enumerate(known["upper"]):
            value = graph.load("across", number, "a", "b")
            value = value if further is None else graph.add(value, further("a", i, "b", j))
            copies += [Store("out", ("a", i, "b", j), value), Store("out", ("b", j, "a", i), value)]
        count = len(nodes)
        return [
            For("c", len(known["diagonal"]), tuple(diagonal)),
            For("c", len(known["upper"]), tuple(upper)),
            For("a", count, (For("b", count, tuple(copies)),)),
        ]

    def _sums(self, name: str) -> list[Statement]:
        """Return the loops that sum entries of D for the components c, axis by axis."""
        found: list[Statement] = []
        for kind, stages in self._stages.items():
            if kind[0] == name:
                source = ""
                for stage in stages:
                    found += self._stage(kind, stage, source)
                    source = stage.name
        return found

    def _stage(self, kind: Kind, stage: _Stage, source: str) -> Body:
        """Return the loops that sum along an axis, from an array or, first of all, from D."""
        graph, axis = self.graph, stage.axis
        others = [(f"m{n}", extent) for n, extent in enumerate(stage.shape) if n != axis]
        # The points of D are numbered one after the other: no loops over axes.
        free = [[name] if source else [*range(extent)] for name, extent in others]

        def entry(*at: Index) -> Expr:
            if source:
                return graph.load(source, *at, "c")
            numbers = [n for n in at if isinstance(n, int)]
            return graph.load(_named("modulus", kind), self.axes.flat(numbers), "c")

        body: Body = tuple(
            Store(
                stage.name,
                (*_with(at, axis, number), "c"),
                graph.add(*(
                    graph.mul(graph.const(weight), entry(*_with(at, axis, q)))
                    for q, weight in enumerate(row)
                )),
            )
            for at in product(*free)
            for number, row in enumerate(stage.rows)
        )  # fmt: skip
        for name, extent in reversed(others if source else []):
            body = (For(name, extent, body),)
        return body

    def _terms(self, upper: str, lower: str, a: int, b: int) -> Iterator[Expr]:
        """Yield the moments of a pair of nodes, whose directions may be exchanged."""
        for k, m in product(range(self.size), repeat=2):
            kind, pair = ((upper, k, m), (a, b)) if k <= m else ((lower, m, k), (b, a))
            yield self._moment(kind, *pair)

    def _moment(self, kind: Kind, a: int, b: int) -> Expr:
        """Return ``sum_q g_a,k g_b,l D_kl`` from its array."""
        graph, sign, index = self.graph, 1, []
        for rows, one, other in zip(
            self._rows[kind[1:]], self.axes.nodes[a], self.axes.nodes[b], strict=True
        ):
            if (one, other) not in rows.places:
                return graph.const(0)
            number, turned = rows.places[one, other]
            index.append(number)
            sign *= turned
        last = self._stages[kind][-1].name
        return graph.mul(graph.const(sign), graph.load(last, *index, "c"))

    def _ordered(self, kind: Kind) -> list[_Stage]:
        """Return the sums along the axes, those that leave the fewest sums first."""
        rows, shape = self._rows[kind[1:]], [*self.axes.points]
        found: list[_Stage] = []
        for axis in sorted(range(len(shape)), key=lambda n: len(rows[n].values)):
            shape[axis] = len(rows[axis].values)
            name = _named(f"moment{len(found)}", kind)
            found.append(_Stage(name, axis, tuple(shape), rows[axis].values))
        return found


@dataclass(frozen=True)
class _Stage:
    """A sum along an axis: the array it fills, its extents, and the weights of every sum."""

    name: str
    axis: int
    shape: tuple[int, ...]
    rows: tuple[Row, ...]


Body = tuple[Statement, ...]


def _with(at: tuple[Index, ...], axis: int, place: int) -> tuple[Index, ...]:
    return (*at[:axis], place, *at[axis:])


def _named(stem: str, kind: Kind) -> str:
    return "{}_{}{}{}".format(stem, *kind)
