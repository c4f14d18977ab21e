# SPDX-License-Identifier: BSD-3-Clause
"""Constrained motion in generalized speeds: Maggi's equations ``A^T (m q'' + ... - f) = 0``.

With ``q = A y`` and its rates (see ``constraints.null_space``) a unit of the averaged
acceleration x of a step adds ``A x`` to the accelerations and, through ``A'`` and ``A''``, terms to
velocities and positions: the terms ``A' z`` and ``b'`` of the constraints, which are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.basis import Basis
from flexforge.runtime.constraints.constrained_columns import ConstrainedColumns
from flexforge.runtime.constraints.null_space import Reducer
from flexforge.runtime.constraints.path import Path
from flexforge.runtime.constraints.rates import Allowing
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.linear.carried_inertia import CarriedInertia
from flexforge.runtime.transient.linear.directions import Directions, condensing
from flexforge.runtime.transient.linear.factors import KeptFactors
from flexforge.runtime.transient.linear.joint_schur import JointSchurRows
from flexforge.runtime.transient.linear.joint_schur_matrix import condensed
from flexforge.runtime.transient.linear.mass import factors_at_start
from flexforge.runtime.transient.linear.masses import Masses
from flexforge.runtime.transient.linear.projected import Projected
from flexforge.runtime.transient.linear.step_matrix import StepMatrix
from flexforge.runtime.transient.step_end import (
    MOST_CORRECTIONS,
    StepState,
    TiedStepEnd,
    settled,
    unsettled,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True)
class ReducedMatrix(Projected):
    """The matrix of a step on the speeds that the constraints leave.

    Attributes
    ----------
    end : TiedStepEnd
        The end of the step.
    path : Path
        A and D there.
    columns : ConstrainedColumns
        What is tied of the bodies.
    factors : tuple of float
        Accelerations, velocities and positions that a unit of the unknowns adds.
    carried : CarriedInertia, optional
        What rates of the joints drag along, where bodies are factored alone.
    """

    end: TiedStepEnd
    path: Path
    columns: ConstrainedColumns
    factors: tuple[float, float, float]
    carried: CarriedInertia | None = None

    @property
    def along(self) -> csr_matrix:
        """A, (n, s)."""
        return self.path.free

    def reach(self, x: Floats) -> Floats:
        """Return ``A x``, (n,)."""
        return self.path.along(x)

    def beside(self, turned: Floats) -> Floats:
        """Return S times tied coordinates."""
        forces, still = np.zeros_like(turned), np.zeros_like(turned)
        self.columns.add(forces, self.inner.blocks[0][0], turned, still)
        return forces

    def finish(self, x: Floats, reached: Floats, forces: Floats) -> Floats:
        """Return the matrix times accelerations of the speeds (s,), from ``A x`` and ``S A x``."""
        del x
        return self.path.onto(self.resisting(reached, forces))

    def hold(self, directions: Directions) -> JointSchurRows:
        """Return the constraints in the directions of the joints, and what their rates drag."""
        if self.carried is None:
            return super().hold(directions)
        _, viscous, elastic = self.factors
        amounts = self.carried.amounts(self.reduction, directions.matrix, viscous, elastic)
        return JointSchurRows(self.constraints, directions, self.carried, amounts)

    def resisting(self, reached: Floats, forces: Floats) -> Floats:
        """Return the forces that accelerations of the speeds cost, (n,), added to ``S A x``."""
        _, viscous, elastic = self.factors
        reduction = self.reduction
        q = elastic * reached
        carried = reduction.carried_velocity(q)
        v = viscous * reached + carried
        equations = self.end.equations
        self.columns.add(forces, equations.viscous, carried, reduction.carried_acceleration(q, v))
        if equations.coupling is not None:
            forces += equations.coupling.inner(q, v)
        return forces


class EndAlongPath:
    """The end of a step along a path, its averaged accelerations of the speeds still open.

    Parameters
    ----------
    end : TiedStepEnd
        The end of the step.
    state : StepState
        At its beginning.
    path : Path
        What the constraints leave free at the end.
    """

    def __init__(self, end: TiedStepEnd, state: StepState, path: Path) -> None:
        q, v, a = end.predicted(state)
        self._path, self._factors = path, end.factors
        self._place = path.reduction.basis.speeds @ q
        self._speeds, self._rates = path.speeds(v), path.speeds(a)

    def state(self, change: Floats) -> StepState:
        """Return the state there, without its multipliers, for averaged accelerations (s,)."""
        mass, viscous, elastic = self._factors
        path, reduction = self._path, self._path.reduction
        z_rate = self._rates + mass * change
        y_rate = path.coordinates_velocity(self._speeds + viscous * change)
        y_second = path.coordinates_acceleration(z_rate)
        # The averaged acceleration differs from that of the end by what the speeds' does.
        apart = change - z_rate
        free = path.allowed.free @ apart if path.allowed is not None else apart
        q = reduction.position(self._place + elastic * (y_second + free))
        v = reduction.velocity(q, y_rate)
        a = reduction.acceleration(q, v, y_second)
        return StepState(q, v, a, a + reduction.along(free), np.zeros(0))


class Reduced:
    """Steps in generalized speeds.

    Parameters
    ----------
    reducer : Reducer
        Chooses those that the constraints of positions leave.
    allowing : Allowing, optional
        Chooses among them those that constraints of velocities leave.
    tolerance : float
        Relative residual of the equations of a step.
    solver : str
        Linear solver.
    counts : Counts
        Where work is counted.
    begins_often : bool
        Whether factors of masses are kept for other beginnings.

    Attributes
    ----------
    reducer : Reducer
        As given.
    directions : Directions or None
        Of the joints, where bodies are factored alone; known from the beginning on.
    masses : Masses
        What solves with the masses.
    """

    def __init__(
        self,
        reducer: Reducer,
        allowing: Allowing | None,
        tolerance: float,
        solver: str,
        counts: Counts,
        *,
        begins_often: bool = False,
    ) -> None:
        self.reducer, self._allowing = reducer, allowing
        self._kept = KeptFactors(solver, tolerance, counts)
        self._kept_for = 0
        self.directions: Directions | None = None
        self.masses = Masses(solver, positive_definite=True, keep=begins_often)
        self._columns: ConstrainedColumns | None = None
        self._basis: Basis | None = None
        self._carried: CarriedInertia | None = None
        self._begun = False
        self._at_start = (1.0, 0.0, 0.0)

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return self._kept.solver_name

    @property
    def unknowns(self) -> int:
        """Number of speeds."""
        return self.reducer.unknowns - (self._allowing.count if self._allowing else 0)

    def begin(self, q: Floats, v: Floats, end: TiedStepEnd) -> StepState:
        """Return the state at the start, its accelerations and forces from the equations there."""
        if self._allowing is None and not self._begun:
            self.directions = condensing(self.reducer.pattern, end.equations.system)
        if not self._begun:
            self._at_start = factors_at_start(end.equations.system, end.step)
        self._begun = True
        path = self._path(end, q, v)
        given = path.acceleration(q, v, np.zeros(path.size))
        rhs = path.onto(end.equations.left(q, v, given))
        second = np.zeros(path.size)
        if rhs.any():
            matrix = self._whole(end.equations.combine(*self._at_start), end, path)
            matrix = replace(matrix, factors=self._at_start, carried=None)
            second = self.masses.solve(condensed(matrix, self.directions), rhs)
        a = path.acceleration(q, v, second)
        return StepState(q, v, a, a, path.forces(end.equations.left(q, v, a)))

    def advance(self, state: StepState, end: TiedStepEnd) -> StepState:
        """Return the state at the end of a step.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved.
        """
        q, v, _ = end.predicted(state)
        path = self._path(end, q, v)
        if self._kept_for != self.choices:
            self._kept.close()  # of other unknowns
        self._kept_for = self.choices
        change = np.zeros(path.size)
        trial = EndAlongPath(end, state, path)
        for _ in range(MOST_CORRECTIONS):
            more, left = self._solve(end, path, trial.state(change))
            change = change + more
            found = trial.state(change)
            if end.rates is None:
                return replace(found, multipliers=path.forces(left))
            # The velocities that are allowed depend on the place: once more with those of there.
            path = self._path(end, found.q, found.v, keep=True)
            trial = EndAlongPath(end, state, path)
            again = trial.state(change)
            if settled(again.v - found.v, again.v) and settled(again.a - found.a, again.a):
                found = again
                break
        else:
            raise unsettled(end.time)
        left = end.equations.left(found.q, found.v, found.a)
        return replace(found, multipliers=path.forces(left))

    @property
    def choices(self) -> int:
        """How often speeds were chosen."""
        return self.reducer.choices + (self._allowing.choices if self._allowing else 0)

    def _path(self, end: TiedStepEnd, q: Floats, v: Floats, *, keep: bool = False) -> Path:
        reduction = self.reducer.at(end.rows)
        if end.rates is None or self._allowing is None:
            return Path(reduction, q, v)
        rates = end.rates(q, v)
        allowed = self._allowing.at(rates, reduction, keep=keep)
        return Path(reduction, q, v, rates, allowed)

    def _whole(self, inner: StepMatrix, end: TiedStepEnd, path: Path) -> ReducedMatrix:
        """Return a matrix on the speeds, that of a step."""
        if self._columns is None:
            self._columns = ConstrainedColumns(
                inner.system, np.unique(self.reducer.pattern.columns)
            )
        basis = path.reduction.basis
        if self.directions is not None and basis is not self._basis:
            span, apart = self.directions.matrix, self.directions.apart
            self._basis, self._carried = basis, CarriedInertia.of(basis, span, apart, inner.system)
        return ReducedMatrix(
            inner, path.reduction, end, path, self._columns, end.factors, self._carried
        )

    def _solve(self, end: TiedStepEnd, path: Path, found: StepState) -> tuple[Floats, Floats]:
        """Return the change of the averaged accelerations that balances the forces.

        And what it leaves of the forces (n,) on the same path, as the equations are linear.
        """
        equations = end.equations
        inner = equations.inner(found.q, found.v, found.a)
        left = equations.force - inner
        rhs = path.onto(left)
        whole = self._whole(equations.combine(*end.factors), end, path)
        matrix = condensed(whole, self.directions)
        size = equations.magnitude(inner, found.q)
        change = self._kept.solve(matrix, rhs, size, end.time - end.step)
        if (newest := self._kept.newest) is not None:
            left -= whole.resisting(newest.reached, newest.forces.copy())
        return change, left

    def close(self) -> None:
        """Release the factors."""
        self.masses.close()
        self._kept.close()
