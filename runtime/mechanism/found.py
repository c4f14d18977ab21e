# SPDX-License-Identifier: BSD-3-Clause
"""A mechanism whose motion is found by integration, with the face of one that drivers determine.

The integration is in ``runtime/multibody``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.build import Driver, Parts, build_parts, find_coordinate
from flexforge.runtime.mechanism.diagnose import rank_of
from flexforge.runtime.mechanism.joints import Joint
from flexforge.runtime.mechanism.mechanism import Mechanism, Trajectory, unpack
from flexforge.runtime.mechanism.motion import LinkMotion
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.motion.coordinate import Coordinate
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.motion.profiles import PolynomialProfile


class FoundMechanism(Mechanism):
    """Links whose motion is known where it was found: at the last time, or at times just asked for.

    Parameters
    ----------
    parts : Parts
        Links, joints, gears and drivers.
    starts : sequence of Driver
        Coordinates with a value at t = 0.
    span : float
        The time the analysis covers, s.
    """

    is_found: ClassVar[bool] = True

    def __init__(self, parts: Parts, starts: Sequence[Driver] = (), span: float = 1.0) -> None:
        if starts:  # found with the values of coordinates, kept without them
            driven = Mechanism.__new__(FoundMechanism)
            begun = driven._close(replace(parts, drivers=(*parts.drivers, *starts)), span, 1e-13)
            parts = replace(parts, placements=begun.frames)
        position = self._close(parts, span, 1e-13)
        linear = self._linear(position, 0.0)
        #: Values of the coordinates at t = 0, next to which angles are.
        self.near = linear.coordinates[: len(parts.coordinates)].copy()
        #: Derivatives of the equations at the start by scaled motions of the links, (E, n).
        self.jacobian = linear.jacobian[: len(parts.names)]
        values = np.zeros((1, len(self.near), 3))
        values[0, :, 0] = self.near
        self._later: Callable[[], Trajectory] | None = None
        self._solved = Trajectory(np.zeros(1), position.frames[None].copy(), values)

    @property
    def freedom(self) -> int:
        """Number of motions that joints and drivers leave open."""
        return self._equations.unknowns - rank_of(self.jacobian)

    def reached(self, course: Trajectory) -> None:
        """Take over the motion at ascending times."""
        self._solved, self._later = course, None

    def reached_later(self, course: Callable[[], Trajectory]) -> None:
        """Take over a motion that is computed when it is asked for."""
        self._later = course

    def at(self, t: float) -> list[FrameState]:
        """Return the states of all links at a time that is at hand, s."""
        return unpack(self._frames_at(t))

    def link_at(self, number: int, t: float) -> FrameState:
        """Return the state of one link, by its number, at a time that is at hand, s."""
        return unpack(self._frames_at(t)[number : number + 1])[0]

    def coordinates_at(self, t: float) -> Floats:
        """Return value, rate and acceleration of every coordinate at a time at hand, (C, 3)."""
        return np.asarray(self._found.coordinates[self._place(t)])

    def solve(self, times: Floats) -> Trajectory:
        """Return the motion over ascending times that are at hand."""
        if not np.array_equal(self._found.times, times):
            places = [self._place(float(t)) for t in times]
            found = self._found
            return Trajectory(times, found.frames[places], found.coordinates[places])
        return self._found

    def follow(self, times: Floats) -> tuple[Trajectory, AnalysisError | None]:
        """Return the motion over ascending times that are at hand."""
        return self.solve(np.asarray(times, dtype=float)), None

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, with the values at which rolling ones are kept."""
        return self.parts.joints

    @property
    def _found(self) -> Trajectory:
        if self._later is not None:
            self.reached(self._later())
        assert self._solved is not None
        return self._solved

    def _frames_at(self, t: float) -> Floats:
        return np.asarray(self._found.frames[self._place(t)])

    def _place(self, t: float) -> int:
        place = np.flatnonzero(self._found.times == t)
        if not len(place):
            known = ", ".join(f"{one:g}" for one in self._found.times[[0, -1]])
            raise AnalysisError(
                f"the motion of the links at t = {t:g} s is not at hand; expected a time of {known}"
            )
        return int(place[0])


@dataclass(frozen=True, slots=True, eq=False)
class FoundLinkMotion(LinkMotion):
    """Motion of a frame that moves with a link whose motion is found: all may happen."""

    @property
    def rotates(self) -> bool:
        """Whether the link ever turns."""
        return True

    @property
    def is_steady(self) -> bool:
        """Whether its angular velocity is constant in its components."""
        return False

    def keeps(self, vectors: Floats) -> bool:
        """Whether vectors fixed in space are fixed in the link as well."""
        return not np.any(vectors)

    @property
    def glides(self) -> bool:
        """Whether its origin's velocity never changes, seen from the link."""
        return False

    @property
    def is_about_z(self) -> bool:
        """Whether it turns about its axis z only."""
        return self.mechanism.parts.planar

    @property
    def is_planar(self) -> bool:
        """Whether it turns about z only and its origin keeps its z."""
        return self.mechanism.parts.planar

    def check(self, span: float) -> None:
        """Accept: where a motion goes is not known before."""


def mechanism_of(model: ModelSpec, mesh: Mesh, *, has_energy: bool = False) -> Mechanism | None:
    """Return the mechanism of a model, if it has links.

    In a transient analysis its motion is found by integration where joints and drivers leave some
    open; in modal analyses always, as drivers hold what they drive.

    Parameters
    ----------
    model : ModelSpec
        The validated model.
    mesh : Mesh
        Its mesh.
    has_energy : bool
        Whether a body has an energy: its motion is found, with drivers as equations.

    Raises
    ------
    InputError
        As of `Mechanism`.
    """
    if not model.links:
        return None
    if model.analysis.kind in ("transient", "modes"):
        parts = build_parts(model, mesh)
        found = FoundMechanism(parts, _starts(model, parts), abs(model.span))
        # Joints may hold the pieces of a body, all but how it bends.
        elastic = model.pieces or has_energy or model.forces
        if found.freedom or elastic or model.analysis.kind == "modes":
            return found
        _refuse_starts(model)
    return Mechanism.from_model(model, mesh)


def _refuse_starts(model: ModelSpec) -> None:
    """Refuse starts of what joints and drivers determine."""
    given = [
        f"{table}[{k}].{key}"
        for table, keys in (
            ("links", ("velocity", "angular_velocity")), ("joints", ("start", "start_velocity"))
        )
        for k, one in enumerate(getattr(model, table))
        for key in keys
        if getattr(one, key)
    ]  # fmt: skip
    if given:
        raise InputError(
            f"{given[0]}: found it in a mechanism whose joints and drivers determine every motion; "
            "expected none, or fewer drivers"
        )


def motion_of(mechanism: Mechanism, link: str) -> LinkMotion:
    """Return the motion of a link, by its name."""
    kind = FoundLinkMotion if mechanism.is_found else LinkMotion
    return kind(mechanism, mechanism.number(link))


def _starts(model: ModelSpec, parts: Parts) -> list[Driver]:
    """Return what holds coordinates at their values at t = 0 while joints are closed."""
    found = []
    for k, joint in enumerate(model.joints):
        for name, value in joint.start.items():
            key = f"joints[{k}].start.{name}"
            number = find_coordinate(model.joints, parts.coordinates, joint.name, name, key)
            motion = Coordinate(PolynomialProfile([value]))
            found.append(Driver(f"{joint.name}.start", number, motion))
    return found
