# SPDX-License-Identifier: BSD-3-Clause
"""A small system as the tables of ``ff_model.h``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.mechanism import Mechanism
from flexforge.runtime.native.constants import Constants
from flexforge.runtime.native.inputs import Functions
from flexforge.runtime.native.motions import ANGULAR, LINEAR, Motions
from flexforge.runtime.native.ties import build_tied
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.tables import structs
from flexforge.runtime.transient.scheme import Scheme


def build_model(
    constants: Constants,
    scheme: Scheme,
    step: float,
    functions: Functions | None = None,
    outputs: Sequence[structs.Output] = (),
) -> structs.Model:
    """Return the tables of a small system, which begins at rest.

    Parameters
    ----------
    constants : Constants
        Its matrices and loads.
    scheme : Scheme
        Method of integration.
    step : float
        Of the analysis, s.
    functions : Functions, optional
        Where its functions of time are collected.
    outputs : sequence of Output
        What it tells; their loads are cut down to those that do anything.

    Raises
    ------
    InputError
        When a motion has no table.
    """
    matrices, forces, joints = constants.matrices, constants.forces, constants.joints
    model = moving(
        constants.system,
        constants.loads,
        scheme,
        step,
        functions or Functions(),
        None if joints is None else joints.mechanism,
        velocities=constants.ties is not None and constants.ties.canonical,
    )
    acting = np.any(forces.vectors, axis=1)
    for one in outputs:
        if one.loads.size:
            acting = acting | np.any(one.loads, axis=0)
    tied = None
    if joints is not None and constants.ties is not None:
        shape = matrices.stiffened
        stiffened = structs.Stiffened(shape.indptr, shape.indices, shape.data)
        tied = build_tied(joints, constants.ties, stiffened)
    return replace(
        model,
        matrices=structs.Matrices(
            matrices.size,
            len(matrices.bases),
            constants.order.band,
            matrices.pointers,
            matrices.columns,
            constants.order.place,
            constants.order.fill,
            matrices.mass,
            matrices.bases,
            matrices.skew,
        ),
        base=matrices.meaning,
        vector=tuple(one for one, acts in zip(forces.meaning, acting, strict=True) if acts),
        load=forces.vectors[acting],
        given_force=constants.given,
        initial=np.zeros((2, matrices.size)),
        output=tuple(
            replace(one, loads=one.loads[:, acting]) if one.loads.size else one for one in outputs
        ),
        tied=tied,
    )


def moving(
    system: System,
    loads: Loads,
    scheme: Scheme,
    step: float,
    functions: Functions,
    mechanism: Mechanism | None = None,
    *,
    velocities: bool = False,
) -> structs.Model:
    """Return the tables of all that moves in time: frames, loads, and the mechanism.

    Parameters
    ----------
    system, loads, scheme, step, functions
        As of :func:`build_model`.
    mechanism : Mechanism, optional
        Whose links move bodies.
    velocities : bool
        Whether velocities of the origins of other frames are asked for.
    """
    motions, include = Motions(functions, velocities=velocities), system.include
    bodies = []
    for number, body in enumerate(system.bodies):
        motion, link = -1, body.motion.link
        if body.motion.link is None:
            turned = any(one.turning for one in loads.forces if one.body == number)
            motion = motions.add(body.motion, turned=turned)
        patterns = body.unpatterned.shape[1]
        bodies.append(
            structs.Body(
                motion,
                body.alpha,
                body.beta,
                patterns,
                body.unpatterned,
                -1 if link is None else link,
            )
        )
    mass_loads = tuple(
        structs.MassLoad(
            one.body, one.turning, functions.add(one.amplitude), _in_space(one.acceleration)
        )
        for one in loads.mass
    )
    nodal_loads = tuple(
        structs.NodalLoad(one.body, one.turning, functions.add(one.amplitude))
        for one in loads.nodal
    )
    model = structs.Model(
        structs.Matrices(system.unknowns),
        structs.Scheme(scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma, scheme.explicit),
        structs.Include(
            include.coriolis,
            include.euler,
            include.centrifugal_stiffness,
            include.euler_load,
            include.centrifugal_load,
            include.origin_load,
        ),
        system.dimension,
        step,
        body=tuple(bodies),
        mass_load=mass_loads,
        nodal_load=nodal_loads,
    )
    if mechanism is not None:
        model = with_mechanism(model, mechanism, motions)
    if loads.given is not None:
        given = tuple(motions.coordinate(one, 0, LINEAR) for one in loads.given.functions)
        model = replace(model, given=given)
    return replace(model, motion=motions.tables, knots=motions.knots, input_start=functions.start)


def with_mechanism(model: structs.Model, mechanism: Mechanism, motions: Motions) -> structs.Model:
    """Return the tables of a model with a mechanism, assembled at t = 0.

    Parameters
    ----------
    model : Model
        Without it.
    mechanism : Mechanism
        The mechanism.
    motions : Motions
        Where the functions of time of its drivers are collected, and their knots counted.
    """
    parts, start = mechanism.parts, mechanism.assembled
    drivers = tuple(
        motions.coordinate(
            one.motion, 0, LINEAR if parts.coordinates[one.coordinate].is_length else ANGULAR
        )
        for one in parts.drivers
    )
    # Time, last step (none), sign; frames twice, angles, coordinates: a state of ff_linkage.h.
    frames = start.frames.ravel()
    head = [0.0, 0.0, float(start.sign)]
    assembled = np.concatenate([head, frames, frames, start.angles, start.coordinates.ravel()])
    return replace(model, linkage=mechanism.linkage, driver=drivers, assembled=assembled)


def _in_space(vector: Sequence[float] | Floats) -> tuple[float, float, float]:
    x, y, z = (*map(float, vector), 0.0, 0.0)[:3]
    return x, y, z
