# SPDX-License-Identifier: BSD-3-Clause
"""From a model to its shapes: read, or computed with the loads that occur in its time."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.compact.forces import Forces
from flexforge.runtime.compact.motion import frames_over, inertia_blocks
from flexforge.runtime.constraints.joints import JointConstraints
from flexforge.runtime.loads import Loads
from flexforge.runtime.model import ModelSpec
from flexforge.runtime.places import Places
from flexforge.runtime.ritz.basis import Basis, ritz_basis
from flexforge.runtime.ritz.store import read_basis
from flexforge.runtime.ritz.told import told_loads

#: Times at which the loads are looked at.
SAMPLES = 65


def reduced_basis(
    spec: ModelSpec, places: Places, loads: Loads, joints: JointConstraints | None = None
) -> Basis:
    """Return the shapes that ``[reduction]`` of a model asks for, from its file where it names one.

    Parameters
    ----------
    spec : ModelSpec
        The model, which has that table.
    places : Places
        Its names in the system; prestress has been added.
    loads : Loads
        What acts on it.
    joints : JointConstraints, optional
        What ties its bodies.

    Raises
    ------
    InputError
        For groups without nodes, or without unknowns; for a file of another model.
    AnalysisError
        When nothing is left to vibrate, or the system is not held.
    """
    assert spec.reduction is not None
    if spec.reduction.basis is not None:
        return read_basis(spec.reduction.basis, spec.reduction, places.system)
    return compute_basis(spec, places, loads, joints)


def compute_basis(
    spec: ModelSpec, places: Places, loads: Loads, joints: JointConstraints | None = None
) -> Basis:
    """Return the shapes that ``[reduction]`` of a model asks for, computed.

    Parameters and errors are those of :func:`reduced_basis`, without those of a file.
    """
    assert spec.reduction is not None
    system = places.system
    times = np.linspace(0.0, spec.span, SAMPLES) if spec.span else np.zeros(1)
    links = None
    if joints is not None:
        course, _ = joints.mechanism.follow(times)  # as far as it gets
        times, links = course.times, course.frames
    frames = frames_over(system.bodies, times, links)
    blocks = [inertia_blocks(one, system.include, system.dimension) for one in frames]
    forces = Forces(system, loads)
    answered = np.vstack([forces.over(times, frames, blocks), told_loads(system, loads, forces)])
    ends = () if joints is None else joints.markers
    return ritz_basis(spec.reduction, places, answered, spec.analysis.solver, ends)
