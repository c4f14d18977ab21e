# SPDX-License-Identifier: BSD-3-Clause
"""Formulas in model files: parsed from a whitelist, never executed as code.

``parse_expression`` turns text into an `Expression`, a short program for a stack machine. Every
number is a float64 from the start, so that ``9**9**9**9`` overflows to infinity immediately and is
reported. Subexpressions without variables are evaluated here and become one number.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.syntax import formula_tree
from flexforge.runtime._functions import Function
from flexforge.runtime.formula.functions import CONSTANTS, FUNCTIONS, OPERATORS, Operation
from flexforge.runtime.formula.program import Expression

__all__ = ["Expression", "parse_expression"]

LONGEST = 4000  # characters
DEEPEST = 200  # levels of the syntax tree; a sum of n terms has n levels

#: A name after a number or a bracket, which stands for a unit more often than not.
_UNIT = re.compile(r"((?<![\w.])\d[\w.]*|\))\s+([A-Za-z]+)")
#: Variables that only the formulas of some keys have.
_VARIABLES = ("t", "x", "y", "z")
_OPERATORS: dict[type[ast.AST], Operation] = {
    ast.Add: OPERATORS["+"],
    ast.Sub: OPERATORS["-"],
    ast.Mult: OPERATORS["*"],
    ast.Div: OPERATORS["/"],
    ast.Pow: OPERATORS["**"],
    ast.USub: OPERATORS["negate"],
}


def parse_expression(text: str, variables: Sequence[str] = ("t",)) -> Expression:
    """Parse a formula.

    Parameters
    ----------
    text : str
        Numbers, ``pi``, ``e``, the variables, ``+ - * / **``, parentheses and the functions of
        `flexforge.runtime.formula.functions`.
    variables : sequence of str
        Names of the variables that may occur.

    Returns
    -------
    Expression
        The formula, ready for evaluation.

    Raises
    ------
    InputError
        For anything else; no part of the text is ever executed.
    """
    if len(text) > LONGEST:
        raise InputError(
            f"found an expression of {len(text)} characters; expected at most {LONGEST}"
        )
    text = text.strip()
    tree = formula_tree(text)
    if tree is None:
        if unit := _UNIT.search(text):
            raise InputError(
                f"found '{unit[2]}' after '{unit[1]}' in {text[:80]!r}; expected numbers in "
                "the units of the model, by default SI, without a name: 0.002 for 2 mm"
            )
        raise InputError(
            f"found {text[:80]!r}; expected one formula in {', '.join(variables)}, such as "
            f"'2*sin(3*{variables[0]})'"
        )
    compiler = _Compiler(text, tuple(variables), [], [], set())
    compiler.add(tree, 0)
    function = Function(compiler.code, compiler.numbers)
    return Expression(text, tuple(variables), function, tuple(sorted(compiler.breaks)))


@dataclass(frozen=True, slots=True)
class _Compiler:
    """Compiler of the syntax tree, which accepts only whitelisted nodes."""

    text: str
    variables: tuple[str, ...]
    code: list[tuple[str, int, int]]
    numbers: list[float]
    breaks: set[float]

    def add(self, node: ast.expr, depth: int) -> None:
        if depth > DEEPEST:
            raise InputError(f"found an expression nested deeper than {DEEPEST} levels")
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                self._push(self._number(value))
            case ast.Name(id=name):
                self._name(name)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                self.add(operand, depth + 1)
            case ast.UnaryOp(op=operator, operand=operand) if type(operator) in _OPERATORS:
                self._apply(_OPERATORS[type(operator)], [operand], depth)
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
                self._apply(_OPERATORS[type(operator)], [left, right], depth)
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                self._call(name, arguments, depth)
            case _:
                hint = "; a power is written **" if "^" in self.text else ""
                found = ast.get_source_segment(self.text, node) or type(node).__name__
                raise InputError(
                    f"found {found[:40]!r} in {self.text[:80]!r}; expected only numbers, "
                    f"{', '.join(self.variables)}, + - * / ** and functions such as sin{hint}"
                )

    def _number(self, value: float) -> float:
        try:
            number = float(value)
        except OverflowError:
            number = float("inf")
        if not np.isfinite(number):
            raise InputError(f"found a number too large for float64 in {self.text[:60]!r}")
        return number

    def _name(self, name: str) -> None:
        if name in self.variables:
            self.code.append(("variable", self.variables.index(name), 0))
        elif name in CONSTANTS:
            self._push(CONSTANTS[name])
        else:
            expected = f"{', '.join(self.variables)}, pi, e or a function"
            if name in FUNCTIONS:
                raise InputError(
                    f"found the function '{name}' without arguments in {self.text[:80]!r}; "
                    f"expected {name}(...)"
                )
            if name in _VARIABLES:
                raise InputError(
                    f"found the unknown name '{name}' in {self.text[:80]!r}, a formula of "
                    f"{', '.join(self.variables)}; expected {expected}"
                )
            hint = nearest(name, (*self.variables, *CONSTANTS))
            if not hint and (alike := difflib.get_close_matches(name, FUNCTIONS, n=1, cutoff=0.5)):
                hint = f"; did you mean '{alike[0]}(...)'?"
            raise InputError(
                f"found the unknown name '{name}' in {self.text[:80]!r}; expected {expected}{hint}"
            )

    def _push(self, number: float) -> None:
        self.code.append(("number", len(self.numbers), 1))
        self.numbers.append(number)

    def _call(self, name: str, arguments: list[ast.expr], depth: int) -> None:
        function = FUNCTIONS.get(name)
        if function is None and name in (*self.variables, *CONSTANTS):
            raise InputError(
                f"found '{name}' called like a function in {self.text[:80]!r}; expected an "
                f"operator, such as {name}*(...)"
            )
        if function is None:
            raise InputError(
                f"found the unknown function '{name}' in {self.text[:80]!r}; expected one of "
                f"{', '.join(FUNCTIONS)}{nearest(name, FUNCTIONS)}"
            )
        if not function.least <= len(arguments) <= function.most:
            expected = (
                f"{function.least}"
                if function.least == function.most
                else f"{function.least} to {function.most}"
            )
            raise InputError(
                f"found {len(arguments)} arguments of '{name}' in {self.text[:80]!r}; "
                f"expected {expected}"
            )
        self._apply(function, arguments, depth)

    def _apply(self, operation: Operation, arguments: list[ast.expr], depth: int) -> None:
        """Append arguments, and the operation as soon as it has all of its arguments."""
        begin, first = len(self.code), len(self.numbers)
        for position, argument in enumerate(arguments, start=1):
            before = len(self.code)
            self.add(argument, depth + 1)
            if position > 1 and operation.name in ("step_at", "smooth_step"):
                self._remember_break(self.code[before:])
            if position >= operation.least:
                self.code.append((operation.name, 0, 0))
                self._fold(begin, first)

    def _fold(self, begin: int, first: int) -> None:
        """Replace the end of the program by its value, if it is a constant with a finite value."""
        part = self.code[begin:]
        if any(name == "variable" for name, *_ in part):
            return
        (value,), finite = Function(part, self.numbers).values(np.zeros((0, 1)))
        if finite:
            del self.code[begin:], self.numbers[first:]
            self._push(float(value))

    def _remember_break(self, code: list[tuple[str, int, int]]) -> None:
        """Record the time of a step if it is a number: quadrature then ends an interval there."""
        time = Expression(self.text, (), Function(code, self.numbers))
        if time.is_constant:
            self.breaks.add(float(time()))
