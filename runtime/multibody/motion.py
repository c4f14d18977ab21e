# SPDX-License-Identifier: BSD-3-Clause
"""A motion in progress of links whose motion is found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.joints import Reaction
from flexforge.runtime.mechanism.mechanism import Trajectory
from flexforge.runtime.multibody.build import FoundLinks
from flexforge.runtime.multibody.steps import AdaptedLinks, FoundSteps
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.samples import Reading, Samples
from flexforge.runtime.transient.state import State
from numpy.typing import NDArray

#: Small vibrations that a summary tells; part of an eigenvalue that is round-off.
_TOLD, _ROUND_OFF = 6, 1e-9


class FoundMotion(Motion):
    """As `Motion`, with links that move.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    stepper : FoundSteps
        Takes the steps.
    links : FoundLinks
        The links.
    step : float
        Length of a step, s.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        stepper: FoundSteps,
        links: FoundLinks,
        step: float,
    ) -> None:
        self.links, self._taking = links, stepper
        still = np.zeros((system.size, system.dimension))
        super().__init__(system, loads, stepper, step, still, still)

    @property
    def adapted(self) -> AdaptedLinks | None:
        """How steps have adapted; None where they do not."""
        return self._taking.adapted(self.state)

    @property
    def lost(self) -> dict[str, float]:
        """Energy that impacts took, by the names of the forces that know any, J."""
        return self.links.model.lost(self.point)

    @property
    def kept(self) -> dict[str, dict[str, float]]:
        """Numbers that forces keep between events, by the names of the forces."""
        return self.links.model.kept(self.point)

    def events_until(self, time: float) -> list[tuple[float, int]]:
        """Return times and numbers of the events up to a time, s, that were not returned before."""
        return self._taking.events_until(time)

    def follow(self) -> None:
        """Integrate works and impulses from now on, in every step."""
        found = self._taking.follow(self.state)
        self._states = self._from(found)
        self._see(found)

    @property
    def works(self) -> Floats:
        """Numbers of works at the last end of a step, where they are followed."""
        return self._taking.works(self.state)

    def unknowns(self, values: Floats) -> Floats:
        """Return unknowns of the system from positions, speeds or rates of the links' equations."""
        return unknowns_of(self.links, values)

    def over(self, states: Sequence[State]) -> FoundSamples:
        """Return states of the motion, whose nodal values are computed together."""
        samples = FoundSamples(self.system, self.loads, self._taking, self.links, states)
        self.links.mechanism.reached(samples.course)
        return samples

    @property
    def reactions(self) -> dict[str, Reaction]:
        """What the first link of every joint does to the second, by the joint's name."""
        found = self.over([self.state]).reactions
        return {name: one.at(0) for name, one in found.items()}

    def figures(self) -> dict[str, Any]:
        """Return the summary of the motion, except its steps."""
        model, at = self.links.model, self.point
        rows = model.constraints(at)
        position = np.abs(rows.place / rows.scales).max(initial=0.0)
        speeds = np.concatenate([at.z, at.s])
        speed = np.abs((rows.matrix @ speeds - rows.speed) / rows.scales).max(initial=0.0)
        return {
            **({} if (adapted := self.adapted) is None else adapted.figures()),
            "free motions": self.links.mechanism.freedom,
            **_vibrations(self.links.vibrations),
            "constraints": len(model.names),
            "residual of positions at the end": float(position),
            "residual of velocities at the end": [float(speed), "1/s"],
        }

    def _coordinates(self, unknowns: Floats) -> Floats:
        return unknowns

    def _begin(self, state: State) -> None:
        """Accept: the start of the links is consistent."""

    def _from(self, state: State) -> Any:
        return super()._from(self.links.start if not len(state.history) else state)

    def _see(self, state: State) -> None:
        super()._see(state)
        samples = FoundSamples(self.system, self.loads, self._taking, self.links, [state])
        self.links.mechanism.reached_later(lambda: samples.course)


def _vibrations(eigenvalues: NDArray[np.complex128]) -> dict[str, Any]:
    """Return frequencies and damping ratios of the lowest small vibrations."""
    found: dict[str, Any] = {}
    oscillating = eigenvalues[eigenvalues.imag > _ROUND_OFF * np.abs(eigenvalues)]
    for k, value in enumerate(oscillating[:_TOLD], start=1):
        found[f"small vibration {k}"] = [float(value.imag / (2.0 * np.pi)), "Hz"]
        if -value.real > _ROUND_OFF * abs(value):
            found[f"damping ratio {k}"] = float(-value.real / abs(value))
    return found


class FoundReading(Reading, Protocol):
    """What knows coordinates of joints besides."""

    def counted(self, state: State) -> Floats:
        """Return the coordinates of joints next to which angles of a state are, (C,)."""


class FoundSamples(Samples):
    """States of links whose motion is found; values are computed on request.

    Parameters
    ----------
    system, loads, links
        As of `FoundMotion`.
    stepper : FoundReading
        What took the steps.
    states : sequence of State
        Ascending in time.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        stepper: FoundReading,
        links: FoundLinks,
        states: Sequence[State],
    ) -> None:
        super().__init__(system, loads, stepper, None, states)
        self._links, self._found_by = links, stepper

    @cached_property
    def course(self) -> Trajectory:
        """The motion of the links."""
        near = np.array([self._found_by.counted(state) for state in self._states])
        return Trajectory(self.times, *self._links.model.course(self.points, near))

    @cached_property
    def multipliers(self) -> Floats:
        """Forces of the equations, (T, m)."""
        return np.array([point.force for point in self.points])

    @cached_property
    def reactions(self) -> dict[str, Reaction]:
        """What the first link of every joint does to the second, by the joint's name, over time."""
        model = self._links.model
        found = np.array([model.reactions(point) for point in self.points])
        return {
            joint.name: Reaction(
                found[:, k, :3], found[:, k, 3:6], found[:, k, 6:].reshape(-1, 3, 3)
            )
            for k, joint in enumerate(model.parts.joints)
        }

    def multiplier(self, name: str) -> Floats:
        """Return the generalized force that keeps a driver, a gear or a constraint, (T,)."""
        return self.multipliers[:, self._links.model.multiplier(name)]

    def controller(self, name: str) -> Floats:
        """Return the state of a controller, (T,)."""
        number = self._links.model.controller(name)
        return np.array([point.s[number] for point in self.points])

    def _nodal(self, order: int, coordinates: Sequence[Floats]) -> Floats:
        """Return nodal displacements relative to the links, or their rates."""
        del order
        return self.system.expand(unknowns_of(self._links, np.array(coordinates).T).T)


def unknowns_of(links: FoundLinks, values: Floats) -> Floats:
    """Return unknowns of the system, (n,), from the end of positions, speeds or rates of links.

    Of several, which are columns, as well.
    """
    model, count = links.model, links.elastic.starts[-1]
    first = model.poses.size if len(values) == model.poses.size + count else model.poses.dimension
    return links.elastic.unknowns(values[first : first + count])
