# SPDX-License-Identifier: BSD-3-Clause
"""A motion in progress of bodies in free frames."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.free_body import FreeBody
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.floating_model import FloatingModel
from flexforge.runtime.transient.floating_solver import FloatingSolver
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.steppers.stepper import ModelStepper

_TINY = float(np.finfo(float).tiny)


class FloatingMotion(Motion):
    """As `Motion`; nodal values of free bodies are along fixed axes.

    Parameters are those of `Motion`, with a stepper of a `FloatingModel` and its solver.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        stepper: ModelStepper,
        solver: FloatingSolver,
        step: float,
        displacement: Floats,
        velocity: Floats,
    ) -> None:
        assert isinstance(stepper.model, FloatingModel)
        self._model, self._solver = stepper.model, solver
        super().__init__(system, loads, stepper, step, displacement, velocity)

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return self._solver.name

    @property
    def counts(self) -> Counts:
        """Steps, factorizations, solves."""
        own = self._solver
        return replace(
            super().counts,
            solves=self._before.solves + own.solves,
            factorizations=self._before.factorizations + own.factorizations,
            factor_bytes=own.bytes,
        )

    def figures(self) -> dict[str, Any]:
        """Return the residual, energies and angular momentum at the time reached."""
        u, v, a = self.displacement, self.velocity, self.acceleration
        equations = self._model.equations(self.time, u)
        left = self.system.restrict(equations.unbalanced(u, v, a))
        inertia = self.system.restrict(self.system.mass_times(a))
        acting = self.system.restrict(equations.nodal)
        size = float(np.linalg.norm(inertia) + np.linalg.norm(acting))
        found: dict[str, Any] = {
            "residual at the end": float(np.linalg.norm(left)) / max(size, _TINY)
        }
        kinetic, stored, turning = 0.0, 0.0, np.zeros(3)
        for body in self.system.bodies:
            if isinstance(body, FreeBody):
                own = u[body.nodes], v[body.nodes]
                energies = body.energies(*own)
                kinetic, stored = kinetic + energies[0], stored + energies[1]
                turning += body.angular_momentum(*own)
        found["kinetic energy of free bodies at the end"] = [kinetic, "J"]
        found["strain energy of free bodies at the end"] = [stored, "J"]
        axes = "xyz" if self.system.dimension == 3 else "z"
        for axis in axes:
            value = float(turning["xyz".index(axis)])
            found[f"angular momentum about the origin {axis}"] = [value, "kg m^2/s"]
        return found
