# SPDX-License-Identifier: BSD-3-Clause
"""Figures of a mechanism over time: points of links, and the coordinates of joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.build import FreeCoordinate, Parts, find_coordinate
from flexforge.runtime.mechanism.mechanism import Trajectory
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_probe import MOTIONS, OF_COORDINATES, ProbeSpec
from flexforge.runtime.results import Column

_RATES = ("", " velocity", " acceleration")
_PER_TIME = ("", "/s", "/s^2")


@dataclass(frozen=True, slots=True)
class PointProbe:
    """A component of position, velocity or acceleration of a point of a link, global axes."""

    spec: ProbeSpec
    link: int

    @property
    def column(self) -> Column:
        """Heading of its column."""
        return Column(self.spec.name, "m" + _PER_TIME[MOTIONS.index(self.spec.quantity)])

    @property
    def point(self) -> Floats:
        """The point in components of the link, (3,), m."""
        return np.array(self.spec.point or (0.0, 0.0, 0.0))

    def values(self, course: Trajectory, moved: Floats | None = None) -> Floats:
        """Return the figure at every time of a motion, (T,).

        Parameters
        ----------
        course : Trajectory
            The motion of the links.
        moved : ndarray, (3, T, 3), optional
            Displacement of the point relative to its link, its velocity and its acceleration, in
            components of the link.
        """
        vectors = point_motion(course.frames[:, self.link], self.point, moved)[self.spec.quantity]
        if self.spec.component == "magnitude":
            return np.asarray(np.linalg.norm(vectors, axis=1))
        return vectors[:, "xyz".index(self.spec.component)]


@dataclass(frozen=True, slots=True)
class CoordinateProbe:
    """Value, velocity or acceleration of a coordinate of a joint.

    Attributes
    ----------
    spec : ProbeSpec
        Specification in the model.
    number : int
        Of the coordinate in the mechanism.
    coordinate : FreeCoordinate
        Its joint and kind.
    """

    spec: ProbeSpec
    number: int
    coordinate: FreeCoordinate

    @property
    def order(self) -> int:
        """Which derivative it is."""
        return OF_COORDINATES.index(self.spec.quantity)

    @property
    def column(self) -> Column:
        """Heading of its column."""
        return Column(self.spec.name, _unit(self.coordinate, self.order))

    def values(self, course: Trajectory) -> Floats:
        """Return the figure at every time of a motion, (T,)."""
        return course.coordinates[:, self.number, self.order]


MotionProbe: TypeAlias = PointProbe | CoordinateProbe


def point_motion(states: Floats, point: Floats, moved: Floats | None = None) -> dict[str, Floats]:
    """Return position, velocity and acceleration of a point of a link, (T, 3) each, global axes.

    Parameters
    ----------
    states : (T, 8, 3) array
        States of the link.
    point : (3,) array
        In components of the link, m.
    moved : (3, T, 3) array, optional
        Displacement of the point relative to the link, its velocity and its acceleration, in
        components of the link; none of them by default.
    """
    rotation, v, w, a, e = states[:, 1:4], *(states[:, k] for k in range(4, 8))
    u, rate, second = np.zeros((3, *w.shape)) if moved is None else moved
    place = point + u
    turned = np.cross(w, place)
    velocity = v + turned + rate
    acceleration = a + np.cross(e, place) + np.cross(w, turned + 2.0 * rate) + second
    place, velocity, acceleration = (
        np.einsum("tij,tj->ti", rotation, one) for one in (place, velocity, acceleration)
    )
    return {
        "position": states[:, 0] + place,
        "velocity": velocity,
        "acceleration": acceleration,
    }


def motion_probe(key: str, spec: ProbeSpec, model: ModelSpec, parts: Parts) -> MotionProbe:
    """Return the probe of a point of a link, or of a coordinate of a joint.

    Parameters
    ----------
    key : str
        Where the model file has it, for messages.
    spec : ProbeSpec
        Its specification, that of a motion.
    model : ModelSpec
        The model.
    parts : Parts
        Its mechanism.

    Raises
    ------
    InputError
        For a coordinate that the joint does not have in the plane.
    """
    if spec.link is not None:
        return PointProbe(spec, parts.links.index(spec.link))
    assert spec.joint is not None
    wanted = (spec.joint, spec.component or None, f"{key}.joint")
    number = find_coordinate(model.joints, parts.coordinates, *wanted)
    return CoordinateProbe(spec, number, parts.coordinates[number])


def coordinate_columns(parts: Parts) -> list[Column]:
    """Return the headings of value, velocity and acceleration of every coordinate."""
    return [column for one in parts.coordinates for column in _columns(parts, one)]


def _columns(parts: Parts, coordinate: FreeCoordinate) -> list[Column]:
    name = f"{parts.joints[coordinate.joint].name} {coordinate.name.replace('_', ' ')}"
    return [Column(f"{name}{rate}", _unit(coordinate, order)) for order, rate in enumerate(_RATES)]


def _unit(coordinate: FreeCoordinate, order: int) -> str:
    return ("m" if coordinate.is_length else "rad") + _PER_TIME[order]
