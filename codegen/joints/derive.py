# SPDX-License-Identifier: BSD-3-Clause
"""From the rows of a joint to its Jacobian, rates of the Jacobian, and accelerations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import sympy
from flexforge.codegen.joints.kinds import KINDS, JointKind, Row
from flexforge.codegen.joints.markers import ATTITUDE, rates, relative, variations
from flexforge.codegen.mechanics.ledger import Ledger


@dataclass(frozen=True, slots=True)
class JointRow:
    """A derived row of a joint; columns are coordinates in axes of the markers.

    Attributes
    ----------
    row : Row
        The row from which it is derived.
    jacobian, jacobian_1, jacobian_2 : tuple of sympy.Expr
        Derivatives by displacement and rotation of the first and second marker, and their first
        and second time derivatives along the motion.
    second_rate : sympy.Expr
        The second time derivative of the row.
    """

    row: Row
    jacobian: tuple[sympy.Expr, ...]
    jacobian_1: tuple[sympy.Expr, ...]
    jacobian_2: tuple[sympy.Expr, ...]
    second_rate: sympy.Expr


@dataclass(frozen=True, slots=True)
class JointEquations:
    """All rows of a joint, constraints first, and the cost of their derivation."""

    kind: JointKind
    rows: tuple[JointRow, ...]
    ledger: Ledger


@cache
def derive_joint(name: str) -> JointEquations:
    """Derive the equations of a kind of joint from its constraints and free coordinates.

    Parameters
    ----------
    name : str
        One of :data:`flexforge.codegen.joints.kinds.KINDS`.
    """
    kind, ledger = KINDS[name], Ledger()
    rows = tuple(_derive(row, ledger) for row in (*kind.held, *kind.free))
    ledger.stop()
    return JointEquations(kind, rows, ledger)


def _derive(row: Row, ledger: Ledger) -> JointRow:
    rate = rates()
    if row.turn is None:
        gradient = {symbol: _partial(row, symbol, ledger) for symbol in relative()}
        gradient = {symbol: value for symbol, value in gradient.items() if value != 0}
        jacobian = tuple(
            ledger.sum("J", *(ledger.multiply("J", g, change[s]) for s, g in gradient.items()))
            for change in variations()
        )
    else:
        gradient, jacobian = _turn(row.turn)
    first = tuple(ledger.total(entry, rate, "J'") for entry in jacobian)
    second = tuple(ledger.total(entry, rate, "J''") for entry in first)
    velocity = ledger.sum("Phi'", *(g * rate[s] for s, g in gradient.items()))
    return JointRow(row, jacobian, first, second, ledger.total(velocity, rate, "Phi''"))


def jacobian_changes(row: JointRow) -> tuple[tuple[sympy.Expr, ...], ...]:
    """Return the derivatives of the Jacobian by the twelve coordinates, (12, 12).

    The first index is that of the entry; rotations do not commute, nor do these indices.
    """
    symbols = [s for s in relative() if any(entry.has(s) for entry in row.jacobian)]
    return tuple(
        tuple(
            sympy.Add(*(entry.diff(s) * change[s] for s in symbols if entry.has(s)))
            for change in variations()
        )
        for entry in row.jacobian
    )


def _turn(axis: int) -> tuple[dict[sympy.Symbol, sympy.Expr], tuple[sympy.Expr, ...]]:
    """Return what the relative angular velocity along an axis is of ``A'``, and its Jacobian.

    It is an entry of the skew matrix ``A' A^T``.
    """
    row, other = (axis + 2) % 3, (axis + 1) % 3
    gradient = {ATTITUDE[row, k]: ATTITUDE[other, k] for k in range(3)}
    first = [sympy.Integer(-(k == axis)) for k in range(3)]
    still = [sympy.Integer(0)] * 3
    return gradient, (*still, *first, *still, *ATTITUDE[axis, :])


def _partial(row: Row, symbol: sympy.Symbol, ledger: Ledger) -> sympy.Expr:
    """Return the derivative of a row; for an arc (c ds - s dc) / (s^2 + c^2)."""
    length = ledger.partial(row.length, symbol, "dPhi")
    if row.factor == 0:
        return length
    sine, cosine = (ledger.partial(one, symbol, "dPhi") for one in (row.sine, row.cosine))
    turn = row.cosine * sine - row.sine * cosine
    if turn == 0:
        return length
    return length + row.factor * turn / (row.sine**2 + row.cosine**2)
