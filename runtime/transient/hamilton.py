# SPDX-License-Identifier: BSD-3-Clause
"""Motion in time: Gauss steps of Hamilton's first-order pair in displacement and momentum.

The unknowns of a step are the velocities V_i at its stages. With ``d_i = d + h sum_j a_ij V_j`` and
the like for the momentum, the pair at the stages is ``S V = b`` with the blocks

    S_ij = delta_ij m + h a_ij (c_i + c_j + damping) + h^2 sum_k a_ik a_kj (k + k_omega + k_geo)_k

(implicit midpoint: ``m + h c + h/2 damping + h^2/4 (k + k_omega + k_geo)``). The mass matrix is
solved with, never inverted: once where a velocity is asked for.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.system.balance import acceleration
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.gauss import METHODS, CarriedSum, Gauss
from flexforge.runtime.transient.jacobi import JacobiIntegral
from flexforge.runtime.transient.linear.factors import Counts, KeptFactors
from flexforge.runtime.transient.linear.mass import MassFactors
from flexforge.runtime.transient.pair import frame_momentum, hamilton_pair
from flexforge.runtime.transient.stages import Stages, prepare
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Hamilton:
    """A motion in progress.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    rule : Gauss
        Method of integration.
    step : float
        Length of a step, s.
    tolerance : float
        Relative residual of the equations of a step, where the speed of a frame changes.
    solver : str
        Linear solver.
    displacement, velocity : ndarray, (N, d)
        State at t = 0, relative to the frames, m and m/s.

    Attributes
    ----------
    time : float
        Time reached, s.
    counts : Counts
        Steps, factorizations, solves.
    solver_name : str
        Backend that factors.
    jacobi : JacobiIntegral or None
        The integral that the motion keeps, where it keeps one.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        rule: Gauss,
        step: float,
        tolerance: float,
        solver: str,
        displacement: Floats,
        velocity: Floats,
    ) -> None:
        self.system, self.loads, self.rule, self.step = system, loads, rule, step
        self.time, self.counts = 0.0, Counts()
        steady = all(body.motion.is_steady for body in system.bodies)
        self._autonomous = (
            steady and loads.are_steady and all(body.motion.glides for body in system.bodies)
        )
        name = next(name for name, one in METHODS.items() if one is rule)
        self._mass = MassFactors(system, solver, name)
        self._stages = self._prepare()
        self._factors = KeptFactors(
            self._stages.matrix, solver, tolerance, self.counts, steady=steady
        )
        self.solver_name = self._factors.factors.name
        self._displacement = CarriedSum(system.restrict(displacement))
        self._pair = hamilton_pair(system, loads, 0.0)
        relative = system.mass_times(system.expand(system.restrict(velocity)))
        relative += system.apply(self._pair.momentum, self.displacement)
        self._momentum = CarriedSum(system.restrict(relative) + self._pair.own)
        self._motion: tuple[Floats, Floats] | None = None
        self.jacobi = JacobiIntegral(*self._energies()) if self._keeps_energy() else None

    @property
    def displacement(self) -> Floats:
        """Displacements relative to the frames, (N, d), m."""
        return self.system.expand(self._displacement.value)

    @property
    def momentum(self) -> Floats:
        """Momenta of the unknowns, (n,), kg m/s: of the motion in space, in the frames' axes."""
        return self._momentum.value

    @property
    def velocity(self) -> Floats:
        """Velocities relative to the frames, (N, d), m/s, by a solve with the mass matrix."""
        return self.system.expand(self._velocities()[0])

    @property
    def acceleration(self) -> Floats:
        """Accelerations relative to the frames, (N, d), m/s^2, from the balance of all forces.

        Only they need e and a_O; the motion does not.
        """
        return acceleration(
            self.system, self.loads, self._mass.solve, self.time, self.displacement, self.velocity
        )

    def advance(self) -> None:
        """Take one step.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved; the state is that before the step.
        """
        system, displacement = self.system, self.displacement
        if self.counts.steps and not self._autonomous:
            self._stages = self._prepare()
        now = self._stages
        known = [
            self.momentum + gain - system.restrict(system.apply(start, displacement))
            for gain, start in zip(now.gains, now.starts, strict=True)
        ]
        # What round-off is relative to: momenta, and forces inside the elements, nearly cancel.
        size = now.size + now.inside * float(np.linalg.norm(displacement))
        size += float(np.linalg.norm(self.momentum))
        found = self._factors.solve(now.matrix, np.concatenate(known), size, self.time)
        rates = found.reshape(len(known), -1)
        forces = system.apply(now.elastic, displacement)
        for matrix, rate in zip(now.rates, rates, strict=True):
            forces += system.apply(matrix, system.expand(rate))
        self._displacement.add(self.step * (np.array(self.rule.weights) @ rates))
        self._momentum.add(now.impulse - system.restrict(forces))
        self.counts.steps += 1
        self.time = self.counts.steps * self.step
        self._motion = None
        if self.jacobi is not None:
            self.jacobi.follow(*self._energies())

    def close(self) -> None:
        """Release the factors."""
        self._factors.close()
        self._mass.close()

    def _prepare(self) -> Stages:
        return prepare(self.system, self.loads, self.rule, self.time, self.step)

    def _velocities(self) -> tuple[Floats, Floats]:
        """Return ``d'`` and ``m d'`` of the unknowns."""
        if self._motion is None:
            system, matrix, own = self.system, self._pair.momentum, self._pair.own
            if not self._autonomous:
                matrix, own = frame_momentum(system, system.frames(self.time))
            carried = system.restrict(system.apply(matrix, self.displacement))
            relative = self.momentum - own - carried
            self._motion = self._mass.solve(relative), relative
        return self._motion

    def _keeps_energy(self) -> bool:
        """Whether nothing depends on time, and nothing is lost."""
        return self._autonomous and not any(b.is_damped for b in self.system.bodies)

    def _energies(self) -> tuple[float, float, float]:
        """Return the terms of the Jacobi integral, J."""
        velocity, momentum = self._velocities()
        displacement = self._displacement.value
        inner = self.system.restrict(self.system.apply(self._pair.elastic, self.displacement))
        return (
            0.5 * float(velocity @ momentum),
            0.5 * float(displacement @ inner),
            float(displacement @ self._pair.force),
        )
