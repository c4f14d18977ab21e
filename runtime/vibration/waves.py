# SPDX-License-Identifier: BSD-3-Clause
"""Vibrations of a wheel from one sector: at every nodal diameter, and how they travel.

A root ``lambda = i s`` at n nodal diameters is the wave ``exp(i (s t + n theta))``, which travels
against the angle theta for s > 0. Seen from a frame at rest, about whose axis the wheel turns at W,
it has ``s - n W``. Without Coriolis forces s and -s both are roots, and make standing waves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from flexforge.runtime.arrays import Complex
from flexforge.runtime.system.sector import Sector
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.engine_orders import BACKWARD, FORWARD, STANDING
from flexforge.runtime.vibration.modes import Modes


@dataclass(frozen=True, slots=True)
class Wave:
    """A vibration of the wheel.

    Attributes
    ----------
    diameter : int
        Number of nodal diameters, n.
    number : int
        Of the vibrations with as many that travel alike, from 1.
    value : complex
        Root lambda, 1/s.
    speed : float
        Angular velocity of the wheel about the axis of the sector, W, rad/s.
    turns : bool
        Whether it is one of two that travel at different rates.
    shape : ndarray of complex, (N, d)
        Amplitudes in the sector, of unit modal mass of the sector.
    """

    diameter: int
    number: int
    value: complex
    speed: float
    turns: bool
    shape: Complex

    @property
    def frequency(self) -> float:
        """Frequency as seen in the frame of the sector, Hz."""
        return abs(self.value.imag) / (2.0 * np.pi)

    @property
    def travels(self) -> str:
        """How it travels as seen in the frame of the sector; forward is with the rotation."""
        return self._sense(self.value.imag) if self.turns else STANDING

    @property
    def fixed(self) -> tuple[float, str] | None:
        """Frequency, Hz, and sense as seen in a frame at rest; None of a sum of two others."""
        if self.diameter == 0 or not self.speed:
            return self.frequency, self.travels
        if not self.turns:
            return None
        seen = self.value.imag - self.diameter * self.speed
        return abs(seen) / (2.0 * np.pi), self._sense(seen)

    def _sense(self, s: float) -> str:
        against = s * (self.speed or 1.0)
        return STANDING if against == 0.0 else BACKWARD if against > 0.0 else FORWARD


@dataclass(frozen=True, slots=True)
class Diameter:
    """The vibrations at one number of nodal diameters, and what was solved for them."""

    waves: tuple[Wave, ...]
    modes: Modes


def over_diameters(
    system: System,
    sector: Sector,
    diameters: Sequence[int],
    at: Callable[[int], System],
    solve: Callable[[System], Modes],
    time: float,
) -> Iterator[Diameter]:
    """Yield the vibrations at every nodal diameter.

    Parameters
    ----------
    system : System
        The bodies of the sector.
    sector : Sector
        The sector.
    diameters : sequence of int
        Numbers of nodal diameters.
    at : callable
        Returns the system at a nodal diameter.
    solve : callable
        Returns its modes.
    time : float
        Time at which the frames are taken, s.
    """
    speed = speed_about(system, sector, time)
    for diameter in diameters:
        here = at(diameter)
        found = solve(here)
        yield Diameter(tuple(waves_of(here, found, sector, diameter, speed)), found)


def speed_about(system: System, sector: Sector, time: float) -> float:
    """Return the angular velocity of a wheel about the axis of its sector at a time, rad/s."""
    turning = [float(frame.w @ sector.axis) for frame in system.frames(time)]
    return max(turning, key=abs, default=0.0)


def waves_of(
    system: System, found: Modes, sector: Sector, diameter: int, speed: float
) -> Iterator[Wave]:
    """Yield the waves that modes at a number of nodal diameters are, in their order.

    Parameters
    ----------
    system : System
        The bodies of the sector at this number of nodal diameters.
    found : Modes
        Their modes.
    sector : Sector
        The sector.
    diameter : int
        Number of nodal diameters.
    speed : float
        Angular velocity about the axis of the sector, rad/s.
    """
    turns = found.gyroscopic and not sector.is_real(diameter)
    counted: Counter[str] = Counter()
    for value, vector in zip(found.values.tolist(), found.vectors, strict=True):
        wave = Wave(diameter, 0, value, speed, turns, np.asarray(system.expand(vector)))
        counted[wave.travels] += 1
        yield replace(wave, number=counted[wave.travels])
