# SPDX-License-Identifier: BSD-3-Clause
"""Sines and cosines computed side by side: one call of a loop over angles instead of one per angle.

The library's ``sin`` takes one angle at a time; a loop of straight arithmetic over all of them is
computed in vector registers.
"""

from __future__ import annotations

from dataclasses import replace

from flexforge.codegen.ir.expression import Call, Expr, Temp
from flexforge.codegen.ir.program import (
    Accumulate,
    Let,
    Program,
    Sines,
    Statement,
    Store,
    expressions,
)
from flexforge.codegen.ir.traversal import postorder, transform
from flexforge.codegen.passes.rewriting import Body, fresh_names, with_value

#: Fewest angles for which this pays.
ANGLES = 3
_KINDS = ("sin", "cos")


def gather_sines(program: Program) -> Program:
    """Return the program with sines and cosines of independent angles in one statement.

    Only angles that need no other function; the others keep their calls.

    Parameters
    ----------
    program : Program
        After the passes.
    """
    if not any(map(_is_trigonometric, postorder(expressions(program.body)))):
        return program
    body = _with_names(program)
    lets = {s.name: s.value for s in body if isinstance(s, Let)}
    before: dict[str, set[str]] = {}
    ready: set[str] = set()
    for name, value in lets.items():
        before[name] = set().union(*(before[t] | {t} for t in _temps(value) if t in before))
        if not any(_calls(lets[one]) for one in before[name]):
            ready.add(name)
    angles: dict[Expr, dict[str, str]] = {}
    for name, value in lets.items():
        if name in ready and isinstance(value, Call) and _is_trigonometric(value):
            angles.setdefault(value.args[0], {}).setdefault(value.function, name)
    if len(angles) < ANGLES:
        return program
    taken = {name: kinds for kinds in angles.values() for name in kinds.values()}
    needed = set().union(*(before[name] for name in taken))
    fresh = fresh_names(replace(program, body=body), "turn")
    sines, cosines = (
        tuple(kinds.get(kind) or fresh() for kinds in angles.values()) for kind in _KINDS
    )
    first = [s for s in body if isinstance(s, Let) and s.name in needed]
    rest = [s for s in body if not isinstance(s, Let) or s.name not in needed | taken.keys()]
    return replace(program, body=(*first, Sines(tuple(angles), sines, cosines), *rest))


def _with_names(program: Program) -> Body:
    """Return the body with a name for every sine and cosine, the same for equal ones."""
    fresh = fresh_names(program, "turned")
    names: dict[int, Expr] = {}
    result: list[Statement] = []

    def named(node: Expr) -> Expr | None:
        if not _is_trigonometric(node):
            return None
        if node.number not in names:
            name = fresh()
            result.append(Let(name, node))
            names[node.number] = program.graph.temp(name)
        return names[node.number]

    for statement in program.body:
        if isinstance(statement, Let) and _is_trigonometric(statement.value):
            if statement.value.number in names:
                result.append(Let(statement.name, names[statement.value.number]))
            else:
                names[statement.value.number] = program.graph.temp(statement.name)
                result.append(statement)
        elif isinstance(statement, Let | Accumulate | Store):
            value = transform(statement.value, program.graph, named)
            result.append(with_value(statement, value))
        else:
            result.append(statement)
    return tuple(result)


def _is_trigonometric(node: Expr) -> bool:
    return isinstance(node, Call) and node.function in _KINDS


def _calls(value: Expr) -> bool:
    """Whether an expression calls a function."""
    return any(isinstance(node, Call) for node in postorder([value]))


def _temps(value: Expr) -> set[str]:
    return {node.name for node in postorder([value]) if isinstance(node, Temp)}
