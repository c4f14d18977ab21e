# SPDX-License-Identifier: BSD-3-Clause
"""Lateral vibrations of rotors by beam theory: what models of shafts are compared with.

Shaft elements of Timoshenko's theory with consistent inertia (Nelson, J. Mech. Design 102 (1980),
793), whose matrices are integrals of static shape functions by quadrature; discs, bearings and
unbalances as in Friswell, Penny, Garvey, Lees, Dynamics of Rotating Machines (2010), chapters 5, 6.

The shaft lies along z, about which it spins at W. A node has the displacements x, y and the small
rotations a, b about x and y: without shear b = dx/dz and a = -dy/dz. The motion obeys

    M q'' + (C + W G) q' + (K + W' G / 2 - W D n~) q = f

Damping D = alpha M + beta K of the material acts on velocities relative to the turning shaft,
``q' - W n x q``. The factor of W': of a disc with the rotation vector q across the axis the energy
is ``Id (a'^2 + b'^2) / 2 - Ip W (a b' - b a') / 2``, whose equation for a has the term
``d/dt (Ip W b / 2) + Ip W b' / 2 = Ip W b' + Ip W' b / 2``; that for b has both with minus signs.

A torque T turns with the section it acts on, so that the moment across z is ``E I r' + T r x n``
of the rotations r = (a, b): equilibrium tested with dr has ``int dr' . (E I r' + T r x n) dz``,
without moments across z at the ends where T stays along z (Zorzi, Nelson, J. Mech. Design 102
(1980), 158). An axial force P does the work ``P (x'^2 + I / A b'^2) / 2`` on fibres
of each plane per length, by Green's strain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import block_diag

Array = np.ndarray
ZERO = np.zeros((2, 2))
MIRROR = np.diag([1.0, -1.0, 1.0, -1.0])  # from x, b to y, a
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(4)
TURN = np.array([[0.0, -1.0], [1.0, 0.0]])  # n~ of two components across the axis
#: Returns the angle theta of a shaft, W and W' at a time.
Turned = Callable[[float], tuple[float, float, float]]


@dataclass(frozen=True)
class Piece:
    """A shaft element: length and diameters, m; area and its second moment, m^2 and m^4.

    It carries an axial force (N) and a torque about z (N m).
    """

    length: float
    outer: float
    inner: float = 0.0
    tension: float = 0.0
    torque: float = 0.0

    @property
    def area(self) -> float:
        return float(np.pi / 4 * (self.outer**2 - self.inner**2))

    @property
    def second(self) -> float:
        return float(np.pi / 64 * (self.outer**4 - self.inner**4))


@dataclass(frozen=True)
class Disc:
    """A disc at a node: mass (kg), moments of inertia across and about the axis (kg m^2)."""

    node: int
    mass: float
    diametral: float
    polar: float


@dataclass(frozen=True)
class Bearing:
    """A bearing at a node, on the ground or on another node: (2, 2) in N/m, N s/m, kg."""

    node: int
    stiffness: Array = field(default_factory=lambda: ZERO)
    damping: Array = field(default_factory=lambda: ZERO)
    mass: Array = field(default_factory=lambda: ZERO)
    carrier: int | None = None


@dataclass(frozen=True)
class Rotor:
    """A shaft along z from z = 0, discs, bearings, and masses (kg) as further nodes."""

    pieces: Sequence[Piece]
    discs: Sequence[Disc] = ()
    bearings: Sequence[Bearing] = ()
    carriers: Sequence[float] = ()
    young: float = 211e9
    shear: float = 81.2e9
    density: float = 7810.0
    kappa: float = 0.8863  # shear coefficient
    alpha: float = 0.0
    beta: float = 0.0

    @property
    def stations(self) -> Array:
        """Places z of the nodes, m."""
        return np.concatenate([[0.0], np.cumsum([piece.length for piece in self.pieces])])

    def at(self, node: int) -> Array:
        """Return the numbers of the displacements x, y of a node; of the shaft a and b follow."""
        beyond = max(node - len(self.stations), 0)
        return 4 * node - 2 * beyond + np.arange(2)

    def matrices(self, speed: float, growth: float = 0.0) -> tuple[Array, Array, Array]:
        """Return M, and the matrices of velocities and displacements, at W and W'."""
        size = 4 * len(self.stations) + 2 * len(self.carriers)
        m, c, g, k, stressed = np.zeros((5, size, size))
        for number, piece in enumerate(self.pieces):
            places = np.ix_(*2 * [4 * number + np.arange(8)])
            for total, part in zip((m, g, k, stressed), self._element(piece), strict=True):
                total[places] += part
        turn = block_diag(*[TURN] * (size // 2))
        damping = self.alpha * m + self.beta * k
        c, k = c + damping, k + stressed - speed * damping @ turn
        for disc in self.discs:
            x, y, a, b = 4 * disc.node + np.arange(4)
            m[[x, y, a, b], [x, y, a, b]] += [disc.mass] * 2 + [disc.diametral] * 2
            g[a, b] += disc.polar
            g[b, a] -= disc.polar
        for node, mass in enumerate(self.carriers, start=len(self.stations)):
            m[self.at(node), self.at(node)] += mass
        for one in self.bearings:
            across = np.zeros((2, size))
            across[:, self.at(one.node)] = np.eye(2)
            if one.carrier is not None:
                across[:, self.at(one.carrier)] = -np.eye(2)
            for total, law in ((m, one.mass), (c, one.damping), (k, one.stiffness)):
                total += across.T @ law @ across
        return m, c + speed * g, k + 0.5 * growth * g

    def _element(self, piece: Piece) -> Array:
        """Return M, G, K of a shaft element, and K of its loads, for x, y, a, b of both ends."""
        bending = self.young * piece.second
        shearing = self.kappa * self.shear * piece.area

        def fields(s: Array) -> tuple[Array, Array]:
            """Return x and b for x_0, b_0, a constant shear force and the moment at s = 0."""
            one, zero = np.ones_like(s), np.zeros_like(s)
            x = [one, s, s**3 / (6 * bending) - s / shearing, s**2 / (2 * bending)]
            b = [zero, one, s**2 / (2 * bending), s / bending]
            return np.stack(x, -1), np.stack(b, -1)

        ends = np.stack(fields(np.array([0.0, piece.length])), axis=1).reshape(4, 4)
        modes = np.linalg.inv(ends)
        s, weights = piece.length / 2 * (POINTS + 1), piece.length / 2 * WEIGHTS
        x, b = (one @ modes for one in fields(s))
        moment, shear = np.outer(s, modes[2]) + modes[3], modes[2]
        inertia = self.density * piece.second * b.T * weights @ b
        m = self.density * piece.area * x.T * weights @ x + inertia
        k = moment.T * weights @ moment / bending + piece.length / shearing * np.outer(shear, shear)
        slope = b - np.outer(np.ones_like(s), shear) / shearing
        along = slope.T * weights @ slope
        along += piece.second / piece.area / bending**2 * moment.T * weights @ moment
        along *= piece.tension
        found = np.zeros((4, 8, 8))
        plane, other = [0, 3, 4, 7], [1, 2, 5, 6]
        for number, part in ((0, m), (2, k), (3, along)):
            found[number][np.ix_(plane, plane)] = part
            found[number][np.ix_(other, other)] = MIRROR @ part @ MIRROR
        twisting = piece.torque / bending * moment.T * weights @ b
        found[3][np.ix_(plane, other)] = twisting @ MIRROR
        found[3][np.ix_(other, plane)] = -MIRROR @ twisting
        found[1][np.ix_(plane, other)] = 2.0 * inertia @ MIRROR
        found[1][np.ix_(other, plane)] = -2.0 * MIRROR @ inertia
        return found

    def roots(self, speed: float) -> Array:
        """Return the roots with positive imaginary parts, 1/s, by these."""
        m, c, k = self.matrices(speed)
        rates = np.eye(2 * len(m), k=len(m))
        rates[len(m) :] = -np.linalg.solve(m, np.hstack([k, c]))
        found = np.linalg.eigvals(rates)
        found = found[found.imag > 1e-6 * abs(found)]
        return np.asarray(found[np.argsort(found.imag)])

    def vibration(self, speed: float, force: Array, frequency: float | None = None) -> Array:
        """Return q of ``Re(q exp(i w t))`` under a complex force; w is by default the speed."""
        m, c, k = self.matrices(speed)
        w = speed if frequency is None else frequency
        return np.asarray(np.linalg.solve(k + 1j * w * c - w * w * m, force))

    def unbalanced(self, node: int, amount: float, phase: float = 0.0) -> Array:
        """Return the force of an unbalance (kg m) at 1 rad/s: at W t + phase from x towards y."""
        force = np.zeros(len(self.matrices(0.0)[0]), dtype=complex)
        force[self.at(node)] = amount * np.exp(1j * phase) * np.array([1.0, -1.0j])
        return force

    def motion(self, times: Array, angle: Turned, unbalanced: Array) -> Array:
        """Return q at times from 0 on, (T, n), from rest, while the speed varies.

        ``-Re(force d^2/dt^2 exp(i theta))`` acts, with the force of unbalances at 1 rad/s.
        """
        mass, c, k = self.matrices(0.0)
        spun, growing = self.matrices(1.0), self.matrices(0.0, 1.0)[2] - k
        c, k, gyroscopic, circulation, growing = np.linalg.solve(
            mass, [c, k, spun[1] - c, spun[2] - k, growing]
        )
        size, acting = len(mass), np.linalg.solve(mass, unbalanced)

        def rates(t: float, state: Array) -> Array:
            theta, w, growth = angle(t)
            q, v = state[:size], state[size:]
            force = ((w * w - 1j * growth) * np.exp(1j * theta) * acting).real
            force -= (c + w * gyroscopic) @ v + (k + w * circulation + growth * growing) @ q
            return np.concatenate([v, force])

        found = solve_ivp(
            rates, (0.0, times[-1]), np.zeros(2 * size), "DOP853", times, rtol=1e-11, atol=1e-15
        )
        return np.asarray(found.y[:size].T)
