# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of energies: what they may contain, and what they are as expressions of SymPy."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import sympy
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.positive import positive
from flexforge.codegen.syntax import formula_tree

_CALLS: Mapping[str, Callable[..., sympy.Expr]] = {
    "log": sympy.log, "exp": sympy.exp, "sqrt": sympy.sqrt,
}  # fmt: skip
_OPERATORS = {
    ast.Add: sympy.Add, ast.Mult: sympy.Mul, ast.Pow: sympy.Pow,
    ast.Sub: lambda a, b: a - b, ast.Div: lambda a, b: a / b,
}  # fmt: skip
#: Functions of two arguments.
_OF_TWO = ("atan2", "min", "max")
#: Characters of a formula, size of a number in it, and powers of powers that are multiplied out.
_LONGEST, _LARGEST, _HIGHEST = 400, 10**9, 12


def read_formula(
    text: str,
    names: Mapping[str, sympy.Expr],
    parameters: Sequence[str],
    where: str,
    what: str,
    *,
    continuum: bool = False,
    further: Mapping[str, Callable[..., sympy.Expr]] = MappingProxyType({}),
    fixed: Collection[sympy.Expr] = (),
) -> sympy.Expr:
    """Return the value of a formula of an energy, or of a force.

    Parameters
    ----------
    text : str
        The formula.
    names : mapping
        What it knows besides the parameters.
    parameters : sequence of str
        Constants, all of which have to occur.
    where, what : str
        Where it stands and what its names are, for errors.
    continuum : bool
        Whether powers may be formulas of parameters, not numbers alone, and quantities positive
        parts.
    further : mapping, optional
        Further functions that it may call.
    fixed : collection of sympy.Expr, optional
        Further constants, of which powers may be formulas.

    Raises
    ------
    InputError
        For what is no formula, unknown names, or parameters that do not occur.
    """
    known = dict(names)
    for name in parameters:
        if name in known or name in (*_CALLS, *further, "positive"):
            raise InputError(f"{where}: found the parameter '{name}', which formulas know already")
        known[name] = sympy.Symbol(name, real=True)
    if len(text) > _LONGEST:
        raise InputError(
            f"{where}: found a formula of {len(text)} characters; expected at most {_LONGEST}"
        )
    tree = formula_tree(text.replace("^", "**"))
    if tree is None:
        raise InputError(f"{where}: found '{text}'; expected a formula of {what}")
    constants = {*fixed, *(known[name] for name in parameters if continuum)}
    calls = {**_CALLS, **({"positive": positive} if continuum else {}), **further}
    scope = _Scope(known, calls, constants, where, f"{what} ({', '.join(names)})")
    found = _read(tree, scope)
    unused = [name for name in parameters if known[name] not in found.free_symbols]
    if unused:
        raise InputError(
            f"{where}: found the parameter '{unused[0]}', which '{text}' does not have"
        )
    return found


@dataclass(frozen=True)
class _Scope:
    """Names and functions of a formula, names that powers may contain, and words for errors."""

    known: Mapping[str, sympy.Expr]
    calls: Mapping[str, Callable[..., sympy.Expr]]
    fixed: Collection[sympy.Expr]
    where: str
    what: str


def _read(node: ast.expr, scope: _Scope, raised: float = 1.0) -> sympy.Expr:
    """Return the value of a syntax tree of a few operators, which is raised to a power."""
    known, where = scope.known, scope.where
    match node:
        case ast.Constant(value=int() | float() as value) if (
            not isinstance(value, bool) and abs(value) < _LARGEST
        ):
            return sympy.Rational(str(value))
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_read(inner, scope, raised)
        case ast.Call(func=ast.Name(id=name), args=inner, keywords=[]) if (
            name in scope.calls and len(inner) == (2 if name in _OF_TWO else 1)
        ):
            return scope.calls[name](*(_read(one, scope, raised) for one in inner))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            second = _read(right, scope, raised)
            if isinstance(op, ast.Pow):
                raised *= _exponent(second, right, scope)
            if raised > _HIGHEST:
                raise InputError(
                    f"{where}: found '{ast.unparse(node)}', with powers to {raised:g} in all; "
                    f"expected {_HIGHEST} at most"
                )
            first = _read(left, scope, raised)
            if isinstance(op, ast.Div) and second == 0:
                raise InputError(f"{where}: found a division by zero in '{ast.unparse(node)}'")
            return _OPERATORS[type(op)](first, second)
    found = ast.unparse(node)
    name = found if re.fullmatch(r"\w+", found) else ""
    raise InputError(
        f"{where}: found '{found}'; expected + - * / ^, {', '.join(scope.calls)}, {scope.what} "
        f"and parameters{nearest(name, known) if name else ''}"
    )


def _exponent(value: sympy.Expr, node: ast.expr, scope: _Scope) -> float:
    """Return by how much a power raises what it contains."""
    if value.is_Rational:
        return max(abs(float(value)), 1.0)
    if value.free_symbols and all(one in scope.fixed for one in value.free_symbols):
        return 1.0
    also = " or a formula of parameters" if scope.fixed else ""
    raise InputError(
        f"{scope.where}: found the power '{ast.unparse(node)}'; expected a number{also}"
    )
