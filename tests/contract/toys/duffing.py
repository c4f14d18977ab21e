# SPDX-License-Identifier: BSD-3-Clause
"""A mass on a hardening spring: ``m x'' + c x' + k x + k3 x^3 = u``; linear where k3 = 0."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.transient.linear_form import WeightedForm
from flexforge.runtime.transient.manifold import Euclidean
from flexforge.runtime.transient.model import Linearization, Model
from flexforge.runtime.transient.space import SerialSpace
from flexforge.runtime.transient.state import Block, State
from scipy.sparse import csr_matrix

from toys.common import Case, identity


class Form(WeightedForm):
    """The linear spring as one constant matrix, 1, with the numbers m, c, k."""

    symmetric = True

    def __init__(self, m, c, k):
        self.matrices = (csr_matrix([[1.0]]),)
        self._numbers = np.array([[m], [c], [k]])

    def coefficients(self, t, u):
        return self._numbers

    def loads(self, t, u):
        return np.array([u[0]])


class Spring(Model):
    def __init__(self, m=1.0, c=0.1, k=4.0, k3=3.0):
        self.m, self.c, self.k, self.k3 = m, c, k, k3
        self.blocks = (Block("displacement", "mass", Euclidean(1)),)
        self.space = SerialSpace(1)
        self.identity = identity("spring", m, c, k, k3)
        self.linear = None if k3 else Form(m, c, k)

    def residual(self, at, out):
        x = at.q[0]
        out[0] = self.m * at.rate[0] + self.c * at.z[0] + self.k * x + self.k3 * x**3 - at.u[0]

    def linearize(self, at):
        return Linearization(
            rate=csr_matrix([[self.m]]),
            speed=csr_matrix([[self.c]]),
            place=csr_matrix([[self.k + 3.0 * self.k3 * at.q[0] ** 2]]),
            inputs=csr_matrix([[-1.0]]),
            key=None if self.k3 else "constant",
            symmetric=True,
        )

    def energy(self, state):
        x, v = state.q[0], state.z[0]
        return 0.5 * self.m * v * v + 0.5 * self.k * x * x + 0.25 * self.k3 * x**4


def force(t):
    """Return an oscillating force."""
    return np.array([1.5 * np.cos(1.3 * t)])


START = State(0.0, np.array([0.7]), np.array([-0.4]))
CASES = (
    Case("duffing", Spring(), START, 0.05, inputs=force),
    Case("linear spring", Spring(k3=0.0), START, 0.05, inputs=force),
)
