# SPDX-License-Identifier: BSD-3-Clause
"""How far a reduced model is from the full one: the part of the forces that its shapes cannot take.

With the residual r of the full equations at a state of the shapes, ``K^-1 r`` is the displacement
that is missing, up to inertia; of it ``Phi (Phi^T K Phi)^-1 Phi^T r`` is within reach of the
shapes, and its error is one of time, not of them. What is left is measured in energy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.runtime.analyses.balance import inner_forces
from flexforge.runtime.analyses.held import factor_held
from flexforge.runtime.analyses.rigid import free_motions
from flexforge.runtime.body import Combination
from flexforge.runtime.compact.free import Compact
from flexforge.runtime.loads import Loads
from flexforge.runtime.ritz.basis import Basis
from flexforge.runtime.system import System
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Estimate:
    """The error of a reduced motion, followed in time.

    Parameters
    ----------
    motion : Compact
        The motion; supports hold its bodies.
    loads : Loads
        What acts on them.
    basis : Basis
        The shapes.
    solver : str
        Linear solver.

    Raises
    ------
    AnalysisError
        When the bodies are not held.
    """

    def __init__(self, motion: Compact, loads: Loads, basis: Basis, solver: str) -> None:
        self._motion, self._loads, self._basis = motion, loads, basis.matrix
        system = motion.system
        only_elastic = Combination(1.0, np.zeros((system.dimension,) * 2), np.zeros(0))
        self._stiffness = system.matrix([only_elastic] * len(system.bodies))
        self._factors = factor_held(system, self._stiffness, solver, "reduction")
        self._reduced = self._basis.T @ (self._stiffness @ self._basis)
        self._missing = self._stored = 0.0

    @staticmethod
    def is_known(system: System) -> bool:
        """Whether supports hold the bodies, so that their stiffness can be solved with."""
        return not free_motions(system)

    def follow(self) -> None:
        """Look at the state that the motion has reached."""
        motion, system = self._motion, self._motion.system
        frames = system.frames(motion.time)
        spins = system.spins_of(frames)
        force = self._loads.at(motion.time, spins, frames)
        force -= inner_forces(system, spins, motion.displacement, motion.velocity)
        force -= system.mass_times(motion.acceleration)
        residual = system.restrict(force)
        within = self._basis.T @ residual
        whole = float(residual @ self._factors.solve(residual))
        reached = float(within @ np.linalg.solve(self._reduced, within))
        self._missing = max(self._missing, whole - reached)
        q = system.restrict(motion.displacement)
        self._stored = max(self._stored, float(q @ (self._stiffness @ q)))

    def figures(self) -> dict[str, Any]:
        """Return the largest error relative to the largest displacement, roots of energies."""
        size = self._stored or 1.0
        error = float(np.sqrt(max(self._missing, 0.0) / size))
        return {"coordinates": self._basis.shape[1], "error of the shapes, estimated": error}
