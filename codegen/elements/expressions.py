# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of a user's element file: parsed from a few operators, never executed."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import sympy
from flexforge.codegen.errors import InputError

_LONGEST = 200


def parse(
    text: object, variables: Mapping[str, sympy.Symbol], where: str, *, ratios: bool = False
) -> sympy.Expr:
    """Return the polynomial, or ratio of polynomials, that a text says.

    Parameters
    ----------
    text : object
        What the file holds.
    variables : mapping
        What may occur in it.
    where : str
        Key of the file, for errors.
    ratios : bool
        Whether expressions may divide, not only by whole numbers.

    Raises
    ------
    InputError
        Naming the key, what was found and what is expected.
    """
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise InputError(f"{where}: found {text!r}; expected a text such as 'xi*eta'")
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise InputError(f"{where}: found '{text}'; expected a polynomial") from None
    return _expression(tree.body, variables, where, ratios)


def _expression(
    node: ast.expr, variables: Mapping[str, sympy.Symbol], where: str, ratios: bool
) -> sympy.Expr:
    """Return the expression of a syntax tree; anything else is refused."""
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return sympy.Integer(value)
        case ast.Name(id=name) if name in variables:
            return variables[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_expression(operand, variables, where, ratios)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)) if (
            0 <= power <= 8
        ):
            return _expression(left, variables, where, ratios) ** power
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=int() as divisor)) if (
            divisor
        ):
            return _expression(left, variables, where, ratios) / divisor
        case ast.BinOp(left=left, op=ast.Div(), right=right) if ratios:
            below = _expression(right, variables, where, ratios)
            if sympy.expand(below) != 0:
                return _expression(left, variables, where, ratios) / below
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as operation, right=right):
            a = _expression(left, variables, where, ratios)
            b = _expression(right, variables, where, ratios)
            if isinstance(operation, ast.Mult):
                return a * b
            return a + b if isinstance(operation, ast.Add) else a - b
    what = "a ratio of polynomials" if ratios else "a polynomial"
    raise InputError(
        f"{where}: found '{ast.unparse(node)}'; expected {what} in "
        f"{', '.join(variables) or 'nothing (a point has no coordinates)'} with whole powers to 8"
    )
