# SPDX-License-Identifier: BSD-3-Clause
"""A ball that falls on a stop, bounces, comes to rest on it, and is lifted off: modes and events.

Mode 0 is free, mode 1 rests: the row y = 0 is there then. Events: the gap closes, the force of the
stop would pull.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.runtime.transient.manifold import Euclidean
from flexforge.runtime.transient.model import Linearization, Model, Rows
from flexforge.runtime.transient.space import SerialSpace
from flexforge.runtime.transient.state import Block, State
from scipy.sparse import csr_matrix

from toys.common import Case, identity

FREE, RESTING = 0, 1


class Ball(Model):
    def __init__(self, m=0.5, g=10.0, restitution=0.6, slowest=0.5):
        self.m, self.g, self.restitution, self.slowest = m, g, restitution, slowest
        self.blocks = (Block("height", "ball", Euclidean(1)),)
        self.space = SerialSpace(1)
        self.identity = identity("ball", m, g, restitution, slowest)

    def residual(self, at, out):
        out[0] = self.m * (at.rate[0] + self.g) - at.u[0] - at.force.sum()

    def linearize(self, at):
        zero = csr_matrix((1, 1))
        force = csr_matrix(-np.ones((1, len(at.force))))
        return Linearization(
            csr_matrix([[self.m]]), zero, zero, force, csr_matrix([[-1.0]]), "constant"
        )

    def constraints(self, at):
        if at.mode[0] == FREE:
            return Rows.none(1)
        zero = np.zeros(1)
        matrix = csr_matrix([[1.0]])
        return Rows(("stop",), at.q, matrix, zero, zero, np.ones(1), np.zeros(1, dtype=bool))

    def events(self, at):
        if at.mode[0] == FREE:
            return np.array([at.q[0], 1.0])
        return np.array([1.0, at.force[0]])

    def switch(self, at, which):
        found = State(at.t, at.q, at.z, at.s, at.mode)
        if which == [1]:
            return replace(found, mode=np.array([FREE]))
        assert which == [0]
        speed = -self.restitution * at.z
        if abs(speed[0]) > self.slowest:
            return replace(found, z=speed)
        return replace(found, z=np.zeros(1), mode=np.array([RESTING]))


def lift(t):
    """Return a force that grows after two seconds: it passes the weight of 5 N at t = 3."""
    return np.array([max(0.0, 5.0 * (t - 2.0))])


START = State(0.0, np.array([1.0]), np.zeros(1), mode=np.array([FREE]))
CASES = (Case("ball", Ball(), START, 0.01, inputs=lift),)
