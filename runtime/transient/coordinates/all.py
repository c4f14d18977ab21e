# SPDX-License-Identifier: BSD-3-Clause
"""Steps of linear equations in all coordinates: one solve each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.step_end import StepEnd, StepState


class StepSolver(Protocol):
    """What solves the equations of steps, whose matrices are alike."""

    def prepare(self, matrix: Any) -> None:
        """Factor a matrix like those to come."""

    def solve(self, matrix: Any, rhs: Floats, size: float, time: float) -> Floats:
        """Return the solution of the equations of a step.

        Parameters
        ----------
        matrix : Operator
            Of the step.
        rhs : ndarray, (n,)
            Right-hand side.
        size : float
            Norm of what balances in it, which round-off is relative to.
        time : float
            When the step begins, for messages, s.

        Raises
        ------
        AnalysisError
            When the equations cannot be solved.
        """

    @property
    def solver_name(self) -> str:
        """Backend that factors."""

    def close(self) -> None:
        """Release the factors."""


class AllCoordinates:
    """Steps in all coordinates.

    Parameters
    ----------
    solver : StepSolver
        Solves with the matrices of the steps.
    divide : callable, optional
        Takes forces (n,) and returns the accelerations that they cause, for `begin`.
    """

    def __init__(
        self, solver: StepSolver, divide: Callable[[Floats], Floats] | None = None
    ) -> None:
        self._solver, self._divide = solver, divide
        self.unknowns = 0

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return self._solver.solver_name

    def begin(self, q: Floats, v: Floats, end: StepEnd) -> StepState:
        """Return the state at the start, its accelerations from the equations there."""
        assert self._divide is not None
        equations, self.unknowns = end.equations, len(q)
        left = equations.force - equations.inner(q, v, np.zeros_like(q))
        a = self._divide(left)
        self._solver.prepare(equations.combine(*end.factors))
        return StepState(q, v, a, a)

    def advance(self, state: StepState, end: StepEnd) -> StepState:
        """Return the state at the end of a step.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved.
        """
        equations, (mass, viscous, elastic) = end.equations, end.factors
        q, v, a = end.predicted(state)
        inner = equations.inner(q, v, a)
        x = self._solver.solve(
            equations.combine(mass, viscous, elastic),
            equations.force - inner,
            equations.magnitude(inner, q),
            end.time - end.step,
        )
        return StepState(q + elastic * x, v + viscous * x, a + mass * x, x)

    def close(self) -> None:
        """Release the factors."""
        self._solver.close()
