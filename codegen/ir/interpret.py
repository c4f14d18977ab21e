# SPDX-License-Identifier: BSD-3-Clause
"""Interpreter of programs: the reference with which emitted kernels are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from operator import add, mul, truediv
from typing import Any

import numpy as np
from flexforge.codegen.ir.expression import (
    Add,
    Call,
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

#: Function that computes a node, and positions of its operands among the values before it.
_Step = tuple[Callable[..., Any], list[int]]


def interpret(
    program: Program, inputs: Mapping[str, NDArray[Any]], parameters: Mapping[str, Any]
) -> NDArray[Any]:
    """Run a program on many elements at once.

    Parameters
    ----------
    program : Program
        The program to run.
    inputs : mapping
        Input arrays by name, their shape followed by the number of elements; all of one type. It
        is the type of the arithmetic: with arrays of Fractions (dtype object) nothing is rounded,
        while table entries keep their values in double precision.
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


#: NumPy's names of functions where they differ from C's.
_RENAMED = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"}


def _function(name: str) -> Callable[..., Any]:
    """Return NumPy's function of a name in C."""
    found: Callable[..., Any] = getattr(np, _RENAMED.get(name, name))
    return found


class _Scope:
    """State of the execution, visible to statements."""

    def __init__(
        self,
        arrays: dict[str, NDArray[Any]],
        parameters: dict[str, Any],
        number: Callable[[Any], Any],
    ) -> None:
        self.arrays, self.parameters, self.number = arrays, parameters, number
        self.temps: dict[str, Any] = {}
        self.loops: dict[str, int] = {}
        self._known: dict[int, list[_Step]] = {}

    def locate(self, index: tuple[Index, ...]) -> tuple[int, ...]:
        """Return an index with the current values of loops."""
        return tuple(self.loops[i] if isinstance(i, str) else i for i in index)

    def evaluate(self, root: Expr) -> Any:
        """Return the value of an expression."""
        steps = self._known.get(root.number)
        if steps is None:
            steps = self._known[root.number] = self._steps(root)
        values: list[Any] = []
        for compute, places in steps:
            values.append(compute(*[values[place] for place in places]))
        return values[-1]

    def _steps(self, root: Expr) -> list[_Step]:
        """Return functions that compute the nodes of an expression, with operand positions."""
        steps: list[_Step] = []
        places: dict[int, int] = {}
        for node in postorder([root]):
            places[node.number] = len(steps)
            steps.append((self._operation(node), [places[a.number] for a in operands(node)]))
        return steps

    def _operation(self, node: Expr) -> Callable[..., Any]:
        """Return the function from the operands of a node to its value."""
        match node:
            case Const(_, value):
                constant = self.number(value)
                return lambda: constant
            case Parameter(_, name):
                return lambda: self.parameters[name]
            case Temp(_, name):
                return lambda: self.temps[name]
            case Load(_, array, index):
                return lambda: self.arrays[array][self.locate(index)]
            case Add():
                return lambda *terms: reduce(add, terms)
            case Mul():
                return lambda *factors: reduce(mul, factors)
            case Div():
                return truediv
            case Sqrt():
                return np.sqrt
            case Call(_, function):
                return _function(function)


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
