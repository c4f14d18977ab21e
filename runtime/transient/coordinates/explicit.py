# SPDX-License-Identifier: BSD-3-Clause
"""Steps of central differences: only mass matrices are solved.

Newmark's method with beta = 0, gamma = 1/2. Velocities in the forces are those expected at the end
of a step, ``d' + h d''``, but in Coriolis forces those at its end, by corrections that shrink by
the angle of the step each. Stable where ``M - h C - h^2 K / 4`` is positive: below ``2 / omega`` of
the highest frequency without damping, less with it (``stability``, physics.md section 10).
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime._native import CENTRINGS
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.linear.factors import grown
from flexforge.runtime.transient.linear.mass import MassFactors
from flexforge.runtime.transient.step_end import StepState, SystemStepEnd
from flexforge.runtime.transient.vectors import combined

_ROUND_OFF = float(np.finfo(np.float64).eps)


class ExplicitCoordinates:
    """All coordinates, with forces of the state that is expected at the end of a step.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    solver : str
        Linear solver, of the masses.
    counts : Counts
        Where work is counted.

    Attributes
    ----------
    masses : MassFactors
        Solves with the masses.

    Raises
    ------
    InputError
        When motions have no inertia.
    AnalysisError
        When the mass matrix is singular.
    """

    solver_name = "explicit"
    unknowns = 0

    def __init__(self, system: System, solver: str, counts: Counts) -> None:
        self.masses = MassFactors(system, solver, "central_difference")
        self._counts, self._ranks = counts, system.ranks
        counts.factorizations += int(self.masses.factored)

    def begin(self, q: Floats, v: Floats, end: SystemStepEnd) -> StepState:
        """Return the state at the start, its accelerations from the equations there."""
        a = self._balanced(end, q, v)
        return StepState(q, v, a, a)

    def advance(self, state: StepState, end: SystemStepEnd) -> StepState:
        """Return the state at the end of a step.

        Raises
        ------
        AnalysisError
            When the motion has grown beyond all bounds.
        """
        _, viscous, _ = end.factors
        q, v, _ = end.predicted(state)
        then = combined(1.0, v, viscous, state.averaged) if end.equations.is_viscous else v
        expected = self._balanced(end, q, then)
        x = self._centred(end, expected, state.averaged)
        if not np.isfinite(x).all():
            raise grown(end.time, explicit=True)
        self._counts.solved(1)
        return StepState(q, combined(1.0, v, viscous, x), x, x)

    def close(self) -> None:
        """Release the factors."""
        self.masses.close()

    def _balanced(self, end: SystemStepEnd, q: Floats, v: Floats) -> Floats:
        """Return the accelerations (n,) that balance the forces of a state."""
        equations = end.equations
        left = equations.resting(q, v)
        np.subtract(equations.force, left, out=left)
        return self.masses.solve(left) if self._ranks.any(left.any()) else left

    def _centred(self, end: SystemStepEnd, expected: Floats, old: Floats) -> Floats:
        """Return accelerations with the Coriolis forces of the velocities at the end of a step.

        Parameters
        ----------
        end : StepEnd
            Its end.
        expected : ndarray, (n,)
            Accelerations with those of the velocities expected there.
        old : ndarray, (n,)
            Accelerations at its beginning.

        Raises
        ------
        AnalysisError
            When the frame turns by too much in the step.
        """
        turning = end.equations.gyroscopic(0.5 * end.step)
        if turning is None:
            return expected
        found = expected
        for _ in range(CENTRINGS):
            before, found = found, expected - self.masses.solve(turning(found - old))
            moved, most = (
                self._ranks.largest(float(np.abs(one).max(initial=0.0)))
                for one in (found - before, found)
            )
            if not moved > _ROUND_OFF * most:
                return found
        raise grown(end.time, explicit=True)
