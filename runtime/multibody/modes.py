# SPDX-License-Identifier: BSD-3-Clause
"""Modes of links: what they are in motions of links and displacements of bodies; the state about.

The state about which links vibrate is read by probes and results like one of a motion.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.multibody.build import FoundLinks
from flexforge.runtime.multibody.motion import FoundSamples, unknowns_of
from flexforge.runtime.multibody.small_motions import Solved
from flexforge.runtime.multibody.steady import Steady
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.state import State


@dataclass(frozen=True, slots=True)
class LinkShapes:
    """Shapes of modes of links, real, of unit modal mass.

    Attributes
    ----------
    links : ndarray, (count, L, 6)
        Displacement of the origin and turn of every link, in its components.
    nodes : ndarray, (count, N, d)
        Displacements and rotations of nodes relative to their links.
    """

    links: Floats
    nodes: Floats


def shapes_of(system: System, links: FoundLinks, steady: Steady, solved: Solved) -> LinkShapes:
    """Return the shapes of modes.

    Parameters
    ----------
    system : System
        The bodies.
    links : FoundLinks
        The links.
    steady : Steady
        What they are about.
    solved : Solved
        The modes.
    """
    model = links.model
    moved = (steady.motions.basis @ solved.vectors.real).T
    count, rigid = len(moved), model.poses.dimension
    whole = np.zeros((count, 6 * model.poses.count))
    whole[:, model.poses.numbers] = moved[:, :rigid]
    nodes = links_expanded(system, [unknowns_of(links, one) for one in moved])
    return LinkShapes(whole.reshape(count, model.poses.count, 6), nodes)


def links_expanded(system: System, unknowns: Sequence[Floats]) -> Floats:
    """Return nodal displacements of several sets of unknowns, (count, N, d)."""
    found = [system.expand(one) for one in unknowns]
    return np.array(found).reshape(len(unknowns), system.size, system.dimension)


class SteadyState:
    """The state about which links vibrate, as probes and results read it.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    links : FoundLinks
        The links; their mechanism has the motion of this state from now on.
    steady : Steady
        Position, speeds and multipliers.
    """

    def __init__(self, system: System, loads: Loads, links: FoundLinks, steady: Steady) -> None:
        self.system, self._loads, self._links = system, loads, links
        at = steady.point
        self.state = State(at.t, at.q, at.z, at.s)
        self._known = _Known(at, links.mechanism.near)
        links.mechanism.reached(self._samples.course)

    @property
    def displacement(self) -> Floats:
        """Relative to the links, (N, d), m."""
        return np.asarray(self._samples.displacement[0])

    @property
    def velocity(self) -> Floats:
        """Relative to the links: zero, (N, d), m/s."""
        return np.asarray(self._samples.velocity[0])

    @property
    def acceleration(self) -> Floats:
        """Relative to the links: zero, (N, d), m/s^2."""
        return np.asarray(self._samples.acceleration[0])

    def over(self, states: Sequence[State]) -> FoundSamples:
        """Return kept states, all of them this one."""
        return FoundSamples(self.system, self._loads, self._known, self._links, states)

    @cached_property
    def _samples(self) -> FoundSamples:
        return self.over([self.state])


@dataclass(frozen=True, slots=True)
class _Known:
    """What a stepper says of a state, of one that no steps have reached."""

    at: Point
    near: Floats

    def velocity(self, state: State) -> Floats:
        """Return the speeds."""
        return state.z

    def point(self, state: State) -> Point:
        """Return the state with its rates and multipliers."""
        del state
        return self.at

    def counted(self, state: State) -> Floats:
        """Return the coordinates of joints next to which angles are."""
        del state
        return self.near
