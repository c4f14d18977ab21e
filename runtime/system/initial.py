# SPDX-License-Identifier: BSD-3-Clause
"""Displacement and velocity at t = 0 from the formulas of the model file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_frame import FrameSpec
from flexforge.runtime.model.schema_loads import FieldVector
from flexforge.runtime.motion.build import build_field
from flexforge.runtime.motion.rotation import about_axis
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System

#: Fraction of a state that shapes may leave out without a warning.
_LOST = 1e-3


def initial_state(model: ModelSpec, places: NameTable) -> tuple[Floats, Floats]:
    """Return displacement (m) and velocity (m/s) at t = 0, (N, d) each.

    Raises
    ------
    InputError
        For a group without nodes, or a formula that is not finite at a node.
    """
    system = places.system
    shape = (system.size, system.dimension)
    displacement, velocity = np.zeros(shape), np.zeros(shape)
    for body_spec in model.bodies:
        frame = body_spec.frame
        if isinstance(frame, FrameSpec) and frame.free is not None:
            (body,) = places.bodies(body_spec.name)
            free, points = frame.free, body.part.points
            turned = points @ about_axis(np.array(free.axis), free.angle).T
            moving = np.array(free.velocity) + np.cross(np.array(free.angular_velocity), turned)
            displacement[body.nodes] = (free.position + turned - points)[:, : system.dimension]
            velocity[body.nodes] = moving[:, : system.dimension]
    for i, spec in enumerate(model.initial):
        if spec.group is None:
            pairs = [(b, np.arange(len(b.part.points))) for b in places.bodies(spec.body)]
        else:
            pairs = places.nodes(spec.group, spec.body, f"initial[{i}].group")
        for body, nodes in pairs:
            points = body.part.points[nodes]
            for given, field in ((spec.displacement, displacement), (spec.velocity, velocity)):
                if given is not None:
                    field[body.nodes[nodes]] = _evaluate(given, points)[:, : system.dimension]
    return displacement, velocity


def lost_at_start(shapes: Shapes, system: System, state: Sequence[Floats]) -> list[str]:
    """Return the warnings for an initial state outside the span of the shapes.

    Parameters
    ----------
    shapes : Shapes
        The shapes of the unknowns.
    system : System
        The bodies.
    state : sequence of ndarray, (N, d) each
        Displacement and velocity.
    """
    shares = [shapes.lost(system, system.map.sample(one)) for one in state]
    return [
        f"initial: the shapes leave {share:.2g} of the {what} at t = 0 out, by the root of its mass"
        for share, what in zip(shares, ("displacement", "velocity"), strict=True)
        if share > _LOST
    ]


def _evaluate(given: FieldVector, points: Floats) -> Floats:
    x, y, z = points.T
    columns = [np.broadcast_to(build_field(one)(x=x, y=y, z=z), x.shape) for one in given]
    return np.column_stack(columns)
