# SPDX-License-Identifier: BSD-3-Clause
"""Places of bodies held together, written out by hand: what the tests of constraints rest on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.runtime.constraints.rows import Pattern, Rows
from flexforge.runtime.system.system import System


def skew(w):
    """Return the matrix of the cross product."""
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


class Pins:
    """Vectors of nodes that are the same in space: ``R_1 u_1 = R_2 u_2``.

    Parameters
    ----------
    system : System
        The bodies.
    pairs : sequence of ((body, node), (body, node))
        Numbers of bodies and of their nodes.
    """

    def __init__(self, system: System, pairs: Sequence[tuple[tuple[int, int], ...]]) -> None:
        self.system, self.pairs, d = system, pairs, system.dimension
        place = np.full(system.size * d, -1)
        place[system.map.places] = np.arange(system.unknowns)
        rows, columns, self.kept = [], [], []
        for number, pair in enumerate(pairs):
            for end, (body, node) in enumerate(pair):
                at = place[system.bodies[body].nodes[node] * d + np.arange(d)]
                for i in range(d):
                    for j in np.flatnonzero(at >= 0):
                        rows.append(number * d + i)
                        columns.append(at[j])
                        self.kept.append((number, end, i, j))
        order = np.argsort(rows, kind="stable")
        self.kept = [self.kept[k] for k in order]
        names = tuple(f"pin {k // d + 1}" for k in range(len(pairs) * d))
        shape = (len(pairs) * d, system.unknowns)
        where = [np.array(one, dtype=np.int64)[order] for one in (rows, columns)]
        self.pattern = Pattern(*where, shape, names)

    def at(self, time: float) -> Rows:
        """Return R_1 and -R_2 with ``R' = R w~`` and ``R'' = R (w~ w~ + e~)``."""
        frames = self.system.frames(time)
        data = np.zeros((3, len(self.kept)))
        for k, (number, end, i, j) in enumerate(self.kept):
            frame = frames[self.pairs[number][end][0]]
            w, e = skew(frame.w), skew(frame.e)
            for order, matrix in enumerate((frame.R, frame.R @ w, frame.R @ (w @ w + e))):
                data[order, k] = (1 - 2 * end) * matrix[i, j]
        return Rows(self.pattern, data)

    def coupling(self, time):
        """Return nothing: pins have no actuators."""
        return

    def reactions(self, time, multipliers):
        """Return nothing: pins are no joints."""
        return {}

    def power(self, time, rows, q, v, multipliers):
        """Return no power: pins are no joints."""
        return 0.0, 0.0
