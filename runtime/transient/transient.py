# SPDX-License-Identifier: BSD-3-Clause
"""Motion in time: implicit steps of the second-order equations.

A step of the generalized-alpha method balances forces at its end. Its unknown is the averaged
acceleration x that the method carries on, and its equations are ``S x = b`` with

    S = (1 - alpha_m) / (1 - alpha_f) m + gamma h (2 c + damping) + beta h^2 (k + k_eps + k_omega
        + k_geo) .

S moves with the speed of the frame, and is not factored each time: see ``factors``.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from flexforge.runtime.solvers import Factorization
from flexforge.runtime.system.balance import acceleration, inner_forces
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.inertia import Spin
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.linear.factors import Counts, KeptFactors
from flexforge.runtime.transient.linear.mass import solve_mass
from flexforge.runtime.transient.linear.step_matrix import StepMatrix
from flexforge.runtime.transient.scheme import Scheme
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Transient:
    """A motion in progress.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    scheme : Scheme
        Method of integration.
    step : float
        Length of a step, s.
    tolerance : float
        Relative residual of the equations of a step.
    solver : str
        Linear solver.
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
        Backend that factors.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        scheme: Scheme,
        step: float,
        tolerance: float,
        solver: str,
        displacement: Floats,
        velocity: Floats,
    ) -> None:
        self.system, self.loads, self.scheme = system, loads, scheme
        self.step = step
        self.time, self.counts = 0.0, Counts()
        self.displacement = system.expand(system.restrict(displacement))
        self.velocity = system.expand(system.restrict(velocity))
        self.acceleration = acceleration(
            system, loads, partial(solve_mass, system, solver), 0.0, self.displacement,
            self.velocity,
        )  # fmt: skip
        self._averaged = self.acceleration
        first = self._effective(system.spins(step))
        self._kept = KeptFactors(self._matrix(first), solver, tolerance, self.counts, steady=False)
        self.solver_name = self._kept.factors.name

    def advance(self) -> None:
        """Take one step.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved; the state is that before the step.
        """
        s, h = self.scheme, self.step
        drift = self.displacement + h * self.velocity + h * h * (0.5 - s.beta) * self._averaged
        speed = self.velocity + h * (1.0 - s.gamma) * self._averaged
        end = (self.counts.steps + 1) * h
        spins = self.system.spins(end)
        force = self.loads.at(end, spins)
        inner = inner_forces(self.system, spins, drift, speed)
        rate = (s.alpha_m * self._averaged - s.alpha_f * self.acceleration) / (1.0 - s.alpha_f)
        if s.alpha_m or s.alpha_f:
            inner += self.system.mass_times(rate)
        rhs = self.system.restrict(force - inner)
        # What round-off in the forces is relative to: those inside the elements nearly cancel.
        inside = self.system.stiffness_scale * float(np.linalg.norm(drift))
        size = float(np.linalg.norm(force) + np.linalg.norm(inner)) + inside
        change = self._kept.solve(self._matrix(self._effective(spins)), rhs, size, self.time)
        self._averaged = self.system.expand(change)
        self.acceleration = rate + s.averaging * self._averaged
        self.displacement = drift + h * h * s.beta * self._averaged
        self.velocity = speed + h * s.gamma * self._averaged
        self.counts.steps += 1
        self.time = end

    def close(self) -> None:
        """Release the factors."""
        self._kept.close()

    @property
    def _factors(self) -> Factorization:
        """Factors in use."""
        return self._kept.factors

    def _matrix(self, effective: list[Combination]) -> StepMatrix:
        return StepMatrix(self.system, ((effective,),))

    def _effective(self, spins: list[Spin]) -> list[Combination]:
        """Return S."""
        s, h, identity = self.scheme, self.step, np.eye(self.system.dimension)
        mass, damping, elastic = s.averaging, s.gamma * h, s.beta * h * h
        return [
            Combination(
                elastic + damping * body.beta,
                (mass + damping * body.alpha) * identity
                + damping * spin.coriolis
                + elastic * spin.stiffness,
                elastic * spin.prestress,
                damping,
            )
            for body, spin in zip(self.system.bodies, spins, strict=True)
        ]
