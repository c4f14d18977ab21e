# SPDX-License-Identifier: BSD-3-Clause
"""Modes at any of many speeds, with the stresses there, and what their shapes are compared by.

Small systems are solved completely, from matrices that are known at every speed; large ones at many
speeds in one space, and others speed by speed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.statics.stress_state import Stresses
from flexforge.runtime.system.bearing import bearings_of
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.products import operator_of
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.consistent_modes import solve_own_modes
from flexforge.runtime.vibration.engine_orders import DiameterWaves
from flexforge.runtime.vibration.hill_modes import HillModes
from flexforge.runtime.vibration.modes import Modes, real_shapes, solve_small
from flexforge.runtime.vibration.part_modes import PartModes
from flexforge.runtime.vibration.quadratic import DENSE
from flexforge.runtime.vibration.speed_modes import MANY, SpeedModes
from flexforge.runtime.vibration.speed_terms import SpeedTerms
from flexforge.runtime.vibration.steady_speeds import is_plain, turned, turning_axes
from flexforge.runtime.vibration.tracking import Match, match
from flexforge.runtime.vibration.whirl import Whirl

#: Speeds at most at which parts are solved first, to know their shapes at others.
_LEARNED = 12


class ModesOverSpeed:
    """Modes at speeds.

    Shapes are those of the unknowns, (n,), or factors of the vectors of a space, (m,), which may
    grow: those of before have fewer.

    Parameters
    ----------
    system : System
        The bodies.
    stresses : Stresses
        Finds their stresses, and keeps what is to be said of them.
    speeds : sequence of float
        Ascending, rad/s; there may be others between them.
    count : int
        Number of modes; of waves that travel, of each sense.
    solver : str
        Linear solver.
    shift : float, optional
        Frequency near which modes are computed, Hz.
    time : float
        Time at which loads are evaluated, s.
    tell : callable, optional
        Called with a text, the number of things done and their number.
    waves : DiameterWaves, optional
        What is known of the waves of a system at a number of nodal diameters.

    Raises
    ------
    InputError
        When no frame rotates steadily, or frames rotate at different speeds.
    """

    def __init__(
        self,
        system: System,
        stresses: Stresses,
        speeds: Sequence[float],
        count: int,
        solver: str,
        shift: float | None,
        time: float,
        tell: Callable[[str, int, int], None] | None,
        waves: DiameterWaves | None = None,
    ) -> None:
        self._system, self._speeds, self._count = system, speeds, count
        self._solver, self._shift, self._time, self._tell = solver, shift, time, tell
        self.stresses, self._waves = stresses, waves
        self._axes = turning_axes(system)
        self._terms: SpeedTerms | None = None
        if not system.vibrates:
            self._terms = SpeedTerms.of(system, self._axes, self.stresses, time)
        self._whirl = Whirl(system, self._axes)
        self._many = len(speeds) >= MANY
        self._ways: dict[int, PartModes] = {}
        mass = Combination(0.0, np.eye(system.dimension), np.zeros(0))
        self._mass = operator_of(system, [mass] * len(system.bodies))
        self._space: SpeedModes | None = None
        self._within: tuple[int, Callable[[Complex], Floats]] | None = None

    def begin(self) -> None:
        """Find the space for all speeds, where that pays, or coefficients vary with the angle."""
        if any(one.swings for one in bearings_of(self._system)):
            how = self._time, self._solver, self._tell
            self._space = HillModes.over(self._stressed, self._speeds, self._count, *how)
            return
        several = self._many and self._shift is None
        if self._many and self._terms is not None:
            self._ways = self._terms.part_modes()
            for speed in islice(apart(self._speeds), _LEARNED):
                if all(way.is_settled for way in self._ways.values()):
                    break
                self._small(speed)
        several = several and not (self._system.vibrates or self._system.idle)
        several = several and not is_large(self._system)  # whose stiffness is that of each state
        if several and self._system.unknowns > DENSE and is_plain(self._system):
            how = self._time, self._solver, self._tell
            self._space = SpeedModes.of(self._stressed, self._speeds, self._count, *how)

    def at(self, speed: float) -> Modes:
        """Return the modes at a speed, rad/s, without shapes at nodes where :meth:`full` has them.

        Raises
        ------
        AnalysisError
            When there is no state at that speed, or not all modes converge.
        """
        small = self._small(speed)
        if small is not None:
            return small
        if self._space is not None:
            return self._space.at(speed)
        system, both = self._stressed(speed), self._travels
        how = self._shift, self._time, self._solver
        found = solve_own_modes(system, self._count, *how, both=both)
        return in_turns(found) if both else found

    def _small(self, speed: float) -> Modes | None:
        """Return the modes of a small system with forces of velocities; None of others."""
        problem = None if self._terms is None else self._terms.problem(speed, self._ways)
        if problem is None:
            return None
        return solve_small(self._system, problem, self._count, self._shift)

    @property
    def _travels(self) -> bool:
        return self._waves is not None and self._waves.travels

    def whirl(self, modes: Modes) -> Floats:
        """Return the numbers of waves and senses of modes, (k, 2)."""
        if self._waves is not None:
            return self._waves.whirl(modes.values)
        shapes = modes.vectors
        if self._space is None and not (self._many and self._terms is not None):
            return self._whirl.of(shapes)
        size = shapes.shape[1]
        if self._within is None or self._within[0] != size:
            basis = np.eye(size) if self._space is None else self._space.basis
            self._within = size, self._whirl.within(basis)
        return self._within[1](shapes)

    def match(
        self,
        before: tuple[Complex, Sequence[Complex] | Complex],
        after: tuple[Complex, Sequence[Complex] | Complex],
        expected: Floats,
    ) -> list[Match]:
        """Assign modes to those of another speed.

        Parameters
        ----------
        before, after : tuple
            Eigenvalues (a,) and shapes of the modes of one and of the other.
        expected : ndarray, (a,)
            Signed frequencies at which the first are expected, rad/s.
        """
        one, other = ((values, self.alike(shapes)) for values, shapes in (before, after))
        if self._space is None:
            mirrors = not self._travels
            return match(one, other, expected, self._mass, self._system.ranks, mirrors=mirrors)
        return match(one, other, expected, self._space.mass)

    def full(self, modes: Modes, speed: float) -> Modes:
        """Return modes at a speed, rad/s, with the shapes of all unknowns, and at nodes."""
        if modes.has_shapes:
            return modes
        vectors = self.expanded(modes.vectors)
        return replace(modes, vectors=vectors, shapes=self.at_nodes(vectors, speed))

    def at_nodes(self, vectors: Complex, speed: float) -> Floats:
        """Return shapes of all unknowns (k, n) at nodes, (k, N, d), of a speed, rad/s."""
        if self._space is not None:
            return self._space.at_nodes(vectors)
        assert self._terms is not None
        return real_shapes(self._system, vectors, self._terms.mass(speed))

    def alike(self, shapes: Sequence[Complex] | Complex) -> Complex:
        """Return shapes of one length, (k, n)."""
        return np.array(shapes) if self._space is None else self._space.padded(shapes)

    def expanded(self, shapes: Complex) -> Complex:
        """Return shapes (k, n) of all unknowns."""
        return shapes if self._space is None else self._space.expanded(shapes)

    def reduced(self, shapes: Complex) -> Complex:
        """Return shapes as those of :meth:`at` from those of all unknowns, (k, n)."""
        return shapes if self._space is None else self._space.reduced(shapes)

    def close(self) -> None:
        """Release the factors."""
        self.stresses.close()
        if self._space is not None:
            self._space.close()

    def _stressed(self, speed: float) -> System:
        """Return the bodies at a speed, rad/s, with their stresses."""
        return self.stresses.find(self._time, turned(self._system, self._axes, speed)).system


def apart(speeds: Sequence[float]) -> Iterator[float]:
    """Yield the last of some speeds, the first, and ever more of those between them."""
    last, parts = len(speeds) - 1, 1
    yield from (speeds[last], speeds[0])
    while parts < last:
        parts *= 2
        yield from (speeds[last * odd // parts] for odd in range(1, parts, 2))


def in_turns(found: Modes) -> Modes:
    """Return waves of both senses in turns, the lowest of each first.

    Parameters
    ----------
    found : Modes
        Those of either sense, ascending in frequency.
    """
    backward = found.frequencies > 0.0
    place = np.where(backward, np.cumsum(backward), np.cumsum(~backward))
    return found.chosen(np.lexsort((backward, place)))
