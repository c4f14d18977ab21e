# SPDX-License-Identifier: BSD-3-Clause
"""A motion in progress of bodies of large displacements."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.runtime.statics.balance import Balance
from flexforge.runtime.transient.equations import equations_at
from flexforge.runtime.transient.motion import Motion

_TINY = float(np.finfo(float).tiny)


class FiniteMotion(Motion):
    """As `Motion`, with a stepper of a `FiniteModel`."""

    def figures(self) -> dict[str, Any]:
        """Return the residual and the energies at the time reached."""
        u, v, a = self.displacement, self.velocity, self.acceleration
        system, t = self.system, self.time
        equations = equations_at(system, self.loads, t, system.frames(t), displacement=u)
        left = system.restrict(equations.unbalanced(u, v, a))
        inertia = system.mass_times(a)
        balance = Balance(system, self.loads, t)
        size = balance.size(u, 1.0) + float(np.linalg.norm(inertia))
        return {
            "residual at the end": float(np.linalg.norm(left)) / max(size, _TINY),
            "strain energy at the end": [balance.strain_energy(u), "J"],
            "kinetic energy relative to the frames at the end": [
                0.5 * float(np.vdot(v, system.mass_times(v))), "J",
            ],
        }  # fmt: skip
