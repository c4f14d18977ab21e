# SPDX-License-Identifier: BSD-3-Clause
"""Constrained motion with Lagrange's multipliers: ``m q'' + ... = f + J^T lambda`` and ``J q = 0``.

The method for equations of this kind that generalized-alpha was extended to: constraints and
equations hold at the end of a step, and the acceleration that is carried on is averaged. Positions
satisfy the constraints to round-off; velocities and accelerations to the order of the method.

Arnold and Bruels, "Convergence of the generalized-alpha scheme for constrained mechanical systems",
Multibody System Dynamics 18 (2007), eqs. 7 and 8.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.generalized_speeds import null_space
from flexforge.runtime.constraints.null_space import Reducer
from flexforge.runtime.constraints.rates import Rates
from flexforge.runtime.constraints.rows import Rows
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.linear.directions import Directions, condensing
from flexforge.runtime.transient.linear.factors import KeptFactors
from flexforge.runtime.transient.linear.joint_schur import JointSchur, JointSchurRows
from flexforge.runtime.transient.linear.joint_schur_matrix import condensed
from flexforge.runtime.transient.linear.mass import factors_at_start
from flexforge.runtime.transient.linear.masses import Masses
from flexforge.runtime.transient.linear.step_matrix import FactoredWhole, StepMatrix
from flexforge.runtime.transient.step_end import (
    MOST_CORRECTIONS,
    StepState,
    TiedStepEnd,
    settled,
    unsettled,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


#: Change of an entry of J, relative to its largest, worth another factorization.
_TURNED = 0.05


@dataclass(frozen=True)
class BorderedMatrix(FactoredWhole):
    """The matrix of a step with its constraints: ``[S, -J^T; -J, 0]``, the rows of J scaled.

    Attributes
    ----------
    inner : StepMatrix
        S.
    rows : Rows
        Constraints of positions.
    scale : float
        Factor of J that makes its entries as large as those of S, kg.
    end : TiedStepEnd
        The end of the step, whose actuators add to S.
    rates : Rates, optional
        Constraints of velocities, whose W follows J.
    """

    inner: StepMatrix
    rows: Rows
    scale: float
    end: TiedStepEnd
    rates: Rates | None = None

    @property
    def system(self) -> System:
        """The bodies."""
        return self.inner.system

    def reach(self, x: Floats) -> Floats:
        """Return the accelerations, (n,)."""
        return x[: self.rows.pattern.shape[1]]

    def beside(self, turned: Floats) -> Floats:
        """Return S times coordinates."""
        return self.inner.apply(turned)

    def apply(self, x: Floats) -> Floats:
        """Return the matrix times accelerations and scaled multipliers (n + m,)."""
        reached = self.reach(x)
        return self.finish(x, reached, self.inner.apply(reached))

    def finish(self, x: Floats, reached: Floats, forces: Floats) -> Floats:
        """Return the matrix times accelerations and scaled multipliers, from S times the first."""
        m, n = self.rows.pattern.shape
        tying = self.rows.transposed(x[n : n + m])
        held = self.rows.times(reached)
        if self.rates is not None:
            tying += self.rates.transposed(x[n + m :], n)
            held = np.concatenate([held, self.rates.matrix @ reached[self.rates.columns]])
        upper = forces - self.scale * tying
        if (coupling := self.end.equations.coupling) is not None:
            _, viscous, elastic = self.end.factors
            upper += coupling.inner(elastic * reached, viscous * reached)
        return np.concatenate([upper, -self.scale * held])

    @property
    def constraints(self) -> Rows:
        """J at the end of the step."""
        return self.rows

    def hold(self, directions: Directions) -> JointSchurRows:
        """Return the constraints in the directions of the joints."""
        return JointSchurRows(self.constraints, directions)

    def through(self, factors: JointSchur, held: JointSchurRows, rhs: Floats) -> Floats:
        """Return the solution for a right-hand side with factors of the bodies."""
        n = self.rows.pattern.shape[1]
        x, forces = factors.tied(held, rhs[:n], rhs[n:] / -self.scale)
        return np.concatenate([x, forces / self.scale])

    @property
    def symmetric_part(self) -> BorderedMatrix:
        """The matrix without its skew part."""
        return replace(self, inner=self.inner.symmetric_part)

    @property
    def symmetric(self) -> bool:
        """Whether it has no skew part."""
        return self.inner.symmetric

    def assemble(self) -> csr_matrix:
        """Return the matrix."""
        from scipy.sparse import block_array, csr_matrix, vstack

        j = -self.scale * self.rows.matrix()
        if self.rates is not None:
            j = vstack([j, -self.scale * self.rates.spread(j.shape[1])])
        m = j.shape[0]
        # Zeros on the diagonal are entries: a direct solver has to be able to put pivots there.
        corner = csr_matrix((np.zeros(m), (np.arange(m), np.arange(m))), shape=(m, m))
        return block_array([[self.inner.assemble(), j.T], [j, corner]], format="csr")

    @property
    def largest_stiffness(self) -> float:
        """Largest entry that comes from the stiffness of the elements."""
        return self.inner.largest_stiffness

    def moved(self, then: BorderedMatrix) -> bool:
        """Whether the symmetric part differs much from an earlier one."""
        now, before = self.rows.data[0], then.rows.data[0]
        turned = np.abs(now - before).max(initial=0.0) > _TURNED * np.abs(before).max(initial=0.0)
        return bool(turned) or self.inner.moved(then.inner)


class Multipliers:
    """Steps with multipliers.

    Parameters
    ----------
    tolerance : float
        Relative residual of the equations of a step.
    solver : str
        Linear solver.
    counts : Counts
        Where work is counted.
    size : int
        Coordinates and constraints.
    """

    def __init__(self, tolerance: float, solver: str, counts: Counts, size: int) -> None:
        self._solver = solver
        self._kept = KeptFactors(solver, tolerance, counts)
        self._scale = 0.0
        self._directions: Directions | None = None
        self.unknowns = size

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return self._kept.solver_name

    def begin(self, q: Floats, v: Floats, end: TiedStepEnd) -> StepState:
        """Return the state at the start, its accelerations and forces from the equations there."""
        equations, rows = end.equations, end.rows
        Reducer(rows.pattern, null_space).choose(rows)  # refuses those that depend on others
        system = equations.system
        inner = equations.combine(*factors_at_start(system, end.step))
        scale = float(system.mass_diagonal().max())
        rates = end.rates(q, v) if end.rates is not None else None
        if rates is None:
            self._directions = condensing(rows.pattern, system)
        bordered = BorderedMatrix(inner, rows, scale, end, rates)
        matrix = condensed(bordered, self._directions)
        second = [rows.acceleration_asked(q, v)]
        second += [rates.second] if rates is not None else []
        left = equations.left(q, v, np.zeros_like(q))
        rhs = np.concatenate([left, *(scale * one for one in second)])
        found = Masses(self._solver).solve(matrix, rhs)
        a = found[: len(q)]
        return StepState(q, v, a, a, scale * found[len(q) :])

    def advance(self, state: StepState, end: TiedStepEnd) -> StepState:
        """Return the state at the end of a step.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved.
        """
        equations, rows = end.equations, end.rows
        q, v, a = end.predicted(state)
        mass, viscous, elastic = end.factors
        inner = equations.inner(q, v, a)
        step, size = equations.combine(mass, viscous, elastic), equations.magnitude(inner, q)
        largest = float(equations.system.mass_diagonal().max())
        scale = self._scale = self._scale or mass * largest
        place, speed, change = q, v, np.zeros_like(q)
        for _ in range(MOST_CORRECTIONS):
            held = [rows.position_left(q) / elastic]
            rates = None
            if end.rates is not None:
                rates = end.rates(place, speed)
                held.append(rates.velocity_left(v) / viscous)
            bordered = BorderedMatrix(step, rows, scale, end, rates)
            matrix = condensed(bordered, self._directions)
            rhs = np.concatenate([equations.force - inner, *(scale * one for one in held)])
            before = change
            found = self._kept.solve(matrix, rhs, size, end.time - end.step)
            change = found[: len(q)]
            place, speed = q + elastic * change, v + viscous * change
            if rates is None or settled(change - before, change):
                return StepState(place, speed, a + mass * change, change, scale * found[len(q) :])
        raise unsettled(end.time)

    def close(self) -> None:
        """Release the factors."""
        self._kept.close()
