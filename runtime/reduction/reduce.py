# SPDX-License-Identifier: BSD-3-Clause
"""From a model to its shapes: read from a file, or computed with all loads that may occur."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.constraints.joints import JointConstraints
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.native.forces import Forces
from flexforge.runtime.reduction.basis import Basis, kept_of, ritz_basis
from flexforge.runtime.reduction.interface import Interface
from flexforge.runtime.reduction.possible import possible_loads
from flexforge.runtime.reduction.store import read_basis
from flexforge.runtime.system.frames import frames_over, inertia_blocks
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable

#: Number of times at which the motion of links is sampled.
SAMPLES = 65


def reduced_basis(
    spec: ModelSpec, places: NameTable, loads: Loads, joints: JointConstraints | None = None
) -> Basis:
    """Return the shapes for ``[reduction]`` of a model, from its file if one is given.

    Parameters
    ----------
    spec : ModelSpec
        The model, which has that table.
    places : NameTable
        Its names in the system.
    loads : Loads
        What acts on it.
    joints : JointConstraints, optional
        Constraints that tie its bodies.

    Raises
    ------
    InputError
        For groups without nodes or unknowns; for a file of another model.
    AnalysisError
        When no unknowns are left to vibrate, or the system is not held.
    """
    return known_basis(spec, places, joints) or compute_basis(spec, places, loads, joints)


def known_basis(
    spec: ModelSpec, places: NameTable, joints: JointConstraints | None = None
) -> Basis | None:
    """Return the shapes of the file named in ``[reduction]``; check the table if there is none.

    Parameters are those of :func:`reduced_basis`; the model need not have that table.

    Raises
    ------
    InputError
        For groups without nodes or unknowns; for a file of another model.
    """
    if spec.reduction is None:
        return None
    kept = _kept(spec, places, joints)
    if spec.reduction.basis is None:
        return None
    return read_basis(spec.reduction.basis, spec.reduction, places.system, kept)


def compute_basis(
    spec: ModelSpec, places: NameTable, loads: Loads, joints: JointConstraints | None = None
) -> Basis:
    """Return the computed shapes for ``[reduction]`` of a model.

    Parameters and errors are those of :func:`reduced_basis`, except those of a file.
    """
    assert spec.reduction is not None
    system = places.system
    times = np.linspace(0.0, spec.span, SAMPLES) if spec.span else np.zeros(1)
    links = None
    if joints is not None:
        course, _ = joints.mechanism.follow(times)  # as far as the mechanism moves
        times, links = course.times, course.frames
    frames = frames_over(system.bodies, times, links)
    blocks = [inertia_blocks(one, system.include, system.dimension) for one in frames]
    answered = possible_loads(system, loads, Forces(system, loads), frames, blocks)
    kept = _kept(spec, places, joints)
    return ritz_basis(spec.reduction, system, kept, answered, spec.analysis.solver)


def _kept(spec: ModelSpec, places: NameTable, joints: JointConstraints | None) -> Interface:
    """Return the kept coordinates of a reduced model."""
    assert spec.reduction is not None
    return kept_of(spec.reduction, places, () if joints is None else joints.markers)
