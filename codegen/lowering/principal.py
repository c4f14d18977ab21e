# SPDX-License-Identifier: BSD-3-Clause
"""Principal axes of a symmetric tensor at a point, by rotations of its axes (Jacobi 1846).

A fixed number of sweeps, without branches: all lanes do the same. Errors of a sweep are about the
cube of those before it; after five even nearly equal values are as exact as the arithmetic is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Protocol

import sympy
from flexforge.codegen.elements.energy import SQUARES, Energy
from flexforge.codegen.mechanics.combinations import Matrix
from flexforge.codegen.mechanics.convected import RECIPROCAL, Curvature, change, tensors
from flexforge.codegen.mechanics.divided import TINY, divided
from flexforge.codegen.mechanics.invariants import matrix_symbols, scalar_symbol

#: Sweeps over the three planes of a space; in a plane one rotation is exact.
SWEEPS = 5

Let = Callable[[sympy.Symbol, sympy.Expr], sympy.Symbol]


def principal_axes(let: Let, tensor: sympy.MatrixBase) -> tuple[list[sympy.Expr], sympy.Matrix]:
    """Append the principal values and axes of a symmetric tensor.

    Parameters
    ----------
    let : callable
        Appends a scalar and returns its symbol.
    tensor : MatrixBase, (d, d)
        The tensor.

    Returns
    -------
    tuple
        Its values, and its axes as columns, (d, d).
    """
    size = tensor.rows
    values, axes = sympy.Matrix(tensor), sympy.eye(size)
    count = 0

    def named(value: sympy.Expr) -> sympy.Expr:
        nonlocal count
        if not value.args:
            return value
        count += 1
        return let(scalar_symbol(f"turned{count}"), value)

    for _ in range(SWEEPS if size > 2 else 1):
        for p, q in combinations(range(size), 2):
            shear = values[p, q]
            apart = named(named(values[q, q] - values[p, p]) + TINY)
            size_of = named(sympy.sqrt(apart**2 + 4 * shear**2))
            # tan, cos, sin of the smaller angle of the two that make the entry vanish
            tangent = named(2 * shear * apart / (abs_of(apart) * (abs_of(apart) + size_of)))
            cosine = named(1 / sympy.sqrt(1 + tangent**2))
            sine = named(tangent * cosine)
            moved = named(tangent * shear)
            values[p, p], values[q, q] = named(values[p, p] - moved), named(values[q, q] + moved)
            values[p, q] = values[q, p] = sympy.Integer(0)
            for r in {*range(size)} - {p, q}:
                one, other = values[r, p], values[r, q]
                values[r, p] = values[p, r] = named(cosine * one - sine * other)
                values[r, q] = values[q, r] = named(sine * one + cosine * other)
            for r in range(size):
                one, other = axes[r, p], axes[r, q]
                axes[r, p] = named(cosine * one - sine * other)
                axes[r, q] = named(sine * one + cosine * other)
    return [values[k, k] for k in range(size)], axes


def abs_of(value: sympy.Expr) -> sympy.Expr:
    """Return an absolute value that SymPy does not rewrite."""
    return sympy.Abs(value, evaluate=False)


class Stretched(Protocol):
    """A point of a deformed cell, in reference coordinates: those of its space and its cell."""

    energy: Energy
    size: int
    flat: int
    moved: sympy.MatrixBase

    def let(self, symbol: sympy.Symbol, value: sympy.Expr) -> sympy.Symbol:
        """Append a scalar."""

    def matrix(self, letter: str, values: sympy.MatrixBase) -> Matrix:
        """Append a matrix of scalars."""

    def at_deformation(self, value: sympy.Expr) -> sympy.Expr:
        """Return a function of the invariants in scalars of the point."""

    def weighted(self, name: str, factor: sympy.Expr, value: sympy.Expr) -> sympy.Symbol:
        """Append a factor times a scalar times the volume of the point."""


class PrincipalStretches:
    """Stretches of a deformed point along its axes, and derivatives of functions of them.

    With the principal values ``s_k`` of C and its axes N_k, ``f_k = F N_k``, ``n_k = j_0^-1 N_k``
    and a function W of the s_k

        ds_k/dj = 2 f_k (x) n_k,   C_kl = N_k . C N_l:   dC_kl/dj = f_k (x) n_l + f_l (x) n_k,

        D = 2 sum_k W_k 1 (x) n_k n_k + sum_kl W_kl ds_k/dj (x) ds_l/dj
            + sum_k<l 2 (W_k - W_l) / (s_k - s_l) dC_kl/dj (x) dC_kl/dj

    where a quotient is a derivative where both stretches are alike (Ogden, Non-linear Elastic
    Deformations, 1984, section 6.1.4).

    Parameters
    ----------
    point : Stretched
        The point, whose Jacobian is known.
    """

    def __init__(self, point: Stretched) -> None:
        self.point, size = point, point.size
        adjugate = matrix_symbols("adjugate", size)
        H = point.matrix("H", RECIPROCAL * point.moved * adjugate)
        strain, flat = point.matrix("A", H + H.T + H.T * H), point.flat
        values, axes = principal_axes(point.let, strain[:flat, :flat])
        if flat < size:  # circles about an axis are principal axes
            values.append(strain[2, 2])
            axes = sympy.Matrix(sympy.diag(axes, 1))
        for one, value in zip(SQUARES, values, strict=False):
            point.let(one, 1 + value)
        j = tensors(size).jacobian
        self.back = point.matrix("n", RECIPROCAL * adjugate * axes)
        self.along = point.matrix("f", j * self.back)

    def direction(self, k: int) -> tuple[sympy.Expr, Matrix]:
        """Return a factor and a matrix, whose product is the derivative of s_k by j."""
        return sympy.Integer(2), Matrix(self.along[:, k] * self.back[:, k].T)

    def curved(self) -> tuple[sympy.Expr, Curvature]:
        """Return the part of D that acts on single components, and 1, its factor."""
        point, size = self.point, self.point.size
        total = sympy.zeros(size, size)
        for k, one in enumerate(SQUARES[:size]):
            slope = point.at_deformation(point.energy.slopes(one))
            factor = point.weighted(f"slope_{one}", sympy.Integer(2), slope)
            total += factor * self.back[:, k] * self.back[:, k].T
        pulled = point.matrix("T", total)
        whole = sympy.kronecker_product(sympy.eye(size), pulled)
        return sympy.Integer(1), Curvature(
            sympy.Integer(1), Matrix(whole), Matrix(change(size) * pulled)
        )

    def turning(self) -> Iterator[tuple[sympy.Symbol, Matrix]]:
        """Yield the factors and matrices of the part of D that turns the axes."""
        point = self.point
        for k, m in combinations(range(point.size), 2):
            one, other = SQUARES[k], SQUARES[m]
            apart = point.let(scalar_symbol(f"apart{k}{m}"), one - other)
            between = point.let(scalar_symbol(f"between{k}{m}"), apart + TINY)
            quotient = divided(point.energy.slopes(one), one, other, between)
            value = point.at_deformation(quotient)
            factor = point.weighted(f"turning{k}{m}", sympy.Integer(2), value)
            sides = self.along[:, k] * self.back[:, m].T + self.along[:, m] * self.back[:, k].T
            yield factor, point.matrix(f"Q{k}{m}", sides)
