# SPDX-License-Identifier: BSD-3-Clause
"""Error estimate of a reduced model: the part of the forces that its shapes cannot represent.

With the residual r of the full equations at a state of the shapes, ``K^-1 r`` is the missing
displacement, up to inertia. Its part ``Phi (Phi^T K Phi)^-1 Phi^T r`` is in the space of the shapes
and is an error of time integration, not of the shapes. The remainder is measured in energy. Kept
coordinates are always in the space of the shapes, so for tied bodies, whose joints hold the kept
coordinates, K is the stiffness of the other unknowns.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from flexforge.runtime.reduction.basis import Basis
from flexforge.runtime.statics.held import factor_held
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import free_motions
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.equations import equations_at
from flexforge.runtime.transient.motion import Motion


class Estimate:
    """The error of a reduced motion over time.

    Parameters
    ----------
    motion : Motion
        The motion; supports or joints hold its bodies.
    basis : Basis
        The shapes.
    solver : str
        Linear solver.
    tied : bool
        Whether joints hold the bodies.

    Raises
    ------
    AnalysisError
        When the bodies are not held.
    """

    KEPT: ClassVar[tuple[str, ...]] = ("_missing", "_stored")

    def __init__(self, motion: Motion, basis: Basis, solver: str, *, tied: bool) -> None:
        self._motion, self._shapes = motion, basis.matrix
        self._onto, self._size = None, basis.size
        system = motion.system
        pencil = Pencil.at_rest(system)
        self._stiffness = pencil.stiffness
        if tied:
            kept = basis.interface
            inside = kept.inside
            self._onto = kept.transform[:, inside].T.tocsr()
            pencil = pencil.part(kept.transform, inside)
            self._shapes = basis.matrix[inside, len(kept.kept) :]
        self._factors = factor_held(pencil, solver, "reduction")
        self._reduced = self._shapes.T @ pencil.times(self._shapes)
        self._missing = self._stored = 0.0

    @staticmethod
    def is_known(system: System) -> bool:
        """Whether supports hold the bodies, so that their stiffness is regular."""
        return not free_motions(system)

    def follow(self) -> None:
        """Evaluate the current state of the motion."""
        motion = self._motion
        system, restrict = motion.stressed(), motion.system.restrict
        equations = equations_at(system, motion.loads, motion.time, system.frames(motion.time))
        moved = (motion.displacement, motion.velocity, motion.acceleration)
        residual = equations.left(*(restrict(x) for x in moved))
        if self._onto is not None:
            residual = self._onto @ residual
        within = self._shapes.T @ residual
        whole = float(residual @ self._factors.solve(residual))
        reached = float(within @ np.linalg.solve(self._reduced, within))
        self._missing = max(self._missing, whole - reached)
        q = restrict(motion.displacement)
        self._stored = max(self._stored, float(q @ (self._stiffness @ q)))

    def figures(self) -> dict[str, Any]:
        """Return the largest error relative to the largest displacement, in roots of energy."""
        size = self._stored or 1.0
        error = float(np.sqrt(max(self._missing, 0.0) / size))
        return {"coordinates": self._size, "error of the shapes, estimated": error}
