# SPDX-License-Identifier: BSD-3-Clause
"""A simulator of contact that knows nothing of flexforge: nodes of one surface on another one."""

from __future__ import annotations

import numpy as np


class Contact:
    """Nodes of a lower line that touch the segments of an upper one, without friction.

    Between them is a layer with a spring and a damper, of a stiffness per metre of the line; its
    force is ``k (d + relaxation d')`` of the depth d, and never pulls. The rate is that of a step.

    Parameters
    ----------
    lower, upper : ndarray
        Places of the nodes along the lines, m, in order; both are held at 0.
    gap : float
        Between the lines before they are displaced, m.
    stiffness : float
        k, N/m^2.
    relaxation : float
        s.
    step : float
        Length of the steps, s.
    """

    def __init__(
        self, lower: np.ndarray, upper: np.ndarray, gap: float, stiffness: float,
        relaxation: float, step: float,
    ) -> None:  # fmt: skip
        self._gap = gap
        ends, rows = np.concatenate([[0.0], upper]), np.arange(len(lower))
        right = np.clip(np.searchsorted(ends, lower), 1, len(upper))
        part = (lower - ends[right - 1]) / (ends[right] - ends[right - 1])
        weights = np.zeros((len(lower), len(ends)))
        weights[rows, right - 1], weights[rows, right] = 1.0 - part, part
        self.on_upper = weights[:, 1:]
        # Each node stands for half of the way to both of its neighbours.
        starts = np.concatenate([[0.0], lower])
        edges = np.concatenate([0.5 * (starts[1:] + starts[:-1]), [lower[-1]]])
        self._lag = relaxation / step
        self._give = 1.0 / (stiffness * np.diff(edges) * (1.0 + self._lag))

    def gaps(self, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Return the gaps of all pairs from the displacements of both lines, m."""
        return self._gap + self.on_upper @ upper - lower

    def forces(self, free: np.ndarray, opening: np.ndarray, before: np.ndarray) -> np.ndarray:
        """Return the forces of all pairs at the end of a step, N, which push and never pull.

        Parameters
        ----------
        free : ndarray
            Gaps at the end without forces, m.
        opening : ndarray
            By how much forces open the gaps, m/N, a matrix.
        before : ndarray
            Gaps at the beginning, m.
        """
        matrix = opening + np.diag(self._give)
        part = self._lag / (1.0 + self._lag)
        free = free - part * before  # the force of a gap g: -(g - part before) / give
        touching = free < 0.0
        for _ in range(100):
            found = np.zeros(len(free))
            if touching.any():
                found[touching] = np.linalg.solve(matrix[np.ix_(touching, touching)],
                                                  -free[touching])  # fmt: skip
            # A pair touches where it is pushed, or where it would be open by less than nothing.
            now = np.where(touching, found > 0.0, free + matrix @ found < 0.0)
            if (now == touching).all():
                return found
            touching = now
        raise RuntimeError("contact: found no pairs that touch; expected a smaller step")
