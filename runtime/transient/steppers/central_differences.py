# SPDX-License-Identifier: BSD-3-Clause
"""Central differences of the bodies of a system: no matrix of a step but the masses.

Newmark's method with beta = 0, gamma = 1/2; velocities in the forces are those expected at the end
of a step, ``d' + h d''``, but in Coriolis forces those at its end, by corrections that shrink by
the angle of the step each. Stable where ``M - h C - h^2 K / 4`` is positive: below ``2 / omega`` of
the highest frequency without damping, less with it (``stability``, physics.md section 10).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.runtime._native import CENTRINGS
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.equations import equations_at
from flexforge.runtime.transient.linear.factors import grown
from flexforge.runtime.transient.linear.mass import MassFactors
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.steppers.stepper import Stepper
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROUND_OFF = float(np.finfo(np.float64).eps)


class ExplicitSteps(Stepper):
    """Central differences. The history of a state has its accelerations.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    solver : str
        Linear solver, of the masses.

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

    def __init__(self, system: System, loads: Loads, solver: str) -> None:
        self._system, self._loads = system, loads
        self.masses = MassFactors(system, solver, "central_difference")
        self._counts = Counts(factorizations=int(self.masses.factored))

    @property
    def counts(self) -> Counts:
        """Work done."""
        return self._counts

    @property
    def solver_name(self) -> str:
        """That nothing but masses is solved with."""
        return "explicit"

    def begin(self, state: State) -> State:
        """Return a state with a history."""
        return replace(state, history=self._balanced(state.t, state.q, state.z))

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later.

        Raises
        ------
        AnalysisError
            When the motion has grown beyond all bounds.
        """
        old = state.history
        q = state.q + h * state.z + 0.5 * h * h * old
        new = self._centred(h, to, self._balanced(to, q, state.z + h * old), old)
        if not np.isfinite(new).all():
            raise grown(to, explicit=True)
        self._counts.steps += 1
        self._counts.solved(1)
        return State(to, q, state.z + 0.5 * h * (old + new), history=new)

    def point(self, state: State) -> Point:
        """Return a state with its accelerations."""
        return Point(state.t, state.q, state.z, state.s, state.mode, state.history)

    def close(self) -> None:
        """Release the factors."""
        self.masses.close()

    def _balanced(self, time: float, q: Floats, v: Floats) -> Floats:
        """Return the accelerations (n,) that balance the forces of a state."""
        equations = equations_at(self._system, self._loads, time, self._system.frames(time))
        left = equations.left(q, v, np.zeros_like(q))
        return self.masses.solve(left) if left.any() else left

    def _centred(self, h: float, end: float, expected: Floats, old: Floats) -> Floats:
        """Return accelerations with the Coriolis forces of the velocities at the end of a step.

        Parameters
        ----------
        h, end : float
            Its length and the time of its end, s.
        expected : ndarray, (n,)
            Accelerations with those of the velocities expected there.
        old : ndarray, (n,)
            Accelerations at its beginning.

        Raises
        ------
        AnalysisError
            When the frame turns by too much in the step.
        """
        system = self._system
        turning = [
            Combination(0.0, 0.5 * h * spin.coriolis, np.zeros(0)) for spin in system.spins(end)
        ]
        if not any(one.inertia.any() for one in turning):
            return expected
        found = expected
        for _ in range(CENTRINGS):
            late = system.restrict(system.apply(turning, system.expand(found - old)))
            before, found = found, expected - self.masses.solve(late)
            if not np.abs(found - before).max() > _ROUND_OFF * np.abs(found).max():
                return found
        raise grown(end, explicit=True)
