# SPDX-License-Identifier: BSD-3-Clause
"""Tools shared by the passes: post-order, dependences on loops, sums of products."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from flexforge.codegen.ir.expression import (
    Add,
    Const,
    Expr,
    Graph,
    Load,
    Mul,
    Number,
    Temp,
    operands,
)

Monomial = tuple[Expr, ...]


def postorder(roots: Iterable[Expr]) -> Iterator[Expr]:
    """Yield every node below the roots once, operands before the expressions that use them."""
    seen: set[int] = set()
    for root in roots:
        if root.number in seen:
            continue
        # Ancestors of the current node, each with its operands that were not visited yet.
        above: list[tuple[Expr, Iterator[Expr]]] = [(root, iter(root.args))]
        while above:
            node, rest = above[-1]
            for arg in rest:
                if arg.number in seen:
                    continue
                if arg.args:
                    above.append((arg, iter(arg.args)))
                    break
                seen.add(arg.number)
                yield arg
            else:
                above.pop()
                seen.add(node.number)
                yield node


def transform(root: Expr, graph: Graph, replace: Callable[[Expr], Expr | None]) -> Expr:
    """Return the expression with nodes replaced, from the leaves up.

    ``replace`` gets every node with its operands already replaced, and returns None to keep it.
    """
    done: dict[int, Expr] = {}
    for node in postorder([root]):
        rebuilt = node
        if node.args:
            mapped = tuple([done[a.number] for a in node.args])
            if mapped != node.args:
                rebuilt = graph.rebuild(node, mapped)
        done[node.number] = replace(rebuilt) or rebuilt
    return done[root.number]


def dependences(
    roots: Iterable[Expr],
    temps: Mapping[str, frozenset[str]],
    stored: Mapping[str, frozenset[str]] = MappingProxyType({}),
) -> dict[int, frozenset[str]]:
    """Return, for every node below the roots, the loops it depends on.

    Parameters
    ----------
    roots : iterable of Expr
        The roots.
    temps : mapping
        The loops on which each scalar temporary depends.
    stored : mapping
        The loops in which each array is written, if relevant.
    """
    result: dict[int, frozenset[str]] = {}
    for node in postorder(roots):
        match node:
            case Load(_, array, index):
                loops = frozenset(i for i in index if isinstance(i, str))
                result[node.number] = loops | stored.get(array, frozenset())
            case Temp(_, name):
                result[node.number] = temps.get(name, frozenset())
            case _:
                parts = (result[a.number] for a in operands(node))
                result[node.number] = frozenset().union(*parts)
    return result


def polynomial(expr: Expr) -> dict[Monomial, Number]:
    """Return an expression as a sum of products: coefficients by monomial.

    A monomial is the tuple of its factors in order of creation; nodes that are neither sum nor
    product are atoms.
    """
    done: dict[int, dict[Monomial, Number]] = {}
    for node in postorder([expr]):
        match node:
            case Const(_, value):
                done[node.number] = {(): value}
            case Add(_, args):
                total: dict[Monomial, Number] = {}
                for arg in args:
                    for monomial, c in done[arg.number].items():
                        total[monomial] = total.get(monomial, 0) + c
                done[node.number] = {m: c for m, c in total.items() if c != 0}
            case Mul(_, args):
                product: dict[Monomial, Number] = {(): 1}
                for arg in args:
                    product = _multiply(product, done[arg.number])
                done[node.number] = {m: c for m, c in product.items() if c != 0}
            case _:
                done[node.number] = {(node,): 1}
    return done[expr.number]


def _multiply(
    left: dict[Monomial, Number], right: dict[Monomial, Number]
) -> dict[Monomial, Number]:
    result: dict[Monomial, Number] = {}
    for m1, c1 in left.items():
        for m2, c2 in right.items():
            monomial = tuple(sorted((*m1, *m2), key=lambda e: e.number))
            result[monomial] = result.get(monomial, 0) + c1 * c2
    return result
