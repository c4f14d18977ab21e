# SPDX-License-Identifier: BSD-3-Clause
"""Combinations: exact expressions written as sums of few products, found by comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TypeAlias

import sympy

Matrix: TypeAlias = sympy.ImmutableMatrix
Values: TypeAlias = Mapping[sympy.Symbol, sympy.Expr]


def combination(
    exact: Matrix,
    shared: Sequence[Matrix],
    draw: Callable[[Random], Values],
    equal: Callable[[Matrix, Matrix], bool],
) -> list[sympy.Rational] | None:
    """Return constant factors with which a sum of products is a matrix, or None.

    Parameters
    ----------
    exact : ImmutableMatrix
        The matrix.
    shared : sequence of ImmutableMatrix
        The products, of the same shape.
    draw : callable
        Returns random values of all symbols, at which coefficients are compared.
    equal : callable
        Proves that two matrices are the same functions.
    """
    random = Random(7)
    rows, right = [], []
    for _ in range(2 * len(shared)):
        values = draw(random)
        rows += [*zip(*([*one.xreplace(values)] for one in shared), strict=True)]
        right += [*exact.xreplace(values)]
    names = sympy.symbols(f"k:{len(shared)}")
    found = sympy.linsolve((sympy.Matrix(rows), sympy.Matrix(right)), *names)
    if not found:
        return None
    (solved,) = found
    factors = [value.subs(dict.fromkeys(names, 0)) for value in solved]
    return factors if equal(exact, combined(factors, shared)) else None


def combined(factors: Sequence[sympy.Expr], shared: Sequence[Matrix]) -> Matrix:
    """Return a sum of products with factors."""
    total = sympy.zeros(*shared[0].shape)
    for factor, one in zip(factors, shared, strict=True):
        total += factor * one
    return Matrix(total)
