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
        Number of waves and sense of every mode, of :class:`Whirl`.
    seconds : float
        What it took.
    """

    speed: float
    modes: Modes
    whirl: Floats
    seconds: float


@dataclass
class Branch:
    """One mode, followed; a list entry a speed from its ``first`` on.

    Attributes
    ----------
    first : int
        Number of the speed at which it was first seen.
    values : list of complex
        Eigenvalue, 1/s: growth and signed angular frequency.
    whirl : list of tuple
        Number of waves and sense of the shape whose frequency is positive.
    assurance : list of float
        MAC with the speed before; 1 at the first.
    shape : ndarray, (unknowns,)
        The last one.
    lowest : int
        Least place among the modes of a speed that it has had.
    apart : float
        Distance of its last frequency from that of the nearest other mode, rad/s.
    crossings : list of Crossing
        Where it crosses lines of order and edges of instability, as far as they are refined.
    """

    first: int
    shape: Complex
    values: list[complex] = field(default_factory=list)
    whirl: list[tuple[float, float]] = field(default_factory=list)
    assurance: list[float] = field(default_factory=list)
    lowest: int = 10**9
    apart: float = np.inf
    crossings: list[Crossing] = field(default_factory=list)
