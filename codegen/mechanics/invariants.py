# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of the invariants of a deformation, contracted with gradients of nodes a and b.

A virtual displacement of node a changes F by ``e_i G_a^T`` with the gradient G_a of its shape
function in the undeformed body. SymPy differentiates ``I_k(F)``; the second derivatives are then
written in products of few vectors of one node each,

    H_a = F G_a,   C_a = cof(F) G_a,   L_a = F C G_a,

which is found by comparing coefficients at random deformations, and proven by expansion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from random import Random

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.energy import I1, I2, J
from flexforge.codegen.mechanics.combinations import Matrix, combination, combined
from flexforge.codegen.mechanics.shape_symbols import gradient_symbols

#: The vectors of a node, by what moves its gradient.
VECTORS = {"H": "F", "C": "cof(F)", "L": "F C"}


@dataclass(frozen=True)
class Deformation:
    """Invariants as functions of the deformation gradient.

    Attributes
    ----------
    gradient : ImmutableMatrix, (d, d)
        Symbols of F.
    values : mapping
        Every invariant; in the plane those of plane strain.
    """

    gradient: Matrix
    values: Mapping[sympy.Symbol, sympy.Expr]

    def slope(self, invariant: sympy.Symbol) -> Matrix:
        """Return the derivative of an invariant by F, (d, d)."""
        F, value = self.gradient, self.values[invariant]
        return Matrix(*F.shape, lambda i, j: sympy.expand(derivative(value, F[i, j])))


def scalar_symbol(name: str) -> sympy.Symbol:
    """Return a symbol of a scalar at a point: another one than a parameter of the same name."""
    return sympy.Symbol(name, finite=True)


def matrix_symbols(letter: str, size: int) -> Matrix:
    """Return the symbols of a matrix at a point: ``F11 ..``."""
    return Matrix(size, size, lambda i, j: scalar_symbol(f"{letter}{i + 1}{j + 1}"))


@cache
def deformation(size: int) -> Deformation:
    """Return the invariants of a deformation gradient of symbols F11 ...

    Parameters
    ----------
    size : int
        Components of displacements: 2 or 3.
    """
    F = matrix_symbols("F", size)
    C = F.T * F
    across = 3 - size  # of plane strain
    trace = C.trace() + across
    squares = (C * C).trace() + across
    values = {I1: trace, I2: (trace**2 - squares) / 2, J: F.det(method="berkowitz")}
    return Deformation(F, {k: sympy.expand(v) for k, v in values.items()})


def vector(letter: str, node: str, size: int) -> Matrix:
    """Return the symbols of a vector of a node: ``H_a,1 ..``."""
    return Matrix([sympy.Symbol(f"{letter}_{node},{i + 1}", real=True) for i in range(size)])


@cache
def _tensors(size: int) -> dict[str, Matrix]:
    """Return what slopes of invariants are made of."""
    found = deformation(size)
    F = found.gradient
    return {
        "F": F,
        "cof(F)": found.slope(J),
        "F C": F * F.T * F,
        "I1 F": found.values[I1] * F,
    }


@cache
def slope_across(invariant: sympy.Symbol) -> sympy.Expr:
    """Return the derivative of an invariant by the stretch F33 across a plane, in plane strain."""
    whole = deformation(3)
    F = whole.gradient
    across = {F[i, j]: 0 for i, j in ((0, 2), (1, 2), (2, 0), (2, 1))} | {F[2, 2]: 1}
    return sympy.expand(whole.slope(invariant)[2, 2].subs(across))


@cache
def slope(invariant: sympy.Symbol, size: int) -> dict[str, sympy.Rational]:
    """Return the derivative of an invariant by F as factors of F, cof(F), F C and I1 F."""
    exact = deformation(size).slope(invariant)
    names = [*_tensors(size)]
    for chosen in (names[:1], names[1:2], names[2:]):
        factors = _factors(exact, [_tensors(size)[name] for name in chosen], size)
        if factors is not None:
            return dict(zip(chosen, factors, strict=True))
    raise ValueError(f"the slope of {invariant} is not made of {', '.join(names)}")


def node_vectors(invariant: sympy.Symbol, node: str, size: int) -> Matrix:
    """Return the derivative of an invariant by the displacement of a node, (d,), in its vectors."""
    letters = {tensor: letter for letter, tensor in VECTORS.items()}
    found = sympy.zeros(size, 1)
    for name, factor in slope(invariant, size).items():
        times = factor * (I1 if name == "I1 F" else 1)
        found += times * vector(letters[name.removeprefix("I1 ")], node, size)
    return Matrix(found)


@cache
def curvature(invariant: sympy.Symbol, size: int) -> Matrix:
    """Return the second derivative of an invariant, contracted with gradients of two nodes, (d, d).

    In gradients and vectors of the nodes, I1, J, and the entries of F.
    """
    found = deformation(size)
    F = found.gradient
    a, b = (Matrix(gradient_symbols(node, size)) for node in "ab")
    slope = found.slope(invariant)
    exact = Matrix(
        size,
        size,
        lambda i, j: sympy.expand(
            sum(
                derivative(slope[i, k], F[j, m]) * a[k] * b[m]
                for k, m in product(range(size), repeat=2)
            )
        ),
    )
    for shared in _products(size):
        factors = _factors(exact, shared, size)
        if factors is not None:
            return combined(factors, shared)
    return exact


def _products(size: int) -> list[list[Matrix]]:
    """Return lists of products of vectors of two nodes, short ones first."""
    one = sympy.eye(size)
    F = deformation(size).gradient
    a, b = (Matrix(gradient_symbols(node, size)) for node in "ab")
    ha, hb, ca, cb = (vector(letter, node, size) for letter in "HC" for node in "ab")
    along = a.dot(b)
    return [
        [Matrix(along * one)],
        [Matrix(ca * cb.T / J), Matrix(cb * ca.T / J)],
        [
            Matrix(ha.dot(hb) * one), Matrix(ha * hb.T), Matrix(hb * ha.T),
            Matrix(along * F * F.T), Matrix(I1 * along * one),
        ],
    ]  # fmt: skip


def _factors(exact: Matrix, shared: list[Matrix], size: int) -> list[sympy.Rational] | None:
    """Return constant factors with which a sum of products is a matrix, or None."""
    return combination(
        exact, shared, partial(_random, size), lambda one, fit: _equal(one, fit, size)
    )


def _written(size: int) -> dict[sympy.Symbol, sympy.Expr]:
    """Return I1, J and the vectors of both nodes in F and the gradients."""
    known = deformation(size)
    found = {J: known.values[J], I1: known.values[I1]}
    for node, (letter, name) in product("ab", VECTORS.items()):
        moved = _tensors(size)[name] * Matrix(gradient_symbols(node, size))
        found |= dict(zip(vector(letter, node, size), moved, strict=True))
    return found


def _random(size: int, random: Random) -> dict[sympy.Symbol, sympy.Expr]:
    """Return a random deformation and gradients, with the vectors of both nodes."""
    given = [*deformation(size).gradient, *(s for n in "ab" for s in gradient_symbols(n, size))]
    values = {one: sympy.Integer(random.randint(-9, 9)) for one in given}
    values |= {one: value.xreplace(values) for one, value in _written(size).items()}
    return values if values[J] != 0 else _random(size, random)


def _equal(exact: Matrix, fit: Matrix, size: int) -> bool:
    """Whether two matrices are the same functions of F and the gradients."""
    left = ((fit - exact) * J).applyfunc(sympy.expand).xreplace(_written(size))
    return bool(left.applyfunc(sympy.expand).is_zero_matrix)
