# SPDX-License-Identifier: BSD-3-Clause
"""The kernels of a law of force: efforts, speeds that it holds, its gap, what its events need.

All read the variables as ``state``: the time, then those of ``ForceLaw.variables``. A row of the
first two has its value, then its derivatives by these, time first.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from flexforge.codegen.driver import Kernel
from flexforge.codegen.forces.declaration import ForceLaw
from flexforge.codegen.forces.formulas import Formulas
from flexforge.codegen.forces.terms import EFFORTS, GAP, HOLD, SWITCHES, terms_of
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Const, Expr, Graph
from flexforge.codegen.ir.program import Array, Let, Program, Statement, Store
from flexforge.codegen.passes import PIPELINE

# Straight-line code: passes for loops have nothing to do.
_PASSES = ("factor", "cse", "prune")


def force_kernels(law: ForceLaw, where: str = "force") -> tuple[Kernel, ...]:
    """Return the kernels of a law, in the order of ``terms_of``.

    Parameters
    ----------
    law : ForceLaw
        The law.
    where : str
        What has it, for errors.

    Raises
    ------
    InputError
        For formulas that are none, unknown names, and parameters that do not occur.
    """
    formulas = Formulas(law, where)
    found = {
        EFFORTS: ("efforts and their derivatives",
                  [_with_slopes(formulas, value) for value in formulas.efforts]),
        GAP: ("the gap", [[formulas.gap]]),
        SWITCHES: ("what events need", [formulas.switches]),
        HOLD: ("the speeds that are held and their derivatives",
               [_with_slopes(formulas, value) for value in formulas.holds]),
    }  # fmt: skip
    return tuple(_kernel(law, term, found[term][0], formulas, found[term][1])
                 for term in terms_of(law))  # fmt: skip


def _with_slopes(formulas: Formulas, value: sympy.Expr) -> list[sympy.Expr]:
    """Return a value, and its derivatives in symbols of those of intermediate quantities."""
    return [value, *(_slope(formulas, value, one) for one in formulas.variables.values())]


def _slope(formulas: Formulas, value: sympy.Expr, by: sympy.Symbol) -> sympy.Expr:
    direct = value.diff(by)
    for symbol, _ in formulas.definitions:
        if value.has(symbol):
            direct += value.diff(symbol) * _slope_symbol(symbol, by)
    return direct


def _slope_symbol(symbol: sympy.Symbol, by: sympy.Symbol) -> sympy.Symbol:
    return sympy.Symbol(f"d_{symbol}_by_{by}", real=True)


def _kernel(
    law: ForceLaw, term: str, meaning: str, formulas: Formulas, rows: Sequence[Sequence[sympy.Expr]]
) -> Kernel:
    program = _program(law, formulas, rows, slopes=term in (EFFORTS, HOLD))
    for name in _PASSES:
        program = PIPELINE[name](program)
    return Kernel(
        f"{law.name}_{term}",
        law.name,
        "force",
        term,
        "kinematics",
        law.plane,
        meaning,
        "",
        "general",
        "full",
        1,
        3,
        len(rows),
        len(rows[0]),
        "double",
        1,
        program,
    )


def _program(
    law: ForceLaw, formulas: Formulas, rows: Sequence[Sequence[sympy.Expr]], *, slopes: bool
) -> Program:
    graph = Graph()
    leaves: dict[sympy.Symbol, Expr] = {
        symbol: graph.load("state", k) for k, symbol in enumerate(formulas.variables.values())
    }
    leaves |= {sympy.Symbol(name, real=True): graph.parameter(name) for name in law.constants}
    statements: list[Statement] = []

    def let(symbol: sympy.Symbol, value: sympy.Expr) -> None:
        leaves[symbol] = node = convert(value, leaves, graph)
        if not isinstance(node, Const):  # many slopes are zero
            statements.append(Let(symbol.name, node))
            leaves[symbol] = graph.temp(symbol.name)

    for symbol, value in formulas.definitions:
        let(symbol, value)
        for by in formulas.variables.values() if slopes else ():
            let(_slope_symbol(symbol, by), _slope(formulas, value, by))
    statements += [
        Store("out", (r, c), convert(value, leaves, graph))
        for r, row in enumerate(rows)
        for c, value in enumerate(row)
    ]
    arrays = (
        Array("state", (len(formulas.variables),), "input"),
        Array("out", (len(rows), len(rows[0])), "output"),
    )
    return Program(arrays, law.constants, tuple(statements), graph)
