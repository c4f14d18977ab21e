# SPDX-License-Identifier: BSD-3-Clause
"""What a program means, executed: the reference every emitted kernel is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from flexforge.codegen.ir.expression import (
    Add,
    Const,
    Div,
    Expr,
    Index,
    Load,
    Mul,
    Parameter,
    Sqrt,
    Temp,
    operands,
)
from flexforge.codegen.ir.program import Accumulate, For, Let, Program, Statement, Store, Zero
from flexforge.codegen.ir.traversal import postorder
from numpy.typing import NDArray


def interpret(
    program: Program, inputs: Mapping[str, NDArray[Any]], parameters: Mapping[str, Any]
) -> NDArray[Any]:
    """Run a program on many elements at once.

    Parameters
    ----------
    program : Program
        What to run.
    inputs : mapping
        Input arrays by name, their shape followed by the number of elements; all of one type. It
        is the type of the arithmetic: with arrays of Fractions (dtype object) nothing is rounded,
        the numbers of tables being what they are in double precision.
    parameters : mapping
        Scalar arguments by name; Fractions with arrays of Fractions.

    Returns
    -------
    ndarray
        The output, its shape followed by the number of elements.
    """
    lanes = next(iter(inputs.values())).shape[-1]
    dtype = next(iter(inputs.values())).dtype
    arrays: dict[str, NDArray[Any]] = dict(inputs)
    number: Callable[[Any], Any] = Fraction if dtype.kind == "O" else lambda v: dtype.type(float(v))
    output = ""
    for array in program.arrays:
        match array.kind:
            case "table":
                values = np.array([number(v) for v in array.values], dtype)
                arrays[array.name] = values.reshape(array.shape)
            case "local" | "output":
                arrays[array.name] = np.full((*array.shape, lanes), np.nan).astype(dtype)
                output = array.name if array.kind == "output" else output
    scalars = {name: number(value) for name, value in parameters.items()}
    _run(program.body, _Scope(arrays, scalars, number))
    return arrays[output]


class _Scope:
    """Everything a statement can see."""

    def __init__(self, arrays: dict[str, NDArray[Any]], parameters: dict[str, Any],
                 number: Callable[[Any], Any]) -> None:  # fmt: skip
        self.arrays, self.parameters, self.number = arrays, parameters, number
        self.temps: dict[str, Any] = {}
        self.loops: dict[str, int] = {}

    def locate(self, index: tuple[Index, ...]) -> tuple[int, ...]:
        """Return an index with the loops' present values."""
        return tuple(self.loops[i] if isinstance(i, str) else i for i in index)

    def evaluate(self, root: Expr) -> Any:
        """Return the value of an expression."""
        values: dict[int, Any] = {}
        for node in postorder([root]):
            args = [values[a.number] for a in operands(node)]
            values[node.number] = self._apply(node, args)
        return values[root.number]

    def _apply(self, node: Expr, args: list[Any]) -> Any:
        match node:
            case Const(_, value):
                return self.number(value)
            case Parameter(_, name):
                return self.parameters[name]
            case Temp(_, name):
                return self.temps[name]
            case Load(_, array, index):
                return self.arrays[array][self.locate(index)]
            case Add():
                return sum(args[1:], start=args[0])
            case Mul():
                result = args[0]
                for factor in args[1:]:
                    result = result * factor
                return result
            case Div():
                return args[0] / args[1]
            case Sqrt():
                return np.sqrt(args[0])


def _run(body: tuple[Statement, ...], scope: _Scope) -> None:
    """Execute statements in order."""
    for statement in body:
        match statement:
            case Let(name, value):
                scope.temps[name] = scope.evaluate(value)
            case Zero(name):
                scope.temps[name] = scope.number(0)
            case Accumulate(name, value):
                scope.temps[name] = scope.temps[name] + scope.evaluate(value)
            case Store(array, index, value):
                scope.arrays[array][scope.locate(index)] = scope.evaluate(value)
            case For(index, extent, inner, first):
                start = scope.loops[first] if isinstance(first, str) else first
                for position in range(start, extent):
                    scope.loops[index] = position
                    _run(inner, scope)
