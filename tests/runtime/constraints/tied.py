# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms of elastic links for tests, and what must balance in them."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.runtime.constraints.build import build_ties
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.start import start
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.inertia import skew
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.tied_motion import TiedMotion


def motion_of(data: dict[str, Any], *, native: bool = True) -> TiedMotion:
    """Return the motion of a model at t = 0."""
    spec = model_from_dict(data)
    places = build_system(spec, build_mesh(spec))
    state = initial_state(spec, places)
    loads, ties = Loads(spec, places), build_ties(spec, places)
    for body in places.system.bodies:
        body.assemble()
    found = start(spec.analysis, places.system, loads, *state, ties, native=native)
    assert isinstance(found, TiedMotion)
    return found


def run(data: dict[str, Any], duration: float, steps: int, **analysis: Any) -> TiedMotion:
    """Return the motion of a model at the end."""
    given = {"kind": "transient", "duration": duration, "steps": steps, "threads": 1}
    motion = motion_of(data | {"analysis": given | analysis})
    for _ in range(steps):
        motion.advance()
    return motion


def momentum_rate(motion: TiedMotion) -> np.ndarray:
    """Return the rate of the momentum of everything in space, (3,), N: of what moves and bends."""
    total, d = np.zeros(3), motion.system.dimension
    q, v, a = motion.displacement, motion.velocity, motion.acceleration
    for body, frame in zip(motion.system.bodies, motion.system.frames(motion.time), strict=True):
        w, e = skew(frame.w)[:d, :d], skew(frame.e)[:d, :d]
        carried = body.first_moment + body.momentum(q[body.nodes])
        rate = body.total_mass * frame.a_O[:d] + (e + w @ w) @ carried
        rate += 2 * w @ body.momentum(v[body.nodes]) + body.momentum(a[body.nodes])
        total += frame.R[:, :d] @ rate
    return total


def ground_force(motion: TiedMotion) -> np.ndarray:
    """Return the sum of the forces of the ground on everything through joints, (3,), N."""
    total = np.zeros(3)
    for joint in motion.constraints.mechanism.joints:
        force = motion.reactions[joint.name].force
        total += force * (joint.links[0] < 0) - force * (joint.links[1] < 0)
    return total
