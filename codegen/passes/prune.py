# SPDX-License-Identifier: BSD-3-Clause
"""Pruning: unused values are not computed, and what one iteration needs is not kept for others."""

from __future__ import annotations

from dataclasses import replace

from flexforge.codegen.ir.expression import Load, Temp
from flexforge.codegen.ir.program import (
    Accumulate,
    For,
    Let,
    Program,
    Sines,
    Statement,
    Store,
    Zero,
    walk,
)
from flexforge.codegen.ir.traversal import postorder
from flexforge.codegen.passes.contract import contract_arrays
from flexforge.codegen.passes.rewriting import Body, map_bodies


def prune_unused(program: Program) -> Program:
    """Drop scalars and local arrays that are never read, arrays that are never used, and axes.

    Assumes
        Entries of local arrays are written before they are read.
    Guarantees
        The output is computed by the same operations, never more of them; never larger arrays.
    """
    while True:
        temps, arrays = _read(program)
        output = {a.name for a in program.arrays if a.kind == "output"}
        alive = arrays | output

        body = _drop(program.body, temps, alive)
        kept = tuple(a for a in program.arrays if a.name in alive)
        if body == program.body and kept == program.arrays:
            return contract_arrays(program)
        program = replace(program, body=body, arrays=kept)


def _drop(body: Body, temps: set[str], arrays: set[str]) -> Body:
    """Return the body without unread values, and without loops that became empty."""

    def keep(statement: Statement) -> bool:
        match statement:
            case Let(name, _) | Zero(name) | Accumulate(name, _):
                return name in temps
            case Store(array, _, _):
                return array in arrays
            case For(_, _, inner, _):
                return bool(inner)
            case Sines(_, sines, cosines):
                return not temps.isdisjoint((*sines, *cosines))

    return map_bodies(body, lambda inner: tuple(s for s in inner if keep(s)))


def _read(program: Program) -> tuple[set[str], set[str]]:
    """Return the scalars and the arrays that expressions read."""
    temps: set[str] = set()
    arrays: set[str] = set()
    values = [s.value for s in walk(program.body) if isinstance(s, Let | Accumulate | Store)]
    values += [angle for s in walk(program.body) if isinstance(s, Sines) for angle in s.angles]
    for node in postorder(values):
        match node:
            case Temp(_, name):
                temps.add(name)
            case Load(_, array, _):
                arrays.add(array)
    return temps, arrays
