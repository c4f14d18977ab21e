# SPDX-License-Identifier: BSD-3-Clause
"""Equilibria over the load factor, in steps that are halved where none is found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.finite.newton import Equilibrium, Newton, NoEquilibriumError
from flexforge.runtime.solvers.interface import SingularMatrixError

#: Smallest step, relative to the one asked for; corrections up to which the next step is longer.
LEAST, FEW = 2.0**-12, 5
_SAME = 1e-12  # of load factors


@dataclass(frozen=True)
class PathPoint:
    """An equilibrium on a path.

    Attributes
    ----------
    state : Equilibrium
        Displacements and load factor.
    negative : int or None
        Number of negative eigenvalues of the stiffness there, if known: none where it is stable.
    slope : float
        Rate of the load factor along the path, by the length of the change of the unknowns.
    """

    state: Equilibrium
    negative: int | None
    slope: float


def tangent(newton: Newton, state: Equilibrium) -> Floats:
    """Factor the stiffness at an equilibrium and return the rate of the unknowns, ``dq/dfactor``.

    Raises
    ------
    AnalysisError
        When it is singular: two paths meet, or nothing holds the bodies.
    """
    balance, tangents = newton.balance, newton.tangents
    u, factor = state.displacement, state.factor
    try:
        system = tangents.at(state.q, u, factor)
        return tangents.solve(balance.by_factor(system, state.q, u, factor))
    except SingularMatrixError as error:
        raise AnalysisError(
            f"static analysis: the stiffness is singular at load factor {factor:.6g} ({error})"
        ) from None


def follow_loads(newton: Newton, steps: int) -> Iterator[PathPoint]:
    """Return equilibria up to the whole loads, the undeformed state first.

    Parameters
    ----------
    newton : Newton
        Finds them.
    steps : int
        Equal steps that are tried.

    Raises
    ------
    AnalysisError
        Naming the load factor beyond which no equilibrium was found, and why.
    """
    whole = 1.0 / steps
    state = newton.solve(np.zeros(newton.balance.size), 0.0)
    step, goal = whole, whole
    while True:
        rate = tangent(newton, state)
        yield PathPoint(state, newton.tangents.negative, inverse(rate))
        if state.factor >= 1.0:
            return
        if state.factor >= goal - _SAME:
            goal = min((np.floor(state.factor * steps + _SAME * steps) + 1.0) * whole, 1.0)
        while True:
            to = goal if state.factor + step > goal - _SAME else state.factor + step
            try:
                ahead = newton.balance.moved(state.q, (to - state.factor) * rate)
                found = newton.solve(ahead, to)
                break
            except NoEquilibriumError as error:
                step *= 0.5
                if step < LEAST * whole:
                    raise PathEndError(state.factor, error) from None
        if found.corrections <= FEW:
            step = min(2.0 * step, whole)
        state = found


def inverse(rate: Floats) -> float:
    """Return the rate of the load factor by the length that unknowns move, from theirs by it."""
    return 1.0 / max(float(np.linalg.norm(rate)), float(np.finfo(float).tiny))


class PathEndError(AnalysisError):
    """A path of equilibria ends before its loads are whole.

    Parameters
    ----------
    factor : float
        The load factor beyond which no equilibrium was found.
    why : NoEquilibriumError
        Why there is none.
    """

    def __init__(self, factor: float, why: NoEquilibriumError) -> None:
        super().__init__(
            f"static analysis: no equilibrium found beyond load factor {factor:.6g}: {why}; the "
            "states up to it are kept. Where loads cannot grow further, as where an arch snaps "
            'through, analysis.path = "arc_length" follows the path of equilibria'
        )
        self.factor, self.why = factor, why
