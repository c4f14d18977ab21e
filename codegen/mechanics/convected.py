# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of the invariants by the Jacobian of the deformed cell.

With the Jacobian ``j`` of the map from the reference cell to the deformed body, and ``j_0`` to the
undeformed one, ``F = j j_0^-1`` is linear in j. In the metric ``M = j_0^-1 j_0^-T`` the invariants
are functions of j alone,

    B = F F^T = j M j^T,   I1 = tr B,   I2 = (I1^2 - tr B^2) / 2,   J = det j / det j_0,

and a virtual displacement of node a changes j by ``e_i g_a^T`` with the gradient g_a of its shape
function in the reference cell: a number at every point, the same for all elements. SymPy
differentiates; second derivatives are written in products of few tensors,

    P = j M,   N = P^T P,   B,   M,

found by comparing coefficients at random deformations, and proven by expansion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from random import Random

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.energy import I1, I2, J
from flexforge.codegen.mechanics.combinations import Matrix, Values, combination, combined
from flexforge.codegen.mechanics.invariants import (
    deformation,
    matrix_symbols,
    scalar_symbol,
    slope,
)

#: Determinants of the Jacobians of the deformed and the undeformed cell.
DETERMINANT, REFERENCE = scalar_symbol("determinant_now"), scalar_symbol("determinant")
#: One over that of the undeformed cell.
RECIPROCAL = scalar_symbol("reciprocal")
#: P : X of a change X of j.
_ALONG = scalar_symbol("along")


def symmetric_symbols(letter: str, size: int) -> Matrix:
    """Return the symbols of a symmetric matrix at a point."""
    return Matrix(size, size, lambda i, j: scalar_symbol(f"{letter}{min(i, j) + 1}{max(i, j) + 1}"))


def cofactors(size: int) -> Matrix:
    """Return the symbols of the cofactors of j."""
    return matrix_symbols("c", size)


@dataclass(frozen=True)
class Tensors:
    """Tensors at a point, as symbols or as functions of the Jacobian and the metric.

    Attributes
    ----------
    jacobian, metric : ImmutableMatrix, (d, d)
        j and M.
    moved, square, across : ImmutableMatrix, (d, d)
        ``P = j M``, ``N = P^T P`` and ``B = j M j^T``.
    first : sympy.Expr
        I1.
    """

    jacobian: Matrix
    metric: Matrix
    moved: Matrix
    square: Matrix
    across: Matrix
    first: sympy.Expr


@cache
def tensors(size: int) -> Tensors:
    """Return the tensors as symbols of the kernels."""
    return Tensors(
        matrix_symbols("j", size), symmetric_symbols("M", size), matrix_symbols("P", size),
        symmetric_symbols("N", size), symmetric_symbols("B", size), I1,
    )  # fmt: skip


@cache
def written(size: int) -> Tensors:
    """Return the tensors as functions of the Jacobian where the metric is 1 and ``F = j``."""
    F, one = tensors(size).jacobian, Matrix.eye(size)
    across = Matrix(F * F.T)
    return Tensors(F, one, F, Matrix(F.T * F), across, across.trace() + 3 - size)


def direction(name: sympy.Symbol, size: int) -> tuple[sympy.Expr, Matrix]:
    """Return a factor and a matrix, whose product is the derivative of an invariant by j.

    The matrix is P, the cofactors of j, or ``L = I1 P - B P``, as symbols.
    """
    factors = slope(name, size)
    if "cof(F)" in factors:
        return factors["cof(F)"] / REFERENCE, cofactors(size)
    if "F" in factors:
        return factors["F"], tensors(size).moved
    return factors["I1 F"], matrix_symbols("L", size)


def definitions(size: int, *, second: bool) -> dict[sympy.Symbol, sympy.Expr]:
    """Return what the symbols of invariants and tensors are in terms of others.

    In the end in those of j, M and the cofactors and determinant of j.

    Parameters
    ----------
    size : int
        Components of displacements: 2 or 3.
    second : bool
        Whether I2 is among the invariants.
    """
    known = tensors(size)
    j, P, B = known.jacobian, known.moved, known.across
    found: dict[sympy.Symbol, sympy.Expr] = {
        J: DETERMINANT / REFERENCE,
        I1: sum(p * one for p, one in zip(P, j, strict=True)) + 3 - size,
        I2: (I1**2 - sum(one**2 for one in B) - (3 - size)) / 2,
    }
    products = [(P, j * known.metric), (B, P * j.T), (known.square, P.T * P)]
    if second:
        factors = slope(I2, size)
        bent = I1 * P + factors["F C"] / factors["I1 F"] * B * P
        products.append((matrix_symbols("L", size), bent))
    for symbols, values in products:
        found |= dict(zip(symbols, values, strict=True))
    return found


@dataclass(frozen=True)
class Curvature:
    """The second derivative of an invariant by j, in the symbols of :func:`tensors`.

    Attributes
    ----------
    factor : sympy.Expr
        Common factor of all entries.
    matrix : ImmutableMatrix, (d d, d d)
        Row of the entry (i, k) of j, column of the entry (j, l).
    product : ImmutableMatrix, (d, d)
        The matrix times a change X of j, in the symbols of :func:`change`.
    """

    factor: sympy.Expr
    matrix: Matrix
    product: Matrix


@cache
def curvature(name: sympy.Symbol, size: int) -> Curvature:
    """Return the second derivative of an invariant by j.

    Products are compared where the metric is 1; as F is linear in j, both sides then agree in any
    metric.
    """
    F = tensors(size).jacobian
    moved = dict(zip(deformation(size).gradient, F, strict=True))
    slopes = [derivative(deformation(size).values[name].xreplace(moved), one) for one in F]
    exact = Matrix(len(F), len(F), lambda r, c: sympy.expand(derivative(slopes[r], F[c])))
    if name == J:  # of degree d in j, which a change of the metric divides by a number
        product = exact * sympy.Matrix([*change(size)])
        return Curvature(1 / REFERENCE, exact, Matrix(size, size, [*product]))
    symbols, functions = _products(tensors(size)), _products(written(size))
    for chosen in (slice(1), slice(1, None)):
        factors = combination(exact, functions[chosen], partial(_drawn, size), _equal)
        if factors is not None:
            scale = max(factors, key=abs)
            factors = [one / scale for one in factors]
            products = _times_change(size)[chosen]
            return Curvature(scale, combined(factors, symbols[chosen]), combined(factors, products))
    raise ValueError(f"the second derivative of {name} is not made of known products")


def change(size: int) -> Matrix:
    """Return the symbols of a change X of j."""
    return matrix_symbols("X", size)


def change_definitions(size: int) -> dict[sympy.Symbol, sympy.Expr]:
    """Return what the symbols of products of tensors with a change of j are."""
    known, X = tensors(size), change(size)
    pairs = (
        (matrix_symbols("XM", size), X * known.metric),
        (matrix_symbols("XP", size), X.T * known.moved),
    )
    found = {_ALONG: sum(p * x for p, x in zip(known.moved, X, strict=True))}
    for symbols, values in pairs:
        found |= dict(zip(symbols, values, strict=True))
    return found


def _times_change(size: int) -> list[Matrix]:
    """Return the products of :func:`_products` times a change of j, in the same order."""
    known, XM = tensors(size), matrix_symbols("XM", size)
    return [
        XM, Matrix(known.first * XM), Matrix(_ALONG * known.moved),
        Matrix(known.moved * matrix_symbols("XP", size)),
        Matrix(change(size) * known.square), Matrix(known.across * XM),
    ]  # fmt: skip


def _products(known: Tensors) -> list[Matrix]:
    """Return the products that second derivatives are made of, simple ones first."""
    size = known.jacobian.rows
    places = [*product(range(size), repeat=2)]
    one, P, M = sympy.eye(size), known.moved, known.metric
    entries: tuple[Callable[[int, int, int, int], sympy.Expr], ...] = (
        lambda i, k, j, m: one[i, j] * M[k, m],
        lambda i, k, j, m: known.first * one[i, j] * M[k, m],
        lambda i, k, j, m: P[i, k] * P[j, m],
        lambda i, k, j, m: P[i, m] * P[j, k],
        lambda i, k, j, m: one[i, j] * known.square[k, m],
        lambda i, k, j, m: known.across[i, j] * M[k, m],
    )
    return [
        Matrix([[entry(*row, *column) for column in places] for row in places]) for entry in entries
    ]


def _drawn(size: int, random: Random) -> Values:
    """Return a random Jacobian of integers."""
    return {one: sympy.Integer(random.randint(-9, 9)) for one in tensors(size).jacobian}


def _equal(one: Matrix, other: Matrix) -> bool:
    """Whether two matrices are the same functions."""
    return all(sympy.expand(value) == 0 for value in one - other)
