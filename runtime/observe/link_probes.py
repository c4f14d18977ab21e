# SPDX-License-Identifier: BSD-3-Clause
"""Points of links and coordinates of joints in a transient analysis, with small displacements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.joints import attach_joint
from flexforge.runtime.constraints.markers import Attachment
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.mechanism.probes import CoordinateProbe, PointProbe, motion_probe
from flexforge.runtime.mechanism.shapes import carried
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_probe import ProbeSpec
from flexforge.runtime.observe.motion import Samples
from flexforge.runtime.results import Column
from flexforge.runtime.results.data import spatial
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.name_table import NameTable

_ZERO = 1e-12


@dataclass(frozen=True, slots=True)
class LinkProbe:
    """A point of a link.

    Attributes
    ----------
    probe : PointProbe
        What it is of the motion of the mechanism.
    mechanism : Mechanism
        The mechanism.
    body : Body or None
        The rigid body of the link, whose small motion counts; None of a link that bears elastic
        bodies: the point is one of its frame.
    """

    of: ClassVar[Literal["links"]] = "links"
    probe: PointProbe
    mechanism: Mechanism
    body: Body | None

    @property
    def spec(self) -> ProbeSpec:
        """Specification in the model."""
        return self.probe.spec

    @property
    def column(self) -> Column:
        """Heading of its column."""
        return self.probe.column

    def over(self, samples: Samples) -> Floats:
        """Return the values at several times, (T,)."""
        return self.probe.values(self.mechanism.solve(samples.times), self._moved(samples))

    def _moved(self, samples: Samples) -> Floats | None:
        if self.body is None:
            return None
        nodes, at = self.body.nodes, self.probe.point[None]
        fields = (samples.displacement, samples.velocity, samples.acceleration)
        return np.stack([spatial(carried(at, one[:, nodes])[:, 0]) for one in fields])


@dataclass(frozen=True, slots=True)
class JointProbe:
    """A coordinate of a joint: that of the links, and what small displacements d add to it.

    Where the motion of the links is found, its coordinates are those of deformed links already.
    Otherwise, with the displacements m and turns of both markers, they add ``J m``, ``J m' + J' m``
    and ``J m'' + 2 J' m' + J'' m``.

    Attributes
    ----------
    probe : CoordinateProbe
        What it is of the motion of the mechanism.
    mechanism : Mechanism
        The mechanism.
    ends : tuple of Attachment
        How both markers move with the coordinates of all nodes.
    """

    of: ClassVar[Literal["links"]] = "links"
    probe: CoordinateProbe
    mechanism: Mechanism
    ends: tuple[Attachment, ...]

    @property
    def spec(self) -> ProbeSpec:
        """Specification in the model."""
        return self.probe.spec

    @property
    def column(self) -> Column:
        """Heading of its column."""
        return self.probe.column

    def over(self, samples: Samples) -> Floats:
        """Return the values at several times, (T,)."""
        course, order = self.mechanism.solve(samples.times), self.probe.order
        if self.mechanism.is_found:
            return self.probe.values(course).copy()
        rates = self.jacobians(course.frames)
        fields = ("displacement", "velocity", "acceleration")  # found when they are asked for
        found = self.probe.values(course).copy()
        for k in range(order + 1):
            many = (1, 2, 1)[k] if order == 2 else 1
            moved = self._markers(getattr(samples, fields[order - k]))
            found += many * np.einsum("tj,tj->t", rates[:, k], moved)
        return found

    def jacobians(self, links: Floats) -> Floats:
        """Return J, J' and J'' of the coordinate, (T, 3, 12), for states of links (T, L, 8, 3)."""
        joint = self.mechanism.joints[self.probe.coordinate.joint]
        row = joint.held + list(joint.free_rows).index(self.probe.coordinate.name)
        return joint.jacobians(links)[:, :, row]

    def _markers(self, field: Floats) -> Floats:
        """Return displacement and turn of both markers, (T, 12), from nodal vectors (T, N, d)."""
        flat = field.reshape(len(field), -1)
        return np.concatenate([flat[:, end.columns] @ end.matrix.T for end in self.ends], axis=1)


def link_probe(
    key: str, spec: ProbeSpec, model: ModelSpec, places: NameTable
) -> LinkProbe | JointProbe:
    """Return the probe of a point of a link, or of a coordinate of a joint.

    Parameters
    ----------
    key : str
        Where the model file has it, for messages.
    spec : ProbeSpec
        Its specification, that of a motion.
    model : ModelSpec
        The model.
    places : NameTable
        Its names in the system, with a mechanism.

    Raises
    ------
    InputError
        For a coordinate that the joint does not have in the plane, or an angle of a node without
        rotation.
    """
    mechanism = places.mechanism
    assert mechanism is not None
    probe = motion_probe(key, spec, model, mechanism.parts)
    if isinstance(probe, PointProbe):
        rigid = any(link.name == spec.link for link in model.rigid_links)
        return LinkProbe(probe, mechanism, places.bodies(spec.link)[0] if rigid else None)
    number = probe.coordinate.joint
    ends = attach_joint(model, places.mesh, places.system, mechanism, number)
    found = JointProbe(probe, mechanism, ends)
    start = found.jacobians(mechanism.solve(np.zeros(1)).frames)[0, 0]
    for i, end in enumerate(ends):
        if not end.turns and np.abs(start[6 * i + 3 : 6 * i + 6]).max() > _ZERO:
            raise InputError(
                f"{key}.joint: found the {probe.coordinate.name} of joint '{spec.joint}', which is "
                f"at a node without rotation (joints[{number}].at[{i}]); expected a group of nodes "
                "that are not collinear there, or a node of a beam or shell"
            )
    return found
