# SPDX-License-Identifier: BSD-3-Clause
"""Grid sums (sum factorization): sums over the nodes or points of a grid, one axis at a time.

On a tensor-product cell a shape function is a product of functions of one coordinate. With n nodes
and n points per axis, ``sum_a N_a(q) x_a`` for all points takes d n^(d+1) products instead of
n^(2d) (Orszag, Journal of Computational Physics 37, 1980), and sums share common partial sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from flexforge.codegen.ir.expression import Expr, Index, Load, Mul, Temp, operands
from flexforge.codegen.ir.program import (
    Accumulate,
    For,
    Grid,
    Program,
    Statement,
    Store,
    Zero,
)
from flexforge.codegen.passes.grid_loops import AxisSums, split_points
from flexforge.codegen.passes.rewriting import Body, fresh_names

Entry = tuple[str, tuple[Index, ...]]
"""An array and the index of an entry of it, without the node or the point."""


def factor_grid_sums(program: Program) -> Program:
    """Sum over the nodes, and over the points, of a grid axis by axis.

    Assumes
        Loops ``For(q, Zero .., For(a, Accumulate ..), Store ..)``, or with a and q exchanged,
        whose sums are products of a table with a grid and an entry of an array.
    Guarantees
        The same sums up to rounding: tables of one coordinate are rounded on their own.
    """
    grids = {a.name: a.grid for a in program.arrays if a.grid is not None}
    sums = {k: s for k, s in enumerate(_sums(program.body, grids)) if s is not None}
    if not sums:
        return program
    points = {s.points for s in sums.values()}
    grid = next(iter(sums.values())).grid
    split = split_points(program, points.pop(), grid) if len(points) == 1 else None
    if split is None:
        return program
    fresh = fresh_names(split, "axis_sum")
    writer = AxisSums(split.graph, fresh)
    body: list[Statement] = []
    for position, statement in enumerate(split.body):
        if position in sums:
            body += sums[position].written(writer)
        else:
            body.append(statement)
    return replace(split, arrays=(*split.arrays, *writer.arrays), body=tuple(body))


@dataclass(frozen=True, slots=True)
class _Sum:
    """A statement that sums over the nodes or the points of a grid.

    Attributes
    ----------
    grid : Grid
        Its tables.
    points : str
        Name of the loop over the points.
    to_points : bool
        Whether it sums from nodes to points, or back.
    terms : tuple
        Terms of the sum: the entry stored, the entry read, and for each axis whether the derivative
        is taken.
    """

    grid: Grid
    points: str
    to_points: bool
    terms: tuple[tuple[Entry, Entry, tuple[bool, ...]], ...]

    def written(self, writer: AxisSums) -> Body:
        """Return the statements that sum axis by axis."""
        if self.to_points:
            return writer.to_points(self.grid, self.points, self.terms)
        return writer.to_nodes(self.grid, self.points, self.terms)


def _sums(body: Body, grids: dict[str, Grid]) -> Iterator[_Sum | None]:
    """Yield the sum that each statement of the body is, if any."""
    for statement in body:
        yield _recognize(statement, grids) if isinstance(statement, For) else None


def _recognize(loop: For, grids: dict[str, Grid]) -> _Sum | None:
    """Return the sum that a loop computes, if any."""
    inner = [s for s in loop.body if isinstance(s, For)]
    stores = [s for s in loop.body if isinstance(s, Store)]
    if len(inner) != 1 or len(loop.body) != 2 * len(stores) + 1:
        return None
    targets: dict[str, Entry] = {}
    for store in stores:
        rest = tuple(i for i in store.index if i != loop.index)
        if not isinstance(store.value, Temp) or len(rest) + 1 != len(store.index):
            return None
        targets[store.value.name] = store.array, store.index
    terms: list[tuple[Entry, Entry, tuple[bool, ...]]] = []
    directions: set[bool] = set()
    found: list[Grid] = []
    for statement in inner[0].body:
        if not isinstance(statement, Accumulate) or statement.name not in targets:
            return None
        for value in _terms(statement.value):
            product = _product(value, grids)
            if product is None:
                return None
            table, entry = product
            forward = table.index[:2] == (loop.index, inner[0].index)
            if not forward and table.index[:2] != (inner[0].index, loop.index):
                return None
            if inner[0].index not in entry.index or loop.index in entry.index:
                return None
            grid = grids[table.array]
            axes = range(len(grid.values))
            slopes = tuple(len(table.index) == 3 and table.index[2] == k for k in axes)
            terms.append((targets[statement.name], (entry.array, entry.index), slopes))
            directions.add(forward)
            found.append(grid)
    zeros = {s.name for s in loop.body if isinstance(s, Zero)}
    if len(directions) != 1 or any(g != found[0] for g in found) or zeros != set(targets):
        return None
    forward = directions.pop()
    return _Sum(found[0], loop.index if forward else inner[0].index, forward, tuple(terms))


def _terms(value: Expr) -> Sequence[Expr]:
    """Return the terms of a sum."""
    return (value,) if isinstance(value, Mul) else operands(value)


def _product(value: Expr, grids: dict[str, Grid]) -> tuple[Load, Load] | None:
    """Return the table and the entry that a term multiplies."""
    args = operands(value)
    if not isinstance(value, Mul) or len(args) != 2:
        return None
    first, second = args
    if not isinstance(first, Load) or not isinstance(second, Load):
        return None
    if second.array in grids:
        first, second = second, first
    return (first, second) if first.array in grids and second.array not in grids else None
