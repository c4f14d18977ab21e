# SPDX-License-Identifier: BSD-3-Clause
"""Exact counts of a program: operations, bytes, live temporaries, stack."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from flexforge.codegen.ir.expression import Add, Call, Const, Div, Expr, Load, Mul, Sqrt, operands
from flexforge.codegen.ir.program import (
    Accumulate,
    For,
    Let,
    Program,
    Sines,
    Statement,
    Store,
    Zero,
    expressions,
    walk,
)
from flexforge.codegen.ir.traversal import postorder

#: What is counted, by the name of the count: the rules that every table of kernels states.
RULES = {
    "operations": "additions, products, quotients and square roots of one element, in loops as "
    "often as they run",
    "additions": "additions and subtractions; a change of sign does not count",
    "products": "products; a change of sign does not count",
    "quotients": "divisions",
    "roots": "square roots, and calls of functions such as sines",
    "fused": "those of the additions with a product as operand, which can become fused "
    "multiply-adds",
    "bytes_moved": "bytes of arguments read and results written, once each",
    "stack": "bytes of local arrays, on the stack or in the workspace",
    "temporaries": "named scalars",
}


@dataclass(frozen=True, slots=True)
class Count:
    """Cost of one element, by the rules of :data:`RULES`."""

    additions: int
    products: int
    quotients: int
    roots: int
    fused: int
    bytes_moved: int
    stack: int
    temporaries: int

    @property
    def operations(self) -> int:
        """All floating-point operations."""
        return self.additions + self.products + self.quotients + self.roots


def count(program: Program, scalar_bytes: int = 8) -> Count:
    """Count a program operation by operation, as it will be printed.

    Parameters
    ----------
    program : Program
        The program, before or after passes.
    scalar_bytes : int
        8 for double, 4 for float.
    """
    total: Counter[str] = Counter()
    known: dict[int, Counter[str]] = program.graph.results("operations")

    def add(value: Expr, times: int) -> None:
        if value.number not in known:
            known[value.number] = _operations(value)
        for family, number in known[value.number].items():
            total[family] += times * number

    def visit(body: tuple[Statement, ...], loops: dict[str, _Range]) -> None:
        times = _iterations(loops)
        for statement in body:
            match statement:
                case Let(_, value) | Store(_, _, value):
                    add(value, times)
                case Accumulate(_, value):
                    add(value, times)
                    total["additions"] += times
                    total["fused"] += times * _is_product(value)
                case Sines(angles):
                    total["roots"] += times * 2 * len(angles)
                    for angle in angles:
                        add(angle, times)
                case For(index, extent, inner, first):
                    visit(inner, loops | {index: _Range(first, extent)})

    visit(program.body, {})
    sizes = Counter[str]()
    for array in program.arrays:
        size = scalar_bytes
        for extent in array.shape:
            size *= extent
        sizes[array.kind] += size
    names = {s.name for s in walk(program.body) if isinstance(s, Let | Zero)}
    return Count(
        additions=total["additions"],
        products=total["products"],
        quotients=total["quotients"],
        roots=total["roots"],
        fused=total["fused"],
        bytes_moved=sizes["input"] + sizes["output"] + scalar_bytes * len(program.parameters),
        stack=sizes["local"],
        temporaries=len(names),
    )


def accesses(program: Program) -> int:
    """Return how often a program stores into local arrays and loads from them.

    Parameters
    ----------
    program : Program
        The program, before or after passes.
    """
    local = {array.name for array in program.arrays if array.kind == "local"}

    def visit(body: tuple[Statement, ...], loops: dict[str, _Range]) -> int:
        stored = sum(isinstance(one, Store) and one.array in local for one in body)
        loaded = sum(
            isinstance(node, Load) and node.array in local
            for value in expressions(body)
            for node in postorder([value])
        )
        inside = (
            visit(one.body, loops | {one.index: _Range(one.first, one.extent)})
            for one in body
            if isinstance(one, For)
        )
        return _iterations(loops) * (stored + loaded) + sum(inside)

    return visit(program.body, {}) if local else 0


@dataclass(frozen=True, slots=True)
class _Range:
    """Bounds of a loop; ``first`` may name an enclosing loop."""

    first: int | str
    extent: int


def _iterations(loops: dict[str, _Range]) -> int:
    """Return how often a body runs; loops in which others start are enumerated."""
    started = {bounds.first for bounds in loops.values()}

    def times(rest: list[str], at: dict[str, int]) -> int:
        if not rest:
            return 1
        index, *inner = rest
        bounds = loops[index]
        first = at[bounds.first] if isinstance(bounds.first, str) else bounds.first
        if index in started:
            return sum(times(inner, at | {index: k}) for k in range(first, bounds.extent))
        return max(0, bounds.extent - first) * times(inner, at)

    return times(list(loops), {})


def _operations(root: Expr) -> Counter[str]:
    """Return the operations of an expression printed in full."""
    found: Counter[str] = Counter()
    # Each use of a shared node is printed, hence computed: multiply by the number of uses.
    uses: Counter[int] = Counter({root.number: 1})
    for node in reversed([one for one in postorder([root]) if one.args]):
        times = uses[node.number]
        args = operands(node)
        for arg in args:
            uses[arg.number] += times
        match node:
            case Add():
                found["additions"] += times * (len(args) - 1)
                found["fused"] += times * min(len(args) - 1, sum(1 for a in args if _is_product(a)))
            case Mul():
                numeric = sum(1 for a in args if isinstance(a, Const) and a.value == -1)
                found["products"] += times * (len(args) - 1 - numeric)
            case Div():
                found["quotients"] += times
            case Sqrt() | Call():
                found["roots"] += times
    return found


def _is_product(node: Expr) -> bool:
    """Whether a term of a sum is a product, not only a change of sign."""
    if not isinstance(node, Mul):
        return False
    return sum(1 for a in operands(node) if not (isinstance(a, Const) and a.value == -1)) > 1
