# SPDX-License-Identifier: BSD-3-Clause
"""Rotation of a frame: about a fixed axis, or by integrating a body angular velocity.

The quaternion obeys ``q' = q o (0, w) / 2`` with w in body components, a linear equation. It is
stepped by Gauss-Legendre collocation with 8 stages (order 16), which keeps ``|q| = 1`` exactly in
exact arithmetic (Hairer, Lubich, Wanner, *Geometric Numerical Integration*, IV.2.1). Steps are
bisected until one and two halves agree to 1e-14; knots are kept and do not depend on the times
asked for.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime._functions import CHUNKS, chunk_end
from numpy.typing import NDArray

Array = NDArray[np.float64]
Velocity: TypeAlias = Callable[[Array], Array]

STAGES = 8
AGREEMENT = 1e-14
MOST_PIECES = 4000  # per chunk, besides those that the turning itself needs
MOST_TURNING = 20_000  # pieces of 3 rad per chunk


def _collocation() -> tuple[Array, Array, Array]:
    """Nodes, matrix and weights of the Gauss method, from integrals of the Lagrange polynomials."""
    legendre = np.polynomial.legendre
    nodes, weights = legendre.leggauss(STAGES)
    # l_j = sum_k (2 k + 1) / 2 w_j P_k(x_j) P_k: no ill-conditioned Vandermonde matrix.
    values = legendre.legvander(nodes, STAGES - 1)
    coefficients = (values * weights[:, None] * (np.arange(STAGES) + 0.5)).T
    integrals = np.apply_along_axis(legendre.legint, 0, coefficients, lbnd=-1.0)
    matrix = legendre.legvander(nodes, STAGES) @ integrals
    return 0.5 * (nodes + 1.0), 0.5 * matrix, 0.5 * weights


NODES, MATRIX, WEIGHTS = _collocation()


def skew(vector: Array) -> Array:
    """Return the matrix of the cross product, ``skew(w) @ b == cross(w, b)``."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def about_axis(axis: Array, angle: float) -> Array:
    """Return the rotation matrix about a unit axis (Rodrigues), local to global."""
    return np.asarray(about_axis_over(axis, np.array([angle]))[0])


def about_axis_over(axis: Array, angles: Array) -> Array:
    """Return the rotation matrices about a unit axis for every one of angles (T,), (T, 3, 3)."""
    cosine, sine = np.cos(angles)[:, None, None], np.sin(angles)[:, None, None]
    return np.asarray(
        cosine * np.eye(3) + sine * skew(axis) + (1.0 - cosine) * np.outer(axis, axis)
    )


def from_quaternion(q: Array) -> Array:
    """Return the rotation matrix of a quaternion (scalar first) that need not be quite unit."""
    q = q / np.linalg.norm(q)
    scalar, vector = q[0], q[1:]
    cross = skew(vector)
    return np.asarray(np.eye(3) + 2.0 * scalar * cross + 2.0 * cross @ cross)


class RotationIntegral:
    """Rotation matrix from the angular velocity in body components, the identity at t = 0.

    Parameters
    ----------
    velocity : callable
        Takes times (m,), returns the angular velocity (m, 3), rad/s.
    span : float
        The time that matters, s: sets the length of the chunks, not a limit.
    breaks : tuple of float
        Times at which the velocity is not smooth, as far as known.
    """

    def __init__(
        self, velocity: Velocity, span: float = 1.0, breaks: tuple[float, ...] = ()
    ) -> None:
        span = span if span > 0.0 else 1.0
        self._forward = _HalfLine(velocity, span, tuple(sorted(breaks)))
        # q(-s) obeys the same equation with -w(-s).
        self._backward = _HalfLine(
            lambda t: -velocity(-t), span, tuple(sorted(-point for point in breaks))
        )

    def at(self, t: float) -> Array:
        """Return the rotation matrix (3, 3), local to global, at time ``t``."""
        line, time = (self._forward, t) if t >= 0.0 else (self._backward, -t)
        return from_quaternion(line.at(time))


class _HalfLine:
    """Quaternions at the knots of t >= 0, extended as far as asked."""

    def __init__(self, velocity: Velocity, span: float, breaks: tuple[float, ...]) -> None:
        self._velocity = velocity
        self._chunk = span / CHUNKS
        self._breaks = np.array(breaks)
        self._knots = [0.0]
        self._quaternions = [np.array([1.0, 0.0, 0.0, 0.0])]
        self._reached = 0.0

    def at(self, t: float) -> Array:
        while self._reached < t:
            self._extend()
        index = bisect.bisect_right(self._knots, t) - 1
        start = self._knots[index]
        quaternion = self._quaternions[index]
        return quaternion if t == start else self._step(quaternion, start, t)

    def _extend(self) -> None:
        end = chunk_end(self._reached, self._chunk, self._breaks)
        pending = self._first_pieces(end)
        most = MOST_PIECES + 4 * len(pending)
        count = 0
        while pending:
            start, quaternion, stop = self._knots[-1], self._quaternions[-1], pending[-1]
            middle = 0.5 * (start + stop)
            once = self._step(quaternion, start, stop)
            twice = self._step(self._step(quaternion, start, middle), middle, stop)
            if np.max(np.abs(once - twice)) <= AGREEMENT or not start < middle < stop:
                pending.pop()
                self._knots.append(stop)
                self._quaternions.append(twice / np.linalg.norm(twice))
            else:
                pending.append(middle)
            count += 1
            if count > most:
                raise InputError(
                    f"found an angular velocity that varies too fast to be integrated between "
                    f"t = {self._reached:.6g} and {end:.6g} s; expected one that {most} "
                    "steps resolve"
                )
        self._reached = end

    def _first_pieces(self, end: float) -> list[float]:
        """Return the ends of pieces of about 3 rad, the last one first."""
        speeds = np.linalg.norm(
            self._velocity(self._reached + (end - self._reached) * NODES), axis=1
        )
        count = 1 + int(np.max(speeds) * (end - self._reached) / 3.0)
        if count > MOST_TURNING:
            raise InputError(
                f"found an angular velocity of {np.max(speeds):.3g} rad/s near t = {end:.6g} s; "
                "expected a run with fewer turns"
            )
        ends = np.linspace(self._reached, end, count + 1)[1:]
        return [float(stop) for stop in ends[::-1]]

    def _step(self, quaternion: Array, start: float, stop: float) -> Array:
        """One step of the collocation method; the stages solve a linear system of 4 s unknowns."""
        length = stop - start
        rates = _rate_matrices(self._velocity(start + length * NODES))
        system = np.eye(4 * STAGES) - length * (
            rates[:, :, None, :] * MATRIX[:, None, :, None]
        ).reshape(4 * STAGES, 4 * STAGES)
        stages = np.linalg.solve(system, (rates @ quaternion).ravel()).reshape(STAGES, 4)
        return np.asarray(quaternion + length * (WEIGHTS @ stages))


def _rate_matrices(velocity: Array) -> Array:
    """Matrices (m, 4, 4) with ``q' = matrix @ q`` for body angular velocities (m, 3)."""
    matrices = np.zeros((len(velocity), 4, 4))
    matrices[:, 0, 1:] = -0.5 * velocity
    matrices[:, 1:, 0] = 0.5 * velocity
    for row, column, component in ((1, 2, 2), (2, 3, 0), (3, 1, 1)):
        matrices[:, row, column] = 0.5 * velocity[:, component]
        matrices[:, column, row] = -0.5 * velocity[:, component]
    return matrices
