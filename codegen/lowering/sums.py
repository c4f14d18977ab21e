# SPDX-License-Identifier: BSD-3-Clause
"""Sums over a loop, stored in an array."""

from __future__ import annotations

from collections.abc import Iterable

from flexforge.codegen.ir.expression import Expr, Graph
from flexforge.codegen.ir.program import Accumulate, For, Statement, Store, Zero


def summed(
    name: str,
    index: str,
    count: int,
    values: Iterable[Expr],
    graph: Graph,
    to: tuple[str, str] = ("out", "a"),
) -> tuple[Statement, ...]:
    """Return the statements that sum values over a loop and store the sums.

    Parameters
    ----------
    name : str
        Prefix of the names of the sums, followed by their numbers.
    index : str
        Index of the loop.
    count : int
        Its length.
    values : iterable of Expr
        The summands.
    graph : Graph
        Where expressions are created.
    to : tuple of str
        Array that stores the sums, and its first index; the second is the number of the sum.
    """
    sums = tuple(Accumulate(f"{name}{k}", value) for k, value in enumerate(values))
    stores = (Store(to[0], (to[1], k), graph.temp(one.name)) for k, one in enumerate(sums))
    return (*(Zero(one.name) for one in sums), For(index, count, sums), *stores)
