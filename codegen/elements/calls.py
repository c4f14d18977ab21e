# SPDX-License-Identifier: BSD-3-Clause
"""Functions that all formulas of a field element may call: square roots and vector products.

A vector is a column matrix of components along the axes; formulas add vectors, multiply them by
numbers, and ``v[1]`` is the first component.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

import sympy
from flexforge.codegen.errors import InputError

#: Value of a formula: a number or a vector.
Value: TypeAlias = sympy.Expr | sympy.ImmutableMatrix


def is_vector(value: Value) -> bool:
    """Whether a value is a vector."""
    return isinstance(value, sympy.MatrixBase)


def vector(*entries: Value) -> sympy.ImmutableMatrix:
    """Return a vector of 2 or 3 components."""
    if len(entries) not in (2, 3) or any(map(is_vector, entries)):
        raise InputError("found vector() with invalid components; expected 2 or 3 numbers")
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
        For a vector or a negative number.
    """
    if is_vector(value):
        raise InputError("found the square root of a vector; expected a number, such as dot(v, v)")
    if value.is_number and value < 0:
        raise InputError(f"found the square root of {value}; expected zero or more")
    return sympy.sqrt(value)


def _check(a: Value, b: Value, name: str, sizes: tuple[int, ...]) -> None:
    """Raise an error unless both arguments are vectors of the same size."""
    if not (is_vector(a) and is_vector(b) and a.rows == b.rows and a.rows in sizes):
        wanted = " or ".join(map(str, sizes))
        raise InputError(
            f"found other arguments of {name}(); expected two vectors of {wanted} components"
        )


CALLS: Mapping[str, Callable[..., Value]] = MappingProxyType(
    {"sqrt": square_root, "dot": dot, "cross": cross, "vector": vector}
)
