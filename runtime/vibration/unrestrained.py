# SPDX-License-Identifier: BSD-3-Clause
"""Small quadratic problems with motions that nothing restrains, without their zeros.

Of unknowns ``a``, of unit mass, and ``b``, which no mass couples with them,

    s^2 a + s C_ab b = 0,    s^2 M b + s (C_ba a + C_bb b) + K b = 0,

``s a = -C_ab b`` is what momentum asks of a motion that is not steady, and

    s^2 M b + s C_bb b + (K - C_ba C_ab) b = 0

has its other roots: those near zero, as at critical speeds, are not taken for the zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Complex, Floats

#: What forces of velocities on these motions may be, relative to the largest.
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Unrestrained:
    """A problem without the motions that nothing restrains.

    Attributes
    ----------
    mass, viscous, stiffness : ndarray, (m - k, m - k)
        Its matrices.
    free : ndarray, (m, k)
        The motions, of unit mass.
    others : ndarray, (m, m - k)
        Unknowns of the problem, whose masses are not coupled with the motions.
    coupled : ndarray, (k, m - k)
        C_ab.
    """

    mass: Floats
    viscous: Floats
    stiffness: Floats
    free: Floats
    others: Floats
    coupled: Floats

    @classmethod
    def of(
        cls, stiffness: Floats, viscous: Floats, mass: Floats, count: int
    ) -> Unrestrained | None:
        """Return the problem without its first unknowns.

        Parameters
        ----------
        stiffness, viscous, mass : ndarray, (m, m)
            Matrices.
        count : int
            Number k of the first unknowns that nothing restrains.

        Returns
        -------
        Unrestrained or None
            None where dampers act on the motions.
        """
        size = len(mass)
        free = np.zeros((size, count))
        free[:count] = np.linalg.inv(np.linalg.cholesky(mass[:count, :count])).T
        others = np.eye(size)[:, count:]
        others = others - free @ (free.T @ mass @ others)
        if np.abs(free.T @ viscous @ free).max() > _NOTHING * np.abs(viscous).max():
            return None
        coupled = free.T @ viscous @ others
        turned = others.T @ viscous @ free @ coupled
        m, c, k = (others.T @ one @ others for one in (mass, viscous, stiffness))
        return cls(m, c, k - turned, free, others, coupled)

    def completed(self, values: Complex, small: Complex) -> tuple[Complex, Complex]:
        """Return all roots, ascending in frequency, and vectors (m, k + j) of unit modal mass.

        Parameters
        ----------
        values, small : ndarray of complex, (j,) and (m - k, j)
            Roots and vectors of the problem, of unit modal mass.
        """
        sizes = np.linalg.norm(self._momentum(values, small), axis=0)
        vectors = self.whole(values, small) / np.sqrt(1.0 + sizes**2)
        every = np.concatenate([np.zeros(self.free.shape[1], dtype=complex), values])
        order = np.lexsort((-every.real, every.imag))
        return every[order], np.hstack([self.free.astype(complex), vectors])[:, order]

    def whole(self, rates: Complex, small: Complex) -> Complex:
        """Return vectors with the motions that nothing restrains, (m, j).

        Parameters
        ----------
        rates, small : ndarray of complex, (j,) and (m - k, j)
            Vectors of the problem, and their rates s.
        """
        return np.asarray(self.others @ small + self.free @ self._momentum(rates, small))

    def _momentum(self, rates: Complex, small: Complex) -> Complex:
        """Return ``a = -C_ab b / s``, (k, j); zero of what is steady."""
        moves = rates != 0.0
        periods = np.where(moves, 1.0 / np.where(moves, rates, 1.0), 0.0)
        return np.asarray(-periods * (self.coupled @ small))
