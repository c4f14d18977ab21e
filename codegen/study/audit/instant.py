# SPDX-License-Identifier: BSD-3-Clause
"""A generic motion, differentiated by SymPy, then frozen at one instant as exact polynomials.

Integrals over the mass are linear, so that an equation holds for all bodies if it holds for one
generic material point with a symbolic position x, symbolic shape functions N and mass rho dV.
Rotation, origin and coordinates are functions of time that SymPy differentiates. At the instant
the rotation is a rational matrix that is *not* the identity (to detect transpositions), and

    R' = R w~,   R'' = R (w~ w~ + e~),   r_O' = R v,   r_O'' = R a

with symbolic w, e, v, a. Both sides are then polynomials with rational coefficients, whose
difference is exactly zero or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.polys.rings import PolyElement, PolyRing, ring

Array = NDArray[Any]
TIME = sympy.Symbol("t", real=True)
RHO, VOLUME = sympy.symbols("rho dV", positive=True)
HALF = sympy.Rational(1, 2)

# Rotations by the quaternion (1, 2, 2, 4) / 5 and by the angle of the triangle 3, 4, 5.
ROTATION = {
    2: sympy.Matrix([[3, -4], [4, 3]]) / 5,
    3: sympy.Matrix([[-15, 0, 20], [16, -15, 12], [12, 20, 9]]) / 25,
}


def column(name: str, size: int) -> sympy.Matrix:
    """Return a column of symbols ``name1 ... name<size>``."""
    return sympy.Matrix([sympy.Symbol(f"{name}{i + 1}", real=True) for i in range(size)])


def matrix(name: str, rows: int, columns: int, *, symmetric: bool = False) -> sympy.Matrix:
    """Return a matrix of symbols ``name11 ... ``."""

    def entry(i: int, j: int) -> sympy.Symbol:
        low, high = sorted((i, j)) if symmetric else (i, j)
        return sympy.Symbol(f"{name}{low + 1}{high + 1}", real=True)

    return sympy.Matrix(rows, columns, entry)


def functions(name: str, rows: int, columns: int = 1) -> sympy.Matrix:
    """Return a matrix of functions of time."""
    return sympy.Matrix(rows, columns, lambda i, j: sympy.Function(f"{name}_{i}_{j}")(TIME))


def skew(vector: sympy.Matrix) -> sympy.Matrix:
    """Return the matrix of the cross product with a vector, or ``w J`` for a planar rate."""
    if len(vector) == 1:
        return sympy.Matrix([[0, -vector[0]], [vector[0], 0]])
    a, b, c = vector
    return sympy.Matrix([[0, -c, b], [c, 0, -a], [-b, a, 0]])


@dataclass(frozen=True)
class Instant:
    """A generic motion of one material point of an elastic element.

    Attributes
    ----------
    dimension : int
        2 or 3.
    size : int
        Number of nodal coordinates p; differs from the dimension to detect wrong ranges.
    shape : sympy.Matrix, optional
        The shape functions (dimension x p): symbols by default, numbers where m is inverted.
    more : tuple of (str, tuple of sympy.Symbol)
        Further symbols of a paper by their group.
    """

    dimension: int = 3
    size: int = 2
    shape: sympy.ImmutableMatrix | None = None
    more: tuple[tuple[str, tuple[sympy.Symbol, ...]], ...] = field(default=())

    @cached_property
    def N(self) -> sympy.Matrix:  # noqa: N802 - the field's name
        """Shape functions at the point."""
        return sympy.Matrix(
            self.shape if self.shape is not None else matrix("N", self.dimension, self.size)
        )

    @cached_property
    def x(self) -> sympy.Matrix:
        """Undeformed position in local components."""
        return column("x", self.dimension)

    @cached_property
    def w(self) -> sympy.Matrix:
        """Angular velocity, local components; one rate in the plane."""
        return column("w", 1 if self.dimension == 2 else 3)

    @cached_property
    def e(self) -> sympy.Matrix:
        """Angular acceleration, local components."""
        return column("e", 1 if self.dimension == 2 else 3)

    @cached_property
    def v(self) -> sympy.Matrix:
        """Velocity of the origin, local components."""
        return column("v", self.dimension)

    @cached_property
    def a(self) -> sympy.Matrix:
        """Acceleration of the origin, local components."""
        return column("a", self.dimension)

    @cached_property
    def rotation(self) -> tuple[sympy.Matrix, sympy.Matrix, sympy.Matrix]:
        """R, R', R'' at the instant."""
        fixed, w, e = ROTATION[self.dimension], skew(self.w), skew(self.e)
        return fixed, fixed * w, fixed * (w * w + e)

    @cached_property
    def coordinates(self) -> tuple[sympy.Matrix, sympy.Matrix, sympy.Matrix]:
        """d, d', d'' at the instant."""
        return column("d", self.size), column("d'", self.size), column("d''", self.size)

    @cached_property
    def k(self) -> sympy.Matrix:
        """Stiffness of the element, symmetric."""
        return matrix("k", self.size, self.size, symmetric=True)

    @cached_property
    def q(self) -> sympy.Matrix:
        """Concentrated nodal forces."""
        return column("q", self.size)

    @cached_property
    def q_star(self) -> sympy.Matrix:
        """Nodal forces of the distributed load."""
        return column("q*", self.size)

    @cached_property
    def R(self) -> sympy.Matrix:  # noqa: N802 - the field's name
        """Rotation, local to global, as a function of time."""
        return functions("R", self.dimension, self.dimension)

    @cached_property
    def origin(self) -> sympy.Matrix:
        """Origin of the frame in global components as a function of time."""
        return functions("X", self.dimension)

    @cached_property
    def d(self) -> sympy.Matrix:
        """Nodal coordinates as functions of time."""
        return functions("d", self.size)

    @cached_property
    def position(self) -> sympy.Matrix:
        """Position of the point in global components as a function of time."""
        return self.origin + self.R * (self.x + self.N * self.d)

    @cached_property
    def velocity(self) -> sympy.Matrix:
        """Its time derivative."""
        return self.position.diff(TIME)

    @cached_property
    def acceleration(self) -> sympy.Matrix:
        """Its second time derivative."""
        return self.velocity.diff(TIME)

    @cached_property
    def _values(self) -> dict[sympy.Expr, sympy.Expr]:
        """Values of all functions of time and their derivatives at the instant."""
        r = self.rotation
        # If m is inverted, the mass is the unit of mass.
        values: dict[sympy.Expr, sympy.Expr] = {}
        if self.shape is not None:
            values = {RHO: sympy.Integer(1), VOLUME: sympy.Integer(1)}
        jets = (
            (self.R, r),
            (self.origin, (column("X", self.dimension), r[0] * self.v, r[0] * self.a)),
            (self.d, self.coordinates),
        )
        for functions_of_time, jet in jets:
            for order, value in enumerate(jet):
                keys = functions_of_time.diff(TIME, order) if order else functions_of_time
                values |= dict(zip(keys, value, strict=True))
        return values

    @cached_property
    def groups(self) -> dict[str, str]:
        """The group of every symbol, which distinguishes the parts of an equation."""
        parts = {
            "x": self.x,
            "ω": self.w,
            "ε": self.e,
            "v_O": self.v,
            "a_O": self.a,
            "δ": self.coordinates[0],
            "δ'": self.coordinates[1],
            "δ''": self.coordinates[2],
            "k": set(self.k),
            "q": self.q,
            "q*": self.q_star,
            "X": column("X", self.dimension),
            **dict(self.more),
        }
        found = {str(symbol): group for group, symbols in parts.items() for symbol in symbols}
        return found | {str(symbol): "" for symbol in self.N.free_symbols}

    @cached_property
    def ring(self) -> PolyRing:
        """The ring of polynomials in all symbols, rho and dV first."""
        symbols = [RHO, VOLUME, *(sympy.Symbol(s, real=True) for s in sorted(self.groups))]
        found: PolyRing = ring(symbols, sympy.QQ)[0]
        return found

    def number(self, expression: sympy.Expr) -> PolyElement:
        """Return an expression, of functions of time or of symbols, at the instant."""
        return self.ring.from_expr(sympy.sympify(expression, strict=True).xreplace(self._values))

    def array(self, value: Any) -> Array:
        """Return a matrix, nested list or number at the instant.

        Entries may be SymPy's, numbers or already polynomials. A SymPy matrix keeps its two axes.
        """
        given = np.array(value.tolist() if isinstance(value, sympy.MatrixBase) else value, object)
        result = np.empty(given.shape, object)
        for index, entry in np.ndenumerate(given):
            result[index] = entry if isinstance(entry, PolyElement) else self.number(entry)
        return result

    def vector(self, value: Any) -> Array:
        """Return a column as an array of one axis."""
        return self.array(value).reshape(-1)

    def mass_integral(self, density: sympy.Expr) -> sympy.Expr:
        """Return the integral over the mass: one point of mass rho dV."""
        return density * RHO * VOLUME

    @cached_property
    def values(self) -> Mapping[str, Array]:
        """The frame and the coordinates under the plain names R, R', w, e, x, N, d, k, q, ..."""
        names = {
            "R": self.rotation[0],
            "R'": self.rotation[1],
            "R''": self.rotation[2],
            "w": self.w,
            "e": self.e,
            "w~": skew(self.w),
            "e~": skew(self.e),
            "x": self.x,
            "N": self.N,
            "d": self.coordinates[0],
            "d'": self.coordinates[1],
            "d''": self.coordinates[2],
            "v": self.v,
            "a": self.a,
            "k": self.k,
            "q": self.q,
            "q*": self.q_star,
        }
        return {name: self.array(value) for name, value in names.items()}
