# SPDX-License-Identifier: BSD-3-Clause
"""The size of displacements and rotations of a system, as one length."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.system import System


class LargestMove:
    """The largest displacement, m, and what the largest rotation displaces at the extent.

    Parameters
    ----------
    system : System
        The bodies; its extent is the largest of their sizes along an axis, or 1 m of a point.
    shapes : ndarray, (n, r), optional
        Shapes of the unknowns, whose coordinates values are then of.
    """

    def __init__(self, system: System, shapes: Floats | None = None) -> None:
        self._system, self._shapes = system, shapes
        points = np.concatenate([body.part.points for body in system.bodies])
        low, high = points.min(axis=0, initial=np.inf), points.max(axis=0, initial=-np.inf)
        ranks = system.ranks
        extent = max(ranks.largest(float(b)) + ranks.largest(-float(a))
                     for a, b in zip(low, high, strict=True))  # fmt: skip
        self._weights = np.ones((system.size, 1))
        for body in system.bodies:
            self._weights[body.rotations] = extent if extent > 0.0 else 1.0

    def __call__(self, values: Floats) -> float:
        """Return the size of values of the unknowns."""
        unknowns = values if self._shapes is None else self._shapes @ values
        moves = self._weights * self._system.expand(unknowns)
        return self._system.ranks.largest(float(np.abs(moves).max(initial=0.0)))
