# SPDX-License-Identifier: BSD-3-Clause
"""The right sides: energies and equations of motion by differentiation, never typed in.

All expressions are SymPy's, of functions of time, until `Instant.array` freezes them. The order is
position, velocity, acceleration, energies, then the equations of each formalism.
"""

from __future__ import annotations

from functools import cache

import sympy
from flexforge.codegen.study.audit.instant import HALF, TIME, Instant


def square(vector: sympy.Matrix) -> sympy.Expr:
    """Return the scalar product of a vector with itself, not expanded."""
    return sympy.Add(*(entry**2 for entry in vector))


def gradient(expression: sympy.Expr, variables: sympy.Matrix) -> sympy.Matrix:
    """Return the column of the partial derivatives."""
    return sympy.Matrix([expression.diff(variable) for variable in variables])


@cache
def kinetic_energy(instant: Instant) -> sympy.Expr:
    """T = 1/2 int rho v.v dV, with the velocity differentiated from the position."""
    return instant.mass_integral(HALF * square(instant.velocity))


@cache
def acceleration_energy(instant: Instant) -> sympy.Expr:
    """S = 1/2 int rho a.a dV, with the position differentiated twice."""
    return instant.mass_integral(HALF * square(instant.acceleration))


def potential_energy(instant: Instant) -> sympy.Expr:
    """V = 1/2 d.k d."""
    return HALF * (instant.d.T * instant.k * instant.d)[0]


def work(instant: Instant) -> sympy.Expr:
    """W = (q + q*).d."""
    return ((instant.q + instant.q_star).T * instant.d)[0]


@cache
def lagrangian(instant: Instant) -> sympy.Expr:
    """L = T - V + W."""
    return kinetic_energy(instant) - potential_energy(instant) + work(instant)


@cache
def momentum(instant: Instant) -> sympy.Matrix:
    """P = dL/dd'."""
    return gradient(lagrangian(instant), instant.d.diff(TIME))


@cache
def momentum_rate(instant: Instant) -> sympy.Matrix:
    """d/dt dL/dd'."""
    return momentum(instant).diff(TIME)


@cache
def lagrangian_slope(instant: Instant) -> sympy.Matrix:
    """dL/dd."""
    return gradient(lagrangian(instant), instant.d)


@cache
def lagrange(instant: Instant) -> sympy.Matrix:
    """d/dt dL/dd' - dL/dd, zero on the motion."""
    return momentum_rate(instant) - lagrangian_slope(instant)


@cache
def generalized_force(instant: Instant) -> sympy.Matrix:
    """Q = d(W - V)/dd: loads and elastic forces."""
    return gradient(work(instant) - potential_energy(instant), instant.d)


@cache
def partial_velocities(instant: Instant) -> sympy.Matrix:
    """dv/dd', one column per coordinate."""
    return instant.velocity.jacobian(instant.d.diff(TIME))


@cache
def virtual_power(instant: Instant) -> sympy.Matrix:
    """Int rho (dv/dd')^T a dV - Q: the projection of Newton's law, without any energy function."""
    inertia = (partial_velocities(instant).T * instant.acceleration).applyfunc(
        instant.mass_integral
    )
    return inertia - generalized_force(instant)


@cache
def appell_gradient(instant: Instant) -> sympy.Matrix:
    """dS/dd''."""
    return gradient(acceleration_energy(instant), instant.d.diff(TIME, 2))
