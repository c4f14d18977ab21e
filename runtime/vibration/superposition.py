# SPDX-License-Identifier: BSD-3-Clause
"""Superposition of undamped modes: their equations, exact steps, answers to harmonic forces.

With shapes of unit modal mass ``u = sum phi_i q_i`` and

    q_i'' + sum_j c_ij q_j' + omega_i^2 q_i = phi_i^T f(t)

where ``c = Phi^T C Phi``, of Rayleigh's damping ``alpha + beta omega_i^2``, and damping ratios add
``2 zeta_i omega_i``. Modes that dashpots couple are solved together.
Source: Clough and Penzien, Dynamics of Structures, chapters 12 and 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Complex, Floats

#: Damping between modes, relative to that of the modes, which is round-off.
_COUPLED = 1e-9


@dataclass(frozen=True, slots=True)
class Superposition:
    """Modes whose motions add up.

    Attributes
    ----------
    squares : ndarray, (k,)
        Squared circular frequencies, (rad/s)^2, not below zero.
    shapes : ndarray, (k, N, d)
        Shapes of unit modal mass.
    damping : ndarray, (k, k)
        Damping matrix of the modes, 1/s.
    loading : ndarray, (k, N, d), optional
        Shapes on which forces do work, where these are not the shapes that are seen.
    """

    squares: Floats
    shapes: Floats
    damping: Floats
    loading: Floats | None = None

    @property
    def coupled(self) -> bool:
        """Whether damping couples modes."""
        own = np.abs(np.diag(self.damping)).max(initial=0.0)
        others = self.damping - np.diag(np.diag(self.damping))
        return bool(np.abs(others).max(initial=0.0) > _COUPLED * own)

    def acting_on(self, sectors: Sequence[int] | None) -> Superposition:
        """Return the modes under forces on some sectors of a wheel: on all that there are.

        Parameters
        ----------
        sectors : sequence of int, optional
            Their numbers, by default all.
        """
        assert sectors is None  # only of the modes of a wheel
        return self

    def forces(self, nodal: Floats) -> Floats:
        """Return the modal forces of nodal ones (..., N, d): (..., k)."""
        shapes = self.shapes if self.loading is None else self.loading
        return np.asarray(np.tensordot(nodal, shapes, axes=((-2, -1), (1, 2))))

    def moved(self, coordinates: Floats) -> Floats:
        """Return displacements (..., N, d) of modal coordinates (..., k)."""
        return np.asarray(np.tensordot(coordinates, self.shapes, axes=((-1,), (0,))))

    def answers(self, frequencies: Floats, forces: Complex) -> Complex:
        """Return modal coordinates in steady vibration.

        Parameters
        ----------
        frequencies : ndarray, (F,)
            Circular frequencies, rad/s.
        forces : ndarray of complex, (F, k)
            Modal forces.

        Returns
        -------
        ndarray of complex, (F, k)
        """
        w = np.asarray(frequencies, dtype=float)
        if not self.coupled:
            stiffness = self.squares - w[:, None] ** 2 + 1j * w[:, None] * np.diag(self.damping)
            return np.asarray(forces / stiffness)
        full = np.diag(self.squares) - (w**2)[:, None, None] * np.eye(len(self.squares))
        matrices = full + 1j * w[:, None, None] * self.damping
        return np.asarray(np.linalg.solve(matrices, forces[..., None])[..., 0], dtype=complex)

    def steps(self, step: float) -> tuple[Floats, Floats, Floats]:
        """Return the exact step of a state under forces that vary linearly within it.

        Parameters
        ----------
        step : float
            Its length, s.

        Returns
        -------
        state, before, after : ndarray, (2 k, 2 k), (2 k, k), (2 k, k)
            What state (coordinates, then velocities), forces at the beginning and at the end make
            of the state at the end.
        """
        from scipy.linalg import expm

        k = len(self.squares)
        # The force and its slope are states too: f' = s, s' = 0.
        rates = np.zeros((4 * k, 4 * k))
        ones = np.eye(k)
        rates[:k, k : 2 * k] = ones
        rates[k : 2 * k, :k] = -np.diag(self.squares)
        rates[k : 2 * k, k : 2 * k] = -self.damping
        rates[k : 2 * k, 2 * k : 3 * k] = ones
        rates[2 * k : 3 * k, 3 * k :] = ones
        moved = np.zeros((2 * k, 4 * k))
        if self.coupled:
            moved = expm(rates * step)[: 2 * k]
        else:
            for i in range(k):  # each mode by itself
                places = np.array([i, k + i, 2 * k + i, 3 * k + i])
                one = expm(rates[np.ix_(places, places)] * step)
                moved[np.ix_(places[:2], places)] = one[:2]
        force, slope = moved[:, 2 * k : 3 * k], moved[:, 3 * k :] / step
        return moved[:, : 2 * k], force - slope, slope
