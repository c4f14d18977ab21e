# SPDX-License-Identifier: BSD-3-Clause
"""Rotors whose speed a torque decides, by hand: what runs with machines are compared with.

A mass M at (x, y) with an unbalance U, a vector amount times place at the angle phi, has the energy

    T = M (x'^2 + y'^2) / 2 + J phi'^2 / 2 + U phi' (cos phi y' - sin phi x')

of which Lagrange's equations are, with forces f and the torque T,

    M x'' - U sin phi phi'' = U cos phi phi'^2 + f_x,
    M y'' + U cos phi phi'' = U sin phi phi'^2 + f_y,
    U (cos phi y'' - sin phi x'') + J phi'' = T.

A shaft has M, the gyroscopic matrix G and damping D of `rotor_equations`, with the energy ``- phi'
q.G q' / 2`` of its discs. Its sections turn by phi and by small angles t beside it, of linear
elements, which are zero where the torque acts. Damping of the material does the power ``-(q' - phi'
n x q).D (q' - phi' n x q)``, and so its part of phi' is a torque.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from rotor_equations import TURN, Array, Rotor
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag

#: The torque, N m, at a time, angle and speed.
Torque = Callable[[float, float, float], float]
#: Stiffness, damping and mass of a bearing at a speed, (3, 2, 2).
Law = Callable[[float], Array]


def mass_motion(
    times: Array,
    law: Law,
    torque: Torque,
    *,
    mass: float,
    amount: float,
    inertia: float,
    phase: float = 0.0,
    start: tuple[float, float] = (0.0, 0.0),
) -> Array:
    """Return x, y, phi and phi' of a mass on a bearing at times from 0 on, (T, 4), from rest.

    Parameters
    ----------
    start : tuple of float
        Angle and speed at t = 0.
    """

    def rates(t: float, s: Array) -> Array:
        q, angle, v, w = s[:2], s[2], s[3:5], s[5]
        c, n = amount * np.cos(angle + phase), amount * np.sin(angle + phase)
        k, d, m = law(w)
        matrix = np.diag([mass, mass, inertia]).astype(float)
        matrix[:2, :2] += m
        matrix[2, :2] = matrix[:2, 2] = [-n, c]
        forces = w * w * np.array([c, n]) - k @ q - d @ v
        return np.concatenate(
            [v, [w], np.linalg.solve(matrix, [*forces, torque(t, angle, w)])]
        )  # fmt: skip

    begin = np.array([0, 0, start[0], 0, 0, start[1]])
    found = solve_ivp(rates, (0.0, times[-1]), begin, "DOP853", times, rtol=1e-10, atol=1e-13)
    return np.asarray(found.y[[0, 1, 2, 5]].T)


@dataclass(frozen=True)
class Turned:
    """A rotor with a torque at its first node.

    Attributes
    ----------
    rotor : Rotor
        The rotor.
    torque : callable
        The torque.
    inertia : float
        Moment of inertia beside that of the rotor, kg m^2.
    """

    rotor: Rotor
    torque: Torque
    inertia: float

    def twisting(self) -> tuple[Array, Array]:
        """Return mass and stiffness of small angles of all nodes."""
        count = len(self.rotor.stations)
        m, k = np.zeros((2, count, count))
        for i, piece in enumerate(self.rotor.pieces):
            at = np.ix_([i, i + 1], [i, i + 1])
            polar = 2.0 * piece.second
            m[at] += self.rotor.density * polar * piece.length / 6.0 * np.array([[2, 1], [1, 2]])
            k[at] += self.rotor.shear * polar / piece.length * np.array([[1, -1], [-1, 1]])
        for disc in self.rotor.discs:
            m[disc.node, disc.node] += disc.polar
        return m, k

    def motion(
        self, times: Array, unbalanced: Array, start: tuple[float, float] = (0.0, 0.0)
    ) -> Array:
        """Return q, small angles, phi and phi' at times from 0 on, (T, n + k + 2), from rest."""
        bare = replace(self.rotor, alpha=0.0, beta=0.0, bearings=[])
        m, zero, k = bare.matrices(0.0)
        g = bare.matrices(1.0)[1] - zero
        held = self.rotor.matrices(0.0)
        own = replace(bare, discs=[]).matrices(0.0)[0]
        damping = self.rotor.alpha * own + self.rotor.beta * k
        turn = block_diag(*[TURN] * (len(m) // 2))
        mt, kt = self.twisting()
        shaft = replace(self, rotor=replace(bare, discs=[])).twisting()[0]
        dt = (self.rotor.alpha * shaft + self.rotor.beta * kt)[1:, 1:]
        n, j = len(m), len(mt) - 1
        matrix = np.zeros((n + j + 1, n + j + 1))
        matrix[:n, :n], matrix[n:-1, n:-1] = held[0], mt[1:, 1:]
        matrix[-1, -1] = self.inertia + mt.sum()
        matrix[-1, n:-1] = matrix[n:-1, -1] = mt[1:].sum(axis=1)

        def rates(t: float, s: Array) -> Array:
            q, small, angle = s[:n], s[n : n + j], s[n + j]
            v, spun, w = s[n + j + 1 : 2 * n + j + 1], s[2 * n + j + 1 : -1], s[-1]
            force = (np.exp(1j * angle) * unbalanced).real
            along = (1j * np.exp(1j * angle) * unbalanced).real
            whole = matrix.copy()
            whole[-1, :n] = whole[:n, -1] = along + 0.5 * g @ q
            slipping = v - w * turn @ q
            lateral = w * w * force - w * g @ v - held[2] @ q - (held[1] - damping) @ v
            rest = -dt @ spun - kt[1:, 1:] @ small
            acting = self.torque(t, angle, w) + (turn @ q) @ damping @ slipping
            right = [*(lateral - damping @ slipping), *rest, acting]
            return np.concatenate([s[n + j + 1 :], np.linalg.solve(whole, right)])

        begin = np.zeros(2 * (n + j + 1))
        begin[n + j], begin[-1] = start
        found = solve_ivp(rates, (0.0, times[-1]), begin, "DOP853", times, rtol=1e-9, atol=1e-13)
        return np.asarray(found.y[[*range(n + j + 1), -1]].T)
