# SPDX-License-Identifier: BSD-3-Clause
"""A rigid body on SE(3) in quasi-velocities ``z = (v_O, w)``, and one that hangs in hinges.

Physics.md section 7 of rigid bodies: with S = m c, c the centre of mass seen from O,

    M = [[m, -S~], [S~, J]],   h = (w~ (m v_O + w~ S), S~ w~ v_O + w~ J w)
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.transient.manifold import SE3
from flexforge.runtime.transient.model import Linearization, Model, Rows
from flexforge.runtime.transient.rotation import cross, matrix
from flexforge.runtime.transient.space import SerialSpace
from flexforge.runtime.transient.state import Block, State
from scipy.sparse import csr_matrix

from toys.common import Case, identity


class Body(Model):
    def __init__(self, mass=2.0, centre=(0, 0, 0), inertia=(1.0, 2.0, 3.0), gravity=(0, 0, 0)):
        """Inertia is that about O."""
        self.mass, self.centre = mass, np.array(centre, float)
        self.inertia, self.gravity = np.diag(inertia), np.array(gravity, float)
        self.blocks = (Block("motion", "body", SE3()),)
        self.space = SerialSpace(6)
        self.identity = identity("rigid", mass, centre, inertia, gravity)
        arm = cross(mass * self.centre)
        self.masses = np.block([[mass * np.eye(3), -arm], [arm, self.inertia]])

    def residual(self, at, out):
        v, w = at.z[:3], at.z[3:]
        s, turn = self.mass * self.centre, cross(at.z[3:])
        down = matrix(at.q[3:]).T @ self.gravity
        inner = [turn @ (self.mass * v + turn @ s) - self.mass * down]
        inner.append(cross(s) @ (turn @ v) + turn @ (self.inertia @ w) - cross(s) @ down)
        out[:] = self.masses @ at.rate + np.concatenate(inner)
        if rows := len(at.force):
            out -= self.jacobian(at)[:rows].T @ at.force

    def linearize(self, at):
        v, w = at.z[:3], at.z[3:]
        s, turn, arm = self.mass * self.centre, cross(w), cross(self.mass * self.centre)
        down = cross(matrix(at.q[3:]).T @ self.gravity)
        momentum = self.mass * v + turn @ s
        speed = np.block(
            [
                [self.mass * turn, -cross(momentum) - turn @ arm],
                [arm @ turn, -arm @ cross(v) + turn @ self.inertia - cross(self.inertia @ w)],
            ]
        )
        zero = np.zeros((3, 3))
        place = np.block([[zero, -self.mass * down], [zero, -arm @ down]])
        force = None
        if rows := len(at.force):
            jacobian = self.jacobian(at)[:rows]
            force = csr_matrix(-jacobian.T)
            place += self.turned_forces(at)
        return Linearization(csr_matrix(self.masses), csr_matrix(speed), csr_matrix(place), force)

    def jacobian(self, at):
        """Return G, (m, 6)."""
        return np.zeros((0, 6))

    def turned_forces(self, at):
        """Return what turns of the body make of ``-G^T lambda``."""
        return np.zeros((6, 6))

    def energy(self, state):
        r = matrix(state.q[3:])
        fall = self.gravity @ (state.q[:3] + r @ self.centre)
        return 0.5 * state.z @ self.masses @ state.z - self.mass * fall

    def momenta(self, state):
        """Return momentum and angular momentum about the origin, in space."""
        r, p = matrix(state.q[3:]), self.masses @ state.z
        momentum = r @ p[:3]
        return np.concatenate([momentum, r @ p[3:] + np.cross(state.q[:3], momentum)])


class Hinged(Body):
    """A body held at points on it: one is a ball joint, two are a hinge with a row too many."""

    def __init__(self, points, **body):
        super().__init__(**body)
        self.points = np.array(points, float)
        self.identity = identity(self.identity, points)
        self.places = self.points.copy()

    def jacobian(self, at):
        r = matrix(at.q[3:])
        return np.vstack([np.hstack([r, -r @ cross(s)]) for s in self.points])

    def turned_forces(self, at):
        # The force on a point is R^T lambda in the body, which a turn of the body changes.
        r, found = matrix(at.q[3:]), np.zeros((6, 6))
        for s, force in zip(self.points, np.split(at.force, len(self.points)), strict=True):
            local = cross(r.T @ force)
            found[:3, 3:] -= local
            found[3:, 3:] -= cross(s) @ local
        return found

    def constraints(self, at):
        r, v, w = matrix(at.q[3:]), at.z[:3], at.z[3:]
        place = [at.q[:3] + r @ s - p for s, p in zip(self.points, self.places, strict=True)]
        second = [-r @ np.cross(w, v + np.cross(w, s)) for s in self.points]
        m = 3 * len(self.points)
        names = tuple(f"hinge {i}, {axis}" for i in range(len(self.points)) for axis in "xyz")
        zero = np.zeros(m)
        jacobian = csr_matrix(self.jacobian(at))
        return Rows(
            names,
            np.concatenate(place),
            jacobian,
            zero,
            np.concatenate(second),
            np.ones(m),
            np.zeros(m, dtype=bool),
        )


#: A physical pendulum about z: its centre of mass 0.5 from the axis, gravity along -y.
PENDULUM = {
    "mass": 2.0,
    "centre": (0.0, -0.5, 0.0),
    "inertia": (0.9, 0.3, 0.8),
    "gravity": (0.0, -9.81, 0.0),
}
AXIS = ((0.0, 0.0, -0.3), (0.0, 0.0, 0.4))
TILTED = np.array([0.0, 0.0, 0.0, np.cos(0.6), 0.0, 0.0, np.sin(0.6)])
SPIN = State(
    0.0, np.array([0.3, -0.2, 0.1, 1.0, 0.0, 0.0, 0.0]), np.array([0.2, 0.5, -0.3, 0.1, 2.0, 0.2])
)
CASES = (
    Case("free body", Body(), SPIN, 0.05),
    Case("heavy body", Body(centre=(0.1, 0.2, -0.1), gravity=(1.0, 2.0, -9.81)), SPIN, 0.02),
    Case("pendulum", Hinged(AXIS, **PENDULUM), State(0.0, TILTED, np.zeros(6)), 0.02),
    Case(
        "spherical pendulum",
        Hinged(AXIS[:1], **PENDULUM),
        State(0.0, TILTED, np.array([0.0, 0.0, 0.0, 0.4, 1.0, 0.3])),
        0.02,
    ),
)
