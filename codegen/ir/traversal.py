# SPDX-License-Identifier: BSD-3-Clause
"""Tools shared by the passes: post-order, dependences on loops, sums of products."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from fractions import Fraction
from operator import attrgetter
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
)

Monomial = tuple[Expr, ...]

_NONE: frozenset[str] = frozenset()
_NUMBER = attrgetter("number")


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


def unfinished(root: Expr, done: Container[int]) -> Iterator[Expr]:
    """Yield the nodes below a root that are not done, operands before what uses them.

    The number of a node has to be among those done before the next one is asked for. What is below
    a node that is done is not visited.
    """
    if root.number in done:
        return
    # Ancestors of the current node, each with its operands that were not visited yet.
    above: list[tuple[Expr, Iterator[Expr]]] = [(root, iter(root.args))]
    while above:
        node, rest = above[-1]
        for arg in rest:
            if arg.number in done:
                continue
            if arg.args:
                above.append((arg, iter(arg.args)))
                break
            yield arg
        else:
            above.pop()
            yield node


def transform(
    root: Expr,
    graph: Graph,
    replace: Callable[[Expr], Expr | None],
    done: dict[int, Expr] | None = None,
    *,
    leaves: bool = False,
) -> Expr:
    """Return the expression with nodes replaced, from the leaves up.

    ``replace`` gets every node with its operands already replaced, or the leaves alone, and returns
    None to keep it. What it made of nodes is in ``done``, by their numbers, for further expressions
    in which it makes the same of them.
    """
    if done is None:
        done = {}
    elif root.number in done:
        return done[root.number]
    # As `unfinished`, written out: a quarter of the time of the passes is spent here.
    above: list[tuple[Expr, Iterator[Expr]]] = [(root, iter(root.args))]
    while above:
        node, rest = above[-1]
        for arg in rest:
            if arg.number in done:
                continue
            if arg.args:
                above.append((arg, iter(arg.args)))
                break
            done[arg.number] = replace(arg) or arg
        else:
            above.pop()
            args = node.args
            if not args:
                done[node.number] = replace(node) or node
                continue
            mapped = tuple([done[a.number] for a in args])
            rebuilt = node if mapped == args else graph.rebuild(node, mapped)
            done[node.number] = rebuilt if leaves else replace(rebuilt) or rebuilt
    return done[root.number]


def dependences(
    roots: Iterable[Expr],
    temps: Mapping[str, frozenset[str]],
    stored: Mapping[str, frozenset[str]] = MappingProxyType({}),
    known: dict[int, frozenset[str]] | None = None,
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
    known : dict, optional
        Result for other roots with the same temporaries and arrays, which is added to.
    """
    result = {} if known is None else known
    for root in roots:
        for node in unfinished(root, result):
            if node.args:
                parts = {result[a.number] for a in node.args}
                loops = parts.pop()
                result[node.number] = loops.union(*parts) if parts else loops
            elif isinstance(node, Load):
                loops = frozenset(i for i in node.index if isinstance(i, str))
                result[node.number] = loops | stored.get(node.array, _NONE)
            elif isinstance(node, Temp):
                result[node.number] = temps.get(node.name, _NONE)
            else:
                result[node.number] = _NONE
    return result


def polynomial(
    expr: Expr, done: dict[int, dict[Monomial, Number]] | None = None
) -> dict[Monomial, Number]:
    """Return an expression as a sum of products: coefficients by monomial.

    A monomial is the tuple of its factors in order of creation; nodes that are neither sum nor
    product are atoms. What nodes are is in ``done``, by their numbers, for further expressions.
    """
    if done is None:
        done = {}
    for node in unfinished(expr, done):
        match node:
            case Const(_, value):
                done[node.number] = {(): _plain(value)}
            case Add(_, args):
                total: dict[Monomial, Number] = {}
                for arg in args:
                    for monomial, c in done[arg.number].items():
                        total[monomial] = total.get(monomial, 0) + c
                done[node.number] = {m: c for m, c in total.items() if c != 0}
            case Mul(_, (first, *rest)):
                product = done[first.number]
                for arg in rest:
                    product = _multiply(product, done[arg.number])
                done[node.number] = {m: c for m, c in product.items() if c != 0}
            case _:
                done[node.number] = {(node,): 1}
    return done[expr.number]


def _plain(value: Number) -> Number:
    """Return a fraction that is an integer as one, with which Python computes much faster."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def _multiply(
    left: dict[Monomial, Number], right: dict[Monomial, Number]
) -> dict[Monomial, Number]:
    result: dict[Monomial, Number] = {}
    for m1, c1 in left.items():
        for m2, c2 in right.items():
            monomial = tuple(sorted((*m1, *m2), key=_NUMBER)) if m1 and m2 else m1 or m2
            result[monomial] = result.get(monomial, 0) + c1 * c2
    return result
