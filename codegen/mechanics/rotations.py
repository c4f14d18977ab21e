# SPDX-License-Identifier: BSD-3-Clause
"""Rotations by rotation vectors, in series that are exact to rounding from zero on.

With ``z = |psi|^2`` everything is made of three even functions of the angle t,

    versine(z)    = (1 - cos t)/t^2       exp(-psi~) = 1 - (1 - z excess) psi~ + versine psi~^2
    excess(z)     = (t - sin t)/t^3       axial(R^T R') = (1 - versine psi~ + excess psi~^2) psi'
    cotangent(z)  = (1 - t/2 cot(t/2))/t^2     d log(exp(w~) R)/dw = 1 - psi~/2 + cotangent psi~^2

Kernels compute them and their derivatives by their power series; the poles of the cotangent that
are nearest are split off, after which twelve terms suffice to half a turn.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

import mpmath
import sympy
from flexforge.codegen.derivative import derivative

Matrix: TypeAlias = sympy.ImmutableMatrix
#: Terms of the series: enough for angles to 1.8 (versine, excess) and to pi (cotangent).
_TERMS, _OF_COTANGENT, _POLES = 12, 12, 2

#: Names of the functions, and the number of terms of versine and excess before their first term.
VERSINE, EXCESS, COTANGENT = "versine", "excess", "cotangent"
_SHIFTS = {VERSINE: 2, EXCESS: 3}


def even(name: str, order: int, where: str = "") -> sympy.Symbol:
    """Return the symbol of a derivative by z of one of the functions, at a rotation vector."""
    return sympy.Symbol(f"{name}{where}_{order}", finite=True)


def even_value(name: str, order: int, z: sympy.Expr) -> sympy.Expr:
    """Return a derivative by z of one of the functions, as nested products.

    Examples
    --------
    >>> z = sympy.Symbol("z")
    >>> [float(even_value(name, 0, z).subs(z, 0)) * 12 for name in (VERSINE, EXCESS, COTANGENT)]
    [6.0, 2.0, 1.0]
    """
    value: sympy.Expr = sympy.Integer(0)
    for factor in reversed(_slopes(_series(name), order)):
        value = factor + z * value
    if name == COTANGENT:
        below = _poles()
        times = sympy.factorial(order) * 2
        value += sympy.Add(*(times / (pole - z) ** (order + 1) for pole in below))
    return value


@cache
def _series(name: str) -> tuple[sympy.Expr, ...]:
    """Return the coefficients of a function by powers of z, without its poles."""
    if name in _SHIFTS:
        return tuple(
            sympy.Rational((-1) ** k, sympy.factorial(2 * k + _SHIFTS[name])) for k in range(_TERMS)
        )
    # (1 - x cot x)/(4 x^2) at x = t/2 is the sum of 2/((2 pi m)^2 - z) over all m.
    with mpmath.workdps(40):
        rest = [
            2
            * (mpmath.zeta(2 * n) - sum(mpmath.mpf(m) ** (-2 * n) for m in range(1, _POLES + 1)))
            / (2 * mpmath.pi) ** (2 * n)
            for n in range(1, _OF_COTANGENT + 1)
        ]
        return tuple(sympy.Float(float(value)) for value in rest)


def _poles() -> tuple[sympy.Float, ...]:
    with mpmath.workdps(40):
        return tuple(sympy.Float(float((2 * mpmath.pi * m) ** 2)) for m in range(1, _POLES + 1))


def _slopes(series: tuple[sympy.Expr, ...], order: int) -> tuple[sympy.Expr, ...]:
    """Return the coefficients of a derivative."""
    for _ in range(order):
        series = tuple(k * factor for k, factor in enumerate(series))[1:]
    return series


def total_slope(value: sympy.Expr, by: sympy.Symbol, psi: Matrix, where: str = "") -> sympy.Expr:
    """Return a derivative, through the functions of z too."""
    found = derivative(value, by)
    if by in psi.free_symbols:
        for name in (VERSINE, EXCESS, COTANGENT):
            for order in range(2):
                part = derivative(value, even(name, order, where))
                found += part * even(name, order + 1, where) * 2 * by
    return found


def turned_back(psi: Matrix, vector: Matrix, where: str = "") -> Matrix:
    """Return ``(exp(-psi~) - 1) v``, without the difference of large numbers."""
    once = psi.cross(vector)
    sine = 1 - psi.dot(psi) * even(EXCESS, 0, where)
    return Matrix(even(VERSINE, 0, where) * psi.cross(once) - sine * once)


def curvature(psi: Matrix, rate: Matrix, where: str = "") -> Matrix:
    """Return ``axial(R^T R')`` of ``R = exp(psi~)``."""
    once = psi.cross(rate)
    return Matrix(rate - even(VERSINE, 0, where) * once + even(EXCESS, 0, where) * psi.cross(once))


def logarithm_slope(psi: Matrix, where: str = "") -> Matrix:
    """Return the derivative of ``log(exp(w~) exp(psi~))`` by w at zero, (3, 3)."""
    cross = skew(psi)
    half = sympy.Rational(1, 2)
    return Matrix(sympy.eye(3) - half * cross + even(COTANGENT, 0, where) * cross * cross)


def skew(v: Matrix) -> Matrix:
    """Return the matrix of ``v x .``."""
    x, y, z = v
    return Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def product(first: Matrix, second: Matrix) -> Matrix:
    """Return the product of quaternions, the scalar first."""
    a, b = first[0], second[0]
    v, w = Matrix(first[1:]), Matrix(second[1:])
    return Matrix([a * b - v.dot(w), *(a * w + b * v + v.cross(w))])


def conjugate(quaternion: Matrix) -> Matrix:
    """Return the inverse of a unit quaternion."""
    return Matrix([quaternion[0], *(-x for x in quaternion[1:])])
