# SPDX-License-Identifier: BSD-3-Clause
"""Constrained motion in generalized speeds: Maggi's equations ``A^T (m q'' + ... - f) = 0``.

With ``q = A y`` and its rates (see ``constraints.reduction``) a unit of the averaged acceleration x
of a step adds ``A x`` to the accelerations, but through ``A'`` and ``A''`` to velocities and
positions as well: the terms ``A' z`` and ``b'`` of the constraints, which are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.analyses.factors import Counts, KeptFactors
from flexforge.runtime.analyses.stepmatrix import StepMatrix
from flexforge.runtime.analyses.moment import Moment, State
from flexforge.runtime.constraints.reduction import Reducer, Reduction
from flexforge.runtime.solvers import factorize
from flexforge.runtime.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]

#: Relative change of A worth another factorization.
_TURNED = 0.05


@dataclass(frozen=True)
class ReducedMatrix:
    """The matrix of a step on the speeds that the constraints leave.

    Attributes
    ----------
    inner : StepMatrix
        That of the coordinates: what of it is ``A^T inner A``.
    moment : Moment
        The end of the step.
    reduction : Reduction
        A and D there.
    """

    inner: StepMatrix
    moment: Moment
    reduction: Reduction

    @property
    def system(self) -> System:
        """The bodies."""
        return self.inner.system

    def times(self, x: Floats) -> Floats:
        """Return the matrix times accelerations of the speeds (r,)."""
        mass, viscous, elastic = self.moment.factors
        along = self.reduction.free @ x
        q = elastic * along
        v = viscous * along + self.reduction.velocity(q, np.zeros_like(x))
        a = mass * along + self.reduction.acceleration(q, v, np.zeros_like(x))
        forces: Floats = self.reduction.free.T @ self.moment.equations.inner(q, v, a)
        return forces

    def weigh(self, x: Floats) -> Floats:
        """Return values of the unknowns: there is one row of blocks."""
        return x

    @property
    def symmetric_part(self) -> ReducedMatrix:
        """The matrix without its skew part, and without what the rates of A add."""
        return replace(self, inner=self.inner.symmetric_part)

    @property
    def is_symmetric(self) -> bool:
        """Whether it has no skew part: never said, as A moves."""
        return False

    def assembled(self) -> csr_matrix:
        """Return ``A^T inner A``."""
        free = self.reduction.free
        return (free.T @ self.inner.assembled() @ free).tocsr()

    @property
    def largest_stiffness(self) -> float:
        """Largest entry that comes from the stiffness of the elements."""
        return self.inner.largest_stiffness

    def moved(self, then: ReducedMatrix) -> bool:
        """Whether the symmetric part differs much from an earlier one."""
        now, before = self.reduction.free.data, then.reduction.free.data
        turned = np.abs(now - before).max(initial=0.0) > _TURNED * np.abs(before).max(initial=1.0)
        return bool(turned) or self.inner.moved(then.inner)


class Reduced:
    """Steps in generalized speeds.

    Parameters
    ----------
    reducer : Reducer
        Chooses them.
    tolerance : float
        Relative residual of the equations of a step.
    solver : str
        Linear solver.
    counts : Counts
        Where work is counted.
    """

    def __init__(self, reducer: Reducer, tolerance: float, solver: str, counts: Counts) -> None:
        self._reducer, self._tolerance = reducer, tolerance
        self._solver, self._counts = solver, counts
        self._kept: KeptFactors | None = None

    @property
    def unknowns(self) -> int:
        """Number of speeds."""
        return self._reducer.unknowns

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return self._kept.factors.name if self._kept else ""

    def begin(self, q: Floats, v: Floats, moment: Moment) -> State:
        """Return the state at the start, its accelerations and forces from the equations there."""
        reduction, equations = self._reducer.at(moment.rows), moment.equations
        given = reduction.acceleration(q, v, np.zeros(self.unknowns))
        rhs = reduction.free.T @ equations.left(q, v, given)
        system = equations.system
        mass = system.matrix(equations.combined(1.0, 0.0, 0.0))
        reduced = (reduction.free.T @ mass @ reduction.free).tocsr()
        second = np.zeros(self.unknowns)
        if rhs.any():
            factors = factorize(reduced, self._solver, system.threads, positive_definite=True)
            second = factors.solve(rhs)
            factors.close()
        a = reduction.acceleration(q, v, second)
        return State(q, v, a, a, _forces(reduction, moment, q, v, a))

    def advance(self, state: State, moment: Moment) -> State:
        """Return the state at the end of a step.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved.
        """
        chosen = self._reducer.choices
        reduction = self._reducer.at(moment.rows)
        if chosen != self._reducer.choices and self._kept is not None:
            self._kept.close()  # of other unknowns
            self._kept = None
        known = (state.q, state.v, state.a, state.averaged)
        y, y_rate, y_second = moment.predicted(*(reduction.speeds @ one for one in known))
        q = reduction.free @ y
        v = reduction.velocity(q, y_rate)
        a = reduction.acceleration(q, v, y_second)
        equations = moment.equations
        inner = equations.inner(q, v, a)
        rhs = reduction.free.T @ (equations.force - inner)
        system = equations.system
        matrix = ReducedMatrix(
            StepMatrix(system, ((equations.combined(*moment.factors),),)), moment, reduction
        )
        if self._kept is None:
            self._kept = KeptFactors(
                matrix, self._solver, self._tolerance, self._counts, steady=False
            )
        # What round-off in the forces is relative to: those inside the elements nearly cancel.
        size = float(np.linalg.norm(equations.force) + np.linalg.norm(inner))
        size += system.stiffness_scale * float(np.linalg.norm(q))
        start = moment.time - moment.step
        change = self._kept.solve(matrix, rhs, size, start)
        _, viscous, elastic = moment.factors
        q = reduction.free @ (y + elastic * change)
        v = reduction.velocity(q, y_rate + viscous * change)
        second = y_second + moment.factors[0] * change
        a = reduction.acceleration(q, v, second)
        averaged = a + reduction.free @ (change - second)
        return State(q, v, a, averaged, _forces(reduction, moment, q, v, a))

    def close(self) -> None:
        """Release the factors."""
        if self._kept is not None:
            self._kept.close()


def _forces(reduction: Reduction, moment: Moment, q: Floats, v: Floats, a: Floats) -> Floats:
    """Return the multipliers: ``m q'' + ... = f + J^T multipliers``, and ``D^T J^T = 1``."""
    forces: Floats = -(reduction.fixed.T @ moment.equations.left(q, v, a))
    return forces
