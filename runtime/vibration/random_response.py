# SPDX-License-Identifier: BSD-3-Clause
"""Covariances of the answers of modes to excitations of known density.

With one-sided densities S of the excitations p, ``q = H F p`` and mean squares are integrals of
``|q|^2`` over the frequency in Hz. The state ``z = (q, q', q'', p)`` has the covariance ``J =
integral Re(Z S Z^H) df`` with ``Z = (H F, i w H F, -w^2 H F, 1)``; whatever is linear in it, ``x =
g z``, has the mean square ``g J g^T``.
Source: Lutes and Sarkani, Random Vibrations (2004), chapters 6 and 8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.model.schema_excitation import OF_BASES
from flexforge.runtime.model.schema_spectra import RandomAnalysis
from flexforge.runtime.vibration.curves import Curve, build_curve
from flexforge.runtime.vibration.excitation import correlation_matrix
from flexforge.runtime.vibration.superposition import Superposition

_AT_ONCE = 256  # frequencies


@dataclass(frozen=True, slots=True)
class Densities:
    """Densities of several excitations, which may be correlated.

    Attributes
    ----------
    curves : tuple of Curve
        One-sided densities over the frequency, (m/s^2)^2/Hz or 1/Hz.
    factor : ndarray, (e, e)
        Square root C of the correlations, ``C C^T``.
    low, high : float
        The range of frequencies, Hz.
    """

    curves: tuple[Curve, ...]
    factor: Floats
    low: float
    high: float

    @classmethod
    def of(cls, analysis: RandomAnalysis) -> Densities:
        """Return the densities of an analysis, over the range that is integrated."""
        curves = tuple(
            build_curve(one.density, OF_BASES.get(one.unit, 1.0)) for one in analysis.excitations
        )
        values, vectors = np.linalg.eigh(correlation_matrix(analysis))
        low = min(float(one.x[0]) for one in curves)
        high = max(float(one.x[-1]) for one in curves)
        if analysis.between is not None:
            low, high = analysis.between
        return cls(curves, vectors * np.sqrt(np.maximum(values, 0.0)), low, high)

    @property
    def kinks(self) -> Floats:
        """Frequencies at which densities have kinks or end, Hz."""
        return np.concatenate([one.x for one in self.curves])

    def at(self, frequencies: Floats) -> Floats:
        """Return the densities, (n, e); zero outside the points of a curve."""
        return np.stack(
            [np.where(one.covers(frequencies), one.at(frequencies), 0.0) for one in self.curves],
            axis=-1,
        )

    def signals(self, frequencies: Floats) -> Floats:
        """Return L (n, e, e) with ``L L^T`` the densities of all pairs."""
        return np.asarray(np.sqrt(self.at(frequencies))[:, :, None] * self.factor)


@dataclass(frozen=True, slots=True)
class ModalStates:
    """What modes do at a frequency, for the signals that excite them.

    Attributes
    ----------
    modes : Superposition
        The modes.
    forces : ndarray, (k, e)
        Modal forces of unit excitations.
    densities : Densities
        Densities of the excitations.
    """

    modes: Superposition
    forces: Floats
    densities: Densities

    def at(self, frequencies: Floats) -> Complex:
        """Return the amplitudes (n, 3 k + e, e) of ``(q, q', q'', p)`` for every signal."""
        w = 2.0 * np.pi * frequencies
        count = self.forces.shape[1]
        columns = [
            self.modes.answers(w, np.broadcast_to(self.forces[:, e], (len(w), len(self.forces))))
            for e in range(count)
        ]
        q = np.stack(columns, axis=-1)
        rate = 1j * w[:, None, None]
        p = np.broadcast_to(np.eye(count), (len(w), count, count))
        z = np.concatenate([q, rate * q, rate**2 * q, p], axis=1)
        return np.asarray(z @ self.densities.signals(frequencies))

    def mean_squares(self, frequencies: Floats) -> Floats:
        """Return the densities of all coordinates, (n, 3 k + e)."""
        return np.asarray((np.abs(self.at(frequencies)) ** 2).sum(axis=-1))

    def covariances(self, points: Floats, weights: Floats) -> tuple[Floats, Floats]:
        """Return the covariances of the state and of its rates, (3 k + e, 3 k + e) each."""
        own, rates = 0.0, 0.0
        for first in range(0, len(points), _AT_ONCE):
            some = slice(first, first + _AT_ONCE)
            z = self.at(points[some]) * np.sqrt(weights[some])[:, None, None]
            flat = np.concatenate([*np.moveaxis(z, 0, 0)], axis=-1)
            turned = z * (2.0 * np.pi * points[some])[:, None, None]
            other = np.concatenate([*turned], axis=-1)
            own = own + (flat @ flat.conj().T).real
            rates = rates + (other @ other.conj().T).real
        return np.asarray(own), np.asarray(rates)

    def densities_of(self, rows: Floats, frequencies: Floats) -> Floats:
        """Return the densities of linear functions (p, 3 k + e) of the state, (n, p)."""
        return np.asarray((np.abs(rows @ self.at(frequencies)) ** 2).sum(axis=-1))
