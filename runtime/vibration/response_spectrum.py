# SPDX-License-Identifier: BSD-3-Clause
"""Peaks of modes under a response spectrum, and how they are combined.

The peak of mode i with the participation factor G is ``q_i = G S_d(f_i, zeta_i)``, and ``S_a = w
S_v = w^2 S_d`` by definition. Combinations: SRSS, CQC (Der Kiureghian, Earthquake Engineering and
Structural Dynamics 9, 1981), absolute sum, ten percent (U.S. NRC Regulatory Guide 1.92, revision
1). What the modes leave out answers statically to the acceleration at the highest frequency (the
missing mass, revision 3, appendix A).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_excitation import SPECTRA, SpectrumExcitation
from flexforge.runtime.vibration.curves import Curve, build_curve

#: Frequencies closer than a tenth of the lower one, of the ten percent method.
CLOSE = 0.1


@dataclass(frozen=True, slots=True)
class Spectrum:
    """A response spectrum of the base along a direction.

    Attributes
    ----------
    quantity : str
        ``acceleration``, ``velocity`` or ``displacement``.
    over_period : bool
        Whether curves are over the period, s, instead of the frequency, Hz.
    curves : tuple of Curve
        In SI units.
    ratios : tuple of float, or of None
        Damping ratios of the curves, ascending.
    """

    quantity: str
    over_period: bool
    curves: tuple[Curve, ...]
    ratios: tuple[float | None, ...]

    @classmethod
    def of(cls, spec: SpectrumExcitation) -> Spectrum:
        """Return the spectrum of an excitation of the model file."""
        quantity, factor = SPECTRA[spec.unit]
        curves = tuple(build_curve(one, factor) for one in spec.curves)
        ratios = tuple(one.damping for one in spec.curves)
        return cls(quantity, spec.over == "period", curves, ratios)

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest frequency of all curves, Hz; infinite for a period of zero."""
        low = max(one.x[0] for one in self.curves)
        high = min(one.x[-1] for one in self.curves)
        if not self.over_period:
            return float(low), float(high)
        return 1.0 / float(high), 1.0 / float(low) if low > 0.0 else np.inf

    def values(self, frequencies: Floats, ratios: Floats) -> Floats:
        """Return the values at frequencies, Hz, and damping ratios, in SI units.

        Between curves they are linear in the logarithm of the damping ratio; outside the range of
        curves the value at its end holds.

        Parameters
        ----------
        frequencies, ratios : ndarray, (n,)
            Of oscillators.
        """
        with np.errstate(divide="ignore"):
            places = 1.0 / frequencies if self.over_period else frequencies
        each = np.array([one.at(places) for one in self.curves])
        if len(self.curves) == 1:
            return np.asarray(each[0])
        known = np.log([float(one or 0.0) for one in self.ratios])
        at = np.clip(np.log(np.maximum(ratios, 1e-300)), known[0], known[-1])
        return np.array([np.interp(at[i], known, each[:, i]) for i in range(len(at))])

    def accelerations(self, frequencies: Floats, ratios: Floats) -> Floats:
        """Return pseudo-accelerations, m/s^2; parameters as of :meth:`values`."""
        powers = {"acceleration": 0, "velocity": 1, "displacement": 2}
        w = 2.0 * np.pi * frequencies
        return np.asarray(self.values(frequencies, ratios) * w ** powers[self.quantity])

    def rigid_acceleration(self) -> float:
        """Return the acceleration at the highest frequency, at the lowest damping, m/s^2."""
        top = self.range[1]
        if not np.isfinite(top):
            return float(self.values(np.array([np.inf]), np.ones(1))[0])
        return float(self.accelerations(np.array([top]), np.zeros(1))[0])


def cqc(frequencies: Floats, ratios: Floats) -> Floats:
    """Return the correlations of modes in a motion of wide band, (k, k).

    ``8 sqrt(z_i z_j) (z_i + r z_j) r^1.5 / ((1 - r^2)^2 + 4 z_i z_j r (1 + r^2) + 4 (z_i^2 + z_j^2)
    r^2)`` with ``r = w_j / w_i``.

    Parameters
    ----------
    frequencies : ndarray, (k,)
        Of modes; only their ratios matter.
    ratios : ndarray, (k,)
        Damping ratios. Without damping modes of different frequencies are independent.
    """
    w = np.asarray(frequencies, dtype=float)
    r = w[None, :] / w[:, None]
    zi, zj = ratios[:, None], ratios[None, :]
    above = 8.0 * np.sqrt(zi * zj) * (zi + r * zj) * r**1.5
    below = (1.0 - r**2) ** 2 + 4.0 * zi * zj * r * (1.0 + r**2) + 4.0 * (zi**2 + zj**2) * r**2
    found = np.divide(above, below, out=(r == 1.0).astype(float), where=below > 0.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)


def close_pairs(frequencies: Floats) -> set[tuple[int, int]]:
    """Return the pairs of modes whose frequencies differ by a tenth of the lower one at most."""
    f = np.asarray(frequencies)
    pairs = combinations(range(len(f)), 2)
    return {(i, j) for i, j in pairs if abs(f[j] - f[i]) <= CLOSE * min(f[i], f[j])}


def principal_states(covariance: Floats) -> Floats:
    """Return combinations of coordinates whose sum of squares is a covariance, (m, n).

    ``covariance = sum_m E_m E_m^T``; rows of round-off are left out.

    Parameters
    ----------
    covariance : ndarray, (n, n)
        Symmetric, without negative eigenvalues but for round-off.
    """
    sizes = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale = np.where(sizes > 0.0, sizes, 1.0)  # coordinates of different units
    values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
    kept = values > 1e-15 * max(float(values.max(initial=0.0)), 1e-300)
    return np.asarray((vectors[:, kept] * np.sqrt(values[kept])).T * scale)
