# SPDX-License-Identifier: BSD-3-Clause
"""Shapes that begin inside each other, from where the contact would throw them apart."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import numpy as np
from flexforge.codegen.forces.declaration import VARIABLES
from flexforge.codegen.forces.terms import GAP
from flexforge.runtime.arrays import Floats
from flexforge.runtime.assembly.kernels import law_kernels
from flexforge.runtime.mechanism.joints import GROUND
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.multibody.forces import Force
from flexforge.runtime.multibody.motion import FoundMotion

#: Share of a contact's force that accelerates the lighter link away, from which on a start is no
#: balance; and depths that are round-off, relative to the size of the mechanism.
_THROWN, _ROUND_OFF = 0.5, 1e-9
#: Part of the way between two stops that a coordinate may begin beyond one of them.
_BEYOND = 1e-3
_SIGNATURE = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)
_SLIDES = ("slide", "second_slide", "third_slide")


def begins_inside(spec: ModelSpec, motion: FoundMotion) -> list[str]:
    """Return warnings about contacts whose shapes overlap at t = 0 by more than balances.

    Where links rest on each other, contacts accelerate nothing. A contact is told whose force
    moves the lighter link away by half of itself or more.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    motion : FoundMotion
        At t = 0.
    """
    if not motion.links.model.formulas.forces:
        return []
    return list(_told(spec, motion))


def _told(spec: ModelSpec, motion: FoundMotion) -> Iterator[str]:
    model, begun = motion.links.model, motion.over([motion.state])
    frames, values = begun.course.frames[0], begun.course.coordinates[0]
    masses = np.zeros(len(model.parts.links))
    for body in motion.system.bodies:
        if body.motion.link is not None:
            masses[body.motion.link] += body.total_mass
    joints = {joint.name: joint for joint in model.parts.joints}
    for k, (one, force) in enumerate(zip(spec.forces, model.formulas.forces, strict=True)):
        if one.contact is None:
            continue
        depth = -_gap(force, values)
        if force.law.is_rigid:
            if depth > _ROUND_OFF * model.parts.size:
                yield f"{_begins(k, force, depth)} m or rad deep; expected rigid shapes that touch"
            continue
        if one.contact == "stop":
            lower, upper = one.parameters["lower"], one.parameters["upper"]
            place, _, acceleration = values[force.coordinates["slide"]]
            back = acceleration * (0.5 * (lower + upper) - place) > 0.0
            if back and depth > _BEYOND * (upper - lower):
                yield f"{_begins(k, force, depth)} beyond a stop; expected a start between stops"
            continue
        joint, acts = joints[force.name], begun.reactions[force.name].at(0)
        push = float(np.linalg.norm(acts.force))
        if depth <= _ROUND_OFF * model.parts.size or push == 0.0:
            continue
        moved = np.array([
            values[force.coordinates[name], 2] if name in force.coordinates else 0.0
            for name in _SLIDES
        ])  # fmt: skip
        away = float(moved @ acts.axes @ acts.force) / push
        lighter = min(masses[link] for link in joint.links if link != GROUND)
        if away * lighter > _THROWN * push:
            x = _place(frames, joint.links[1], joint.markers[1].point)
            yield (
                f"{_begins(k, force, depth)} m deep at ({x[0]:.6g}, {x[1]:.6g}, {x[2]:.6g}) m, "
                f"where {push:.3g} N throw its links apart; expected a start where shapes touch, "
                "or where their force is balanced"
            )


def _begins(number: int, force: Force, depth: float) -> str:
    return f"forces[{number}]: '{force.name}' begins {depth:.3g}"


def _gap(force: Force, values: Floats) -> float:
    """Return the gap of a force from values and rates of coordinates, (C, 3)."""
    known = [
        values[force.coordinates[VARIABLES[name][0]], int(VARIABLES[name][1])]
        if name in VARIABLES else 0.0  # on which no gap depends
        for name in force.law.variables
    ]  # fmt: skip
    state, out = np.array([0.0, *known]), np.zeros(1)
    gap = _SIGNATURE(law_kernels(force.law)[GAP].function)
    gap(None, force.values.ctypes.data, state.ctypes.data, out.ctypes.data, None)
    return float(out[0])


def _place(frames: Floats, link: int, point: Floats) -> Floats:
    """Return where a point of a link is, global components."""
    return point if link == GROUND else frames[link, 0] + frames[link, 1:4].T @ point
