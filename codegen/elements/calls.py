# SPDX-License-Identifier: BSD-3-Clause
"""What formulas of a field element may call wherever they are: roots and products of vectors.

A vector is a column matrix of numbers along the axes; formulas add vectors and multiply them by
numbers, and ``v[1]`` is the first component.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import sympy
from flexforge.codegen.errors import InputError

#: What a formula stands for: a number or a vector.
Value: TypeAlias = sympy.Expr | sympy.ImmutableMatrix


def is_vector(value: Value) -> bool:
    """Whether a value is a vector."""
    return isinstance(value, sympy.MatrixBase)


def vector(*entries: Value) -> sympy.ImmutableMatrix:
    """Return the vector of 2 or 3 numbers."""
    if len(entries) not in (2, 3) or any(map(is_vector, entries)):
        raise InputError("found a vector of something else; expected vector() of 2 or 3 numbers")
    return sympy.ImmutableMatrix(entries)


def dot(a: Value, b: Value) -> sympy.Expr:
    """Return the scalar product of two vectors."""
    _check(a, b, "dot", (2, 3))
    return sympy.Add(*(x * y for x, y in zip(a, b, strict=True)))


def cross(a: Value, b: Value) -> sympy.ImmutableMatrix:
    """Return the vector product of two vectors in space."""
    _check(a, b, "cross", (3,))
    return sympy.ImmutableMatrix(a.cross(b))


def square_root(value: Value) -> sympy.Expr:
    """Return the square root that formulas call ``sqrt``.

    Raises
    ------
    InputError
        Of a vector, and of a negative number.
    """
    if is_vector(value):
        raise InputError("found the root of a vector; expected one of a number, such as dot(v, v)")
    if value.is_number and value < 0:
        raise InputError(f"found the root of {value}; expected one of what is not negative")
    return sympy.sqrt(value)


def _check(a: Value, b: Value, name: str, sizes: tuple[int, ...]) -> None:
    """Refuse what is not a pair of vectors of one size."""
    if not (is_vector(a) and is_vector(b) and a.rows == b.rows and a.rows in sizes):
        wanted = " or ".join(map(str, sizes))
        raise InputError(f"found {name}() of others; expected two vectors of {wanted} components")


CALLS: Mapping[str, Callable[..., Value]] = MappingProxyType(
    {"sqrt": square_root, "dot": dot, "cross": cross, "vector": vector}
)
