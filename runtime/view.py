# SPDX-License-Identifier: BSD-3-Clause
"""A model in three dimensions before it is run."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.mechanism.mechanism import Mechanism, unpack
from flexforge.runtime.mechanism.shapes import link_shapes
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.observe.described import described
from flexforge.runtime.observe.record import geometries
from flexforge.runtime.results import BodyGeometry, BodyState
from flexforge.runtime.results.data import Frame
from flexforge.runtime.results.scene_building import scene_at_rest
from flexforge.runtime.results.view import MOST_VALUES, View, view_of_scene
from flexforge.runtime.substructures.build import in_pieces
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.name_table import NameTable


def view_of_model(spec: ModelSpec, height: int = 600) -> View:
    """Return the view of a model: its undeformed bodies, where their frames are at time zero.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    height : int
        Height in a notebook, pixels.

    Raises
    ------
    InputError
        When the mesh cannot be read, or the mechanism cannot be assembled.
    AnalysisError
        When its links have no position at time zero.
    """
    spec, mesh = in_pieces(spec, build_mesh(spec))
    bodies, places, mechanism, named = _placed(spec, mesh)
    states = {
        body.name: BodyState(np.zeros_like(body.points), frame=place)
        for body, place in zip(bodies, places, strict=True)
    }
    summary = described(spec, None if mechanism is None else mechanism.parts, named)
    scene = scene_at_rest(bodies, Frame(0.0, states), summary, MOST_VALUES)
    return view_of_scene(spec.title or spec.name, scene, height, controls=False)


def _placed(
    spec: ModelSpec, mesh: Mesh
) -> tuple[list[BodyGeometry], list[FrameState], Mechanism | None, NameTable | None]:
    """Return the bodies of a model, their frames at time zero, its mechanism and its names."""
    if spec.analysis.kind != "kinematics":
        places = build_system(spec, mesh)
        frames = [body.motion.at(0.0) for body in places.system.bodies]
        return geometries(spec, places), frames, places.mechanism, places
    mechanism = Mechanism.from_model(spec, mesh)
    course, error = mechanism.follow(np.zeros(1))
    if error is not None:
        raise error
    return link_shapes(mechanism.parts), list(unpack(course.frames[0])), mechanism, None
