# SPDX-License-Identifier: BSD-3-Clause
"""Two markers, one on each of two links: their relative position and its rates.

All joints depend only on two quantities, both invariant when the links move together: the position
of the second marker relative to the first, ``p = M1^T (P2 - P1)``, and its attitude
``A = M1^T M2``, where the columns of ``M_i = R_i E_i`` are the axes of marker i. With the velocity
v_i and the angular velocity w_i of marker i in its own axes

    A' = - w1~ A + A w2~ ,    p' = - w1~ p + A v2 - v1 ,

and the same rule with displacement and rotation in place of velocities gives the variations.
"""

from __future__ import annotations

import sympy


def _vector(name: str) -> sympy.ImmutableMatrix:
    return sympy.ImmutableMatrix([sympy.Symbol(f"{name}{i}", real=True) for i in range(3)])


def _square(name: str) -> sympy.ImmutableMatrix:
    names = [[f"{name}{i}{j}" for j in range(3)] for i in range(3)]
    return sympy.ImmutableMatrix(3, 3, lambda i, j: sympy.Symbol(names[i][j], real=True))


#: Position and attitude of the second marker in axes of the first, with first and second rates.
PLACE, PLACE_1, PLACE_2 = _vector("p"), _vector("pd"), _vector("pdd")
ATTITUDE, ATTITUDE_1, ATTITUDE_2 = _square("A"), _square("Ad"), _square("Add")


def tilde(vector: sympy.MatrixBase) -> sympy.Matrix:
    """Return the skew matrix of ``vector x .``."""
    x, y, z = vector
    return sympy.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def relative() -> tuple[sympy.Symbol, ...]:
    """Return the symbols of the relative position: three of p, nine of A."""
    return (*PLACE, *ATTITUDE)


def rates() -> dict[sympy.Symbol, sympy.Symbol]:
    """Return the time derivative of every symbol except the second rates."""
    before = (*PLACE, *ATTITUDE, *PLACE_1, *ATTITUDE_1)
    after = (*PLACE_1, *ATTITUDE_1, *PLACE_2, *ATTITUDE_2)
    return dict(zip(before, after, strict=True))


def variations() -> tuple[dict[sympy.Symbol, sympy.Expr], ...]:
    """Return, for each of twelve coordinates, the derivatives of the symbols.

    The coordinates are displacement and rotation of the first marker, then of the second, in the
    axes of the marker.
    """
    found = []
    for k in range(12):
        moved = [sympy.zeros(3, 1) for _ in range(4)]
        moved[k // 3][k % 3] = sympy.Integer(1)
        u1, turn1, u2, turn2 = moved
        place = -tilde(turn1) * PLACE + ATTITUDE * u2 - u1
        attitude = -tilde(turn1) * ATTITUDE + ATTITUDE * tilde(turn2)
        found.append(dict(zip(relative(), (*place, *attitude), strict=True)))
    return tuple(found)


def first_rates(
    v: tuple[sympy.MatrixBase, sympy.MatrixBase], w: tuple[sympy.MatrixBase, sympy.MatrixBase]
) -> dict[sympy.Symbol, sympy.Expr]:
    """Return p' and A' from the velocities of the markers in their own axes."""
    place = -tilde(w[0]) * PLACE + ATTITUDE * v[1] - v[0]
    attitude = -tilde(w[0]) * ATTITUDE + ATTITUDE * tilde(w[1])
    return dict(zip((*PLACE_1, *ATTITUDE_1), (*place, *attitude), strict=True))


def second_rates(
    v: tuple[sympy.MatrixBase, sympy.MatrixBase],
    w: tuple[sympy.MatrixBase, sympy.MatrixBase],
    v_rate: tuple[sympy.MatrixBase, sympy.MatrixBase],
    w_rate: tuple[sympy.MatrixBase, sympy.MatrixBase],
) -> dict[sympy.Symbol, sympy.Expr]:
    """Return p'' and A''; rates of vectors are rates of components in marker axes."""
    place = -tilde(w_rate[0]) * PLACE - tilde(w[0]) * PLACE_1
    place += ATTITUDE_1 * v[1] + ATTITUDE * v_rate[1] - v_rate[0]
    attitude = -tilde(w_rate[0]) * ATTITUDE - tilde(w[0]) * ATTITUDE_1
    attitude += ATTITUDE_1 * tilde(w[1]) + ATTITUDE * tilde(w_rate[1])
    return dict(zip((*PLACE_2, *ATTITUDE_2), (*place, *attitude), strict=True))
