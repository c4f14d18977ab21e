# SPDX-License-Identifier: BSD-3-Clause
"""A bead on a sphere, one coordinate of which is prescribed: rows in y of ``q = T y + g``.

``q.q = 1`` with gravity along z; x(t) is given, so that g, g' and g'' are in the row and its rates.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.transient.manifold import Euclidean
from flexforge.runtime.transient.model import Linearization, Model, Rows
from flexforge.runtime.transient.restrained import Restrained
from flexforge.runtime.transient.space import SerialSpace
from flexforge.runtime.transient.state import Block, State
from flexforge.runtime.transient.unknowns import Equation, Unknowns
from scipy.sparse import csr_matrix, identity

from toys.common import Case
from toys.common import identity as fingerprint


class Bead(Model):
    def __init__(self, m=0.7, g=9.81):
        self.m, self.g = m, g
        self.blocks = (Block("place", "bead", Euclidean(3)),)
        self.space = SerialSpace(3)
        self.identity = fingerprint("bead", m, g)

    def residual(self, at, out):
        out[:] = self.m * at.rate - at.q * at.force[0]
        out[2] += self.m * self.g

    def linearize(self, at):
        one = identity(3, format="csr")
        force = csr_matrix(-at.q[:, None])
        return Linearization(self.m * one, 0.0 * one, -at.force[0] * one, force)

    def constraints(self, at):
        place, second = np.array([0.5 * (at.q @ at.q - 1.0)]), np.array([-at.z @ at.z])
        zero, no = np.zeros(1), np.zeros(1, dtype=bool)
        return Rows(("sphere",), place, csr_matrix(at.q[None]), zero, second, np.ones(1), no)


def moved(t):
    """Return x with its rates."""
    return 0.3 * np.sin(2.0 * t), 0.6 * np.cos(2.0 * t), -1.2 * np.sin(2.0 * t)


def shaken():
    """Return the bead with x as prescribed."""
    bead = Bead()
    return Restrained(bead, Unknowns.eliminate(bead.blocks, [Equation("x", [0], [1.0], moved)]))


START = State(0.0, np.array([0.8, -0.6]), np.array([0.9, 1.2]))
CASES = (
    Case("bead", Bead(), State(0.0, np.array([0.0, 0.8, -0.6]), np.array([0.6, 0.9, 1.2])), 0.01),
    Case("shaken bead", shaken(), START, 0.01),
)
