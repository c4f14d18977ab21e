# SPDX-License-Identifier: BSD-3-Clause
"""Tabulate: a sum over points of nothing but tables is a table, computed by the compiler.

``sum_q w(q) N_a(q) N_b(q)`` is a number for every pair of nodes. Where the Jacobian is the same at
all points, as in a linear simplex, an integral so becomes a closed form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
from flexforge.codegen.ir.expression import Add, Const, Expr, Load, Mul, Temp, operands
from flexforge.codegen.ir.program import Accumulate, Array, For, Program, Statement, Zero, walk
from flexforge.codegen.ir.traversal import postorder, transform
from flexforge.codegen.passes.rewriting import Body, fresh_names, substitute

#: A table of more numbers than this is not made: the sum is cheaper to keep than the memory.
LARGEST = 4096


def tabulate_sums(program: Program) -> Program:
    """Replace sums over tables by tables.

    Assumes
        A sum is a body ``Zero .., For(q, Accumulate ..), ..`` whose loop only accumulates.
    Guarantees
        The same values: the sums are formed exactly, and rounded once where they are printed.
    """
    fresh = fresh_names(program, "tabulated")
    tables = {a.name: a for a in program.arrays if a.kind == "table"}
    made: dict[tuple[object, ...], Array] = {}

    def visit(body: Body, loops: dict[str, int]) -> Body:
        result: list[Statement] = []
        known: dict[str, Expr] = {}
        whole = _whole_sums(body)
        for statement in body:
            if isinstance(statement, For):
                kept: list[Statement] = []
                for inner in statement.body:
                    load = _table_of(inner, statement, loops, whole)
                    if load is None:
                        kept.append(inner)
                    else:
                        assert isinstance(inner, Accumulate)
                        known[inner.name] = load
                if not kept:
                    continue
                statement = replace(statement, body=tuple(kept))
                statement = replace(
                    statement,
                    body=visit(statement.body, loops | {statement.index: statement.extent}),
                )
            result.append(statement)
        if not known:
            return tuple(result)
        rest = tuple(s for s in result if not (isinstance(s, Zero) and s.name in known))
        return substitute(rest, _put_in(known))

    def _put_in(known: Mapping[str, Expr]) -> Callable[[Expr], Expr]:
        def change(node: Expr) -> Expr | None:
            return known.get(node.name) if isinstance(node, Temp) else None

        return lambda value: transform(value, program.graph, change)

    def _table_of(
        inner: Statement, loop: For, loops: Mapping[str, int], whole: set[str]
    ) -> Expr | None:
        """Return the load of the table that a sum is, if it is one."""
        if not isinstance(inner, Accumulate) or inner.name not in whole or loop.first != 0:
            return None
        if not all(isinstance(s, Accumulate) for s in loop.body):
            return None
        nodes = list(postorder([inner.value]))
        loads = [n for n in nodes if isinstance(n, Load)]
        simple = all(isinstance(n, Add | Mul | Const | Load) for n in nodes)
        if not simple or not loads or any(n.array not in tables for n in loads):
            return None
        free = sorted({i for n in loads for i in n.index if isinstance(i, str)} - {loop.index})
        extents = tuple(loops[i] for i in free)
        if any(i not in loops for i in free) or int(np.prod(extents, initial=1)) > LARGEST:
            return None
        values = []
        for point in product(*(range(n) for n in extents)):
            at = dict(zip(free, point, strict=True))
            values.append(
                sum((_value(nodes, at | {loop.index: q}, tables) for q in range(loop.extent)),
                    start=Fraction(0))
            )  # fmt: skip
        if not free:
            return program.graph.const(values[0])
        key = (tuple(values), extents)
        if key not in made:
            made[key] = Array(fresh(), extents, "table", tuple(values))
        return program.graph.load(made[key].name, *free)

    body = visit(program.body, {})
    return replace(program, arrays=(*program.arrays, *made.values()), body=body)


def _whole_sums(body: Body) -> set[str]:
    """Return the accumulators set to zero in a body and added to by one statement alone."""
    added = Counter(s.name for s in walk(body) if isinstance(s, Accumulate))
    return {s.name for s in body if isinstance(s, Zero) and added[s.name] == 1}


def _value(nodes: list[Expr], at: Mapping[str, int], tables: Mapping[str, Array]) -> Fraction:
    """Return an expression of tables at given values of the loops, exactly."""
    done: dict[int, Fraction] = {}
    for node in nodes:
        match node:
            case Const(_, value):
                done[node.number] = Fraction(value)
            case Load(_, array, index):
                place = [at[i] if isinstance(i, str) else i for i in index]
                flat = int(np.ravel_multi_index(place, tables[array].shape))
                done[node.number] = Fraction(tables[array].values[flat])
            case Add():
                done[node.number] = sum((done[a.number] for a in operands(node)), Fraction(0))
            case Mul():
                result = Fraction(1)
                for arg in operands(node):
                    result *= done[arg.number]
                done[node.number] = result
    return done[nodes[-1].number]
