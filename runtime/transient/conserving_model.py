# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of large displacements with forces of elasticity whose work is that of their energy.

At the middle of a step from u_0 to u_1 elasticity acts with the discrete gradient of the energy,
``f . (u_1 - u_0) = W(u_1) - W(u_0)``, without resultant and without torque at ``(u_0 + u_1)/2``:
steps of the midpoint rule conserve energy, momentum and angular momentum.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.large_body import LargeBody
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.finite_model import FiniteModel
from flexforge.runtime.transient.model import Point, Values
from flexforge.runtime.transient.state import State


class ConservingModel(FiniteModel):
    """As `FiniteModel`, at the middle of steps.

    Parameters are those of `FiniteModel`.
    """

    def __init__(self, system: System, loads: Loads) -> None:
        super().__init__(system, loads)
        self._start = 0.0, np.zeros((system.size, system.dimension))

    def begin_step(self, state: State) -> None:
        """Hold the displacements at the beginning of a step."""
        self._start = state.t, self.nodal(state.t, state.q)

    def residual(self, at: Point, out: Values) -> None:
        """Set what inertia and elasticity need beyond the loads; nothing where elements invert."""
        u, v, a = (self.nodal(at.t, x, k) for k, x in enumerate((at.q, at.z, at.rate)))
        time, begin = self._start
        half = self.system.expand(at.q) - self.system.expand(self.system.map.sample(begin))
        end = begin + 2.0 * half
        if self.loads.given is not None:
            end += self.loads.given.at(2.0 * at.t - time)[0] - self.loads.given.at(time)[0]
        if not np.isfinite(end).all() or self._balance.fault(u) or self._balance.fault(end):
            out[:] = np.nan
            return
        equations = self.equations(self.system, at.t, u)
        elastic = [
            replace(c, stiffness=0.0) if isinstance(body, LargeBody) else c
            for body, c in zip(self.system.bodies, equations.elastic, strict=True)
        ]
        unbalanced = replace(equations, elastic=elastic).unbalanced(u, v, a)
        unbalanced -= self._elasticity(begin, end)
        out[:] = -self.system.restrict(unbalanced)

    def _elasticity(self, begin: Floats, end: Floats) -> Floats:
        """Return the forces of elasticity between two displacements, (N, d) each."""
        total = np.zeros_like(begin)
        for body in self.system.bodies:
            if isinstance(body, LargeBody):
                total[body.nodes] += body.forces_between(begin[body.nodes], end[body.nodes])
        return total
