# SPDX-License-Identifier: BSD-3-Clause
"""The load factor at which another path begins, between two points of a path."""

from __future__ import annotations

from flexforge.runtime.finite.load_steps import PathPoint, tangent
from flexforge.runtime.finite.newton import Newton, NoEquilibriumError

#: Halvings of the interval that it is in.
_HALVINGS = 12


def located(newton: Newton, before: PathPoint, after: PathPoint) -> float:
    """Return where the number of negative eigenvalues changes, by bisection.

    Parameters
    ----------
    newton : Newton
        Finds equilibria between the points.
    before, after : PathPoint
        Neighbouring points, between which loads do not turn.
    """
    balance, begin, end = newton.balance, before.state, after.state
    way = balance.change(end.q, begin.q)
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        factor = begin.factor + middle * (end.factor - begin.factor)
        try:
            state = newton.solve(balance.moved(begin.q, middle * way), factor)
        except NoEquilibriumError:
            break
        tangent(newton, state)
        if newton.tangents.negative == before.negative:
            low = middle
        else:
            high = middle
    return begin.factor + 0.5 * (low + high) * (end.factor - begin.factor)
