# SPDX-License-Identifier: BSD-3-Clause
"""Full spectra of orbits: how much of a motion across a shaft runs forward, and how much backward.

The motion is ``z = x + i y``; circles ``r exp(i w t)`` run forward for w above zero, backward for w
below. The spectrum is two-sided, with Hann's window and divided by its mean, so that a circle of
the radius r has the amplitude r: zeros appended to the motion place lines so closely that one
between two of them keeps 99.7 % of it. An ellipse has half the sum of its semi-axes forward, and
half the difference backward. The mean is taken out beforehand.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Complex, Floats

_PADDED = 8  # times the length of a motion, so that no line is missed
_MOST = 1 << 21  # instants with zeros: longer motions have fewer zeros, and lines 85 % at least
_EVEN = 1e-6  # relative difference of steps that are one


def evenly(times: Floats, values: Complex) -> tuple[Floats, Complex]:
    """Return a motion at as many times in even steps, between given ones by straight lines.

    Parameters
    ----------
    times : ndarray, (T,)
        Ascending, s.
    values : ndarray of complex, (T,)
        The motion.
    """
    steps = np.diff(times)
    if steps.max() - steps.min() <= _EVEN * steps.max():
        return times, values
    even = np.linspace(times[0], times[-1], len(times))
    real, imaginary = (np.interp(even, times, part) for part in (values.real, values.imag))
    return even, real + 1j * imaginary


def full_spectrum(step: float, values: Complex, padded: int = _PADDED) -> tuple[Floats, Floats]:
    """Return frequencies, ascending from below zero, and amplitudes of a motion, or of several.

    Parameters
    ----------
    step : float
        Between two instants, s.
    values : ndarray of complex, (..., T)
        The motion ``x + i y``.
    padded : int
        How many times as long it is with zeros.

    Returns
    -------
    frequencies : ndarray, (F,)
        Hz.
    amplitudes : ndarray, (..., F)
        Radii of circles.
    """
    count = values.shape[-1]
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(count) / count)
    mean = np.asarray(values @ window / window.sum())[..., None]  # which no circle leaks into
    moved = (values - mean) * window
    padded = max(1, min(padded, _MOST // count))
    found = np.fft.fftshift(np.fft.fft(moved, padded * count, axis=-1), axes=-1)
    frequencies = np.fft.fftshift(np.fft.fftfreq(padded * count, step))
    return frequencies, np.abs(found) / window.sum()


def waterfall(
    times: Floats, values: Complex, length: int, count: int, reach: float = np.inf
) -> tuple[Floats, Floats, Floats]:
    """Return full spectra of pieces of a motion, one after the other.

    Parameters
    ----------
    times : ndarray, (T,)
        In even steps, s.
    values : ndarray of complex, (T,)
        The motion ``x + i y``.
    length : int
        Number of instants of a piece.
    count : int
        Number of pieces, which overlap.
    reach : float
        Largest frequency that is kept, Hz.

    Returns
    -------
    middles : ndarray, (count,)
        Times of the middles of the pieces, s.
    frequencies : ndarray, (F,)
        Hz.
    amplitudes : ndarray, (count, F)
        Radii of circles.
    """
    begins = np.linspace(0, len(times) - length, count).astype(int)
    step = float(times[-1] - times[0]) / (len(times) - 1)
    rows = []
    for begin in begins.tolist():  # one at a time: of long motions all are large
        frequencies, amplitudes = full_spectrum(step, values[begin : begin + length], padded=2)
        kept = np.abs(frequencies) <= reach
        rows.append(amplitudes[kept])
    return times[begins] + 0.5 * (length - 1) * step, frequencies[kept], np.array(rows)
