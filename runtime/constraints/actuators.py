# SPDX-License-Identifier: BSD-3-Clause
"""Springs, dampers and actuators on the free coordinates of joints.

A coordinate of a joint is that of the links plus what small displacements q add, ``x + J q``, and
its rate is ``x' + J q' + J' q``; given displacements of supports are in x. The force along it,
``u - k (x + J q - rest) - c (x + J q)'``, acts on the displacements by the transpose of J.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.rows import Rows
from flexforge.runtime.mechanism.build import Parts, find_coordinate
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.motion.build import build_profile
from flexforge.runtime.motion.profiles import Profile


@dataclass(frozen=True, slots=True)
class Actuator:
    """A spring, damper and given force along a coordinate of a joint.

    Attributes
    ----------
    name : str
        As in the model file.
    coordinate : int
        Number of the coordinate in the mechanism.
    stiffness, damping : float
        N/m and N s/m, or N m and N m s.
    rest : float
        Value at which the spring is relaxed, m or rad.
    force : Profile
        Given force or torque, N or N m.
    """

    name: str
    coordinate: int
    stiffness: float
    damping: float
    rest: float
    force: Profile


@dataclass(frozen=True, slots=True)
class Coupling:
    """What actuators do at one time.

    Attributes
    ----------
    rows : Rows
        J of their coordinates, and its rates.
    stiffness, damping : ndarray, (p,)
        Of each.
    given : ndarray, (p,)
        Force along each that no displacement enters.
    moving : ndarray, (p,)
        Rate of each coordinate by the motion of the links and of supports.
    """

    rows: Rows
    stiffness: Floats
    damping: Floats
    given: Floats
    moving: Floats

    @property
    def load(self) -> Floats:
        """Forces on the unknowns that no displacement enters, (n,)."""
        return self.rows.transposed(self.given)

    def inner(self, q: Floats, v: Floats) -> Floats:
        """Return the forces that displacements and velocities (n,) raise against them, (n,)."""
        return self.rows.transposed(self._resisting(q, v))

    def power(self, q: Floats, v: Floats) -> float:
        """Return the power of the actuators on the bodies, W."""
        return float(self.forces(q, v) @ (self.moving + self._rates(q, v)))

    def forces(self, q: Floats, v: Floats) -> Floats:
        """Return the actuator forces along their coordinates, (p,), N or N m."""
        return self.given - self._resisting(q, v)

    def _resisting(self, q: Floats, v: Floats) -> Floats:
        return self.stiffness * self.rows.times(q) + self.damping * self._rates(q, v)

    def _rates(self, q: Floats, v: Floats) -> Floats:
        return self.rows.times(v) + self.rows.times(q, 1)


class Actuators:
    """All actuators of a mechanism.

    Parameters
    ----------
    actuators : sequence of Actuator
        At least one.
    mechanism : Mechanism
        Whose coordinates they act on.
    """

    def __init__(self, actuators: Sequence[Actuator], mechanism: Mechanism) -> None:
        self._actuators, self._mechanism = tuple(actuators), mechanism
        self._stiffness = np.array([one.stiffness for one in actuators])
        self._damping = np.array([one.damping for one in actuators])

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(one.name for one in self._actuators)

    @property
    def coordinates(self) -> tuple[int, ...]:
        """Numbers of the coordinates they act on."""
        return tuple(one.coordinate for one in self._actuators)

    def at(self, time: float, rows: Rows) -> Coupling:
        """Return what they do at a time, s.

        Parameters
        ----------
        time : float
            Time, s.
        rows : Rows
            J of their coordinates, and c where displacements of supports are given.
        """
        place, moving, _ = self._mechanism.coordinates_at(time)[list(self.coordinates)].T
        if rows.given is not None:
            place, moving = place + rows.given[0], moving + rows.given[1]
        given = np.array([float(one.force.derivative(time, 0)) for one in self._actuators])
        rest = np.array([one.rest for one in self._actuators])
        given -= self._stiffness * (place - rest) + self._damping * moving
        return Coupling(rows, self._stiffness, self._damping, given, moving)


def actuators_of(model: ModelSpec, parts: Parts) -> list[Actuator]:
    """Return the actuators of a model.

    Raises
    ------
    InputError
        For a coordinate that a joint does not have in the plane.
    """
    found = []
    for k, spec in enumerate(model.actuators):
        key = f"actuators[{k}].joint"
        coordinates = parts.coordinates
        number = find_coordinate(model.joints, coordinates, spec.joint, spec.coordinate, key)
        force = build_profile(spec.force, abs(model.span) or 1.0)
        spring = (spec.stiffness, spec.damping, spec.rest)
        found.append(Actuator(spec.name, number, *spring, force))
    return found


def build_actuators(model: ModelSpec, mechanism: Mechanism) -> Actuators | None:
    """Return the actuators of a model on its mechanism, if it has any.

    Raises
    ------
    InputError
        As of :func:`actuators_of`.
    """
    found = actuators_of(model, mechanism.parts)
    for k, one in enumerate(model.actuators):
        if one.law is not None:
            raise InputError(
                f"actuators[{k}].law: found one where joints and drivers determine every motion; "
                "expected force, a function of time"
            )
    return Actuators(found, mechanism) if found else None
