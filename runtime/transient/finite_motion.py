# SPDX-License-Identifier: BSD-3-Clause
"""A motion in progress of bodies of large displacements."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.statics.balance import Balance, deformed
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.equations import equations_at
from flexforge.runtime.transient.linear_solver import Factored
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.steppers.stepper import Stepper

_TINY = float(np.finfo(float).tiny)


class FiniteMotion(Motion):
    """As `Motion`, with a stepper of a `FiniteModel`, and what solves its equations.

    Parameters are those of `Motion`, and the solver.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        stepper: Stepper,
        step: float,
        displacement: Floats,
        velocity: Floats,
        solver: Factored,
    ) -> None:
        super().__init__(system, loads, stepper, step, displacement, velocity)
        self._solver = solver

    @property
    def counts(self) -> Counts:
        """Steps, factorizations, solves, and memory of the factors."""
        return replace(super().counts, factor_bytes=self._solver.bytes)

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return self._solver.name

    def figures(self) -> dict[str, Any]:
        """Return the residual and the energies at the time reached."""
        u, v, a = self.displacement, self.velocity, self.acceleration
        system, t = self.system, self.time
        equations = equations_at(system, self.loads, t, system.frames(t), displacement=u)
        left = system.restrict(equations.unbalanced(u, v, a))
        balance = Balance(system, self.loads, t)
        _, size = balance.residual(self.state.q, u, 1.0)
        if system.curved is not None:
            exerted = system.curved.slopes(u).T @ self.point.force
            left += system.restrict(exerted.reshape(u.shape))
        there = deformed(equations.system, u, equations.elastic)
        size += float(np.linalg.norm(there.mass_times(a)))
        return {
            **self.stepper.figures(self.state),
            "residual at the end": float(np.linalg.norm(left)) / max(size, _TINY),
            "strain energy at the end": [balance.strain_energy(u), "J"],
            "kinetic energy relative to the frames at the end": [
                0.5 * float(np.vdot(v, there.mass_times(v))), "J",
            ],
        }  # fmt: skip
