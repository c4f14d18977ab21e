# SPDX-License-Identifier: BSD-3-Clause
"""Invariants that are linear in C: squares of the stretches of fibres, and components of E."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from flexforge.codegen.elements.energy import COMPONENTS
from flexforge.codegen.mechanics.combinations import Matrix


@dataclass(frozen=True)
class Form:
    """An invariant that gains ``factor left . (C - 1) right`` from rest.

    Attributes
    ----------
    left, right : ImmutableMatrix, (d, 1)
        Vectors in the undeformed body; twice the same in the square of a stretch.
    factor : sympy.Rational
        One of the square of a stretch, one half of a component of E.
    """

    left: Matrix
    right: Matrix
    factor: sympy.Rational

    @property
    def is_square(self) -> bool:
        """Whether both vectors are the same."""
        return bool(self.left == self.right)

    def gained(self, strain: sympy.MatrixBase) -> sympy.Expr:
        """Return what it has gained since rest, given ``C - 1``, (d, d)."""
        return self.factor * (self.left.T * strain * self.right)[0]

    def slope(self, moved: sympy.MatrixBase | None = None) -> Matrix:
        """Return its derivative by a symmetric C, (d, d), with a matrix before it."""
        left, right = self.left, self.right
        first, second = (left, right) if moved is None else (moved * left, moved * right)
        if self.is_square:
            return Matrix(self.factor * (first * left.T))
        return Matrix(self.factor * (first * right.T + second * left.T) / 2)


def component(one: sympy.Symbol, size: int) -> Form:
    """Return a component of E.

    Parameters
    ----------
    one : sympy.Symbol
        Its symbol.
    size : int
        Components of vectors: 3, or 2 in the plane, across which nothing is strained.

    Examples
    --------
    >>> component(sympy.Symbol("E12", real=True), 2).slope()
    Matrix([
    [  0, 1/4],
    [1/4,   0]])
    """
    left, right = (
        Matrix([sympy.Integer(k == axis) for k in range(size)]) for axis in COMPONENTS[one]
    )
    return Form(left, right, sympy.Rational(1, 2))
