# SPDX-License-Identifier: BSD-3-Clause
"""A block on a belt: LuGre friction with its bristle as a first-order state, its normal force a
multiplier.

``q = (x, y)``, the contact is the row y = 0, and friction is ``N (s0 b + s1 b')`` with N the
multiplier:

    b' = v - s0 |v| b / g(v),   g = mc + (ms - mc) exp(-(v/vs)^2),   v = x' - V

Canudas de Wit, Olsson, Astrom and Lischinsky, "A new model for control of systems with friction",
IEEE Trans. Automatic Control 40 (1995).
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.transient.manifold import Euclidean
from flexforge.runtime.transient.model import Linearization, Model, Rows
from flexforge.runtime.transient.space import SerialSpace
from flexforge.runtime.transient.state import Block, State
from scipy.sparse import csr_matrix

from toys.common import Case, identity


class Belt(Model):
    def __init__(self, m=1.0, k=20.0, speed=0.15, s0=300.0, s1=4.0, mc=0.15, ms=0.3, vs=0.1):
        self.m, self.k, self.speed = m, k, speed
        self.s0, self.s1, self.mc, self.ms, self.vs = s0, s1, mc, ms, vs
        self.blocks = (
            Block("displacement", "block", Euclidean(2)),
            Block("bristle", "belt", Euclidean(1), scale=1e-3, first_order=True),
        )
        self.space = SerialSpace(3)
        self.identity = identity("belt", m, k, speed, s0, s1, mc, ms, vs)

    def level(self, v):
        """Return g and its derivative."""
        bump = (self.ms - self.mc) * np.exp(-((v / self.vs) ** 2))
        return self.mc + bump, -2.0 * v / self.vs**2 * bump

    def bristle(self, x, b):
        """Return b' of the velocity of the block."""
        v = x - self.speed
        return v - self.s0 * v * np.sign(v.real) * b / self.level(v)[0]

    def residual(self, at, out):
        share = self.s0 * at.s[0] + self.s1 * at.rate[2]
        out[0] = self.m * at.rate[0] + self.k * at.q[0] + at.force[0] * share - at.u[0]
        out[1] = self.m * (at.rate[1] + 9.81) - at.u[1] - at.force[0]
        out[2] = at.rate[2] - self.bristle(at.z[0], at.s[0])

    def linearize(self, at):
        v, b, normal = at.z[0] - self.speed, at.s[0], at.force[0]
        level, slope = self.level(v)
        by_v = 1.0 - self.s0 * b * np.sign(v) * (1.0 / level - v * slope / level**2)
        rate = [[self.m, 0.0, normal * self.s1], [0.0, self.m, 0.0], [0.0, 0.0, 1.0]]
        speed = [[0.0, 0.0, normal * self.s0], [0.0] * 3, [-by_v, 0.0, self.s0 * abs(v) / level]]
        share = self.s0 * b + self.s1 * at.rate[2]
        return Linearization(
            rate=csr_matrix(rate),
            speed=csr_matrix(speed),
            place=csr_matrix([[self.k, 0.0], [0.0, 0.0], [0.0, 0.0]]),
            force=csr_matrix([[share], [-1.0], [0.0]]),
            inputs=csr_matrix([[-1.0, 0.0], [0.0, -1.0], [0.0, 0.0]]),
        )

    def constraints(self, at):
        one = np.zeros(1)
        matrix = csr_matrix([[0.0, 1.0, 0.0]])
        return Rows(("contact",), at.q[1:2], matrix, one, one, np.ones(1), np.zeros(1, dtype=bool))

    def reference(self, inputs):
        """Return the equations of (x, x', b) for an independent method, N known beforehand."""

        def rates(t, y):
            u = inputs(t)
            normal = self.m * 9.81 - u[1]
            b = self.bristle(np.float64(y[1]), y[2])
            force = u[0] - self.k * y[0] - normal * (self.s0 * y[2] + self.s1 * b)
            return [y[1], force / self.m, b]

        return rates


def pressed(t):
    """Return forces along the belt and away from it, which change."""
    return np.array([0.3 * np.sin(2.0 * t), 2.0 * np.sin(5.0 * t)])


START = State(0.0, np.zeros(2), np.zeros(2), np.zeros(1))
CASES = (Case("belt", Belt(), START, 0.01, inputs=pressed, short=64),)
