# SPDX-License-Identifier: BSD-3-Clause
"""Tools of the passes: rebuilding bodies, fresh names, dependences of temporaries, costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from flexforge.codegen.ir.expression import Add, Call, Div, Expr, Graph, Mul, Number, Sqrt
from flexforge.codegen.ir.program import (
    Accumulate,
    For,
    Let,
    Program,
    Statement,
    Store,
    Zero,
    walk,
)
from flexforge.codegen.ir.traversal import (
    Monomial,
    dependences,
    polynomial,
    postorder,
    transform,
)

Body = tuple[Statement, ...]

#: Weight of an operation relative to an addition, from throughputs of current processors.
COST = {Add: 1, Mul: 1, Div: 8, Sqrt: 8, Call: 30}


def with_value(statement: Let | Accumulate | Store, value: Expr) -> Statement:
    """Return the statement with another right side."""
    return statement if value is statement.value else replace(statement, value=value)


def map_bodies(body: Body, change: Callable[[Body], Body]) -> Body:
    """Apply a change to every body, innermost first."""
    inner = tuple(
        replace(s, body=map_bodies(s.body, change)) if isinstance(s, For) else s for s in body
    )
    return change(inner)


def cost(roots: Iterable[Expr]) -> int:
    """Return the weighted operations of expressions, shared nodes counted once."""
    return sum(
        [max(1, len(node.args) - 1) * COST[type(node)] for node in postorder(roots) if node.args]
    )


def temp_dependences(program: Program) -> dict[str, frozenset[str]]:
    """Return the enclosing loops on which the value of each scalar depends."""
    known: dict[str, frozenset[str]] = {}
    nodes: dict[int, frozenset[str]] = {}

    def note(name: str, depends: frozenset[str]) -> None:
        if known.setdefault(name, depends) != depends:
            known[name] = depends
            nodes.clear()  # what was found with the former value of the scalar

    def visit(body: Body, loops: frozenset[str]) -> None:
        for statement in body:
            match statement:
                case Let(name, value):
                    note(name, dependences([value], known, known=nodes)[value.number])
                case Zero(name):
                    # An accumulator changes with every loop around its zero.
                    note(name, loops)
                case For(index, _, inner, _):
                    visit(inner, loops | {index})

    visit(program.body, frozenset())
    return known


def fresh_names(program: Program, stem: str) -> Callable[[], str]:
    """Return a function that yields names not used in the program."""
    taken = {a.name for a in program.arrays}
    taken |= {s.name for s in walk(program.body) if isinstance(s, Let | Zero)}
    counter = 0

    def fresh() -> str:
        nonlocal counter
        while f"{stem}{counter}" in taken:
            counter += 1
        name = f"{stem}{counter}"
        taken.add(name)
        return name

    return fresh


def substitute(body: Body, change: Callable[[Expr], Expr]) -> Body:
    """Return the body with every right side changed, loops included."""
    result: list[Statement] = []
    for statement in body:
        match statement:
            case Let() | Accumulate() | Store():
                result.append(with_value(statement, change(statement.value)))
            case For():
                result.append(replace(statement, body=substitute(statement.body, change)))
            case _:
                result.append(statement)
    return tuple(result)


def replace_nodes(body: Body, graph: Graph, change: Callable[[Expr], Expr | None]) -> Body:
    """Return the body with nodes replaced in every right side, loops included.

    A node becomes the same wherever it is: ``change`` is as for :func:`transform`.
    """
    done: dict[int, Expr] = {}
    return substitute(body, lambda value: transform(value, graph, change, done))


def sorted_terms(table: Mapping[tuple[Expr, ...], object]) -> list[tuple[Expr, ...]]:
    """Return monomials in the order of creation of their factors."""
    return sorted(table, key=lambda monomial: [e.number for e in monomial])


def separate(
    value: Expr,
    index: str,
    temps: Mapping[str, frozenset[str]],
    graph: Graph,
    expanded: dict[int, dict[Monomial, Number]],
) -> dict[Monomial, Expr]:
    """Return a value as coefficients free of a loop, by the products that change with it.

    Parameters
    ----------
    value : Expr
        The expression, which is expanded.
    index : str
        Name of the loop.
    temps : mapping
        The loops on which each scalar depends.
    graph : Graph
        Where the coefficients are created.
    expanded : dict
        Expanded parts of other values, which is added to.
    """
    terms = polynomial(value, expanded)
    atoms = {e.number: e for monomial in terms for e in monomial}
    depends = dependences(atoms.values(), temps)
    varies = {number for number in atoms if index in depends[number]}
    result: dict[Monomial, Expr] = {}
    for monomial in sorted_terms(terms):
        changing = tuple([e for e in monomial if e.number in varies])
        fixed = [e for e in monomial if e.number not in varies]
        term = graph.mul(graph.const(terms[monomial]), *fixed)
        result[changing] = graph.add(result.get(changing, graph.const(0)), term)
    return result
