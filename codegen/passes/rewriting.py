# SPDX-License-Identifier: BSD-3-Clause
"""Tools of the passes: rebuilding bodies, fresh names, dependences of temporaries, costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from flexforge.codegen.ir.expression import Add, Call, Div, Expr, Graph, Mul, Sqrt, operands
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
from flexforge.codegen.ir.traversal import Monomial, dependences, polynomial, postorder

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
        (max(1, len(operands(node)) - 1)) * COST[type(node)]
        for node in postorder(roots)
        if operands(node)
    )


def temp_dependences(program: Program) -> dict[str, frozenset[str]]:
    """Return the enclosing loops on which the value of each scalar depends."""
    known: dict[str, frozenset[str]] = {}

    def visit(body: Body, loops: frozenset[str]) -> None:
        for statement in body:
            match statement:
                case Let(name, value):
                    known[name] = dependences([value], known)[value.number]
                case Zero(name):
                    # An accumulator changes with every loop around its zero.
                    known[name] = loops
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


def sorted_terms(table: Mapping[tuple[Expr, ...], object]) -> list[tuple[Expr, ...]]:
    """Return monomials in the order of creation of their factors."""
    return sorted(table, key=lambda monomial: [e.number for e in monomial])


def separate(
    value: Expr, index: str, temps: Mapping[str, frozenset[str]], graph: Graph
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
    """
    terms = polynomial(value)
    atoms = {e.number: e for monomial in terms for e in monomial}
    depends = dependences(atoms.values(), temps)
    result: dict[Monomial, Expr] = {}
    for monomial in sorted_terms(terms):
        changing = tuple(e for e in monomial if index in depends[e.number])
        fixed = [e for e in monomial if index not in depends[e.number]]
        term = graph.mul(graph.const(terms[monomial]), *fixed)
        result[changing] = graph.add(result.get(changing, graph.const(0)), term)
    return result
