# SPDX-License-Identifier: BSD-3-Clause
"""Motion in time by central differences: no matrix of a step; the masses are factored or diagonal.

Newmark's method with beta = 0, gamma = 1/2; velocities in the forces are those expected at the end
of a step, ``d' + h d''``. Stable below ``h = 2 / omega`` of the highest frequency, less where
dampers are strong.
"""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.analyses.balance import acceleration
from flexforge.runtime.analyses.factors import Counts, grown
from flexforge.runtime.analyses.mass import MassFactors
from flexforge.runtime.body import Combination
from flexforge.runtime.loads import Loads
from flexforge.runtime.system import System
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Steps of the power iteration; it comes from below, and is within a per cent by then as a rule.
_TURNS = 40


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
        When the step is too long to be stable, or motions have no inertia.
    AnalysisError
        When the mass matrix is singular.
    """

    def __init__(
        self, system: System, loads: Loads, step: float, solver: str, displacement: Floats,
        velocity: Floats,
    ) -> None:  # fmt: skip
        self.system, self.loads, self._step = system, loads, step
        self._masses = MassFactors(system, solver, "central_difference")
        check_step(step, highest_frequency(system, self._masses))
        self.time, self.counts, self.solver_name = 0.0, Counts(), "explicit"
        self.counts.factorizations = int(self._masses.factored)
        self.displacement = system.expand(system.restrict(displacement))
        self.velocity = system.expand(system.restrict(velocity))
        self.acceleration = self._balanced(0.0, self.displacement, self.velocity)

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
        self.acceleration = self._balanced(end, self.displacement, self.velocity + h * old)
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


def highest_frequency(system: System, masses: MassFactors) -> float:
    """Return the highest circular frequency at rest, rad/s, by power iteration on ``m^-1 k``."""
    elastic = [Combination(1.0, np.zeros((system.dimension,) * 2), np.zeros(0))]
    x = np.random.default_rng(0).standard_normal(system.unknowns)
    square = 0.0
    for _ in range(_TURNS):
        pulled = system.restrict(system.apply(elastic * len(system.bodies), system.expand(x)))
        y = masses.solve(pulled)
        square = float(np.linalg.norm(y) / np.linalg.norm(x))
        if not square:
            return 0.0
        x = y / np.linalg.norm(y)
    return float(np.sqrt(square))


def check_step(step: float, highest: float) -> None:
    """Refuse steps that central differences are unstable with.

    Parameters
    ----------
    step : float
        s.
    highest : float
        Highest circular frequency, rad/s.

    Raises
    ------
    InputError
        Naming the longest step that is stable.
    """
    if step * highest >= 2.0:
        raise InputError(
            f"analysis.step: found {step:.4g} s with central_difference; expected less than "
            f"{2.0 / highest:.4g} s, two over the highest frequency ({highest:.4g} rad/s)"
        )
