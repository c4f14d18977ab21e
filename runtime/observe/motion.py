# SPDX-License-Identifier: BSD-3-Clause
"""States of a system, as probes and results read them: one, or several together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.equations import Equations, equations_at
from flexforge.runtime.transient.machine_motion import MachineMotion, MachineSamples


class Samples(Protocol):
    """States of a system at several times, arrays (T, N, d), computed on request."""

    @property
    def times(self) -> Floats:
        """Times, s."""

    @property
    def system(self) -> System:
        """The bodies."""

    @property
    def displacement(self) -> Floats:
        """Relative to the frames, m."""

    @property
    def velocity(self) -> Floats:
        """Relative to the frames, m/s."""

    @property
    def acceleration(self) -> Floats:
        """Relative to the frames, m/s^2."""


class AnyState(Protocol):
    """State of a system at one time, arrays (N, d); quantities are computed on request."""

    @property
    def system(self) -> System:
        """The bodies, with their stresses except for tied bodies, whose stresses vary."""

    @property
    def displacement(self) -> Floats:
        """Relative to the frames, m."""

    @property
    def velocity(self) -> Floats:
        """Relative to the frames, m/s."""

    @property
    def acceleration(self) -> Floats:
        """Relative to the frames, m/s^2."""


class Motion(AnyState, Protocol):
    """A motion in progress, of which states can be kept and read later, several together."""

    @property
    def state(self) -> Any:
        """The state, to be kept for `over`."""

    def over(self, states: Sequence[Any]) -> Samples:
        """Return kept states, whose quantities are computed together."""


@dataclass(frozen=True, slots=True)
class AtRest:
    """A system at rest in its frames.

    Attributes
    ----------
    system : System
        The bodies, with their stresses.
    displacement : ndarray, (N, d)
        Relative to the frames, m.
    time : float
        Time, s; on a path of equilibria what stands for it.
    factor : float
        What part of the loads acts.
    moment : float, optional
        Time at which loads and frames are taken, s; by default the time.
    """

    system: System
    displacement: Floats
    time: float = 0.0
    factor: float = 1.0
    moment: float | None = None

    @property
    def velocity(self) -> Floats:
        """Zero."""
        return np.zeros_like(self.displacement)

    @property
    def acceleration(self) -> Floats:
        """Zero."""
        return np.zeros_like(self.displacement)

    @property
    def state(self) -> AtRest:
        """The system itself."""
        return self

    def over(self, states: Sequence[AtRest]) -> SeveralAtRest:
        """Return several states at rest."""
        times = np.array([one.time for one in states])
        moments = [one.time if one.moment is None else one.moment for one in states]
        return SeveralAtRest(
            self.system,
            times,
            np.array([one.displacement for one in states]),
            np.array([one.factor for one in states]),
            np.array(moments),
        )


@dataclass(frozen=True, slots=True)
class SeveralAtRest:
    """A system at rest at several times.

    Attributes
    ----------
    system : System
        The bodies, with their stresses.
    times : ndarray, (T,)
        Times, s.
    displacement : ndarray, (T, N, d)
        Relative to the frames, m.
    factors, moments : ndarray, (T,)
        What part of the loads acts, and times at which loads and frames are taken, s.
    """

    system: System
    times: Floats
    displacement: Floats
    factors: Floats
    moments: Floats

    @property
    def velocity(self) -> Floats:
        """Zero."""
        return np.zeros_like(self.displacement)

    @property
    def acceleration(self) -> Floats:
        """Zero."""
        return np.zeros_like(self.displacement)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state that is given as it is.

    Attributes
    ----------
    system : System
        The bodies, with their stresses.
    time : float
        Time, s; of a harmonic vibration the frequency, Hz.
    displacement, velocity, acceleration : ndarray, (N, d)
        Relative to the frames.
    forces : ndarray, (N, d), optional
        Nodal forces besides those of the loads, N.
    """

    system: System
    time: float
    displacement: Floats
    velocity: Floats
    acceleration: Floats
    forces: Floats | None = None

    @property
    def state(self) -> Snapshot:
        """The state itself."""
        return self

    def over(self, states: Sequence[Snapshot]) -> Snapshots:
        """Return several states."""
        return Snapshots(
            self.system,
            np.array([one.time for one in states]),
            np.array([one.displacement for one in states]),
            np.array([one.velocity for one in states]),
            np.array([one.acceleration for one in states]),
            tuple(one.forces for one in states),
        )


@dataclass(frozen=True, slots=True)
class Snapshots:
    """States at several times: as of :class:`Snapshot`, arrays (T,) and (T, N, d)."""

    system: System
    times: Floats
    displacement: Floats
    velocity: Floats
    acceleration: Floats
    forces: tuple[Floats | None, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One of several states.

    Attributes
    ----------
    samples : Samples
        The states.
    number : int
        Which of them.
    """

    samples: Samples
    number: int

    @property
    def system(self) -> System:
        """The bodies."""
        return self.samples.system

    @property
    def displacement(self) -> Floats:
        """Relative to the frames, (N, d), m."""
        return np.asarray(self.samples.displacement[self.number])

    @property
    def velocity(self) -> Floats:
        """Relative to the frames, (N, d), m/s."""
        return np.asarray(self.samples.velocity[self.number])

    @property
    def acceleration(self) -> Floats:
        """Relative to the frames, (N, d), m/s^2."""
        return np.asarray(self.samples.acceleration[self.number])


def forces_beside(state: AnyState) -> Floats | float:
    """Return the nodal forces on a state besides those of the loads, (N, d), N; zero by default."""
    found = None
    if isinstance(state, Snapshot):
        found = state.forces
    elif isinstance(state, Sample) and isinstance(state.samples, Snapshots):
        found = state.samples.forces[state.number]
    return 0.0 if found is None else found


def each_of(samples: Samples) -> list[tuple[float, Sample]]:
    """Return every state with its time, s."""
    return [(t, Sample(samples, number)) for number, t in enumerate(samples.times.tolist())]


def equations_of(
    state: AnyState, loads: Loads, time: float, displacement: Floats | None = None
) -> Equations:
    """Return the equations of a state: those of bodies that spin with machines as they turn.

    Parameters
    ----------
    state : AnyState
        The state.
    loads : Loads
        What acts on it.
    time : float
        Time at which loads and frames are taken, s.
    displacement : ndarray, (N, d), optional
        As of `equations_at`.
    """
    if isinstance(state, MachineMotion):
        return state.equations(displacement)
    if isinstance(state, Sample) and isinstance(state.samples, MachineSamples):
        return state.samples.equations(state.number, displacement)
    frames = state.system.frames(time)
    return equations_at(state.system, loads, time, frames, displacement=displacement)
