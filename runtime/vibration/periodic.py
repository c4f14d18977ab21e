# SPDX-License-Identifier: BSD-3-Clause
"""Steady vibration under what repeats itself: Fourier series of loads, added up by modes.

With ``f(t) = Re sum_n f_n exp(i n w t)`` the modes answer each term as a harmonic one, and what
moves supports likewise: ``u = Re sum_n (G g_n + sum_k phi_k q_kn) exp(i n w t)``.
Source: Clough and Penzien, Dynamics of Structures, chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.vibration.carried import Carried
from flexforge.runtime.vibration.superposition import Superposition

#: Instants per term at which functions are taken, and the least number of them.
_A_TERM, _LEAST = 32, 1024


def series(values: Callable[[float], Floats], begin: float, end: float, terms: int) -> Complex:
    """Return the Fourier series of functions between two times, (terms + 1, k).

    ``f(t) = Re sum_n c_n exp(2 pi i n (t - begin) / (end - begin))`` with real c_0. Functions are
    taken as straight between the instants at which they are evaluated; they may jump from the end
    to the begin.

    Parameters
    ----------
    values : callable
        Returns the functions at a time, s, (k,).
    begin, end : float
        One period, s.
    terms : int
        Multiples of its frequency.
    """
    count = max(_A_TERM * terms, _LEAST)
    times = np.linspace(begin, end, count + 1)
    taken = np.array([values(t) for t in times.tolist()])
    # What is left without a sawtooth does not jump.
    jump, shares = taken[-1] - taken[0], np.linspace(0.0, 1.0, count + 1)
    taken -= np.outer(shares - 0.5, jump)
    found = np.fft.fft(taken[:-1], axis=0)[: terms + 1] / count
    # A straight line between instants has these parts of what is evaluated there alone.
    n = np.arange(1, terms + 1)
    found[0] = found[0].real
    found[1:] *= 2.0 * (np.sinc(n / count) ** 2)[:, None]
    found[1:] += 1j * np.outer(1.0 / (np.pi * n), jump)
    return np.asarray(found)


@dataclass(frozen=True)
class Periodic:
    """The steady vibration at any frequency.

    Attributes
    ----------
    modes : Superposition
        The modes.
    forces : ndarray of complex, (n + 1, k)
        Series of the modal forces.
    carried : Carried
        What moved supports do to the modes.
    given : ndarray of complex, (n + 1, f)
        Series of the functions that move supports.
    """

    modes: Superposition
    forces: Complex
    carried: Carried
    given: Complex

    def states(self, frequency: float, shares: Floats) -> tuple[Floats, Floats, Floats]:
        """Return displacements, velocities and accelerations, (T, N, d) each.

        Parameters
        ----------
        frequency : float
            Of the period, Hz.
        shares : ndarray, (T,)
            Instants, as shares of the period.
        """
        w: Floats = 2.0 * np.pi * frequency * np.arange(float(len(self.forces)))
        loads = self.forces + (w**2)[:, None] * (self.given @ self.carried.inertia)
        loads = loads - 1j * w[:, None] * (self.given @ self.carried.damping)
        q = self.modes.answers(w, loads)
        turning = np.exp(2j * np.pi * np.outer(shares, np.arange(len(w))))
        found = []
        for order in range(3):
            rates = ((1j * w) ** order)[:, None]
            modal, moved = ((turning @ (rates * x)).real for x in (q, self.given))
            shapes = np.tensordot(moved, self.carried.shapes, axes=1)
            found.append(self.modes.moved(modal) + shapes)
        return found[0], found[1], found[2]
