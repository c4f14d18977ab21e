# SPDX-License-Identifier: BSD-3-Clause
"""Equilibria along a path on which the load factor may fall: Crisfield's cylindrical arc length.

Unknowns and load factor are corrected together, so that the change of the unknowns since the last
point has a given length,

    r(q, factor) = 0,     |q - q_0| = s

(rotations are composed: their part of the length is that of the sum of the spins)

(Crisfield, Non-linear Finite Element Analysis, vol. 1, section 9.3; the constraint is linearized as
the equations are, so that corrections converge quadratically.)
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.finite.load_steps import (
    FEW,
    LEAST,
    PathEndError,
    PathPoint,
    inverse,
    tangent,
)
from flexforge.runtime.finite.newton import Equilibrium, Newton, NoEquilibriumError
from flexforge.runtime.solvers.interface import SingularMatrixError

_MOST = 12  # corrections of a point
#: Cosine between two arcs from which on the next is longer, and below which it is shorter.
_STRAIGHT, _BENT = 0.95, 0.8
_MOST_STEPS = 2.0  # of the load factor that an arc is to pass
_CLOSED = 1e-8  # error of the length of an arc, relative


def follow_arc(newton: Newton, steps: int, most: int) -> Iterator[PathPoint]:
    """Return equilibria along the path from the undeformed state, until the loads are whole.

    Parameters
    ----------
    newton : Newton
        Finds them.
    steps : int
        The first arc passes a step of the load factor of their inverse, others two at most.
    most : int
        Points after which the path is left.

    Raises
    ------
    AnalysisError
        Naming the load factor beyond which no equilibrium was found, and why.
    """
    state = newton.solve(np.zeros(newton.balance.size), 0.0)
    balance = newton.balance
    moved: Floats | None = None
    first = arc = 0.0
    for _ in range(most):
        rate = tangent(newton, state)
        forward = 1.0 if moved is None or float(rate @ moved) > 0.0 else -1.0
        slope = forward * inverse(rate)
        yield PathPoint(state, newton.tangents.negative, slope)
        if state.factor >= 1.0:
            return
        if moved is None:
            first = arc = 1.0 / (slope * steps)
        arc = min(arc, _MOST_STEPS / (abs(slope) * steps))
        while True:
            try:
                found = _point(newton, state, rate, slope * arc, arc)
                break
            except NoEquilibriumError as error:
                arc *= 0.5
                if arc < LEAST * first:
                    raise PathEndError(state.factor, error) from None
        before, moved = moved, balance.change(found.q, state.q)
        straight = 1.0 if before is None else _cosine(before, moved)
        if straight < _BENT:
            arc *= 0.5
        elif found.corrections <= FEW and straight > _STRAIGHT:
            arc *= 1.5
        if found.factor >= 1.0:
            share = (1.0 - state.factor) / (found.factor - state.factor)
            found = newton.solve(balance.moved(state.q, share * moved), 1.0)
        state = found


def _cosine(one: Floats, other: Floats) -> float:
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / max(size, float(np.finfo(float).tiny))


def _point(newton: Newton, begin: Equilibrium, rate: Floats, by: float, arc: float) -> Equilibrium:
    """Return the point at the end of an arc, predicted along the tangent."""
    balance, tangents = newton.balance, newton.tangents
    factor, moved = begin.factor + by, by * rate
    q = balance.moved(begin.q, moved)
    for count in range(_MOST + 1):
        u = balance.displacement(q, factor)
        if not np.isfinite(u).all():
            raise NoEquilibriumError("corrections diverge")
        if found := balance.fault(u):
            raise NoEquilibriumError(found)
        left, size = balance.residual(q, u, factor)
        done, share = newton.is_balanced(left, size, u)
        length = float(moved @ moved)
        if done and abs(length - arc**2) <= _CLOSED * arc**2:
            return Equilibrium(q, factor, u, share, count)
        try:
            system = tangents.at(q, u, factor)
        except SingularMatrixError as error:
            raise NoEquilibriumError(f"the stiffness is singular ({error})") from None
        by_load = tangents.solve(balance.by_factor(system, q, u, factor))
        change = tangents.solve(left)
        along = float(moved @ by_load)
        if along == 0.0:
            raise NoEquilibriumError("the load does not move along the arc")
        grown = (0.5 * (arc**2 - length) - float(moved @ change)) / along
        step = change + grown * by_load
        q, moved, factor = balance.moved(q, step), moved + step, factor + grown
    raise NoEquilibriumError(f"corrections do not end ({_MOST} of them)")
