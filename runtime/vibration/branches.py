# SPDX-License-Identifier: BSD-3-Clause
"""Results of a sweep over speeds: modes at one speed, and one mode over all speeds."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.vibration.crossings import Crossing
from flexforge.runtime.vibration.modes import Modes


@dataclass(frozen=True, slots=True)
class Point:
    """The modes at one speed.

    Attributes
    ----------
    speed : float
        rad/s.
    modes : Modes
        Ascending in frequency.
    whirl : ndarray, (modes, 2)
        Number of waves and sense of every mode, from :class:`Whirl`.
    apart : ndarray, (modes,)
        Distance of every frequency from the nearest other one, rad/s.
    seconds : float
        Computing time, s.
    """

    speed: float
    modes: Modes
    whirl: Floats
    apart: Floats
    seconds: float


def distances(values: Complex) -> Floats:
    """Return the distance of every frequency from the nearest other one, rad/s.

    Parameters
    ----------
    values : ndarray of complex, (modes,)
        Eigenvalues, 1/s.
    """
    each = np.abs(values.imag - values.imag[:, None])
    np.fill_diagonal(each, np.inf)
    return np.asarray(each.min(axis=0, initial=np.inf))


@dataclass
class Branch:
    """One tracked mode; lists have one entry per speed, from ``first`` on.

    Attributes
    ----------
    first : int
        Index of the first speed at which it was found.
    values : list of complex
        Eigenvalue, 1/s: growth and signed angular frequency.
    whirl : list of tuple
        Number of waves and sense of the shape whose frequency is positive.
    assurance : list of float
        MAC with the shape at the previous speed; 1 at the first.
    shape : ndarray, (unknowns,)
        The shape at the last speed.
    lowest : int
        Lowest index that it has had among the modes of a speed.
    apart : float
        Distance of its last frequency from that of the nearest other mode, rad/s.
    crossings : list of Crossing
        Its crossings with order lines and with the edges of instability, as far as they are
        refined.
    """

    first: int
    shape: Complex
    values: list[complex] = field(default_factory=list)
    whirl: list[tuple[float, float]] = field(default_factory=list)
    assurance: list[float] = field(default_factory=list)
    lowest: int = 10**9
    apart: float = np.inf
    crossings: list[Crossing] = field(default_factory=list)
