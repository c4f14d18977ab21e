# SPDX-License-Identifier: BSD-3-Clause
"""Motion in time by central differences: no matrix of a step; the masses are factored or diagonal.

Newmark's method with beta = 0, gamma = 1/2; velocities in the forces are those expected at the end
of a step, ``d' + h d''``, but in Coriolis forces those at its end, by corrections that shrink by
the angle of the step each. Stable where ``M - h C - h^2 K / 4`` is positive: below ``2 / omega`` of
the highest frequency without damping, less with it (``stability``, physics.md section 10).
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.system.balance import acceleration
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.linear.factors import Counts, grown
from flexforge.runtime.transient.linear.mass import MassFactors
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.stability import require_stable, system_matrices
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Most corrections of a step by Coriolis forces: FF_CENTRINGS of ff_step.h.
_CORRECTIONS = 60
_ROUND_OFF = float(np.finfo(np.float64).eps)


class Explicit:
    """A motion in progress.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    step : float
        Length of a step, s.
    solver : str
        Linear solver, of the masses.
    displacement, velocity : ndarray, (N, d)
        State at t = 0, relative to the frames, m and m/s.

    Attributes
    ----------
    time : float
        Time reached, s.
    displacement, velocity, acceleration : ndarray, (N, d)
        State at that time.
    counts : Counts
        Steps, factorizations, solves.
    solver_name : str
        What solves with the masses.

    Raises
    ------
    InputError
        When motions have no inertia.
    AnalysisError
        When the mass matrix is singular.
    """

    def __init__(
        self, system: System, loads: Loads, step: float, solver: str, displacement: Floats,
        velocity: Floats,
    ) -> None:  # fmt: skip
        self.system, self.loads, self._step = system, loads, step
        self._masses = MassFactors(system, solver, "central_difference")
        self.time, self.counts, self.solver_name = 0.0, Counts(), "explicit"
        self.counts.factorizations = int(self._masses.factored)
        self.displacement = system.expand(system.restrict(displacement))
        self.velocity = system.expand(system.restrict(velocity))
        self.acceleration = self._balanced(0.0, self.displacement, self.velocity)

    def require_stable(self, scheme: Scheme, duration: float) -> None:
        """Refuse a step that is too long to be stable at any time of a run of some length, s.

        Raises
        ------
        InputError
            Naming the longest step that is.
        """
        acting = system_matrices(self.system, self._masses)
        require_stable(scheme, self._step, duration, self.system, acting)

    def advance(self) -> None:
        """Take one step.

        Raises
        ------
        AnalysisError
            When the motion has grown beyond all bounds.
        """
        h, old = self._step, self.acceleration
        self.displacement = self.displacement + h * self.velocity + 0.5 * h * h * old
        end = (self.counts.steps + 1) * h
        expected = self._balanced(end, self.displacement, self.velocity + h * old)
        self.acceleration = self._centred(end, expected, old)
        self.velocity = self.velocity + 0.5 * h * (old + self.acceleration)
        if not np.isfinite(self.acceleration).all():
            raise grown(end, explicit=True)
        self.counts.steps += 1
        self.counts.solves += 1
        self.counts.most_solves = 1
        self.time = end

    def close(self) -> None:
        """Release the factors."""
        self._masses.close()

    def _balanced(self, time: float, displacement: Floats, velocity: Floats) -> Floats:
        return acceleration(
            self.system, self.loads, self._masses.solve, time, displacement, velocity
        )

    def _centred(self, end: float, expected: Floats, old: Floats) -> Floats:
        """Return accelerations with the Coriolis forces of the velocities at the end of a step.

        Parameters
        ----------
        end : float
            Its time, s.
        expected : ndarray, (N, d)
            Accelerations with those of the velocities expected there.
        old : ndarray, (N, d)
            Accelerations at its beginning.

        Raises
        ------
        AnalysisError
            When the frame turns by too much in the step.
        """
        system = self.system
        turning = [
            Combination(0.0, 0.5 * self._step * spin.coriolis, np.zeros(0))
            for spin in system.spins(end)
        ]
        if not any(one.inertia.any() for one in turning):
            return expected
        found = expected
        for _ in range(_CORRECTIONS):
            late = system.restrict(system.apply(turning, found - old))
            before, found = found, expected - system.expand(self._masses.solve(late))
            if not np.abs(found - before).max() > _ROUND_OFF * np.abs(found).max():
                return found
        raise grown(end, explicit=True)
