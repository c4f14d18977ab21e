# SPDX-License-Identifier: BSD-3-Clause
"""Figures of a mechanism over time: points of links, and the coordinates of joints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.build import FreeCoordinate, Parts
from flexforge.runtime.mechanism.mechanism import Trajectory
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_probe import ProbeSpec
from flexforge.runtime.results import Column

_UNITS = {"position": "m", "velocity": "m/s", "acceleration": "m/s^2"}
_RATES = ("", " velocity", " acceleration")


@dataclass(frozen=True, slots=True)
class PointProbe:
    """A component of position, velocity or acceleration of a point of a link, global axes."""

    spec: ProbeSpec
    link: int

    @property
    def column(self) -> Column:
        """Heading of its column."""
        return Column(self.spec.name, _UNITS[self.spec.quantity])

    def values(self, course: Trajectory) -> Floats:
        """Return the figure at every time of a motion, (T,)."""
        vectors = point_motion(
            course.frames[:, self.link], np.array(self.spec.point or (0.0, 0.0, 0.0))
        )[self.spec.quantity]
        if self.spec.component == "magnitude":
            return np.asarray(np.linalg.norm(vectors, axis=1))
        return vectors[:, "xyz".index(self.spec.component)]


def point_motion(states: Floats, point: Floats) -> dict[str, Floats]:
    """Return position, velocity and acceleration of a point of a link, (T, 3) each, global axes.

    Parameters
    ----------
    states : (T, 8, 3) array
        States of the link.
    point : (3,) array
        In components of the link, m.
    """
    rotation, v, w, a, e = states[:, 1:4], *(states[:, k] for k in range(4, 8))
    turned = np.cross(w, np.broadcast_to(point, w.shape))
    velocity = v + turned
    acceleration = a + np.cross(e, np.broadcast_to(point, e.shape)) + np.cross(w, turned)
    return {
        "position": states[:, 0] + rotation @ point,
        "velocity": np.einsum("tij,tj->ti", rotation, velocity),
        "acceleration": np.einsum("tij,tj->ti", rotation, acceleration),
    }


def point_probes(model: ModelSpec, parts: Parts) -> list[PointProbe]:
    """Return the probes of points of links of a model."""
    return [
        PointProbe(spec, parts.links.index(spec.link))
        for spec in model.probes
        if spec.link is not None
    ]


def coordinate_columns(parts: Parts) -> list[Column]:
    """Return the headings of value, velocity and acceleration of every coordinate."""
    return [column for one in parts.coordinates for column in _columns(parts, one)]


def _columns(parts: Parts, coordinate: FreeCoordinate) -> list[Column]:
    name = f"{parts.joints[coordinate.joint].name} {coordinate.name.replace('_', ' ')}"
    unit = "m" if coordinate.is_length else "rad"
    return [
        Column(f"{name}{rate}", unit + ("", "/s", "/s^2")[order])
        for order, rate in enumerate(_RATES)
    ]
