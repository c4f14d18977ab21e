# SPDX-License-Identifier: BSD-3-Clause
"""Rows: parallel computation in kernels of one element, which have no lanes.

In such a kernel, the nodes of a row take the place of lanes: a compiler computes several at once if
they are adjacent in memory. Every entry is computed exactly as before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from flexforge.codegen.ir.expression import Const, Expr, Graph, Load
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
from flexforge.codegen.passes.rewriting import Body, fresh_names, map_bodies

#: Smallest number of nodes in a row for which this pays: one full vector of doubles. With AVX-512
#: and gcc 12, measured: 1.3 to 1.6 times faster for 8 to 10 nodes, slower for 6, no gain for a
#: single entry per pair.
NODES = 8


def side_by_side(program: Program) -> Program:
    """Return the program with the nodes of a row adjacent in memory.

    A loop that starts at the diagonal has a different length in every row and cannot be vectorized:
    the whole row is computed into a local array, from which the upper triangle is copied.

    Parameters
    ----------
    program : Program
        After the passes.

    Returns
    -------
    Program
        Program with the same outputs, bit for bit; it also computes entries below the diagonal.
    """
    fresh = fresh_names(program, "row")
    arrays = list(program.arrays)

    def change(body: Body) -> Body:
        result: list[Statement] = []
        for statement in body:
            if isinstance(statement, For) and _is_row(statement, program):
                name = fresh()
                computed = _computed(statement)
                arrays.append(Array(name, (len(computed), statement.extent), "local"))
                result += _split(statement, name, computed, program.graph)
            else:
                result.append(statement)
        return tuple(result)

    body = map_bodies(program.body, change)
    return replace(program, arrays=tuple(arrays), body=body)


def contiguous(program: Program) -> dict[str, int]:
    """Return the index that runs along a row for each array, by name.

    That index varies fastest in memory, so that the nodes of a row are adjacent.
    """
    local = {a.name for a in program.arrays if a.kind == "local"}
    own = {a.name for a in program.arrays if a.kind in ("local", "table")}
    found: dict[str, int] = {}
    for loop in walk(program.body):
        if not isinstance(loop, For):
            continue
        stores = [s for s in loop.body if isinstance(s, Store)]
        if stores and all(s.array in local and s.index[-1] == loop.index for s in stores):
            for load in _loads(loop.body):
                if load.array in own and loop.index in load.index:
                    found[load.array] = load.index.index(loop.index)
    return found


def _is_row(loop: For, program: Program) -> bool:
    """Return whether a loop over full blocks that starts at the diagonal is long enough."""
    outputs = {a.name for a in program.arrays if a.kind == "output"}
    return (
        isinstance(loop.first, str)
        and loop.extent >= NODES
        and all(isinstance(s, Let | Store) for s in loop.body)
        and len(_computed(loop)) > 1
        and all(s.array in outputs for s in loop.body if isinstance(s, Store))
        and not any(load.array in outputs for load in _loads(loop.body))
    )


def _loads(body: Body) -> Iterator[Load]:
    """Yield the loads in the statements of one level."""
    return (node for node in postorder(expressions(body)) if isinstance(node, Load))


def _computed(loop: For) -> list[Expr]:
    """Return the distinct stored values, except those that cost nothing."""
    values = (s.value for s in loop.body if isinstance(s, Store))
    return list(dict.fromkeys(v for v in values if not isinstance(v, Const | Load)))


def _split(loop: For, name: str, computed: list[Expr], graph: Graph) -> tuple[For, For]:
    """Return the loop that computes a row into an array, and the loop that copies from it."""
    row = [s for s in loop.body if isinstance(s, Let)]
    kept = [Store(name, (place, loop.index), value) for place, value in enumerate(computed)]
    entries = [
        replace(s, value=graph.load(name, computed.index(s.value), loop.index))
        if s.value in computed
        else s
        for s in loop.body
        if isinstance(s, Store)
    ]
    return For(loop.index, loop.extent, (*row, *kept)), replace(loop, body=tuple(entries))
