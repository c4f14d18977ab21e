# SPDX-License-Identifier: BSD-3-Clause
"""Exact counts of a program: operations, bytes, live temporaries, stack."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple

from flexforge.codegen.ir.expression import Add, Call, Div, Expr, Load, Mul, Sqrt, is_sign, operands
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


class Operations(NamedTuple):
    """Operations of an expression, by the rules of :data:`RULES`."""

    additions: int = 0
    fused: int = 0
    products: int = 0
    quotients: int = 0
    roots: int = 0


_NONE = Operations()
#: Of adding to a scalar: a sum that can be fused with a product, or not.
_ACCUMULATED = {True: Operations(additions=1, fused=1), False: Operations(additions=1)}


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
    known: dict[int, Operations] = program.graph.results("operations")
    total = [0] * len(_NONE)

    def tally(found: Operations, times: int) -> None:
        for family, number in enumerate(found):
            total[family] += times * number

    def add(value: Expr, times: int) -> None:
        found = known.get(value.number)
        if found is None:
            found = known[value.number] = operations_of(value)
        if found is not _NONE:
            tally(found, times)

    def visit(body: tuple[Statement, ...], loops: dict[str, _Range]) -> None:
        times = _iterations(loops)
        for statement in body:
            match statement:
                case Let(_, value) | Store(_, _, value):
                    add(value, times)
                case Accumulate(_, value):
                    add(value, times)
                    tally(_ACCUMULATED[_is_product(value)], times)
                case Sines(angles):
                    tally(Operations(roots=2 * len(angles)), times)
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
    found = Operations(*total)
    return Count(
        additions=found.additions,
        products=found.products,
        quotients=found.quotients,
        roots=found.roots,
        fused=found.fused,
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


def operations_of(root: Expr) -> Operations:
    """Return the operations of an expression printed in full."""
    if not root.args:
        return _NONE
    additions = fused = products = quotients = roots = 0
    # Each use of a shared node is printed, hence computed: multiply by the number of uses.
    uses: defaultdict[int, int] = defaultdict(int, {root.number: 1})
    for node in reversed([one for one in postorder([root]) if one.args]):
        times = uses[node.number]
        args = operands(node)
        for arg in args:
            uses[arg.number] += times
        match node:
            case Add():
                additions += times * (len(args) - 1)
                fused += times * min(len(args) - 1, sum(map(_is_product, args)))
            case Mul():
                products += times * (len(args) - 1 - sum(map(is_sign, args)))
            case Div():
                quotients += times
            case Sqrt() | Call():
                roots += times
    return Operations(additions, fused, products, quotients, roots)


def _is_product(node: Expr) -> bool:
    """Whether a term of a sum is a product, not only a change of sign."""
    if not isinstance(node, Mul):
        return False
    return len(node.args) - sum(map(is_sign, node.args)) > 1
