# SPDX-License-Identifier: BSD-3-Clause
"""Programs: loops over points and nodes around scalar statements, and the arrays they touch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from flexforge.codegen.ir.expression import Expr, Graph, Index, Number


@dataclass(frozen=True, slots=True)
class Grid:
    """Factorization of a table over points and nodes into tables of one coordinate each.

    Points are numbered with the last coordinate fastest.

    Attributes
    ----------
    nodes : tuple of tuple of int
        Grid position of every node of the cell.
    values, slopes : tuple of tuple of tuple of float
        Shape functions of one coordinate and their derivatives: by axis, point and node.
    """

    nodes: tuple[tuple[int, ...], ...]
    values: tuple[tuple[tuple[float, ...], ...], ...]
    slopes: tuple[tuple[tuple[float, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class Mirrors:
    """Reflections of a cell that exchange its nodes, and points of it.

    A place has a whole number for each coordinate of the reference cell; along an axis that is
    mirrored a reflection changes the sign of that number.

    Attributes
    ----------
    axes : tuple of int
        Coordinates that are mirrored.
    nodes, points : tuple of tuple of int
        Place of every node and of every point.
    """

    axes: tuple[int, ...]
    nodes: tuple[tuple[int, ...], ...]
    points: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Array:
    """An array of a program.

    Attributes
    ----------
    name : str
        Its name in the C text.
    shape : tuple of int
        Extents; the last index is fastest (then come the lanes, if the array has them).
    kind : str
        ``input``, ``output``, ``local`` or ``table``.
    values : tuple of float or Fraction
        Contents of a table, row-major; tables are the same for all elements.
    grid : Grid, optional
        Factorization of a table ``[point][node]`` of shape functions, or ``[point][node][axis]``
        of their derivatives.
    mirrors : Mirrors, optional
        Reflections of the cell of such a table.
    """

    name: str
    shape: tuple[int, ...]
    kind: str
    values: tuple[Number, ...] = ()
    grid: Grid | None = None
    mirrors: Mirrors | None = None


@dataclass(frozen=True, slots=True)
class Let:
    """``name = value``: a scalar that is assigned once."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Zero:
    """``name = 0``: the start of an accumulation."""

    name: str


@dataclass(frozen=True, slots=True)
class Accumulate:
    """``name += value``."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Store:
    """``array[index] = value``."""

    array: str
    index: tuple[Index, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class For:
    """A loop ``for index in first .. extent-1`` around statements.

    Attributes
    ----------
    index : str
        Name of the loop.
    extent : int
        One past the last value.
    body : tuple of Statement
        The repeated statements.
    first : int or str
        First value, or the name of an enclosing loop with the first value (upper triangle).
    """

    index: str
    extent: int
    body: tuple[Statement, ...]
    first: Index = 0


@dataclass(frozen=True, slots=True)
class Sines:
    """Sines and cosines of angles, side by side; each is a scalar with a name."""

    angles: tuple[Expr, ...]
    sines: tuple[str, ...]
    cosines: tuple[str, ...]


Statement = Let | Zero | Accumulate | Store | For | Sines


@dataclass(frozen=True, slots=True)
class Program:
    """A kernel before it is printed.

    Attributes
    ----------
    arrays : tuple of Array
        Inputs, output, locals and tables.
    parameters : tuple of str
        Scalar arguments in order.
    body : tuple of Statement
        Its statements.
    graph : Graph
        Graph of its expressions.
    """

    arrays: tuple[Array, ...]
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]
    graph: Graph = field(repr=False, compare=False)

    def array(self, name: str) -> Array:
        """Return an array by its name."""
        return next(a for a in self.arrays if a.name == name)


def expressions(body: tuple[Statement, ...]) -> Iterator[Expr]:
    """Yield the values of the statements of one level, loops not entered."""
    for statement in body:
        if isinstance(statement, Let | Accumulate | Store):
            yield statement.value


def walk(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """Yield all statements, outer before inner."""
    pending = list(reversed(body))
    while pending:
        statement = pending.pop()
        yield statement
        if isinstance(statement, For):
            pending.extend(reversed(statement.body))
