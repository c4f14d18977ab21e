# SPDX-License-Identifier: BSD-3-Clause
"""Products of the gradients of two nodes at the points of a rule, as few different rows.

A sum over points ``sum_q g_a,k(q) g_b,l(q) x(q)`` for all pairs of nodes needs one sum for every
different row of products, up to its sign. On a tensor-product cell products are products of
functions of one coordinate, each with few rows (sum factorization).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.lowering.tables import Points, derivative_table

Row = tuple[Fraction, ...]
#: Values of a table that differ by less, relative to its largest, are one value that was rounded.
_SAME = 1e-14


@dataclass(frozen=True)
class Rows:
    """Different products of functions of two nodes along an axis.

    Attributes
    ----------
    values : tuple of Row
        The rows: a number for each point.
    places : mapping
        Number of the row and sign, by the positions of both nodes; pairs of products that vanish
        are left out.
    """

    values: tuple[Row, ...]
    places: dict[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True)
class Axes:
    """Gradients of shape functions as products of functions along axes, of which one may be all.

    Attributes
    ----------
    points : tuple of int
        Number of points along every axis, the last one fastest.
    nodes : tuple of tuple of int
        Position of every node along the axes.
    functions : tuple
        For every axis and direction the functions: rows by position.
    """

    points: tuple[int, ...]
    nodes: tuple[tuple[int, ...], ...]
    functions: tuple[tuple[tuple[Row, ...], ...], ...]

    def flat(self, at: Sequence[int]) -> int:
        """Return the number of a point from its positions along the axes."""
        number = 0
        for place, extent in zip(at, self.points, strict=True):
            number = number * extent + place
        return number

    def rows(self, axis: int, first: int, second: int) -> Rows:
        """Return the products of two functions, derived in two directions, along an axis."""
        left, right = (self.functions[axis][direction] for direction in (first, second))
        known: dict[Row, int] = {}
        places: dict[tuple[int, int], tuple[int, int]] = {}
        for (a, one), (b, other) in product(enumerate(left), enumerate(right)):
            row = tuple(x * y for x, y in zip(one, other, strict=True))
            leading = next((x for x in row if x), None)
            if leading is not None:
                sign = 1 if leading > 0 else -1
                row = tuple(sign * x for x in row)
                places[a, b] = known.setdefault(row, len(known)), sign
        return Rows(tuple(known), places)


def axes_of(element: Element, points: Points) -> Axes:
    """Return the axes of an element and a rule: those of its grid, or one of all points."""
    table = derivative_table(element, points)
    count, nodes, size = table.shape
    grid = table.grid
    if grid is None:
        values = iter(_merged([*map(float, table.values)]))
        entries = {place: next(values) for place in product(*map(range, table.shape))}
        functions = tuple(
            tuple(tuple(entries[q, a, k] for q in range(count)) for a in range(nodes))
            for k in range(size)
        )
        return Axes((count,), tuple((a,) for a in range(nodes)), (functions,))
    along = []
    for axis in range(size):
        by_kind = [_functions(rows[axis]) for rows in (grid.values, grid.slopes)]
        along.append(tuple(by_kind[axis == direction] for direction in range(size)))
    return Axes(tuple(len(rows) for rows in grid.values), grid.nodes, tuple(along))


def _functions(table: Sequence[Sequence[float]]) -> tuple[Row, ...]:
    """Return the columns of a table, by position of the node."""
    width = len(table[0])
    merged = _merged([value for row in table for value in row])
    return tuple(tuple(merged[k::width]) for k in range(width))


def _merged(values: Sequence[float]) -> list[Fraction]:
    """Return exact values, those that differ by rounding alone replaced by one of them."""
    least = _SAME * max(abs(value) for value in values)
    known: dict[float, Fraction] = {}
    last = 0.0
    for value in sorted({abs(value) for value in values}):
        last = last if value - last < least else value
        known[value] = Fraction(last)
    return [known[abs(value)] * (1 if value > 0 else -1) for value in values]
